// Vector floating point: addition, subtraction, multiplication.
//
// Exercises: .vv and .vf forms on corner operands in every rounding mode, masked ones as well; fflags behind each.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  (FP_ROUNDS * 15)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    FP_START ROWS
    EACH vfadd.vv, v1, v2, v6
    EACH vfadd.vf, v1, fa6, fs9
    EACH vfsub.vv, v1, v2, v6
    EACH vfsub.vf, v1, fa6, fs9
    EACH vfrsub.vf, v1, fa6, fs9
    EACH vfmul.vv, v1, v2, v6
    EACH vfmul.vf, v1, fa6, fs9
    FP_NEXT
    endprg

    OUT WARPS, ROWS
