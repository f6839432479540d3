// Benchmark loop: multiply, add, fused multiply-add and minimum in single precision. The trip count is the word
// "trips"; -DTRIPS=n gives it another value.
//
// As a directed program it exercises a floating-point pipeline that is never empty, and sums that are never exact.

#include "karat.inc"

#define WARPS 4
#define ROWS  2
#ifndef TRIPS
#define TRIPS 64
#endif

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    la t0, trips
    lw s7, 0(t0)
    li s8, 0x3f7fec00           // About 0.9997
    li s9, 0x3f000000           // 0.5
    li t0, 0x3f800000           // 1.0
    vmv.v.x v6, t0
    vadd.vi v1, v29, 1
    vfcvt.f.xu.v v1, v1
    vmv.v.i v3, 0
loop:
    vfmadd.vf v1, fs8, v6       // v1 = s8 * v1 + 1
    vfmul.vv v2, v1, v1
    vfmul.vf v3, v3, fs9
    vfadd.vv v3, v3, v2
    vfmin.vv v4, v3, v2
    vfnmsac.vv v2, v4, v6       // v2 = v2 - v4
    vfsub.vv v5, v3, v2
    addi s7, s7, -1
    bnez s7, loop
    PUT v3                      // 0
    PUT v5                      // 1
    endprg

    .data
    .balign 4
    .globl trips
trips:
    .4byte TRIPS
    .size trips, 4

    OUT WARPS, ROWS
