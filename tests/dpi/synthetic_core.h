/* A core that exists only for the checker's tests: it runs a program on a golden model of its own and says
 * what it did, as a probe would, with latencies, reordering and splitting from a seed.
 *
 *  1. A program is assembled with put() into code; addresses and registers are the caller's business.
 *  2. core_run() runs kernels of that program under core_options and leaves a legal record stream, which has
 * gone through a karat_port, in a stream, and what a checker must count in core_counts.
 *  3. A test edits the stream (mutates, drops, duplicates, inserts records) or takes it as it is, and replays
 * it into a checker.  The same options give the same stream.
 */
#ifndef SYNTHETIC_CORE_H
#define SYNTHETIC_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat/karat.h"
#include "karat_port.h"

/* --- Random numbers: the same on every host --- */

typedef struct rng {
    uint64_t state;
} rng;
uint32_t rng_next(rng *r);
uint32_t rng_below(rng *r, uint32_t bound); /* 0 .. bound - 1; 0 where bound is 0 */
bool rng_chance(rng *r, uint32_t percent);

/* --- Programs --- */

#define CODE_BASE    0x80000000u
#define DATA_BASE    0x90000000u
#define DATA_SIZE    0x4000u
#define WARP_DATA    0x400u /* Bytes of data memory that each warp has for itself */
#define PRIVATE_BASE 0x90010000u
#define PRIVATE_SIZE 0x4000u
#define MAX_CODE     1024
#define ALIAS_BASE   0xa0000000u          /* sv39: SHARED's page a second time */
#define SHARED       (DATA_BASE + 0x3000) /* Used by several warps, where they meet; in x20, mostly */

typedef struct program {
    uint32_t word[MAX_CODE];
    uint32_t num;
    int32_t operand[KARAT_MAX_OPERAND]; /* Of the instruction that is being put */
    uint32_t num_operands;
} program;

/* Append the instruction of that row; operands in the row's order, all of them.  Ends the process where the
 * row or an operand is wrong: a test that cannot be assembled is not a test. */
void put_row(program *p, const char *row, const int32_t *operands, size_t num);
/* Some of them, as a literal: put_code(&p, "lui 20 SHARED; addi 13 7 1"). SHARED stands for its upper 20
 * bits. */
void put_code(program *p, const char *text);
#define put(p, ...) PUT_(p, __VA_ARGS__)
/* Operands are evaluated in order and the row last: C leaves the order open in calls and initializers, and
 * a seed is to give the same program whatever the compiler. */
#define PUT_(p, row, ...)                                                                                    \
    ((p)->num_operands = 0,                                                                                  \
     PUT_SEVENTH(__VA_ARGS__, PUT_6, PUT_5, PUT_4, PUT_3, PUT_2, PUT_1, 0)(p, __VA_ARGS__),                  \
     put_row(p, row, (p)->operand, (p)->num_operands))
#define PUT_SEVENTH(a, b, c, d, e, f, g, ...) g
#define PUT_1(p, a)                           (p)->operand[(p)->num_operands++] = (a)
#define PUT_2(p, a, ...)                      PUT_1(p, a), PUT_1(p, __VA_ARGS__)
#define PUT_3(p, a, ...)                      PUT_1(p, a), PUT_2(p, __VA_ARGS__)
#define PUT_4(p, a, ...)                      PUT_1(p, a), PUT_3(p, __VA_ARGS__)
#define PUT_5(p, a, ...)                      PUT_1(p, a), PUT_4(p, __VA_ARGS__)
#define PUT_6(p, a, ...)                      PUT_1(p, a), PUT_5(p, __VA_ARGS__)
#define put0(p, row)                          put_row(p, row, NULL, 0)
#define HERE(p)                               (CODE_BASE + 4 * (p)->num)
uint32_t put_forward(program *p);                    /* Room for a jump or branch that is put in later */
void put_jump(program *p, uint32_t at, uint32_t to); /* Jal x0 at word index at, to word index to */

/* x10 own data memory, x11 own LDS, x7 warp in workgroup, x6 warps; v1 lane, v2 lane * 4, v3 own data + v2,
 * v5 own LDS + v2 */
void put_prologue(program *p);
program begin_program(const char *code); /* The prologue, and put_code() of that */
/* A random program that exercises everything the checker compares.  barriers: the workgroup synchronises. */
void put_everything(program *p, rng *r, uint32_t sections, bool barriers);
/* A program where vfexp.v is the rule, and what it gives goes to everywhere but where it would decide. */
void put_approximate(program *p, rng *r, uint32_t sections, bool barriers);

