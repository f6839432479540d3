// SCs of all warps to one word, with x0 as their result; after each a FENCE and a store to the warp's own word.
//
// Exercises: SCs that fail, which no record reports.

#include "karat.inc"
#define WARPS 4
#define GROUPS 2
#define ROWS 16
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=32, vgprs=32
    PROLOGUE ROWS
    la s6, words
    slli t0, s5, 2
    add s7, s6, t0
    li s8, 8
1:  lr.w t1, (s6)
    sc.w x0, s8, (s6)
    fence
    sw s8, 64(s7)
    addi s8, s8, -1
    bnez s8, 1b
    PUT_X s5
    endprg
    .bss
    .balign 64
words: .zero 64 + 4 * WARPS * GROUPS
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
