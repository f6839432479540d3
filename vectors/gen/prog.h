/* A program as its generators make it and the shrinker changes it: instructions, and where each branch leads.
 *
 * An instruction is a step: its prefix belongs to it. Branches, JAL, and AUIPC with the instruction that
 * completes its address name another instruction by its number, so that instructions may come and go;
 * addresses are made last. */
#ifndef KARAT_PROG_H
#define KARAT_PROG_H

#include "karat/karat.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROG_CODE 0x80000000u
#define PROG_DATA 0x90000000u
#define PROG_LDS  0x70000000u
#define PROG_PDS  0xa0000000u

#define PROG_NONE (-1)

typedef struct prog_insn {
    uint32_t word, prefix; /* Prefix 0: none. prog_link() puts in the parts that depend on a target */
    int32_t target;        /* Instruction that its immediate leads to; PROG_NONE: its immediate is a number */
    int32_t high;          /* Of the low part of an address: its AUIPC, which has the high part; PROG_NONE */
    bool data;             /* A word that is no instruction, or never runs */
} prog_insn;

/* A prefix: its number among the prefix rows of the profile, in table order, those for any instruction before
 * those for memory accesses. The first two are the same in all profiles. */
typedef uint32_t prog_prefix;
enum {
    PROG_PLAIN, /* None */
    PROG_REGEXT,
    PROG_REGEXTI,
    PROG_REGPAIR, /* Profile v2.02 */
    PROG_REGPAIRI,
    PROG_PREFIX = PROG_REGPAIR, /* Profile v2.03 */
    PROG_PREFIXI,
    PROG_PRE_M,    /* The first of them */
    PROG_AUTO = 32 /* REGEXT where a register wants it */
};

/* The fields of a prefix that do not depend on the operands. */
typedef struct prog_fields {
    uint8_t pair, abs, neg, hint;
} prog_fields;

#define PROG_PAGES 64 /* Changes of page tables of a program */

/* The page fault that a program ends with, of one warp; reason KARAT_FAULT_NONE: none. */
typedef struct prog_fault {
    karat_fault_reason reason;
    karat_page_use use;
    uint8_t level;
    uint64_t virt;
} prog_fault;

typedef struct prog {
    karat_profile profile;
    int prefix_row[PROG_AUTO];        /* Row of each prefix by its number */
    uint32_t num_prefix, num_general; /* The general ones are for any instruction; both with PROG_PLAIN */
    prog_insn *insn;
    uint32_t num;
    uint8_t *data; /* Placed at PROG_DATA */
    uint32_t data_size;
    struct prog_launch {
        uint32_t grid[3], warps, threads, knl, lds, pds, sgprs, vgprs; /* Threads, sgprs, vgprs 0: all */
        uint32_t local[3], items[3],
            /* Work-items of a workgroup (0: all threads start) and of the grid; slots of private memory */
            slots;
    } launch;
    karat_page_change pages[PROG_PAGES];
    uint32_t num_pages;
    prog_fault fault;
    bool failed; /* Memory was short, or something did not fit: nothing is added any more */
    char why[160];
} prog;

void prog_init(prog *p, karat_profile profile);
void prog_free(prog *p);
bool prog_copy(prog *to, const prog *from);
void prog_fail(prog *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- Adding instructions --- */

/* Append an instruction of that row. value[i]: operand i, registers with their extension, immediates as
 * decoded. apart: where the destination is also the third operand, the number {x3, vd} (low five bits the
 * destination's), which the ISA ignores; PROG_NONE: x3 is 0, as compilers leave it. Returns its number;
 * PROG_NONE where it cannot be encoded. */
int32_t prog_put(prog *p, int row, const int32_t value[KARAT_MAX_OPERAND], prog_prefix prefix, int32_t apart);
/* Do prog_put() with these fields of the prefix; and what it would append alone. */
int32_t prog_put_with(prog *p, int row, const int32_t value[KARAT_MAX_OPERAND], prog_prefix prefix,
                      prog_fields fields, int32_t apart);
bool prog_encode(const prog *p, int row, const int32_t value[KARAT_MAX_OPERAND], prog_prefix prefix,
                 prog_fields fields, int32_t apart, prog_insn *insn);
/* The meaning of that prefix, without extensions. */
karat_prefix prog_prefix_info(const prog *p, prog_prefix prefix);
/* The number of a prefix word; PROG_AUTO: it is none. Its fields. */
prog_prefix prog_prefix_number(const prog *p, uint32_t word);
prog_fields prog_prefix_fields(uint32_t word);
/* Append by name, each operand as int32_t; for fixed sequences. Cannot be encoded: prog_fail(). */
int32_t prog_add(prog *p, const char *row, ...);
/* A word that never runs. */
int32_t prog_word(prog *p, uint32_t word);
/* Where an instruction leads: instruction p->num is the end. */
void prog_lead(prog *p, int32_t insn, int32_t target);
/* Add a change of page tables, KARAT_PAGE_FORM: the program needs translation then. */
void prog_page(prog *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Set x[reg] to a number, in one instruction or two. */
void prog_li(prog *p, uint32_t reg, uint32_t value);
/* Set x[reg] to the address of an instruction, to be named by prog_lead() of what this returns. */
int32_t prog_la(prog *p, uint32_t reg);

/* --- Changing it --- */

/* Remove the instructions from first to before last; what led there leads to what comes after. */
void prog_remove(prog *p, uint32_t first, uint32_t last);
/* Put so many instructions of another program before instruction 'at'. Targets within them stay; those out of
 * them become what comes after. False where memory is short. */
bool prog_insert(prog *p, uint32_t at, const prog *from, uint32_t first, uint32_t num);

/* --- Taking it apart --- */

/* The row of an instruction and its operands, as karat_decode_prefixed() has them. NULL: it is a word that
 * never runs, or none. */
const karat_row *prog_decode(const prog *p, uint32_t at, karat_insn *insn, int32_t *apart);
/* The program of a kernel whose code begins at start_addr. A target out of the code, or within an
 * instruction, stays as it is: a word. Returns false, and says why in *diag, where the kernel is none that
 * vectors have. */
bool prog_of_kernel(prog *p, karat_profile profile, const karat_kernel *kernel, karat_diag *diag);

/* --- Words --- */

/* Make the words: the caller's to free, *num of them. NULL where something does not fit: p->why. */
uint32_t *prog_link(prog *p, uint32_t *num);
/* The address of an instruction, of its prefix where it has one. */
uint32_t prog_address(const prog *p, uint32_t insn);

#ifdef __cplusplus
}
#endif
#endif
