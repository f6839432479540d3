/* Instructions of profile v2.03 with all that its prefixes and SEW do: widths, pairs of registers, ABS and NEG, accesses of several
 * words, of other spaces, at 64-bit addresses. Kinds use it where the profile has them. */
#ifndef KARAT_RANDOM_WIDE_H
#define KARAT_RANDOM_WIDE_H

#include "block.h"

/* Whether the profile has them. */
bool wide_is_known(const gen *g);
/* Low addresses by an offset and a base that is lower, mostly below 0. */
enum { WIDE_BELOW = 1536 };
/* So many of the highest bits of an address of private memory have no effect. */
uint32_t wide_lost_bits(const gen *g);
/* A branch that goes by the values of any registers, often pairs; returns its number, for emit_lead_here(). */
int32_t wide_branch(gen *g, const row_use *u);
/* An instruction of the arithmetic units, of any width that it has under the current SEW. */
void wide_plain(gen *g);
/* A load, a store or an atomic. */
void wide_memory(gen *g, const context *c);
/* Some of them under another SEW; then vtype as before. */
void wide_section(gen *g, const context *c);

#endif
