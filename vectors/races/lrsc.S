// LR and SC of all warps to the same two words, and of a workgroup's to one of its LDS, each until it succeeds.
//
// Exercises: SCs that fail in the core and not in the model, and the other way round, by which order the accesses have.

#include "karat.inc"
#define WARPS 4
#define GROUPS 5
#define ROWS 16
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, lds=64, sgprs=32, vgprs=32
    PROLOGUE ROWS
    la s6, words
    li s8, 6
    li s9, 0
1:  lr.w t1, (s6)
    add t1, t1, s8
    sc.w t2, t1, (s6)
    add s9, s9, t2
    bnez t2, 1b
    addi a0, s6, 4
2:  lr.w t1, (a0)
    slli t3, t1, 1
    xor t3, t3, s5
    sc.w t2, t3, (a0)
    beqz t2, 3f
    addi s9, s9, 1
    j 2b
3:  xor s9, s9, t1
    addi s8, s8, -1
    bnez s8, 1b
    csrr s7, CSR_LDS
    bnez s1, 4f
    sw s8, 0(s7)
4:  barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    li s8, 6
5:  lr.w t1, (s7)
    add t1, t1, s8
    sc.w t2, t1, (s7)
    add s9, s9, t2
    bnez t2, 5b
    addi s8, s8, -1
    bnez s8, 5b
    PUT_X s9
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    lw t1, 0(s7)
    PUT_X t1
    endprg
    .bss
    .balign 64
words: .zero 64
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
