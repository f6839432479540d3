// Vector multiplication, division, remainder and multiply-add, and scalar ones between them.
//
// Exercises: all .vv and .vx forms on corner operands (division by zero, overflow), masked forms, chains in which each
// operation waits for the one before, long and short operations side by side, all of it in both halves of a divergence
// in every second round.

#include "karat.inc"
#include "corners.inc"

#define WARPS  2
#define ROUNDS 8
#define ROWS   (ROUNDS * 37)

.macro EACH op, source
    \op v4, v1, \source
    PUT v4
.endm
.macro EACH_MAC op, source
    vmv.v.v v5, v3
    \op v5, \source, v1
    PUT v5
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0
    li s6, 0
round:
    // Warp 0 has b beside a, warp 1 has it 7 further.
    slli s7, s6, 2
    slli s8, s1, 3
    sub s8, s8, s1
    add s8, s8, s7
    CORNER v1, corners_a, s7
    CORNER v2, corners_b, s8
    CORNER v3, corners_a, s8, 3
    CORNER v0, corners_c, s8
    CORNER_X s9, corners_b, s8
    andi t0, s6, 1
    beqz t0, uniform
    vand.vi v6, v0, 1
    RECONVERGE_AT merge
    vbne v6, v10, other
    jal body
    j merge
other:
    jal body
merge:
    join
    j next
uniform:
    jal body
next:
    addi s6, s6, 1
    li t0, ROUNDS
    bne s6, t0, round
    endprg

body:
    .irp op, vmul, vmulh, vmulhu, vmulhsu, vdivu, vdiv, vremu, vrem
    EACH \op\().vv, v2
    EACH \op\().vx, s9
    .endr
    .irp op, vmacc, vnmsac, vmadd, vnmsub
    EACH_MAC \op\().vv, v2
    EACH_MAC \op\().vx, s9
    .endr
    // Masked.
    .irp op, vmul, vmulh, vdiv, vdivu, vrem, vremu
    vmv.v.v v5, v3
    \op\().vv v5, v1, v2, v0.t
    PUT v5
    .endr
    .irp op, vmacc, vnmsub
    vmv.v.v v5, v3
    \op\().vv v5, v2, v1, v0.t
    PUT v5
    .endr
    // A chain through all of them; the adds overtake nothing.
    vdiv.vv v4, v1, v2
    vmul.vv v4, v4, v3
    vadd.vv v4, v4, v1
    vrem.vv v7, v4, v2
    vmulhu.vv v7, v7, v4
    vmacc.vv v7, v4, v4
    vdivu.vx v7, v7, s9
    PUT v7
    // Destination and sources the same register.
    vmv.v.v v7, v1
    vmul.vv v7, v7, v7
    PUT v7
    vmv.v.v v7, v2
    vmadd.vv v7, v7, v7
    PUT v7
    vmv.v.v v7, v2
    vrem.vv v7, v7, v7
    PUT v7
    // Scalar units in the middle of vector ones.
    vdiv.vv v7, v3, v2
    mulhu t0, s9, s9
    divu t1, s9, s11
    vadd.vx v7, v7, t0
    rem t0, t1, s11
    vadd.vx v7, v7, t0
    PUT v7
    PUT_FLUSH
    ret

    OUT WARPS, ROWS
