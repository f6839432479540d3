/* Random numbers (splitmix64) and simple choices. All modules of random/ use it; its state is gen.r, which random_make() seeds.
 *
 * No expression may draw twice in an order that C leaves open (both sides of an operator, two arguments of a call): the compiler
 * would then decide which program a seed names. */
#ifndef KARAT_RANDOM_DRAW_H
#define KARAT_RANDOM_DRAW_H

#include "gen.h"

/* A number from 0 to bound - 1; 0 where bound is 0. */
uint32_t draw_below(gen *g, uint32_t bound);
/* True in so many of 100 cases. */
bool draw_chance(gen *g, uint32_t percent);
/* A number from low to high, both included. */
int32_t draw_between(gen *g, int32_t low, int32_t high);
/* A number of n bits, 1 to 32. */
uint32_t draw_bits(gen *g, uint32_t n);
/* A multiple of size from low to high. */
int32_t draw_multiple(gen *g, int32_t low, int32_t high, int32_t size);
/* The same, often near one of the few offsets (gen.spot) that many accesses of the program use. */
int32_t draw_offset(gen *g, int32_t low, int32_t high, int32_t size);
/* A distance in words from lane to lane, up to most: often a power of two. */
int32_t draw_apart(gen *g, uint32_t most);
/* A row of the list; a row of a unit; the number of a CSR that exists. */
const row_use *draw_row(gen *g, row_list list);
const row_use *draw_row_of(gen *g, uint32_t unit);
uint32_t draw_csr(gen *g);

#endif
