/* Single instructions of the arithmetic units, CSR accesses, prints. probe.c and memory.c use the choice of a unit. */
#ifndef KARAT_RANDOM_PLAIN_H
#define KARAT_RANDOM_PLAIN_H

#include "gen.h"

/* A unit by the weights; each unit in use has one. */
uint32_t plain_unit(gen *g);
/* The same, but often all units in use with the same chance. */
uint32_t plain_any_unit(gen *g);

#endif
