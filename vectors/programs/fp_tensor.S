// VFTTA: the matrix product of a warp.
//
// Exercises: corner operands in every rounding mode, masked and short ones; fflags from written lanes only; products and
// sums that round; VFTTA after VFTTA, and sources and destination that are on their way.

#include "karat.inc"
#include "fp.inc"

#define WARPS 4
#define ROWS  (FP_ROUNDS * 8)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    FP_START ROWS
    // Corners: mostly NaN.
    EACH vftta.vv, v1, v2, v6
    // Numbers that are not, with all their bits: sums cancel, and round.
    CORNER v7, fp_i, s7
    CORNER v8, fp_i, s8
    vfcvt.f.x.v v7, v7
    vfcvt.f.x.v v8, v8
    csrwi fflags, 0
    vfmul.vv v3, v7, v8
    vfsgnjn.vv v3, v3, v3
    EACH vftta.vv, v7, v8, v7
    // By vl; a value from one to the next.
    vmv.v.v v5, v8
    li t0, 3
    vsetvli x0, t0, e32, m1, tu, mu
    vftta.vv v5, v8, v7
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v5
    FLAGS
    vmv.v.i v10, 0
    vfadd.vv v9, v7, v8
    vftta.vv v10, v9, v7
    vfdiv.vv v11, v7, v8
    vftta.vv v10, v8, v11
    vfsub.vv v10, v10, v11
    PUT v10
    vmv.v.i v10, 0
    vftta.vv v10, v7, v8
    vmv.v.v v7, v10             // Not before it has been read
    vadd.vx v10, v10, s6
    PUT v7
    FP_NEXT
    endprg

    OUT WARPS, ROWS
