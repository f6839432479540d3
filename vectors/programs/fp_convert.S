// Vector floating point: conversions and estimates.
//
// Exercises: all vfcvt forms, vfrec7 and vfrsqrt7 on corner operands in every rounding mode, masked ones as well; fflags
// behind each.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  (FP_ROUNDS * 17)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    FP_START ROWS
    CORNER v1, fp_d, s7
    CORNER v2, fp_i, s7
    CORNER v7, fp_i, s8
    EACH1 vfcvt.x.f.v, v1, v6
    EACH1 vfcvt.xu.f.v, v1, v6
    EACH1 vfcvt.rtz.x.f.v, v1, v6
    EACH1 vfcvt.rtz.xu.f.v, v1, v6
    EACH1 vfcvt.f.x.v, v2, v7
    EACH1 vfcvt.f.xu.v, v2, v7
    EACH1 vfrec7.v, v1, v6
    EACH1 vfrsqrt7.v, v1, v6
    FP_NEXT
    endprg

    OUT WARPS, ROWS
