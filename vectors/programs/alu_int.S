// Every integer vector operation but multiplication and division (muldiv.S) and comparison and carry
// (compare_merge.S), in its .vv, .vx and .vi forms, on corner operands.
//
// Exercises: results and wrap-around, shift amounts beyond 31, operand order of vsub and vrsub, the same operation
// under v0.t with bit 0 as the mask, and all of it under divergence: odd rounds run the operations once for each half.

#include "karat.inc"
#include "corners.inc"

#define WARPS  2
#define ROUNDS 4
#define ROWS   (ROUNDS * 114)

// v4 = result, unmasked; v5 = result where the mask allows it, else the old value.
.macro EACH op, source
    \op v4, v1, \source
    PUT v4
    vmv.v.v v5, v3
    \op v5, v1, \source, v0.t
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
    // First corner: 4 * round + 16 * warp; b runs against a by 9 a round.
    slli s7, s6, 2
    slli t0, s1, 4
    add s7, s7, t0
    slli s8, s6, 3
    add s8, s8, s6
    add s8, s8, s7
    CORNER v1, corners_a, s7
    CORNER v2, corners_b, s8
    CORNER v3, corners_a, s7, 11
    CORNER v0, corners_c, s7
    CORNER v6, corners_c, s8, 5
    CORNER_X s9, corners_b, s8, 1
    andi t0, s6, 1
    beqz t0, uniform
    vand.vi v6, v6, 1
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
    .irp op, vadd, vsub, vand, vor, vxor, vsll, vsrl, vsra, vminu, vmin, vmaxu, vmax
    EACH \op\().vv, v2
    .endr
    .irp op, vadd, vsub, vrsub, vand, vor, vxor, vsll, vsrl, vsra, vminu, vmin, vmaxu, vmax
    EACH \op\().vx, s9
    .endr
    .irp op, vadd, vrsub, vand, vor, vxor
    .irp imm, -16, -1, 0, 15
    EACH \op\().vi, \imm
    .endr
    .endr
    .irp op, vsll, vsrl, vsra
    .irp imm, 0, 1, 17, 31
    EACH \op\().vi, \imm
    .endr
    .endr
    PUT_FLUSH
    ret

    OUT WARPS, ROWS
