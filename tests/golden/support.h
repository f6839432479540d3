/* Shared by the tests of the golden model: a model with some memory and one warp, made to execute single
 * instructions that are assembled through the table, and a record of the rows that were executed. */
#ifndef KARAT_TESTS_GOLDEN_SUPPORT_H
#define KARAT_TESTS_GOLDEN_SUPPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karat/karat.h"
#include "suite.h"

#define CODE   0x80000000u /* Where code is put: 64 KiB are mapped */
#define DATA   0x90000000u /* Of data 64 KiB are mapped, and nothing before or after them */
#define MAPPED 0x10000u
#define LDS    0x70000000u
#define HIGH   0x500000000ull /* Beyond 4 GiB: map_high() maps 64 KiB */

/* Operands in assembly order, e.g. OP("vadd.vv", 3, 2, 1, 1) is vadd.vv v3, v2, v1.  Fails the test where the
 * table does not know the name or an operand does not fit. */
#define OP(name, ...) assemble(name, (const int32_t[KARAT_MAX_OPERAND]){__VA_ARGS__})
uint32_t assemble(const char *name, const int32_t value[KARAT_MAX_OPERAND]);

/* Prefixes: three more bits of each register number (section 4.2.2). */
uint32_t regext(unsigned x3, unsigned x2, unsigned x1, unsigned xd);
uint32_t regexti(unsigned imm_10_5, unsigned x2, unsigned xd);
/* Prefixes that make pairs, too (section 4.2.3). */
uint32_t regpair(unsigned x3, unsigned x2, unsigned x1, unsigned xd);
uint32_t regpairi(unsigned imm_10_5, unsigned x2, unsigned xd);

/* Prefixes of v2.03 without register extensions. */
#define PAIRED OP("prefix", 0, 0, 0, 0, 1, 0, 0)
uint32_t modified(unsigned pair, unsigned abs, unsigned neg); /* PREFIX */

/* A model, workgroup 0 of it open, and the commit of the last step. */
typedef struct rig {
    karat_model *model;
    karat_commit commit;
    karat_launch_desc desc; /* Used by the next launch() */
    uint32_t num_thread, all;
} rig;

/* A model with that many threads; orders and deviations by config, which may be NULL. */
void rig_open(rig *r, uint32_t num_thread);
void rig_open_config(rig *r, const karat_config *config);
void rig_open_v203(rig *r, uint32_t num_thread);
void rig_open_deviating(rig *r, karat_profile profile, uint32_t num_thread, uint32_t deviations);
void rig_close(rig *r);
/* A rig that lasts till the end of its block; RIG(r, rig_open, 4) opens it, too. */
#define scoped_rig __attribute__((cleanup(rig_close))) rig
#define RIG(r, open, ...)                                                                                    \
    scoped_rig r;                                                                                            \
    open(&r, __VA_ARGS__)

/* Open workgroup 0 again with that many warps, all of them launched by r->desc, CSR_WID apart. */
void launch_warps(rig *r, uint32_t num_warp);
/* Launch one warp in that way. */
void launch(rig *r);

/* One step of any warp, entered into the record of rows. */
karat_status step_warp(rig *r, uint32_t warp);

/* The effects of a step, with the values in place of pointers to them: two can be compared by their bytes. */
typedef struct shown {
    karat_commit commit;
    karat_commit_values values;
} shown;
void show(const karat_model *model, const karat_commit *commit, shown *s);

/* Write word at warp 0's pc and step over it; the step must succeed.  do_prefixed: after a prefix. */
void do_word(rig *r, uint32_t word);
void do_prefixed(rig *r, uint32_t prefix, uint32_t word);
#define DO(r, ...) do_word(r, OP(__VA_ARGS__))

/* Take that word, but the step must be that program error and change nothing: registers, CSRs, SIMT stack,
 * device memory and LDS are compared. The warp is launched again from r->desc afterwards. */
void fail_word(rig *r, uint32_t word, karat_error_kind kind);
void fail_prefixed(rig *r, uint32_t prefix, uint32_t word, karat_error_kind kind);
#define FAIL(r, kind, ...) fail_word(r, OP(__VA_ARGS__), kind)
/* Why the last step was an illegal instruction. */
#define ILLEGAL_BY(r, rule)                                                                                  \
    assert_string_equal(karat_illegal_name((r)->commit.error.illegal),                                       \
                        karat_illegal_name(KARAT_ILLEGAL_##rule))

/* State of warp 0. */
uint32_t pc_of(const rig *r);
uint32_t mask_of(const rig *r);
uint32_t depth_of(const rig *r);
uint32_t get_x(const rig *r, unsigned reg);
void set_x(rig *r, unsigned reg, uint32_t value);
const uint32_t *get_v(const rig *r, unsigned reg);
void set_v(rig *r, unsigned reg, const uint32_t *value);
void splat_v(rig *r, unsigned reg, uint32_t value);             /* Every lane the same */
void ramp_v(rig *r, unsigned reg, uint32_t first, uint32_t by); /* First + lane * by */
uint32_t get_csr(const rig *r, uint32_t csr);

/* The first n lanes of a register have to be these. */
void expect_v(const rig *r, unsigned reg, const uint32_t *expected, unsigned n);
#define EXPECT_V(r, reg, ...)                                                                                \
    do {                                                                                                     \
        const uint32_t expected_[] = {__VA_ARGS__};                                                          \
        expect_v(r, reg, expected_, sizeof expected_ / sizeof *expected_);                                   \
    } while (0)

/* Pairs of registers: the low word in reg. */
uint64_t get_x64(const rig *r, unsigned reg);
void set_x64(rig *r, unsigned reg, uint64_t value);
void set_v64(rig *r, unsigned reg, const uint64_t *value);
void splat_v64(rig *r, unsigned reg, uint64_t value);
void expect_v64(const rig *r, unsigned reg, const uint64_t *expected, unsigned n);
#define EXPECT_V64(r, reg, ...)                                                                              \
    do {                                                                                                     \
        const uint64_t expected_[] = {__VA_ARGS__};                                                          \
        expect_v64(r, reg, expected_, sizeof expected_ / sizeof *expected_);                                 \
    } while (0)

/* Device memory, little-endian words. */
uint32_t get_word(const rig *r, uint64_t addr);
void set_word(rig *r, uint64_t addr, uint32_t value);
void map_high(rig *r);

/* Make warp 0 run with fewer lanes: a VBRANCH on scratch registers v254 and v255 leaves exactly those of mask
 * active. Its other side waits on the stack. */
void narrow(rig *r, uint32_t mask);

/* Rows executed so far, one name a line, for the test that no row is left untried. */
void rows_executed(int row);
/* Instructions until rows_resume() may be illegal, and their effects are not compared: they are no test of
 * their rows. */
void rows_pause(void);
void rows_resume(void);
int rows_save(const char *path); /* 0 where it worked */

#endif
