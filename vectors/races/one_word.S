// Every warp counts in one word and loads it twice, into groups of two registers with a stride of 0: each lane loads the word into both.
//
// Exercises: loads whose two parts race with atomics in between.

#include "karat.inc"
#define WARPS 4
#define GROUPS 4
#define ROWS 4
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=32, vgprs=32
    PROLOGUE ROWS
    la s6, words
    li t1, 1
    li s9, 12
    li t0, 64
    vsetvli t0, t0, e32, m2, ta, ma
1:  amoadd.w t2, t1, (s6)
    vlse32.v v4, (s6), x0
    vlse32.v v6, (s6), x0
    addi s9, s9, -1
    bnez s9, 1b
    endprg
    .data
    .balign 64
words: .zero 64
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
