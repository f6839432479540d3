// Vector floating point: division and square root.
//
// Exercises: vfdiv.vv, .vf, vfrdiv.vf and vfsqrt.v on corner operands in every rounding mode, masked ones as well;
// fflags behind each.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  (FP_ROUNDS * 11)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    FP_START ROWS
    EACH vfdiv.vv, v1, v2, v6
    EACH vfdiv.vv, v2, v1, v3
    EACH vfdiv.vf, v1, fa6, fs9
    EACH vfrdiv.vf, v2, fa6, fs9
    vfsgnjx.vv v7, v1, v1           // Without signs
    EACH1 vfsqrt.v, v7, v1
    FP_NEXT
    endprg

    OUT WARPS, ROWS
