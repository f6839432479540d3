/* Values by class, in tables in device memory and in registers; patterns of active lanes; the other areas of device memory. Users:
 * directed.c and the parts. The memory of prog.data belongs to the program. */
#ifndef KARAT_DIRECTED_TABLES_H
#define KARAT_DIRECTED_TABLES_H

#include "dir.h"

enum {
    INT_CLASSES = 8,
    FP_CLASSES = 10,
    LANES = 32, /* words of a table's row, on any device */
    ROW_BYTES = 4 * LANES,
    VARIANTS = 4, /* sets of FP values by class */
    BORDERS = 3,  /* more sets, at the borders of range and precision */
    TABLE_BYTES = 16 * ROW_BYTES,
    PATTERNS = 1 + VARIANTS + BORDERS,      /* number of the table with the patterns */
    AREA_AT = (PATTERNS + 1) * TABLE_BYTES, /* after the tables: for memory instructions */
    AREA = 16384,
    SUMS = AREA_AT + AREA /* for the sums */
};

/* Lanes that a pattern activates: all, one, every other one, three of four, none. */
typedef enum shape { FULL, SINGLE, ALTERNATING, OTHER, EMPTY, NUM_SHAPE } shape;

/* Allocate and fill device memory; where memory is short, the program has failed. */
void tables_make(dir *d);
/* Load a row of a table into a vector register. */
void tables_vector(dir *d, uint32_t reg, uint32_t table, uint32_t row);
/* Load the registers with values by class: integers, or FP of that set (VARIANTS + BORDERS). */
void tables_load(dir *d, bool fp, uint32_t variant);

#endif
