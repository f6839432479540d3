/* Append an instruction of any row to the program. All modules that make instructions use it. Operands that the caller does not give
 * are drawn. The program owns the instructions. */
#ifndef KARAT_RANDOM_EMIT_H
#define KARAT_RANDOM_EMIT_H

#include "gen.h"

/* Operands that the caller gives. */
typedef struct values {
    int32_t at[KARAT_MAX_OPERAND];
    uint32_t set, fixed; /* bits: given by the caller; fixed: no prefix may make it wider */
} values;

static inline values none(void) {
    return (values){{0}, 0, 0};
}

/* Nothing happens where the row does not have the operand (operand < 0). */
static inline void give(values *v, int8_t operand, int32_t value) {
    if (operand < 0)
        return;
    v->at[operand] = value;
    v->set |= 1u << operand;
}

/* An immediate that no prefix may make wider. */
static inline void give_fixed(values *v, int8_t operand, int32_t value) {
    give(v, operand, value);
    if (operand >= 0)
        v->fixed |= 1u << operand;
}

/* The destination, the first source, the second one. */
static inline void give_rd(values *v, const row_use *u, uint32_t reg) {
    give(v, u->dest, (int32_t)reg);
}
static inline void give_1(values *v, const row_use *u, uint32_t reg) {
    give(v, u->source[1], (int32_t)reg);
}
static inline void give_2(values *v, const row_use *u, uint32_t reg) {
    give(v, u->source[2], (int32_t)reg);
}

/* All immediates of the row. */
void give_immediate(values *v, const row_use *u, int32_t value);

/* Append the instruction after a prefix, where its registers need one or by chance. pair: REGPAIR or REGPAIRI. Returns its
 * number. */
int32_t emit(gen *g, const row_use *u, bool pair, values v);
/* Draw the operands that v does not give and that are no registers; wide: immediates may have eleven bits. */
void emit_rest(gen *g, const row_use *u, bool wide, values *v);
/* With all operands drawn. */
void emit_any(gen *g, const row_use *u);
/* With the operands rd, rs1, and an immediate or rs2. */
void emit_3(gen *g, const row_use *u, uint32_t rd, uint32_t rs1, int32_t last);
/* Without a prefix by chance: for places that others jump to. Operands that v does not give are 0. */
int32_t emit_bare(gen *g, const row_use *u, values v);
/* A branch or jump; prog_lead() or emit_lead_here() names its target later. */
int32_t emit_branch(gen *g, const row_use *u, values v);
/* The target of that branch is the next instruction. */
void emit_lead_here(gen *g, int32_t insn);
#endif
