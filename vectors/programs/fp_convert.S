// Vector floating point: conversions and estimates.
//
// Exercises: all vfcvt forms, vfrec7 and vfrsqrt7 on corner operands in every rounding mode, masked ones as well; fflags
// after each; every entry of both tables of estimates, in every lane.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  (FP_ROUNDS * 19)

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
    // The ends of 160 intervals in each lane; v8 and v9 collect the estimates.
    li t0, FP_ROUNDS
    mul t0, t0, s1
    add t0, t0, s6
    slli t0, t0, 2
    li t1, 33
    vmul.vx v7, v30, t1
    vadd.vx v7, v7, t0
    vmv.v.i v8, 0
    vmv.v.i v9, 0
    li t1, 3
    li t2, 4
    li t3, 0x3f01ffff
    li t4, 0x3f00ffff
1:  vsll.vi v10, v7, 17
    vadd.vx v10, v10, t3
    vfrsqrt7.v v10, v10
    vmadd.vx v8, t1, v10
    vsll.vi v10, v7, 16
    vadd.vx v10, v10, t4
    vfrec7.v v10, v10
    vmadd.vx v9, t1, v10
    vadd.vi v7, v7, 1
    addi t2, t2, -1
    bnez t2, 1b
    PUT v8
    PUT v9
    FP_NEXT
    endprg

    OUT WARPS, ROWS
