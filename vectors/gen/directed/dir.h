/* Directed programs by row: the state of one, and what the files of directed/ do for one another. directed.c
 * owns the state, on its stack; the program, the table and the parameters belong to its caller, the memory of
 * prog.data to the program. */
#ifndef KARAT_DIRECTED_DIR_H
#define KARAT_DIRECTED_DIR_H

#include "../directed.h"

/* Registers. All programs are one warp. Registers with values are loaded again where an instruction may have
 * written them. */
enum {
    X_DATA = 1, /* Memory for the instructions of hazard.h */
    X_RPC = 2,
    X_TEMP = 3,
    X_SCRATCH = 4, /* Results that nothing reads go there */
    X_DEST = 5,
    X_TABLE = 8,    /* Values by class */
    X_SUM = 18,     /* Sum of all results, stored at the end */
    X_ADDRESS = 30, /* Even; x31 is 0: it is an address also after REGPAIR */
    X_TABLE_HIGH = 40,
    X_DEST_HIGH = 50,
    /* Vector registers are even: each may be a group of two. v0 and v1 are the mask. */
    V_ADDRESS = 2, /* Addresses of the tables, lane by lane */
    V_DEST = 4,
    V_SPLAT = 6,
    V_TABLE = 8,
    V_LANES = 28, /* Addresses of memory accesses; v29 is 0: they are addresses also after REGPAIR */
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
    uint32_t classes; /* Classes in the table that is loaded */
    uint32_t apart;   /* Registers from one class to the next: LMUL */
    bool masked;      /* Instructions are masked by v0.t */
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

/* Like the function before, masked by v0.t where dir.masked says so. */
static inline insn masked(const dir *d, const row_use *u) {
    insn x = blank(u);
    give(&x, u->vm, !d->masked);
    return x;
}

/* The destination; high: one with an extension. */
static inline void give_dest(insn *x, const row_use *u, bool high) {
    give(x, u->dest, u->dest_x ? (high ? X_DEST_HIGH : X_DEST) : (high ? V_DEST_HIGH : V_DEST));
}

/* Append the instruction. False: it cannot be encoded with that prefix. */
bool dir_put(dir *d, const row_use *u, const insn *x, prog_prefix prefix);
/* Add the register, a result of that row, to the sums. */
void dir_sum(dir *d, const row_use *u, int32_t result);
/* Append it and add its result to the sums. */
bool dir_put_result(dir *d, const row_use *u, const insn *x, prog_prefix prefix);
/* Add the flags that the row may raise, fflags or vxsat, to the sums, and clear them. */
void dir_add_flags(dir *d, const row_use *u);
/* Set reg to addresses of consecutive words, from X_TEMP on. */
void dir_set_words(dir *d, uint32_t reg);
void dir_set_length(dir *d, int32_t length);

/* --- tables.c: values by class, in device memory and in registers; patterns of active lanes --- */

enum {
    INT_CLASSES = 8,
    FP_CLASSES = 10,
    LANES = 32, /* Words of a table's row, on any device */
    ROW_BYTES = 4 * LANES,
    VARIANTS = 4, /* Sets of FP values by class */
    BORDERS = 3,  /* More sets, at the borders of range and precision */
    TABLE_ROWS = 16,
    TABLE_BYTES = TABLE_ROWS * ROW_BYTES,
    PATTERNS = 1 + VARIANTS + BORDERS, /* Number of the table with the patterns */
    AREA_AT =
        (PATTERNS + 1) * TABLE_BYTES, /* After the tables comes memory for the instructions that access it */
    AREA = 16384,
    SUMS = AREA_AT + AREA, /* Where the sums go */
    /* Profile public, after them: values by class in both halves of a word, and numbers that all differ, of
     * binary32, binary16 and bfloat16. */
    HALVES = PATTERNS + 1,
    HALVES_SETS = 3,
    FINITE = HALVES + 2 * HALVES_SETS,
    NUM_TABLES = FINITE + 3
};

/* Lanes that a pattern activates: all, one, every other one, three of four, none. */
typedef enum shape { FULL, SINGLE, ALTERNATING, OTHER, EMPTY, NUM_SHAPE } shape;

/* Allocate and fill device memory; where memory is short, the program has failed. */
void tables_make(dir *d);
/* Load a row of a table into a vector register. */
void tables_vector(dir *d, uint32_t reg, uint32_t table, uint32_t row);
/* Load the registers with values by class for that row (NULL: integers): integers, or FP of that set, one of
 * tables_sets(). */
void tables_load(dir *d, const row_use *u, uint32_t variant);
uint32_t tables_sets(const dir *d, const row_use *u);
/* The format of the 16-bit floats in its sources. */
karat_halves tables_halves(const dir *d, const row_use *u);
/* The table of FP values by class in that format. */
uint32_t tables_of_classes(karat_halves halves, uint32_t variant);
/* The number of a class, 0 to FP_CLASSES - 1, in a format of so many bits, of which the fraction has that
 * many; three sets, with other subnormals and normals: around 1, at the limits of the range, and so that sums
 * and products are inexact or tiny. */
uint64_t tables_number(uint32_t fraction, uint32_t bits, uint32_t class, uint32_t set);

/* --- shapes.c: only some threads or elements active, by divergence, by vl, by v0.t --- */

typedef struct region {
    shape shape;
    int32_t place, skip; /* Divergence of the program: numbers of instructions, or PROG_NONE */
} region;

/* From here to shape_leave(), only the threads of that shape are active. */
region shape_enter(dir *d, shape s);
void shape_leave(dir *d, region r);
/* Then v0.t is that pattern, in each half of a group; EMPTY: no lane. */
void shape_mask(dir *d, shape s);

/* --- operands.c: instructions with operands by class --- */

/* The instruction with register numbers at the borders of the extensions in each operand. */
void operands_numbers(dir *d, const row_use *u);
/* Whether all operands of the unit are data. */
bool operands_unit(const row_use *u);
/* Whether the row has source s; *imm: the immediate that it is, or -1. */
bool operands_source(const row_use *u, unsigned s, int8_t *imm);
/* An immediate of that class; wide: extended by a prefix. False: it has no such value. */
bool operands_immediate(const karat_operand_kind *kind, bool wide, uint32_t class, int64_t *value);
/* The value of that class or of the next one that the immediate can have. */
int64_t operands_any_immediate(const karat_operand_kind *kind, bool wide, uint32_t class);
/* Whether v0.t can mask the row. */
bool operands_maskable(const row_use *u);
/* Whether the row has vector registers. */
bool operands_vector(const row_use *u);
/* The instruction with a class of value in each source (class[1..3]); vectors: in lane 0, the next classes in
 * the other lanes. */
void operands_put(dir *d, const row_use *u, prog_prefix prefix, const uint32_t class[4]);
/* With pairs: all pairs of classes of the first two sources, with as few instructions as the lanes allow;
 * else each class once. */
void operands_put_all(dir *d, const row_use *u, prog_prefix prefix, bool pairs);

/* --- matrix.c: what those parts are for matrix products --- */

void matrix_operands(dir *d, const row_use *u);
void matrix_numbers(dir *d, const row_use *u);
void matrix_rounding(dir *d, const row_use *u);

/* --- The parts: each appends all its instructions for one row ---
 *
 * A new part is a number in directed_part (directed.h), a line in the list (directed.c) and a function
 * here. */

void part_operands(dir *d, const row_use *u);
void part_groups(dir *d, const row_use *u);
void part_numbers(dir *d, const row_use *u);
void part_rounding(dir *d, const row_use *u);
void part_raised(dir *d, const row_use *u);
void part_memory(dir *d, const row_use *u);
void part_csr(dir *d, const row_use *u);
void part_config(dir *d, const row_use *u);
void part_widths(dir *d, const row_use *u);
void part_pairs(dir *d, const row_use *u);
void part_long(dir *d, const row_use *u);
void part_control(dir *d, const row_use *u);

#endif
