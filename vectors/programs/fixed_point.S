// Fixed point: saturating and averaging additions and subtractions, fractional products, scaling shifts.
//
// Exercises: all .vv, .vx and .vi forms on corner operands under each vxrm, masked ones as well; vxsat directly after
// the instruction that sets it, from written lanes only; vxsat, vxrm and vcsr as views of each other; products of two
// warps in turn, each with its own vxrm; a sum and a product that saturate at once, in two warps.

#include "karat.inc"
#include "corners.inc"

#define WARPS  2
#define ROUNDS 8
#define TRIPS  96
#define ROWS   (ROUNDS * 55 + 5 + 3)

// Unmasked, then masked on top of v3. s10 collects what vxsat and vcsr are afterwards.
.macro EACH op, source
    \op v4, v1, \source
    csrrwi t0, vxsat, 0
    PUT v4
    slli t1, s10, 1
    add s10, s10, t1
    add s10, s10, t0
    vmv.v.v v5, v3
    \op v5, v1, \source, v0.t
    csrr t0, vcsr
    csrwi vxsat, 0
    PUT v5
    slli t1, s10, 1
    add s10, s10, t1
    add s10, s10, t0
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    li s6, 0
round:
    // Warp 0 has the next one of b beside a, warp 1 has it 7 further.
    slli s7, s6, 2
    slli s8, s1, 3
    sub s8, s8, s1
    add s8, s8, s7
    addi s8, s8, 1
    CORNER v1, corners_a, s7
    CORNER v2, corners_b, s8
    CORNER v3, corners_a, s8, 3
    CORNER v0, corners_c, s8
    CORNER_X s9, corners_b, s8
    li s10, 0
    // Rounding mode: this round's number, by vxrm or by vcsr.
    andi t0, s6, 3
    andi t1, s6, 4
    bnez t1, 1f
    csrw vxrm, t0
    j 2f
1:  slli t0, t0, 1
    csrw vcsr, t0
2:
    EACH vsaddu.vv, v2
    EACH vsaddu.vx, s9
    EACH vsaddu.vi, -3
    EACH vsadd.vv, v2
    EACH vsadd.vx, s9
    EACH vsadd.vi, -3
    EACH vssubu.vv, v2
    EACH vssubu.vx, s9
    EACH vssub.vv, v2
    EACH vssub.vx, s9
    EACH vaaddu.vv, v2
    EACH vaaddu.vx, s9
    EACH vaadd.vv, v2
    EACH vaadd.vx, s9
    EACH vasubu.vv, v2
    EACH vasubu.vx, s9
    EACH vasub.vv, v2
    EACH vasub.vx, s9
    EACH vsmul.vv, v2
    EACH vsmul.vx, s9
    EACH vssrl.vv, v2
    EACH vssrl.vx, s9
    EACH vssrl.vi, 5
    EACH vssra.vv, v2
    EACH vssra.vx, s9
    EACH vssra.vi, 5
    vssra.vi v4, v1, 31
    PUT v4
    PUT_X s10
    csrr t0, vxrm
    PUT_X t0
    PUT_FLUSH
    addi s6, s6, 1
    li t0, ROUNDS
    bne s6, t0, round

    // The flag vxsat comes from written lanes only.
    csrwi vcsr, 0
    li t0, 0x80000000
    vmv.v.x v1, t0
    vmv.v.i v0, 0
    vmv.v.i v4, 1
    vsmul.vv v4, v1, v1, v0.t   // No lane
    csrr t1, vxsat
    PUT_X t1
    vsetivli x0, 0, e32, m1, tu, mu
    vsadd.vv v4, v1, v1
    csrr t1, vxsat
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    vsmul.vx v4, v1, t0
    csrr t1, vcsr
    PUT_X t1
    PUT v4
    csrwi vxsat, 0
    csrr t1, vxsat
    PUT_X t1

    // Products of two warps in turn: one rounds to the nearest, the other one down.
    slli t0, s1, 1
    csrw vxrm, t0
    li t0, 0x11345677
    vadd.vi v1, v30, 1
    vmul.vx v1, v1, t0
    vxor.vi v2, v1, 9
    barrier x0, x0, 0
    .irp v, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15
    vsmul.vv \v, v1, v2
    .endr
    PUT v4
    PUT v15

    // One warp saturates in sums, the other one in products, after delays that differ.
    li t0, 0x80000000
    vmv.v.x v1, t0
    csrwi vxsat, 0
    li s6, TRIPS
    li s7, 0
    bnez s1, product
sum:
    andi t0, s6, 7
1:  addi t0, t0, -1
    bgez t0, 1b
    vsadd.vv v2, v1, v1
    csrrwi t1, vxsat, 0
    add s7, s7, t1
    addi s6, s6, -1
    bnez s6, sum
    j saturated
product:
    andi t0, s6, 3
1:  addi t0, t0, -1
    bgez t0, 1b
    vsmul.vv v2, v1, v1
    csrrwi t1, vxsat, 0
    add s7, s7, t1
    addi s6, s6, -1
    bnez s6, product
saturated:
    PUT_X s7
    endprg

    OUT WARPS, ROWS
