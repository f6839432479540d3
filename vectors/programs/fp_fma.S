// Vector floating point: fused multiply-add.
//
// Exercises: all eight signs and orders, .vv and .vf, on corner operands in every rounding mode, masked ones as well;
// fflags behind each.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  (FP_ROUNDS * 33)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    FP_START ROWS
    .irp op, vfmacc, vfnmacc, vfmsac, vfnmsac
    EACH \op\().vv, v2, v1, v6
    EACH \op\().vf, fa6, v1, v6
    .endr
    // The addend is in vs2: c, and what is multiplied in vd is a.
    vmv.v.v v7, v3
    vmv.v.v v3, v1
    .irp op, vfmadd, vfnmadd, vfmsub, vfnmsub
    EACH \op\().vv, v2, v7, v6
    EACH \op\().vf, fa6, v7, v6
    .endr
    FP_NEXT
    endprg

    OUT WARPS, ROWS
