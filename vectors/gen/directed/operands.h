/* Instructions with operands by class. The parts use it. */
#ifndef KARAT_DIRECTED_OPERANDS_H
#define KARAT_DIRECTED_OPERANDS_H

#include "tables.h"

/* The instruction with register numbers at the borders of the extensions in each operand. */
void operands_numbers(dir *d, const row_use *u);
/* Whether all operands of the unit are data. */
bool operands_unit(const row_use *u);
/* Whether the row has source s; *imm: the immediate that it is, or -1. */
bool operands_source(const row_use *u, unsigned s, int8_t *imm);
/* An immediate of that class; wide: extended by a prefix. False: it has no such value. */
bool operands_immediate(const karat_operand_kind *kind, bool wide, uint32_t class, int64_t *value);
/* The instruction with a class of value in each source (class[1..3]); vectors: in lane 0, the next classes in the other lanes. */
void operands_put(dir *d, const row_use *u, prog_prefix prefix, const uint32_t class[4]);
/* pairs: all pairs of classes of the first two sources, with as few instructions as the lanes allow; else each class once. */
void operands_put_all(dir *d, const row_use *u, prog_prefix prefix, bool pairs);

#endif
