// All warps store words, halfwords and bytes to the same places and load them: a program that no one should write, but
// the core is not wrong.
//
// Exercises: loads that race with many stores, of scalars and vectors, in parts of words.

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
    li s8, 10
    li s9, 0
    vsll.vi v5, v30, 2
    vadd.vx v5, v5, s6
1:  add t1, s5, s8
    sw t1, 0(s6)
    lw t2, 0(s6)
    sb s8, 6(s6)
    lw t3, 4(s6)
    add s9, s9, t2
    xor s9, s9, t3
    vadd.vx v6, v30, s9
    vsw12.v v6, 64(v5)
    vlw12.v v7, 64(v5)
    vlh12.v v8, 66(v5)
    vadd.vv v9, v7, v8
    addi s8, s8, -1
    bnez s8, 1b
    PUT_X s9
    PUT v9
    endprg
    .bss
    .balign 256
words: .zero 512
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
