// Two hundred workgroups of one warp, most of which end at once.
//
// Exercises: ends in cycle after cycle and on several SMs in the same one, of which the host must hear every single one;
// slots that are used again before their last fetch is back.

#include "karat.inc"

#define GROUPS 200
#define ROWS   1

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=GROUPS, sgprs=32, vgprs=32
    csrr t0, CSR_GDX
    andi t0, t0, 7
    beqz t0, row
    endprg
row:
    PROLOGUE ROWS
    slli t0, s4, 8
    vadd.vx v1, v29, t0
    PUT v1
    endprg

    OUT GROUPS, ROWS
