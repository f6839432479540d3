// Flags of v2.03, one instruction at a time: fflags in binary64, binary16 and conversions between widths, vxsat at 8, 16 and 64 bits.
//
// Exercises: numbers at the corners of each format in all rounding modes; products just below the smallest normal number; addends far
// below the product; infinity times zero plus NaN; signaling NaNs; integers at the limits of conversions; saturation in lanes that are
// not active.

#include "v203.inc"

    .text
    .globl _start

.macro FFLAGS insn:vararg
    csrwi fflags, 0
    \insn
    csrr t1, fflags
.endm
.macro VXSAT insn:vararg
    csrwi vxsat, 0
    \insn
    csrr t1, vxsat
.endm
// p: nothing, or PAIR.
.macro SATURATE p
    \p vmv.v.i v20, -1
    \p vsrl.vi v22, v20, 1
    \p vxor.vi v22, v22, -1     // The most negative number
    VXSAT \p vsmul.vv v12, v22, v22
    VXSAT \p vsmul.vv v12, v22, v20
    VXSAT \p vsadd.vv v12, v22, v22
    VXSAT \p vsadd.vv v12, v22, v20, v0.t
    VXSAT \p vssub.vv v12, v20, v22
    VXSAT \p vssub.vv v12, v22, v22, v0.t
    VXSAT \p vsaddu.vv v12, v20, v20
    VXSAT \p vsaddu.vx v12, v20, x0, v0.t
    VXSAT \p vssubu.vv v12, v22, v20
    VXSAT \p vssubu.vv v12, v20, v22, v0.t
.endm

_start:
    KERNEL _start
    CLEAR
    vid.v v0
    vsrl.vi v0, v0, 1
    SATURATE PAIR
    .irp sew, e8, e16
    vsetvli t1, x0, \sew, m1, ta, ma
    SATURATE
    .endr
    li a0, 0                    // The rounding mode
mode:
    csrw frm, a0
    vsetivli t1, 1, e32, m1, ta, ma
    la gp, doubles
    la s3, doubles_end
1:  .irp x, 4, 5, 8, 9, 10, 11
    lw s\x, 0(gp)
    addi gp, gp, 4
    .endr
    .irp op, fadd.s, fsub.s, fmul.s, fdiv.s, fmin.s, fmax.s, feq.s, flt.s, fle.s
    FFLAGS PAIR \op s6, s4, s8
    .endr
    .irp op, fmadd.s, fmsub.s, fnmadd.s, fnmsub.s
    FFLAGS PAIR \op s6, s4, s8, s10
    .endr
    .irp op, fsqrt.s, fcvt.w.s, fcvt.wu.s
    FFLAGS PAIR \op s6, s4
    .endr
    vmv.v.x v10, s4
    vmv.v.x v11, s5
    vmv.v.x v6, s8
    vmv.v.x v7, s9
    .irp op, vfadd, vfsub, vfmul, vfdiv, vfmin, vfmax, vmfeq, vmfle, vmflt, vmfne
    FFLAGS PAIR \op\().vv v12, v10, v6
    FFLAGS PAIR \op\().vf v12, v10, fs8
    .endr
    .irp kind, 16, 17, 20, 21, 22, 23
    FFLAGS CONVERT \kind, v14, v10
    .endr
    bltu gp, s3, 1b
    la gp, narrow
    la s3, narrow_end
1:  vsetivli t1, 1, e32, m1, ta, ma
    .irp v, 10, 6, 14
    vle32.v v\v, (gp)
    addi gp, gp, 4
    .endr
    .irp kind, 8, 9, 12, 14, 15
    FFLAGS CONVERT \kind, v12, v10
    .endr
    vsetivli t1, 1, e16, m1, ta, ma
    .irp kind, 16, 17, 18, 19, 20, 21, 22, 23
    FFLAGS CONVERT \kind, v12, v10
    .endr
    .irp kind, 8, 9, 12, 14, 15
    FFLAGS CONVERT \kind, v12, v10
    .endr
    lw s8, -8(gp)
    .irp op, vfadd, vfsub, vfmul, vfdiv, vfmin, vfmax, vmfeq, vmfle, vmflt, vmfne
    FFLAGS \op\().vv v12, v10, v6
    FFLAGS \op\().vf v12, v10, fs8
    .endr
    .irp op, vfmadd.vv, vfnmadd.vv, vfmsub.vv, vfnmsub.vv
    vmv.v.v v12, v10
    FFLAGS \op v12, v6, v14
    .endr
    .irp op, vfsqrt.v, vfrec7.v, vfrsqrt7.v, vfcvt.xu.f.v, vfcvt.x.f.v, vfcvt.rtz.x.f.v
    FFLAGS \op v12, v10
    .endr
    beq gp, s3, 2f
    j 1b
