// PREFIX and PREFIXI of v2.03: ABS and NEG on every source, with register extensions, before every kind of instruction.
//
// Exercises: |x| and two's-complement negation of integers, sign bits of floating point, at 8 to 64 bits; immediates in a source's
// place; the third source that is also the destination; branches and divergence by 64 bits; 32-bit units behind a prefix; the
// last registers of each file.

#include "v203.inc"

#define WARPS  2
#define ROUNDS 8

    .text
    .globl _start

.macro EACH abs, neg, pair
    MODIFIED \abs, \neg, \pair, vadd.vv v12, v10, v6
    MODIFIED \abs, \neg, \pair, vmax.vx v12, v10, s4
    MODIFIED \abs, \neg, \pair, vsra.vi v12, v10, 3
    MODIFIED (\abs&1), (\neg&1), \pair, vmv.v.i v12, -6
    MODIFIED \abs, \neg, \pair, vdiv.vv v12, v10, v6
    MODIFIED \abs, \neg, \pair, vmulh.vv v12, v10, v6
    MODIFIED (\abs|4), \neg, \pair, vmacc.vv v12, v10, v6
    MODIFIED \abs, (\neg|4), \pair, vnmsub.vx v12, s4, v6
    MODIFIED \abs, \neg, \pair, vsadd.vv v12, v10, v6
.endm
.macro FLOATS abs, neg, pair
    MODIFIED \abs, \neg, \pair, vfadd.vv v12, v10, v6
    MODIFIED (\abs|4), \neg, \pair, vfmacc.vv v12, v10, v6
    MODIFIED \abs, (\neg|4), \pair, vfmsub.vf v12, fs4, v6
    MODIFIED \abs, \neg, \pair, vfmin.vv v12, v10, v6
    MODIFIED \abs, \neg, \pair, vfdiv.vf v12, v10, fs4
    MODIFIED (\abs&2), (\neg&2), \pair, vfcvt.f.x.v v12, v10
    MODIFIED (\abs&2), (\neg&2), \pair, vfclass.v v12, v10
    MODIFIED \abs, \neg, \pair, vmfle.vv v16, v10, v6
.endm
.macro SCALARS abs, neg, pair
    MODIFIED \abs, \neg, \pair, sub s6, s4, s8
    MODIFIED \abs, \neg, \pair, addi s6, s4, -77
    MODIFIED \abs, \neg, \pair, rem s6, s4, s8
    MODIFIED \abs, \neg, \pair, mulhu s6, s4, s8
    MODIFIED (\abs&2), (\neg&2), \pair, lui s6, 0x80000
    MODIFIED (\abs&2), (\neg&2), \pair, auipc s6, 0xabcde
    MODIFIED (\abs|4), \neg, \pair, fmadd.s s6, s4, s8, s10
    MODIFIED \abs, (\neg|4), \pair, fnmsub.s s6, s4, s8, s10
    MODIFIED (\abs&1), (\neg&1), \pair, fcvt.s.w s6, s4
.endm
// The two paths count in v18 and v19.
.macro DIVERGE op, abs, neg, pair
    la t0, 3f
    csrw CSR_RPC, t0
    PREFIX \pair, \abs, \neg
    \op v10, v6, 2f
    vadd.vi v18, v18, 1
    j 3f
2:  vadd.vi v19, v19, 1
3:  join
    PREFIX pair=\pair, abs=\abs, neg=\neg
    beq s4, s8, 4f
    addi a3, a3, 1
4:  PREFIX pair=\pair, abs=\abs, neg=\neg
    bltu s4, s8, 5f
    addi a3, a3, 2
5:  PREFIX pair=\pair, abs=\abs, neg=\neg
    bge s4, s8, 6f
    addi a3, a3, 4
6:
.endm
.macro TAKE
    .irp v, 6, 7, 10, 11, 12, 13
    vle32.v v\v, (t0)
    addi t0, t0, 52
    .endr
    .irp x, 20, 21, 24, 25, 26, 27
    lw x\x, 0(t0)
    addi t0, t0, 12
    .endr
.endm

_start:
    KERNEL _start, warps=WARPS
    csrr s1, CSR_WID
    CLEAR
    la gp, numbers
    slli t0, s1, 4
    add s2, gp, t0
    li s3, ROUNDS
    vmv.v.i v18, 0
    vmv.v.i v19, 0
round:
    mv t0, s2
    TAKE
    .irp pair, 0, 1
    .irp abs, 0, 1, 2, 3
    SCALARS \abs, (3-\abs), \pair
    EACH \abs, 3, \pair
    FLOATS \abs, 1, \pair
    .endr
    .irp op, vbeq, vbne, vblt, vbge, vbltu, vbgeu
    DIVERGE \op, 0, 0, \pair
    DIVERGE \op, 1, 2, \pair
    .endr
    .endr
    .irp sew, e8, e16
    vsetvli t1, x0, \sew, m1, ta, ma
    EACH 3, 1, 0
    EACH 0, 3, 0
    // The most negative number is its own magnitude.
    vmv.v.i v20, -1
    vsrl.vi v20, v20, 1
    vxor.vi v20, v20, -1
    MODIFIED 2, 0, 0, vmulh.vv v12, v20, v6
    MODIFIED 0, 2, 0, vmulh.vv v12, v20, v6
    MODIFIED 1, 2, 0, vwmul.vv v12, v10, v6
    MODIFIED 2, 1, 0, vwadd.wv v12, v10, v6
    MODIFIED 4, 3, 0, vwmacc.vv v12, v10, v6
    .endr
    FLOATS 1, 2, 0
    vsetvli t1, x0, e32, m1, ta, ma
    MODIFIED 2, 2, 0, vand.vv v12, v10, v6
    MODIFIED 3, 1, 0, vmand.mm v16, v10, v6
    MODIFIED 1, 2, 0, vwmul.vv v12, v10, v6
    MODIFIED 2, 3, 0, vwsub.wv v12, v10, v6
    MODIFIED 0, 3, 0, vadd12.vi v12, v10, 77
    MODIFIED 2, 1, 1, vsub12.vi v12, v10, 4095
    // Extended registers.
    PREFIX pair=1, xd=1
    vmv.v.v v10, v6
    PREFIX pair=1, neg=1, x2=1, xd=2
    vadd.vv v12, v10, v6
    PREFIX pair=1, abs=2, x2=2, x1=1, xd=1
    vxor.vv v10, v12, v10
    PREFIXI imm=63, pair=1, neg=1
    vadd.vi v12, v10, 5
    // The last pair of each file.
    PREFIX pair=1, xd=1
    add x30, s4, s8
    PREFIX pair=1, x1=1
    sub s6, x30, s8
    PREFIX pair=1, xd=7
    vmv.v.v v30, v6
    PREFIX pair=1, x2=7
    vadd.vv v12, v30, v6
    addi s2, s2, 28
    addi s3, s3, -1
    beqz s3, end
    j round
end:
    endprg
    TABLE
