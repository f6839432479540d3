/* vl, vtype, and the vector addresses. Users: kinds that need a certain LMUL or change settings in a region, and end.c. */
#ifndef KARAT_RANDOM_VSET_H
#define KARAT_RANDOM_VSET_H

#include "gen.h"

/* Set vl and vtype by row u of the unit CONFIG. full: all elements. */
void vset_put(gen *g, const row_use *u, uint32_t vtype, bool full);
/* By any row: a legal vtype of that LMUL. */
void vset_lmul(gen *g, uint32_t lmul, bool full);

#endif
