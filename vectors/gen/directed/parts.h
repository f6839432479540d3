/* The parts of the directed set: each appends all its instructions for one row. directed.c has the list of them.
 *
 * A new part is a number in directed_part (directed.h), a line in the list (directed.c) and a function here. */
#ifndef KARAT_DIRECTED_PARTS_H
#define KARAT_DIRECTED_PARTS_H

#include "dir.h"

void part_operands(dir *d, const row_use *u);
void part_groups(dir *d, const row_use *u);
void part_numbers(dir *d, const row_use *u);
void part_rounding(dir *d, const row_use *u);
void part_raised(dir *d, const row_use *u);
void part_memory(dir *d, const row_use *u);
void part_csr(dir *d, const row_use *u);
void part_config(dir *d, const row_use *u);
void part_widths(dir *d, const row_use *u);
void part_pairs(dir *d, const row_use *u);
void part_long(dir *d, const row_use *u);
void part_control(dir *d, const row_use *u);

#endif
