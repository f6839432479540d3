/* Loads and stores. Users: end.c, and the kinds that need accesses at a certain place (sync.c, atomic.c, race.c). */
#ifndef KARAT_RANDOM_MEMORY_H
#define KARAT_RANDOM_MEMORY_H

#include "block.h"
#include "emit.h"

/* A vector load or store whose stride is in a scalar register. */
bool memory_has_stride(const row_use *u);
/* Write an address of that space, low to high bytes from its base, into a register, and return that. pair: for REGPAIR. */
uint32_t memory_address(gen *g, space s, int32_t low, int32_t high, int32_t size, bool pair);
/* A scalar load or store. */
void memory_scalar(gen *g, const row_use *u, bool pair, space s, values v);

#endif
