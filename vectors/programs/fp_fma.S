// Vector floating point: fused multiply-add.
//
// Exercises: all eight signs and orders, .vv and .vf, on corner operands in every rounding mode, masked ones as well;
// results just below the smallest normal number, tiny or not by the bits that rounding takes; fflags behind each.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  (FP_ROUNDS * 37)

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
    // 2^-126 less k * 2^-156, k / 64 of the last place that there would be.
    li t0, 0x00800000
    vmv.v.x v3, t0
    andi t0, s7, 15
    slli t0, t0, 2
    addi t0, t0, 1
    vadd.vx v7, v30, t0
    vfcvt.f.x.v v7, v7
    li t0, -(78 << 23)
    vadd.vx v7, v7, t0          // k * 2^-78
    li a7, (127 - 78) << 23
    EACH vfnmsac.vf, fa7, v7, v7
    EACH vfmsac.vf, fa7, v7, v7
    FP_NEXT
    endprg

    OUT WARPS, ROWS
