// Integers of v2.03: 64 bits in pairs by PREFIX, RV64I word rows, 8 and 16 bits by SEW, widening.
//
// Exercises: every integer row by pair, scalar and vector; all integer rows with SEW 8 and 16, LMUL 1 and 2; vxrm and vxsat;
// v0.t and carries; the results of compares, which stay one register; x0 as a pair; shift amounts of 6 bits; immediates.

#include "v203.inc"

#define WARPS  2
#define ROUNDS 12

    .text
    .globl _start

// One operation with v6 and v10, or x20, and under a mask.
.macro VVX op
    \op\().vv v12, v10, v6
    \op\().vx v14, v10, s4
    \op\().vv v16, v6, v10, v0.t
.endm
.macro PVVX op
    PAIR \op\().vv v12, v10, v6
    PAIR \op\().vx v14, v10, s4
    PAIR \op\().vv v16, v6, v10, v0.t
.endm
.macro ALL m
    .irp op, vadd, vsub, vminu, vmin, vmaxu, vmax, vand, vor, vxor, vsll, vsrl, vsra, vmseq, vmsne, vmsltu, vmslt, vmsleu, vmsle
    \m \op
    .endr
    .irp op, vdivu, vdiv, vremu, vrem, vmul, vmulhu, vmulh, vmulhsu
    \m \op
    .endr
    .irp op, vsaddu, vsadd, vssubu, vssub, vaaddu, vaadd, vasubu, vasub, vsmul, vssrl, vssra
    \m \op
    .endr
.endm
// Rows that have other forms; p: nothing, or PAIR.
.macro OTHERS p
    \p vrsub.vx v12, v10, s4
    \p vrsub.vi v12, v10, -7
    \p vadd.vi v12, v10, -9
    \p vsll.vi v14, v10, 13
    \p vsra.vi v14, v10, 31
    \p vmsgtu.vx v14, v10, s4
    \p vmsgt.vx v14, v10, s4
    \p vmsgt.vi v14, v10, -1
    \p vsadd.vi v12, v10, 15
    \p vadc.vvm v12, v10, v6, v0
    \p vsbc.vvm v12, v10, v6, v0
    \p vmadc.vvm v14, v10, v6, v0
    \p vmsbc.vvm v14, v10, v6, v0
    \p vmadc.vv v14, v10, v6
    \p vmsbc.vx v14, v10, s4
    \p vmerge.vvm v12, v10, v6, v0
    \p vmerge.vxm v12, v10, s4, v0
    \p vmv.v.v v12, v10
    \p vmv.v.x v12, s4
    \p vmv.v.i v12, -3
    \p vmv.s.x v14, s4
    \p vmv.v.x v18, s4
    \p vmv.x.s s6, v18
    \p vid.v v12
    \p vmadd.vv v12, v10, v6
    \p vnmsub.vv v12, v10, v6
    \p vmacc.vx v12, s4, v6
    \p vnmsac.vv v12, v10, v6, v0.t
.endm
.macro SCALARS
    .irp op, add, sub, sll, slt, sltu, xor, srl, sra, or, and, mul, mulh, mulhsu, mulhu, div, divu, rem, remu
    PAIR \op s6, s4, s8
    PAIR \op s6, s8, s4
    .endr
    PAIR addi s6, s4, -5
    PAIR slti s6, s4, -5
    PAIR sltiu s6, s4, -5
    PAIR xori s6, s4, -1
    PAIR add s6, x0, s4
    PAIR add x0, s4, s4
    PAIR lui s6, 0x80001
    PAIR auipc s6, 0xfffff
    PREFIXI imm=1, pair=1
    slli s6, s4, 7
    PREFIXI imm=1, pair=1
    srai s6, s4, 31
    PAIR srli s6, s4, 3
    // ADDW, SUBW, SLLW, SRLW, SRAW, ADDIW, SLLIW, SRAIW
    .insn r 0x3b, 0, 0x00, s6, s4, s8
    .insn r 0x3b, 0, 0x20, s6, s4, s8
    .insn r 0x3b, 1, 0x00, s6, s4, s8
    .insn r 0x3b, 5, 0x00, s6, s4, s8
    .insn r 0x3b, 5, 0x20, s6, s4, s8
    .insn i 0x1b, 0, s6, s4, -100
    .insn i 0x1b, 1, s6, s4, 19
    .insn i 0x1b, 5, s6, s4, 0x413
.endm
.macro WIDE op
    \op\().vv v12, v10, v6
    \op\().vx v14, v6, s4, v0.t
.endm
.macro WIDE_W op
    \op\().wv v12, v10, v8
    \op\().wx v14, v10, s4
.endm
.macro WIDE_ADD op
    \op\().vv v12, v10, v6
    \op\().vx v14, s4, v6
.endm
.macro WIDENING
    .irp op, vwaddu, vwadd, vwsubu, vwsub, vwmulu, vwmul, vwmulsu
    WIDE \op
    .endr
    .irp op, vwaddu, vwadd, vwsubu, vwsub
    WIDE_W \op
    .endr
    .irp op, vwmaccu, vwmacc, vwmaccsu
    WIDE_ADD \op
    .endr
    vwmaccus.vx v12, s4, v6
.endm

// v6 to v15, and s4 to s9, from the table.
.macro TAKE
    .irp v, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vle32.v v\v, (t0)
    addi t0, t0, 52
    .endr
    lw s4, 0(t0)
    lw s5, 16(t0)
    lw s8, 36(t0)
    lw s9, 4(t0)
.endm

_start:
    KERNEL _start, warps=WARPS
    csrr s1, CSR_WID
    CLEAR
    la gp, numbers
    slli t0, s1, 2
    add s2, gp, t0              // Numbers of this round
    li s3, ROUNDS
    vid.v v0
    vsrl.vi v0, v0, 1           // The mask: lanes 2, 3, 6, 7 ...
round:
    andi t0, s3, 3
    csrw vxrm, t0
    mv t0, s2
    TAKE
    SCALARS
    csrwi vxsat, 0
    ALL PVVX
    csrr t1, vxsat
    OTHERS PAIR
    WIDENING
    .irp sew, e8, e16
    .irp lmul, m1, m2
    vsetvli t1, x0, \sew, \lmul, ta, ma
    csrwi vxsat, 0
    ALL VVX
    csrr t1, vxsat
    OTHERS
    .endr
    vsetvli t1, x0, \sew, m1, ta, ma
    WIDENING
    .endr
    vsetvli t1, x0, e16, m2, ta, ma
    WIDENING
    vsetvli t1, x0, e32, m1, ta, ma
    vid.v v0
    vsrl.vi v0, v0, 1
    addi s2, s2, 44
    addi s3, s3, -1
    beqz s3, end
    j round
end:
    endprg
    TABLE
