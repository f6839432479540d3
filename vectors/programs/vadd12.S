// VADD12.VI and VSUB12.VI with immediates over the whole unsigned range.
//
// Exercises: 2048 and above (bit 31 of the word is part of an unsigned number here), wrap-around, masks, vl, chains, vd
// equal to vs1. A core that sign-extends the immediate shows it in the rows from 2048 on.

#include "karat.inc"
#include "corners.inc"

#define WARPS 2
#define ROWS  22

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0
    slli s6, s1, 4
    CORNER v1, corners_a, s6
    .irp imm, 0, 1, 15, 16, 31, 32, 2047, 2048, 4095
    vadd12.vi v2, v1, \imm
    PUT v2
    vsub12.vi v3, v1, \imm
    PUT v3
    .endr
    vmv.v.v v4, v1
    .rept 3
    vadd12.vi v4, v4, 4095
    vsub12.vi v4, v4, 2048
    .endr
    PUT v4
    // v0 is not a mask here: the instruction has no vm bit.
    CORNER v0, corners_c, s6
    vadd12.vi v5, v1, 1000
    PUT v5
    // Divergent.
    vand.vi v6, v30, 1
    vmv.v.i v7, -1
    RECONVERGE_AT merge
    vbne v6, v10, odd
    vadd12.vi v7, v1, 3000
    j merge
odd:
    vsub12.vi v7, v1, 3000
merge:
    join
    PUT v7
    // vl = 2.
    vmv.v.i v8, -2
    vsetivli x0, 2, e32, m1, tu, mu
    vadd12.vi v8, v1, 2222
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v8
    endprg

    OUT WARPS, ROWS
