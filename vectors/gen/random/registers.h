/* The registers of a random program: those with a fixed use, and the pools that instructions draw from. All modules that make
 * instructions use it; the state is in gen. */
#ifndef KARAT_RANDOM_REGISTERS_H
#define KARAT_RANDOM_REGISTERS_H

#include "gen.h"

/* Choose all registers of the program. Too few: the program has failed. */
void reg_choose(gen *g);
/* Whether the register is in the pool. */
bool reg_in_x(const gen *g, uint32_t reg);
bool reg_in_v(const gen *g, uint32_t reg);
/* A register of the pool, or x0; often one written last, or one of a few. pair: the next register may be used with it. */
uint32_t reg_scalar(gen *g, bool pair);
/* group: the first register of a group of two. */
uint32_t reg_vector(gen *g, bool group, bool pair);
/* Vector registers of the pool whose numbers differ from reg in the extension alone, reg among them; returns how many. */
uint32_t reg_alike(const gen *g, uint32_t reg, uint32_t list[KARAT_NUM_V / 32]);
/* One of these, or reg where there is none. */
uint32_t reg_twin(gen *g, uint32_t reg);
/* Whether the instruction may have that register as an operand under the current LMUL: groups begin at even numbers. */
bool reg_fits(const gen *g, const row_use *u, bool is_v, uint32_t reg);

#endif
