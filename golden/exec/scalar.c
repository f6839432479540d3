/* RV32I, M: scalar arithmetic and jumps. */
#include "exec.h"

SCALAR(lui, s2 << 12)
SCALAR(auipc, e->commit->pc + (s2 << 12))
SCALAR(add, s1 + s2)
SCALAR(sub, s1 - s2)
SCALAR(sll, s1 << (s2 & 31))
SCALAR(slt, (int32_t)s1 < (int32_t)s2)
SCALAR(sltu, s1 < s2)
SCALAR(xor, s1 ^ s2)
SCALAR(srl, s1 >> (s2 & 31))
SCALAR(sra, karat_sra(s1, s2 & 31))
SCALAR(or, s1 | s2)
SCALAR(and, s1 &s2)

SCALAR(mul, s1 *s2)
SCALAR(mulh, karat_mulh(s1, s2))
SCALAR(mulhsu, karat_mulhsu(s1, s2))
SCALAR(mulhu, karat_mulhu(s1, s2))
SCALAR(div, karat_div(s1, s2))
SCALAR(divu, karat_divu(s1, s2))
SCALAR(rem, karat_rem(s1, s2))
SCALAR(remu, karat_remu(s1, s2))

BRANCH(beq, s1 == s2)
BRANCH(bne, s1 != s2)
BRANCH(blt, (int32_t)s1 < (int32_t)s2)
BRANCH(bge, (int32_t)s1 >= (int32_t)s2)
BRANCH(bltu, s1 < s2)
BRANCH(bgeu, s1 >= s2)

/* rd = pc + 4; pc += offset. */
void karat_sem_jal(karat_exec *e) {
    e->r[0] = e->commit->pc + 4;
    e->next_pc = e->commit->pc + (uint32_t)e->insn->imm[0];
}

/* rd = pc + 4; pc = (s1 + offset) & ~1. */
void karat_sem_jalr(karat_exec *e) {
    e->r[0] = e->commit->pc + 4;
    e->next_pc = (e->x1 + (uint32_t)e->insn->imm[0]) & ~1u;
}

/* FENCE orders memory accesses; one step at a time, they are in order. */
void karat_sem_fence(karat_exec *e) {
    (void)e;
}

void karat_sem_left_out(karat_exec *e) {
    e->error = KARAT_ERR_LEFT_OUT;
}
