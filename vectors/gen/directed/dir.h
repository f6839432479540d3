/* A directed program by row: its registers, and how instructions are appended to it. All of directed/ and directed.c use it.
 * directed.c owns the state, on its stack; the program, the table and the parameters belong to its caller. */
#ifndef KARAT_DIRECTED_DIR_H
#define KARAT_DIRECTED_DIR_H

#include "../directed.h"

/* Registers. All programs are one warp. Registers with values are loaded again where an instruction may have written them. */
enum {
    X_DATA = 1, /* memory for the instructions of hazard.h */
    X_RPC = 2,
    X_TEMP = 3,
    X_SCRATCH = 4, /* for results that nothing reads */
    X_DEST = 5,
    X_TABLE = 8,    /* values by class */
    X_SUM = 18,     /* of all results, stored at the end */
    X_ADDRESS = 30, /* even; x31 is 0: it is an address also after REGPAIR */
    X_TABLE_HIGH = 40,
    X_DEST_HIGH = 50,
    /* Vector registers are even: each may be a group of two. v0 and v1 are the mask. */
    V_ADDRESS = 2, /* of the tables, lane by lane */
    V_DEST = 4,
    V_SPLAT = 6,
    V_TABLE = 8,
    V_LANES = 28, /* addresses of memory accesses; v29 is 0: they are addresses also after REGPAIR */
    V_INDEX = 30,
    V_PATTERN = 64,
    V_ZERO = 66,
    V_TABLE_HIGH = 72,
    V_DEST_HIGH = 100,
    V_SUM = 110
};

typedef struct dir {
    const row_table *table;
    const directed_params *params;
    prog *p;
    uint32_t classes; /* of the table that is loaded */
    uint32_t apart;   /* registers from one class to the next: LMUL */
    bool masked;      /* by v0.t */
    const row_use *vlw12, *vmv_v_v, *vmv_v_x, *vbeq;
} dir;

typedef struct insn {
    int32_t value[KARAT_MAX_OPERAND];
    int32_t apart; /* {x3, vd} of a third operand that is also the destination: prog_put() */
} insn;

/* Nothing happens where the row does not have the operand (operand < 0). */
static inline void give(insn *x, int8_t operand, int64_t value) {
    if (operand >= 0)
        x->value[operand] = (int32_t)value;
}

/* An unmasked instruction whose other operands are 0. */
static inline insn blank(const row_use *u) {
    insn x = {{0}, PROG_NONE};
    give(&x, u->vm, 1);
    return x;
}

/* The same, masked by v0.t where dir.masked says so. */
static inline insn masked(const dir *d, const row_use *u) {
    insn x = blank(u);
    give(&x, u->vm, !d->masked);
    return x;
}

/* Append the instruction. False: it cannot be encoded with that prefix. */
bool dir_put(dir *d, const row_use *u, const insn *x, prog_prefix prefix);
/* The same, and add its result to the sums. */
bool dir_put_result(dir *d, const row_use *u, const insn *x, prog_prefix prefix);
/* Append vmv.v.x: a scalar register in all lanes. */
void dir_put_vmv_x(dir *d, int32_t rd, int32_t from, prog_prefix prefix);
/* Add fflags to the sums and clear them. */
void dir_add_flags(dir *d);
/* reg = addresses of consecutive words, from X_TEMP on. */
void dir_set_words(dir *d, uint32_t reg);
void dir_set_length(dir *d, int32_t length);

#endif
