// Scalar floating point (Zfinx).
//
// Exercises: every instruction on corner operands; rounding modes of the instruction's own, while frm is a reserved one,
// and those of frm; fflags behind each group.

#include "karat.inc"
#include "fp.inc"

#define WARPS  2
#define ROUNDS 16
#define ROWS   (ROUNDS * 4)

// s10 collects the results.
.macro OP op, operands:vararg
    \op a0, \operands
    slli t0, s10, 5
    add s10, s10, t0
    add s10, s10, a0
.endm
.macro GROUP_END
    csrrwi t0, fflags, 0
    slli t1, s9, 5
    add s9, s9, t1
    add s9, s9, t0
.endm
.macro ROUNDING rm
    OP fadd.s, a1, a2, \rm
    OP fsub.s, a1, a2, \rm
    OP fmul.s, a1, a2, \rm
    GROUP_END
    OP fdiv.s, a1, a2, \rm
    OP fsqrt.s, a2, \rm
    GROUP_END
    OP fmadd.s, a1, a2, a3, \rm
    OP fmsub.s, a1, a2, a3, \rm
    GROUP_END
    OP fnmsub.s, a1, a2, a3, \rm
    OP fnmadd.s, a1, a2, a3, \rm
    GROUP_END
    OP fcvt.w.s, a4, \rm
    GROUP_END
    OP fcvt.wu.s, a4, \rm
    GROUP_END
    OP fcvt.s.w, a5, \rm
    OP fcvt.s.wu, a5, \rm
    GROUP_END
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    li s6, 0
round:
    slli s7, s1, 4
    add s7, s7, s6
    CORNER_X a1, fp_a, s7
    CORNER_X a2, fp_b, s7
    CORNER_X a3, fp_c, s7
    CORNER_X a4, fp_d, s7
    CORNER_X a5, fp_i, s7
    li s9, 0
    li s10, 0
    // Not by frm, which may be anything then.
    csrwi fcsr, 0
    andi t0, s6, 7
    csrw frm, t0
    .irp rm, rne, rtz, rdn, rup, rmm
    ROUNDING \rm
    .endr
    PUT_X s10
    li s10, 0
    .irp op, fmin.s, fmax.s, fsgnj.s, fsgnjn.s, fsgnjx.s, feq.s, flt.s, fle.s
    OP \op, a1, a2
    GROUP_END
    OP \op, a1, a1
    GROUP_END
    .endr
    OP fclass.s, a1
    OP fclass.s, a3
    GROUP_END
    PUT_X s10
    // By frm, written by frm or by fcsr.
    li s10, 0
    li s8, 0
by_frm:
    andi t0, s6, 1
    beqz t0, 1f
    slli t0, s8, 5
    csrw fcsr, t0
    j 2f
1:  csrw frm, s8
2:
    ROUNDING dyn
    addi s8, s8, 1
    li t0, 5
    bne s8, t0, by_frm
    PUT_X s10
    PUT_X s9
    PUT_FLUSH
    addi s6, s6, 1
    li t0, ROUNDS
    beq s6, t0, 1f
    j round
1:  endprg

    OUT WARPS, ROWS
