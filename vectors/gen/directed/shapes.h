/* Instructions with only some threads or elements active: by divergence, by vl, by v0.t. The parts use it. */
#ifndef KARAT_DIRECTED_SHAPES_H
#define KARAT_DIRECTED_SHAPES_H

#include "tables.h"

typedef struct region {
    shape shape;
    int32_t place, skip; /* of its divergence: numbers of instructions, or PROG_NONE */
} region;

/* From here to shape_leave(), only the threads of that shape are active. */
region shape_enter(dir *d, shape s);
void shape_leave(dir *d, region r);
/* v0.t is that pattern, in each half of a group; EMPTY: no lane. */
void shape_mask(dir *d, shape s);

#endif
