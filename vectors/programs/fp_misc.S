// Vector floating point: what does not round.
//
// Exercises: comparisons, minimum, maximum, sign injection, classification, merges and moves on corner operands, masked
// ones as well; fflags behind each. NaNs of both kinds, zeros of both signs.

#include "karat.inc"
#include "fp.inc"

#define WARPS  2
#define ROUNDS 8
#define ROWS   (ROUNDS * 56)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    FP_START ROWS
    .irp op, vfmin, vfmax, vfsgnj, vfsgnjn, vfsgnjx, vmfeq, vmfne, vmflt, vmfle
    EACH \op\().vv, v1, v2, v6
    EACH \op\().vf, v1, fa6, fs9
    .endr
    EACH vmfgt.vf, v1, fa6, fs9
    EACH vmfge.vf, v1, fa6, fs9
    // Each operand beside itself, and beside its negative.
    EACH vmfeq.vv, v1, v1, v6
    EACH vmfle.vv, v1, v1, v6
    vfsgnjn.vv v7, v1, v1
    EACH vmfeq.vv, v1, v7, v2
    EACH vfmax.vv, v1, v7, v2
    EACH1 vfclass.v, v1, v6
    vfmerge.vfm v4, v1, fs9, v0
    PUT v4
    vfmv.v.f v4, fs9
    PUT v4
    vfmv.s.f v4, fa6
    PUT v4
    vfmv.v.f v4, fa6
    vfmv.f.s fa5, v4
    PUT_X a5
    csrr t0, fflags             // None of these
    PUT_X t0
    FP_NEXT ROUNDS
    endprg

    OUT WARPS, ROWS
