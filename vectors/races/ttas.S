// A lock that is looked at with a load before it is tried, and what it protects.
//
// Exercises: loads of a word that atomics use, before the first of them does.

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
    li t1, 1
1:  lw t2, 0(s6)
    bnez t2, 1b
    amoswap.w.aq t2, t1, (s6)
    bnez t2, 1b
    lw t3, 4(s6)
    addi t3, t3, 1
    sw t3, 4(s6)
    amoswap.w.rl x0, x0, (s6)
    PUT_X t3
    endprg
    .bss
    .balign 64
words: .zero 64
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