/* --- Streams --- */

typedef union record {
    karat_rec_header h;
#define DO(name, NAME, kind, size) karat_rec_##name name;
    KARAT_REC_EACH(DO)
#undef DO
    uint64_t words[KARAT_REC_MAX_SIZE / 8];
} record;

typedef struct stream {
    record *at;
    size_t num, room;
} stream;
void stream_add(stream *s, const void *bytes, size_t size);
void stream_insert(stream *s, size_t i, const record *r);
void stream_remove(stream *s, size_t i);
stream stream_copy(const stream *s);
void stream_free(stream *s);
#define scoped_stream __attribute__((cleanup(stream_free))) stream /* Freed where its block ends */

/* --- The core --- */

/* With translation: ACCESS and not MEM. */
#define GIVES_SV39 (KARAT_RECS & ~(KARAT_RECS_OF_BENCH | 1u << KARAT_REC_MEM))
#define GIVES_ALL  (KARAT_RECS & ~(KARAT_RECS_OF_BENCH | KARAT_RECS_LIKE | 1u << KARAT_REC_TLB))

typedef struct core_options {
    uint64_t seed;
    uint32_t num_sm, num_warp, num_thread;
    uint32_t workgroups, wg_size, kernels;
    uint32_t wf_size; /* 0: num_thread */
    uint32_t gives;
    uint32_t write_match, mem_match; /* KARAT_MATCH_* */
    bool prefix_unknown, space_unknown, csr_unknown;
    uint32_t regs;          /* KARAT_REGS_* */
    uint32_t max_delay;     /* Of completions, cycles; 0: in the cycle of the ISSUE */
    uint32_t max_mem_delay; /* Of MEM, the same; may reach beyond EXIT and the slot's next LAUNCH */
    bool forwards;    /* Operands may be read, and registers written again, before the older WRITE is seen */
    bool split;       /* WRITE and MEM in parts */
    bool idle_writes; /* WRITEs to x0 and WRITEs of no lane */
    bool allocation;  /* LAUNCH gives register and LDS ranges */
    bool own_wgid;    /* CSR_WGID is the hardware's number of the workgroup, not its index */
    bool release_singly;
    bool host_csr;          /* The host writes CSR_PRINT of live warps now and then */
    uint32_t audit_percent; /* Of cycles in which a random register is audited besides those written */
    uint32_t lds_size;
    const karat_buffer *locals; /* First contents of the LDS of the first kernel's workgroups */
    uint32_t num_locals;
    bool uncounted;      /* BYE does not count the records */
    uint32_t deviations; /* KARAT_DEV_*: what it does otherwise than the ISA */
    karat_profile profile;
    karat_simt_order simt_order;
    bool items;     /* The launch says its work-items: all threads of all warps */
    uint32_t noise; /* Of vfexp.v: so many ulp to either side, or fewer */
    /* SV39: page tables are laid out as that seed says, and each kernel has its own (the same pages at the
     * same virtual addresses). An instruction that faults ends the run, fault_delay cycles after its
     * ISSUE. */
    bool sv39;
    uint64_t layout;
    uint32_t fault_delay;
    bool far; /* Not fewer, in the first lane of the first one */
} core_options;

typedef struct core_counts {
    uint64_t warps, instructions, x, v, x0, empty, simt, mem, csr, read, audit, arrive, release, exits,
        records;
    uint64_t lanes_differ, lds_unwritten, skipped_prefix; /* Warnings of its own model */
    uint64_t mem_passed_wait;                             /* MEM under an epoch that was over */
    uint64_t fills, faults;                               /* TLB records */
    uint64_t early_exit;                                  /* EXIT before completions */
    uint64_t cycle;                                       /* Of BYE */
} core_counts;

/* One SM of four slots of four threads, two workgroups of two warps, one kernel, everything given, nothing
 * late. */
core_options core_default(void);
/* Any legal combination. */
core_options core_random(uint64_t seed);

/* The model configuration that core and checker are to share. */
karat_config core_model_config(void);

/* Run to the end. The data memory holds random bytes at first.  Ends the process where the program does not
 * end. */
void core_run(const program *p, const core_options *o, stream *out, core_counts *counts);

#endif
