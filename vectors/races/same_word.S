// All lanes of each store write one word, and all warps load it.
//
// Exercises: loads that race with more bytes than there are warps; the higher lane's value is what others see.

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
    li s8, 20
    li s9, 0
    vmv.v.x v5, s6
    slli t0, s5, 16
    vadd.vx v6, v30, t0
1:  .rept 4
    vadd.vi v6, v6, 8
    vsw12.v v6, 0(v5)
    .endr
    vlw12.v v7, 0(v5)
    lw t2, 0(s6)
    add s9, s9, t2
    addi s8, s8, -1
    bnez s8, 1b
    PUT v7
    PUT_X s9
    endprg
    .bss
    .balign 64
words: .zero 64
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
