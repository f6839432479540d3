/* Instructions of profile v2.03 with all that its prefixes and SEW do: widths, pairs of registers, ABS and NEG, accesses of several
 * words, of other spaces, at 64-bit addresses. Kinds use it where the profile has them. */
#ifndef KARAT_RANDOM_WIDE_H
#define KARAT_RANDOM_WIDE_H

#include "block.h"

/* Whether the profile has them. */
bool wide_is_known(const gen *g);
/* An instruction of the arithmetic units, of any width that it has under the current SEW. */
void wide_plain(gen *g);
/* A load, a store or an atomic. */
void wide_memory(gen *g, const context *c);
/* Some of them under another SEW; then vtype as before. */
void wide_section(gen *g, const context *c);

#endif
