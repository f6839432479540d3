/* RV32I, M: scalar arithmetic and jumps. */
#include "exec.h"

SCALAR(lui, (A)(int32_t)((uint32_t)s2 << 12))
SCALAR(auipc, e->commit->pc + (A)(int32_t)((uint32_t)s2 << 12))
SCALAR(add, s1 + s2)
SCALAR(sub, s1 - s2)
SCALAR(sll, s1 << (s2 & (BITS - 1)))
SCALAR(slt, (S)s1 < (S)s2)
SCALAR(sltu, s1 < s2)
SCALAR(xor, s1 ^ s2)
SCALAR(srl, s1 >> (s2 & (BITS - 1)))
SCALAR(sra, SRA(s1, s2 &(BITS - 1)))
SCALAR(or, s1 | s2)
SCALAR(and, s1 &s2)

SCALAR(mul, s1 *s2)
SCALAR(mulh, MULH(s1, s2))
SCALAR(mulhsu, MULHSU(s1, s2))
SCALAR(mulhu, MULHU(s1, s2))
SCALAR(div, DIV(s1, s2))
SCALAR(divu, DIVU(s1, s2))
SCALAR(rem, REM(s1, s2))
SCALAR(remu, REMU(s1, s2))

BRANCH(beq, s1 == s2)
BRANCH(bne, s1 != s2)
BRANCH(blt, (S)s1 < (S)s2)
BRANCH(bge, (S)s1 >= (S)s2)
BRANCH(bltu, s1 < s2)
BRANCH(bgeu, s1 >= s2)

/* rd = pc + 4; pc += offset. */
SEMANTIC(jal) {
    e->r[0] = e->commit->pc + 4;
    e->next_pc = e->commit->pc + (uint32_t)e->insn->imm[0];
}

/* rd = pc + 4; pc = (s1 + offset) & ~1. */
SEMANTIC(jalr) {
    e->r[0] = e->commit->pc + 4;
    e->next_pc = ((uint32_t)e->x1 + (uint32_t)e->insn->imm[0]) & ~1u;
}

/* FENCE orders memory accesses; one step at a time, they are in order. */
SEMANTIC(fence) {
    (void)e;
}

SEMANTIC(left_out) {
    e->error = KARAT_ERR_LEFT_OUT;
}
