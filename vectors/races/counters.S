// Every warp of every workgroup does AMOs to the same words, in device memory and in LDS, and goes on with what they return.
//
// Exercises: the order of AMOs as the core performs them, which is not that of their issue; a byte of such a word that all
// of them store as well.

#include "karat.inc"
#define WARPS 4
#define GROUPS 6
#define ROWS 16
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, lds=64, sgprs=32, vgprs=32
    PROLOGUE ROWS
    la s6, words
    li s8, 12
    li s9, 1
1:  addi t1, s5, 1
    amoadd.w t2, t1, (s6)
    addi a0, s6, 4
    amoswap.w t3, t2, (a0)
    addi a0, s6, 8
    amoxor.w t4, t3, (a0)
    addi a0, s6, 12
    amomax.w t5, t4, (a0)
    add s9, s9, t2
    xor s9, s9, t3
    add s9, s9, t4
    xor s9, s9, t5
    addi a0, s6, 16
    amominu.w x0, s9, (a0)
    sb s9, 21(s6)               // A byte that all of them store, too
    addi a0, s6, 20
    amoadd.w t1, s8, (a0)
    add s9, s9, t1
    addi s8, s8, -1
    bnez s8, 1b
    PUT_X s9
    lw t1, 0(s6)
    PUT_X t1
    csrr s7, CSR_LDS
    li t1, 5
    bnez s1, 3f
    sw t1, 0(s7)
    sw t1, 4(s7)
3:  barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    li s8, 12
2:  amoadd.w t2, s8, (s7)
    addi a0, s7, 4
    amoswap.w t3, t2, (a0)
    xor s9, s9, t3
    addi s8, s8, -1
    bnez s8, 2b
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    lw t2, 0(s7)
    lw t3, 4(s7)
    PUT_X t2
    PUT_X t3
    PUT_X s9
    endprg
    .bss
    .balign 64
words: .zero 64
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
