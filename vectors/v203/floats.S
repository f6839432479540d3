// Floating point of v2.03: binary64 in pairs by PREFIX, binary16 by SEW 16, conversions between widths.
//
// Exercises: every floating-point row by pair, scalar and vector, and with SEW 16, LMUL 1 and 2; all rounding modes; flags;
// widening and narrowing conversions with SEW 8, 16 and 32; x0 as a pair; v0.t; compares, whose results stay one register.

#include "v203.inc"

#define WARPS  2
#define ROUNDS 15

    .text
    .globl _start

.macro FORMS p, op
    \p \op\().vv v12, v10, v6
    \p \op\().vf v14, v10, fs4
.endm
.macro FORMS_ADD p, op
    \p \op\().vv v12, v10, v6
    \p \op\().vf v14, fs4, v6, v0.t
.endm
.macro VECTORS p
    .irp op, vfadd, vfsub, vfmul, vfdiv, vfmin, vfmax, vfsgnj, vfsgnjn, vfsgnjx, vmfeq, vmfle, vmflt, vmfne
    FORMS \p, \op
    .endr
    .irp op, vfmadd, vfnmadd, vfmsub, vfnmsub, vfmacc, vfnmacc, vfmsac, vfnmsac
    FORMS_ADD \p, \op
    .endr
    \p vmfgt.vf v16, v10, fs4
    \p vmfge.vf v16, v10, fs4
    \p vfrsub.vf v12, v10, fs4
    \p vfrdiv.vf v12, v10, fs4
    \p vfmerge.vfm v12, v10, fs4, v0
    \p vfmv.v.f v12, fs4
    \p vfmv.s.f v14, fs4
    \p vfmv.v.f v18, fs4
    \p vfmv.f.s fs6, v18
    .irp op, vfsqrt.v, vfrsqrt7.v, vfrec7.v, vfclass.v, vfcvt.xu.f.v, vfcvt.x.f.v, vfcvt.f.xu.v, vfcvt.f.x.v, vfcvt.rtz.xu.f.v, vfcvt.rtz.x.f.v
    \p \op v12, v10
    \p \op v14, v6
    .endr
.endm
.macro SCALARS
    .irp op, fadd.s, fsub.s, fmul.s, fdiv.s, fsgnj.s, fsgnjn.s, fsgnjx.s, fmin.s, fmax.s, feq.s, flt.s, fle.s
    PAIR \op s6, s4, s8
    PAIR \op s6, s8, s4
    .endr
    .irp op, fmadd.s, fmsub.s, fnmadd.s, fnmsub.s
    PAIR \op s6, s4, s8, s10
    .endr
    .irp op, fsqrt.s, fcvt.w.s, fcvt.wu.s, fcvt.s.w, fcvt.s.wu, fclass.s
    PAIR \op s6, s4
    PAIR \op s6, s8
    .endr
    PAIR fdiv.s x0, s4, x0
    PAIR fadd.s s6, x0, s4
    // A quiet NaN is invalid in comparisons of order alone.
    li s8, 0
    lui s9, 0x7ff80
    .irp op, feq.s, flt.s, fle.s
    csrwi fflags, 0
    PAIR \op s6, s4, s8
    csrr t1, fflags
    .endr
.endm
.macro WIDEN
    .irp kind, 8, 9, 10, 11, 12, 14, 15
    CONVERT \kind, v12, v6
    .endr
.endm
.macro NARROW
    .irp kind, 16, 17, 18, 19, 20, 21, 22, 23
    CONVERT \kind, v14, v10
    .endr
.endm
.macro TAKE
    .irp v, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vle32.v v\v, (t0)
    addi t0, t0, 36
    .endr
    lw s4, 0(t0)
    lw s5, 4(t0)
    lw s8, 24(t0)
    lw s9, 28(t0)
    lw s10, 48(t0)
    lw s11, 52(t0)
.endm

_start:
    KERNEL _start, warps=WARPS
    csrr s1, CSR_WID
    CLEAR
    la gp, numbers
    slli t0, s1, 3
    add s2, gp, t0
    li s3, ROUNDS
    li a0, 0                    // The rounding mode
    vid.v v0
    vsrl.vi v0, v0, 1
round:
    csrw frm, a0
    mv t0, s2
    TAKE
    csrwi fflags, 0
    SCALARS
    csrr t1, fflags
    csrwi fflags, 0
    VECTORS PAIR
    csrr t1, fflags
    WIDEN
    NARROW
    csrr t1, fflags
    vsetvli t1, x0, e16, m2, ta, ma
    VECTORS
    WIDEN
    vsetvli t1, x0, e16, m1, ta, ma
    mv t0, s2
    vle32.v v10, (t0)
    vle32.v v6, (gp)
    csrwi fflags, 0
    VECTORS
    csrr t1, fflags
    WIDEN
    NARROW
    vsetvli t1, x0, e8, m1, ta, ma
    CONVERT 10, v12, v6
    CONVERT 11, v12, v6
    .irp kind, 16, 17, 22, 23
    CONVERT \kind, v14, v10
    .endr
    csrr t1, fflags
    vsetvli t1, x0, e32, m1, ta, ma
    addi s2, s2, 40
    addi a0, a0, 1
    li t0, 5
    bne a0, t0, 1f
    li a0, 0
1:
    addi s3, s3, -1
    beqz s3, end
    j round
end:
    endprg
    TABLE
