/* Programs made of others, by chance: what a search for stimulus tries on the model. */
#ifndef KARAT_MUTATE_H
#define KARAT_MUTATE_H

#include "prog.h"
#include "rows.h"

/* Change *p in a few drawn places: another instruction of the same operands, other registers, immediates,
 * prefixes or reserved bits; instructions doubled, dropped, exchanged, or taken of the other program; words
 * of data, with those of the other program; the launch, of at most so many warps. Whether it still runs, the
 * model has to say. state: of karat_random(), which decides all. False where memory is short. */
bool mutate(prog *p, const prog *other, const row_table *table, uint32_t max_warps, uint64_t *state);

#endif
