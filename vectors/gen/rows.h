/* Facts of each row of the table for generators, computed once. */
#ifndef KARAT_ROWS_H
#define KARAT_ROWS_H

#include "karat/karat.h"
#include "prog.h"
#include "row_lanes.h"

/* The rows by the names of golden/isa/ventus.def, ROW_addi, and the CSRs by those of csr.def, CSR_FRM. */
enum {
#define ROW(id, ...) ROW_##id,
#include "../../golden/isa/ventus.def"
#undef ROW
};
/* The row with that identifier, of the table that *of has. */
#define ROW(of, id) (&(of)->table->use[ROW_##id])
enum {
#define CSR(number, text, name) CSR_##name = number,
#define LANE_CSR                CSR
#include "../../golden/isa/csr.def"
#undef CSR
#undef LANE_CSR
};
/* No instruction may write it. */
static inline bool csr_is_fixed(uint32_t csr) {
    return csr >> 10 == 3 || (csr >= CSR_TID && csr <= CSR_GDZ);
}

typedef struct row_use {
    int row;
    const karat_row *info;
    int8_t dest, source[4], vm, rm, csr, offset, target, avl,
        vtype;                           /* Numbers of operands; -1: none. source[1..3] */
    int8_t wide;                         /* An immediate that REGEXTI makes wider; -1 */
    bool dest_x, source_v[4], dest_read; /* Classes */
    bool own;                            /* One of the V extension's own opcodes: it goes by vtype */
    bool grouped;                        /* The row works on groups as well */
    bool stores, private, takes_prefix[PROG_AUTO];
    bool pairs;  /* Has pairs of registers without a prefix, under SEW 32 */
    bool single; /* Illegal under LMUL 2 */
    bool matrix; /* Operands are matrices, and all lanes have to be active: row_table.matrices has it */
    uint8_t registers[4];       /* One after the other: of the destination, and of sources 1 to 3 */
    uint8_t threads;            /* Legal where warps have so many */
    uint8_t bytes, index_bytes; /* memory: of an element; of an index, 0: none */
} row_use;

typedef struct row_list {
    const row_use **at;
    uint32_t num;
} row_list;

typedef struct row_table {
    karat_profile profile;
    uint32_t num_prefix, num_general; /* Their numbers in a program of that profile */
    row_use *use;                     /* Indexed by row; info NULL: not one that runs */
    row_list units[KARAT_NUM_UNIT], matrices;
} row_table;

/* NULL where memory is short. */
row_table *row_table_create(karat_profile profile);
void row_table_free(row_table *t);
/* By name; it has to be there. */
const row_use *row_named(const row_table *t, const char *name);

/* Reads vector registers for a scalar result: all lanes have to hold the same value. */
bool row_is_splat(const row_use *u);
/* An access to memory. */
bool row_is_memory(const row_use *u);
/* CSRRW or CSRRWI: writes the CSR in any case. */
bool row_swaps_csr(const row_use *u);
/* Floating point: goes by frm and raises fflags. */
bool unit_is_fp(uint32_t unit);

#endif
