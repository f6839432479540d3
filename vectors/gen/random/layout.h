/* Where a random program's memory is: device memory is the warps' regions, the table of operands, the words that all warps share,
 * and the function at the end. The memory of prog.data belongs to the program. Users: begin.c, memory.c, atomic.c, race.c, probe.c,
 * random.c. */
#ifndef KARAT_RANDOM_LAYOUT_H
#define KARAT_RANDOM_LAYOUT_H

#include "operand.h"

enum {
    LANES_BYTES = 128,
    REGION = RANDOM_REGION, /* of device memory; its base register points at the middle */
    LDS_REGION = 1024,      /* the same of local memory */
    PDS = 2560,             /* bytes of private memory per thread; as many again for the next workgroup */
    SHARED = 32,      /* bytes that all warps share, in device memory and in each workgroup's local memory */
    PART = 672,       /* bytes of a theme's operands; nothing stores to them */
    PART_APART = 256, /* the warps begin at different places of a part, at most so far apart */
    TABLE_MIDDLE = NUM_THEMES * PART / 2,
    TABLE = NUM_THEMES * PART + LANES_BYTES,
    WIDE_VALUES = 96, /* with as many as lanes after them */
    WIDE_NARROW =
        8 * (WIDE_VALUES + LANES_BYTES / 4), /* place of those of 16 bits; before them, of 64 bits */
    WIDE = 2 * WIDE_NARROW
};

/* Addresses of the table of operands, of the shared words, and of a table of v2.03: 64-bit values, then 16-bit ones, eight bytes apart. */
uint32_t layout_table(const gen *g);
uint32_t layout_shared(const gen *g);
uint32_t layout_wide(const gen *g);
/* Allocate and fill device memory; where memory is short, the program has failed. */
void layout_make(gen *g);

#endif
