// Floating point on groups of two registers (LMUL 2) and after REGEXT.
//
// Exercises: every unit on groups, masks in v0 and v1, vl between whole registers, flags of the second register alone;
// fused instructions with four different scalar registers and with vd that is not vs3; VFTTA and scalar instructions under
// LMUL 2; registers beyond 31 in every position, REGEXTI.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  60

.macro M1
    vsetvli x0, s0, e32, m1, tu, mu
.endm
.macro M2
    vsetvli t0, x0, e32, m2, tu, mu
.endm
// Into v8, on top of v6; the flags as well.
.macro EACH2 op, operands:vararg
    M2
    vmv.v.v v8, v6
    \op v8, \operands
    csrrwi t2, fflags, 0
    M1
    PUT v8
    PUT v9
    PUT_X t2
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    slli s6, s1, 4
    CORNER v2, fp_a, s6
    CORNER v3, fp_a, s6, 8
    CORNER v4, fp_b, s6
    CORNER v5, fp_b, s6, 8
    CORNER v6, fp_c, s6
    CORNER v7, fp_c, s6, 8
    CORNER v0, corners_c, s6
    CORNER v1, corners_c, s6, 11
    CORNER_X a6, fp_b, s6, 14
    csrwi frm, 3

    // 1. Groups.
    EACH2 vfadd.vv, v2, v4
    EACH2 vfsub.vf, v2, fa6, v0.t
    EACH2 vfmacc.vv, v2, v4
    EACH2 vfnmsub.vf, fa6, v4, v0.t
    EACH2 vfdiv.vv, v2, v4
    EACH2 vfsqrt.v, v4, v0.t
    EACH2 vmflt.vv, v2, v4
    EACH2 vfmax.vf, v2, fa6, v0.t
    EACH2 vfcvt.x.f.v, v2
    EACH2 vfrec7.v, v4, v0.t
    EACH2 vfmerge.vfm, v2, fa6, v0
    EACH2 vfmv.v.f, fa6
    // Only the second register has what raises something, then only the first.
    li t1, 0x7f800001
    vmv.v.i v10, 0
    vmv.v.x v11, t1
    M2
    vfmin.vv v8, v10, v10
    csrrwi t2, fflags, 0
    M1
    PUT_X t2
    vmv.v.v v10, v11
    vmv.v.i v11, 0
    addi t1, s0, 1
    vsetvli x0, t1, e32, m2, tu, mu
    vfmin.vv v8, v10, v10
    vfadd.vv v10, v2, v4        // One lane of the second register
    csrrwi t2, fflags, 0
    M1
    PUT_X t2
    PUT v10
    PUT v11
    // One register: a scalar from an odd one, scalar instructions, VFTTA on odd registers.
    vmv.v.x v13, a6
    M2
    vfmv.f.s ft6, v13
    fadd.s t2, t1, t1
    vfmv.f.s ft6, v13
    M1
    PUT_X t1
    vfcvt.f.x.v v15, v30
    vmv.v.v v17, v15
    vmv.v.v v18, v6
    M2
    vftta.vv v17, v15, v15
    M1
    PUT v17
    PUT v18

    // 2. Four scalar registers; beyond 31 as well.
    csrwi frm, 0
    li a1, 0x40490fdb
    li a2, 0xc02df854
    li a3, 0x3fb504f3
    fmadd.s t1, a1, a2, a3
    PUT_X t1
    fmsub.s t1, a3, a1, a2
    PUT_X t1
    fnmadd.s t1, a2, a3, a1, rup
    PUT_X t1
    fnmsub.s a1, a1, a2, a1, rdn
    PUT_X a1
    X_xxi addi, x41, a1, 0
    X_xxi addi, x42, a2, 0
    X_xxi addi, x43, a3, 0
    // Their shadows below 32 have something else.
    li s1, 0x3f800000           // Of x41
    li a0, 0x40000000           // Of x42
    li t6, 0x40800000           // Of x63
    X_xxxx fmadd.s, x63, x41, x42, x43
    X_xxxx fmsub.s, t1, a2, x63, x42
    PUT_X t1
    X_xxxx fnmadd.s, x44, x42, a3, x63
    X_xxxx fnmsub.s, t2, x44, x41, a3
    PUT_X t2
    X_xxx fdiv.s, x45, x43, x44
    X_xxx fsgnjn.s, t1, x45, x42
    PUT_X t1
    X_xxx fle.s, x46, x44, x45
    X_xxi addi, t1, x46, 0
    PUT_X t1
    regexti x0, x0, (1 << 3) | 1
    fmul.s x9, a2, x11          // x41 = a2 * x43
    X_xxi addi, t1, x41, 0
    PUT_X t1

    // 3. Vectors beyond 31, beside others at the same places below.
    X_vvf vfadd.vf, v66, v2, x43
    X_vvv vfmul.vv, v99, v66, v4
    X_vv vmv.v.v, v68, v6
    X_mvv vfmacc.vv, v68, v66, v99
    X_vv vmv.v.v, v8, v68
    PUT v8
    X_mfv vfnmsub.vf, v68, x44, v66
    X_vv vmv.v.v, v8, v68
    PUT v8
    // The third operand is vd, whatever x3 is: v132 is read and written; then v4, where x3 names v132.
    X_vv vmv.v.v, v132, v5
    regext x0, x0, 4
    vfmsac.vv v4, v2, v3
    regext x0, x0, 4 << 9
    vfmadd.vv v4, v2, v3
    PUT v4
    X_vv vmv.v.v, v8, v132
    PUT v8
    X_v2 vfsqrt.v, v200, v132
    X_vvv vmfle.vv, v201, v200, v66
    X_vv vmv.v.v, v8, v200
    PUT v8
    X_vv vmv.v.v, v8, v201
    PUT v8
    // VFTTA: vd is v210, and so is the register that it adds to.
    X_vv vmv.v.v, v210, v6
    vmv.v.v v18, v2
    regext x0, x0, (2 << 6) | (2 << 3) | 6
    vftta.vv v18, v2, v2        // Of v66
    X_vv vmv.v.v, v8, v210
    PUT v8
    PUT v18
    endprg

    OUT WARPS, ROWS
