/* Directed programs: every row of the table with the corners of its operands. The parts are in directed/.
 *
 * The set is a list of programs, each for some rows and one part. Together they fill the coverage groups by
 * row (vectors/cov): operand classes and pairs with each prefix under each shape of active elements, register
 * numbers, rounding modes and flags, accesses, CSRs, vector settings. The scenarios (scenario.h) have the
 * numbers after these. */
#ifndef KARAT_DIRECTED_H
#define KARAT_DIRECTED_H

#include "prog.h"
#include "rows.h"

/* The property of instructions that a program is about. */
typedef enum directed_part {
    PART_OPERANDS, /* Operand classes with each prefix under each shape */
    PART_GROUPS,   /* Operand classes under LMUL 2 */
    PART_NUMBERS,  /* Register numbers */
    PART_ROUNDING, /* Rounding modes */
    PART_RAISED,   /* Flags */
    PART_MEMORY,   /* Accesses */
    PART_CSR,
    PART_CONFIG,
    PART_CONTROL,
    PART_WIDTHS, /* Profile v2.03: each width, ABS and NEG */
    PART_PAIRS,  /* Profile v2.03: register numbers of rows that have pairs */
    PART_LONG,   /* Profile v2.03: accesses after PRE_M_* */
    NUM_PART
} directed_part;

typedef struct directed_params {
    uint32_t num_thread; /* Threads of the device's warps */
    uint32_t threads;    /* Threads of a warp; 0: all */
    uint32_t depth;      /* Depth of scenarios that have one; 0: their own */
    uint32_t warps;      /* Warps of scenarios; 0: their own */
} directed_params;

#define DIRECTED_NAME      64
#define DIRECTED_ROWS      6 /* Rows of a program, at most */
#define DIRECTED_MAX_DEPTH 64

/* How many programs there are: those by row, then the scenarios. */
uint32_t directed_num(const row_table *table);
/* Write a program's name; returns its text for --list, or NULL for a program by row. */
const char *directed_about(const row_table *table, uint32_t index, char name[DIRECTED_NAME]);
/* The rows that program 'index' is about; returns their number. A scenario has none. */
uint32_t directed_rows_of(const row_table *table, uint32_t index, const row_use *list[DIRECTED_ROWS]);
/* Make program 'index' in *p; the caller frees it, also after an error. False: p->why. */
bool directed_make(const row_table *table, const directed_params *params, uint32_t index, prog *p);

const char *directed_part_name(directed_part part);
bool directed_is_about(directed_part part, const row_use *u);
/* Make a program of that part for these rows alone; rows that the part is not about are skipped. */
bool directed_rows(const row_table *table, const directed_params *params, directed_part part,
                   const row_use *const *list, uint32_t num, prog *p);
#endif
