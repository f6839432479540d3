// A lock with .aq and .rl around plain accesses, then one with FENCEs and a plain store as its release.
//
// Exercises: acquire and release. Every load under a lock has one legal value, whichever warp held it before.

#include "karat.inc"
#define WARPS 4
#define GROUPS 4
#define ROWS 16
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=32, vgprs=32
    PROLOGUE ROWS
    la s6, words
    li s8, 4
    li s9, 0
    li t1, 1
1:  amoswap.w.aq t2, t1, (s6)
    bnez t2, 1b
    lw t3, 64(s6)
    addi t3, t3, 3
    sw t3, 64(s6)
    lh t4, 74(s6)
    add t4, t4, t3
    sh t4, 74(s6)
    amoswap.w.rl x0, x0, (s6)
    add s9, s9, t4
    addi s8, s8, -1
    bnez s8, 1b
    PUT_X s9
    li s8, 4
    addi s7, s6, 4
2:  amoswap.w t2, t1, (s7)
    bnez t2, 2b
    fence
    lw t3, 64(s7)
    add t3, t3, s8
    sw t3, 64(s7)
    fence
    sw x0, 0(s7)
    add s9, s9, t3
    addi s8, s8, -1
    bnez s8, 2b
    PUT_X s9
    endprg
    .bss
    .balign 64
words: .zero 192
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
