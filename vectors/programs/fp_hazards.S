// Hazards between the floating-point units and all the others.
//
// Exercises: RAW and WAW over units of different latency, scalar and vector; third sources and masks that are on their
// way; units with several operations on theirs, from four warps; results of loads, to stores and to branches.

#include "karat.inc"
#include "fp.inc"

#define WARPS  4
#define ROUNDS 6
#define ROWS   (ROUNDS * 27)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    li s6, 0
    la s7, fp_i
    csrw frm, s1
round:
    // Numbers from 2 to 2^17, by warp, round and lane.
    li t0, 7
    mul t0, t0, s6
    vadd.vx v1, v29, t0
    vmul.vv v2, v1, v1
    vadd.vi v1, v1, 2
    vfcvt.f.xu.v v1, v1
    vadd.vi v2, v2, 3
    vfcvt.f.xu.v v2, v2
    slli t0, s6, 2
    add t0, t0, s7
    lw a1, 20(t0)               // Integers; then numbers
    fcvt.s.w a1, a1, rtz
    lw a2, 80(t0)
    fcvt.s.w a2, a2

    // 1. RAW, each unit from each.
    vfdiv.vv v4, v1, v2
    vfmul.vv v5, v4, v2
    vfsqrt.v v6, v5
    vfmax.vv v7, v6, v4
    vfmacc.vv v7, v6, v5
    vfcvt.x.f.v v8, v7
    vadd.vv v8, v8, v8
    vfcvt.f.x.v v8, v8
    vdiv.vv v9, v8, v2
    vfadd.vv v9, v9, v8
    vmul.vv v9, v9, v7
    vfclass.v v10, v9
    PUT v4
    PUT v7
    PUT v9
    PUT v10
    // Only the old vd, or only the mask, is on its way.
    vfdiv.vv v4, v2, v1
    vfmacc.vv v4, v1, v1
    vfmsub.vf v4, fa1, v2
    PUT v4
    vmflt.vf v0, v1, fa1
    vfadd.vv v4, v1, v2, v0.t
    vfsub.vv v5, v2, v1
    vfdiv.vv v5, v1, v2, v0.t
    vfmerge.vfm v6, v5, fa2, v0
    PUT v4
    PUT v5
    PUT v6

    // 2. WAW: the later one is quicker.
    vfsqrt.v v4, v2
    vfadd.vv v4, v1, v2
    PUT v4
    vfdiv.vv v4, v2, v1
    vfmin.vv v4, v1, v2
    PUT v4
    vfmadd.vv v4, v1, v2
    vadd.vv v4, v1, v2
    PUT v4
    vftta.vv v4, v1, v2
    vfsgnj.vv v4, v1, v2
    PUT v4
    vle32.v v4, (s7)
    vfsub.vv v4, v1, v2
    PUT v4
    // WAR: sources change at once.
    vmv.v.v v5, v1
    vmv.v.v v6, v2
    vfdiv.vv v4, v5, v6
    vfadd.vv v5, v6, v6
    vfmul.vv v6, v5, v5
    vmv.v.i v5, 0
    PUT v4
    PUT v6

    // 3. Scalars: the third source, x registers from vectors and to them.
    fdiv.s a3, a1, a2
    fmadd.s a4, a1, a2, a3
    fsqrt.s a3, a4
    fnmsub.s a3, a3, a3, a1
    fcvt.w.s a5, a3
    add a5, a5, a5
    PUT_X a4
    PUT_X a5
    fdiv.s a3, a2, a1
    fadd.s a3, a1, a2
    PUT_X a3
    fdiv.s a3, a2, a1
    addi a3, a1, 1
    PUT_X a3
    fmul.s a3, a1, a2
    mv a4, a3
    mul a3, a1, a2
    lw a5, 4(s7)
    fcvt.s.w a5, a5
    PUT_X a4
    PUT_X a3
    PUT_X a5
    fdiv.s a3, a1, a2
    vfmul.vf v4, v1, fa3
    vfdiv.vv v5, v2, v4
    vfmv.s.f v6, fa3
    PUT v5
    PUT v6
    // A branch on a comparison.
    fdiv.s a3, a1, a2
    flt.s a4, a3, a1
    beqz a4, 1f
    fneg.s a3, a3
1:  PUT_X a3

    // 4. As many as each unit holds, and more, all different.
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    vadd.vi v\n, v1, \n - 9
    vfadd.vf v\n, v\n, fa1
    vfmul.vv v\n, v\n, v2
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    vfsgnj.vv v\n, v\n, v1
    vfmul.vf v\n, v\n, fa2
    .endr
    vmv.v.v v4, v8
    .irp n, 9, 10, 11, 12, 13, 14, 15, 16, 17
    vfmin.vv v7, v\n, v4
    vfadd.vv v4, v4, v\n
    vxor.vv v4, v4, v7
    vfdiv.vv v5, v\n, v2
    fdiv.s a3, a3, a2
    vfmax.vv v4, v4, v5
    .endr
    PUT v4
    PUT_X a3
    PUT_FLUSH
    addi s6, s6, 1
    li t0, ROUNDS
    beq s6, t0, 1f
    j round
1:  csrr t0, fflags
    endprg

    OUT WARPS, ROWS
