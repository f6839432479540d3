// Warp 0 of each workgroup stores data, then a flag; the others wait for the flag with plain loads, then load the data.
//
// Exercises: loads that race with one store, FENCEs that order what is after them.

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
    slli t0, s4, 8
    add s6, s6, t0
    addi a1, s6, 128
    vsll.vi v5, v30, 2
    vadd.vx v5, v5, a1
    li s9, 0
    bnez s1, 2f
    vadd.vi v6, v30, 5
    vsw12.v v6, 0(v5)
    fence
    li t1, 1
    sw t1, 0(s6)
    j 3f
2:  addi s9, s9, 1
    lw t1, 0(s6)
    beqz t1, 2b
    fence
    vlw12.v v6, 0(v5)
3:  PUT v6
    PUT_X s9
    endprg
    .bss
    .balign 256
words: .zero 256 * GROUPS
    .balign 128
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