2:  addi a0, a0, 1
    li t0, 5
    beq a0, t0, end
    j mode
end:
    endprg

    .data
    .balign 8
.macro DOUBLES a, b, c
    .8byte \a, \b, \c
.endm
doubles:
    // (1 + 2^-52) * (2^-1022 - 2^-1074): above the smallest normal number where it is rounded up.
    DOUBLES 0x3ff0000000000001, 0x000fffffffffffff, 0
    DOUBLES 0x3ff8000000000000, 0x3ff8000000000000, 1
    DOUBLES 0x3ff8000000000000, 0xbff8000000000000, 1
    DOUBLES 0x7ff0000000000000, 0, 0x7ff8000000000001
    DOUBLES 0x7ff0000000000000, 0x8000000000000000, 0x7ff4000000000000
    DOUBLES 0x7ff4000000000000, 0x3ff0000000000000, 0
    DOUBLES 0x3ff0000000000000, 0x7ff4000000000000, 0
    DOUBLES 0x3ff0000000000000, 0x3ff0000000000000, 0xfff0000000000001
    DOUBLES 0x7ff8000000000000, 0xfff4000000000000, 0
    DOUBLES 0x7ff0000000000001, 0x7ff8000000000000, 0
    DOUBLES 0x7ff4000000000000, 0x7ff0000000000001, 0
    DOUBLES 0xfff8000000000001, 0xfff8000000000002, 0
    DOUBLES 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000
    DOUBLES 0x7fefffffffffffff, 0x4000000000000000, 0xffefffffffffffff
    DOUBLES 0xffefffffffffffff, 0x7fefffffffffffff, 0x3ff0000000000000
    DOUBLES 0x8000000000000000, 0x8000000000000000, 0
    DOUBLES 0xbff0000000000000, 0x8000000000000000, 0x8000000000000000
    DOUBLES 0x0000000000000001, 0x3fe0000000000000, 0x8000000000000001
    DOUBLES 0x3ff4000000000000, 0x4008000000000000, 0xbff0000000000000
    DOUBLES 0xbfe0000000000000, 0x3fc5555555555555, 0xbc90000000000000
    // Limits of integers of 64 and of 32 bits.
    DOUBLES 0xc3e0000000000000, 0x43e0000000000000, 0xc3e0000000000001
    DOUBLES 0x43efffffffffffff, 0x43f0000000000000, 0
    DOUBLES 0xc1e0000000000000, 0xc1e0000000100000, 0
    DOUBLES 0x41dfffffffe00000, 0x41efffffffe00000, 0
    DOUBLES 0x47efffffe0000000, 0x47efffffefffffff, 0x36a0000000000000
doubles_end:
.macro NARROW a, b, c
    .4byte \a, \b, \c
.endm
// Both binary32, and binary16 in the low half.
narrow:
    NARROW 0x00003c01, 0x000003ff, 0
    NARROW 0x00003e00, 0x00003e00, 0x00000001
    NARROW 0x00007c00, 0x00000000, 0x00007e01
    NARROW 0x00007d00, 0x00003c00, 0x00000000
    NARROW 0x00003c00, 0x00007d00, 0x00000000
    NARROW 0x00003c00, 0x00003c00, 0x0000fc01
    NARROW 0x00007e00, 0x0000fd00, 0x00000000
    NARROW 0x00007c01, 0x00007e00, 0x00000000
    NARROW 0x00007d00, 0x00007c01, 0x00000000
    NARROW 0x00007bff, 0x00004000, 0x0000fbff
    NARROW 0x0000fe00, 0x0000fe01, 0x00008000
    NARROW 0x00008000, 0x00008000, 0x00000000
    NARROW 0x0000f800, 0x00007800, 0x0000bc00
    NARROW 0x00003d00, 0x00004200, 0x0000bc00
    NARROW 0x7fa00000, 0x00000001, 0x00000001
    NARROW 0xffc00000, 0x00000002, 0x00000400
    NARROW 0xcf000000, 0x00000400, 0x00008400
    NARROW 0x4effffff, 0x00003800, 0x00000200
    NARROW 0xdf000000, 0x00000200, 0x00000000
    NARROW 0x3fa00000, 0x00000000, 0x00000000
    NARROW 0xc7000000, 0x00000000, 0x00000000
    NARROW 0x477fffff, 0x00000000, 0x00000000
    NARROW 0x387fffff, 0x00000000, 0x00000000
    NARROW 0x33000000, 0x00000000, 0x00000000
narrow_end:
