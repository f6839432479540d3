/* The fuzzer's second opinion on a model: registers, masks, SIMT stacks, CSRs, memory and LDS as the commits
 * say they are.  Whatever changes the model goes through here and is done to both; every step is checked
 * against what was known before it, by rules that are stated here once more and share no code with the model.
 * Public interface only. */
#ifndef KARAT_TESTS_FUZZ_MIRROR_H
#define KARAT_TESTS_FUZZ_MIRROR_H

#include "karat/karat.h"

enum {
    MIRROR_WARPS = 6,
    MIRROR_GROUPS = 3,
    MIRROR_LDS_BASE = 0x70000000,
    MIRROR_LDS_SIZE = 0x4000, /* The window: four pages */
    MIRROR_LDS_POOL = 0x5000, /* Five pages for all workgroups: it can run out */
    MIRROR_REGIONS = 8,
    MIRROR_PAGE = 4096,
    MIRROR_MAX_ROWS = 4096
};

#define MIRROR_CODE 0x80000000u /* Two pages */
#define MIRROR_DATA 0x90000000u /* Four pages */

/* Mapped device memory, ascending. */
typedef struct mirror_region {
    uint64_t base;
    uint32_t size, offset; /* The offset is into mirror.memory */
} mirror_region;
extern const mirror_region mirror_regions[MIRROR_REGIONS];
enum { MIRROR_MEMORY = 12 * MIRROR_PAGE };

typedef struct mirror_warp {
    bool live, waiting, reserved, jumped;
    uint32_t workgroup, pc, mask, initial_mask, depth, sgprs, vgprs;
    uint32_t vl, vtype, frm, fflags, vxrm, vxsat, mstatus, mtvec, mscratch;
    uint32_t csr[KARAT_NUM_CUSTOM_CSR];
    uint64_t reserved_addr; /* Address that LR.W has reserved */
    karat_simt_entry stack[KARAT_MAX_STACK + 2];
    uint32_t x[KARAT_NUM_X];
    uint32_t v[KARAT_NUM_V * KARAT_MAX_THREAD];
} mirror_warp;

typedef struct mirror_group {
    bool open;
    uint32_t num_warp, arrived, ended;
    uint32_t dirty; /* LDS pages that were written */
    uint8_t lds[MIRROR_LDS_SIZE], written[MIRROR_LDS_SIZE];
} mirror_group;

typedef struct mirror {
    karat_model *model;
    const karat_config *config;
    mirror_warp warps[MIRROR_WARPS];
    mirror_group groups[MIRROR_GROUPS];
    uint8_t memory[MIRROR_MEMORY];
    uint8_t *snapshot, *again;
    size_t room;
    bool has_port;      /* Set by the caller: LDS that was not written cannot be known */
    bool refuse;        /* The port lets the next SC fail */
    uint64_t steps;     /* Decides which of them are compared in full */
    const char *failed; /* The first rule that was broken; NULL: none */
    char detail[200];   /* The finding that broke it */
} mirror;

/* The purpose of a row's operands, taken from the table once; -1: there is none. */
typedef struct mirror_facts {
    const karat_row *row;
    int8_t source[4];                       /* Registers of sources 1, 2 and 3 */
    int8_t dest;                            /* The destination */
    int8_t target;                          /* Operand of a jump's target, relative to pc */
    int8_t offset;                          /* Operand of a memory access's or of jalr's offset */
    int8_t vm;                              /* The vm bit */
    int8_t extension[4];                    /* Prefixes of the destination and of sources 1, 2 and 3 */
    uint8_t kind[KARAT_MAX_OPERAND];        /* The mirror_kind of each operand */
    bool vector[4], vector_dest, is_vector; /* Some register operand is a vector */
    bool has_imm5;
    bool own;     /* An opcode of the V extension's own */
    bool pair;    /* A prefix of register pairs */
    bool private; /* Accesses private memory */
    bool wide;    /* Its base is a 64-bit address */
    bool memory;  /* PRE_M_* */
} mirror_facts;

typedef enum mirror_kind {
    MIRROR_PLAIN,
    MIRROR_X,
    MIRROR_V,
    MIRROR_CSR,
    MIRROR_VTYPE,
    MIRROR_TARGET,
    MIRROR_IMM
} mirror_kind;

/* Call once before anything else. Returns false where the table is too large. */
bool mirror_init(void);
/* NULL for KARAT_NO_ROW. */
const mirror_facts *mirror_row(int row);

/* Begin with that model, whose device memory is given those bytes; no workgroup is open. */
void mirror_begin(mirror *m, karat_model *model, const uint8_t memory[MIRROR_MEMORY]);

/* A memory port that gives what the mirror's memory holds; refuse: it makes the SC.W at hand fail. context:
 * the mirror. */
karat_mem_port mirror_port;

/* Save the model, restore it, save it again, compare both, and go on with the restored model, which becomes
 * the caller's in place of the old one. */
void mirror_restore(mirror *m);

/* The whole state as karat_save() has it.  The bytes are the mirror's, until the next call. */
const uint8_t *mirror_snapshot(mirror *m, size_t *size);
void mirror_free(mirror *m);

/* Whether all of those bytes are mapped device memory; LDS is not. */
bool mirror_is_mapped(uint64_t addr, uint32_t size);
void mirror_store(mirror *m, uint32_t addr, uint32_t value, uint32_t bytes);

void mirror_open(mirror *m, uint32_t group, uint32_t num_warp); /* Closes it first where it is open */
void mirror_launch(mirror *m, uint32_t warp, const karat_launch_desc *desc);
void mirror_adopt(mirror *m, uint32_t warp, unsigned cls, uint32_t reg, const uint32_t *value);
void mirror_csr(mirror *m, uint32_t warp, uint32_t csr, uint32_t value);

/* LMUL as the warp's vtype has it. */
uint32_t mirror_lmul(const mirror_warp *w);

/* Step and check.  m->failed says whether a rule was broken. */
karat_status mirror_step(mirror *m, uint32_t warp, karat_commit *commit);

/* Compare everything: the state of all warps, device memory and LDS. */
void mirror_compare(mirror *m);

/* Allocations made inside a step, since the program began. */
unsigned long mirror_allocations(void);

#endif
