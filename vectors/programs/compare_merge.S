// Comparisons, merges, mask logic, carries and moves.
//
// Exercises: every vms* form (a whole word, 0 or 1, in each active thread), masked comparisons, vmerge, vadc, vmadc,
// vsbc, vmsbc with and without carry-in (bit 0 of the thread's v0), mask logic on whole words, vmv in all forms,
// including vmv.x.s with equal threads and vmv.s.x as a splat; 64-bit addition and subtraction out of these; all of it
// under divergence in every second round.

#include "karat.inc"
#include "corners.inc"

#define WARPS  2
#define ROUNDS 4
#define ROWS   (ROUNDS * 85)

.macro EACH op, source
    \op v4, v1, \source
    PUT v4
    vmv.v.v v5, v3
    \op v5, v1, \source, v0.t
    PUT v5
.endm
.macro WITH_V0 op, source
    \op v4, v1, \source, v0
    PUT v4
.endm
.macro WITHOUT op, source
    \op v4, v1, \source
    PUT v4
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0
    li s6, 0
round:
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
    vand.vi v7, v6, 1
    RECONVERGE_AT merge
    vbne v7, v10, other
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
    .irp op, vmseq, vmsne, vmsltu, vmslt, vmsleu, vmsle
    EACH \op\().vv, v2
    .endr
    .irp op, vmseq, vmsne, vmsltu, vmslt, vmsleu, vmsle, vmsgtu, vmsgt
    EACH \op\().vx, s9
    .endr
    .irp op, vmseq, vmsne, vmsleu, vmsle, vmsgtu, vmsgt
    .irp imm, -1, 2
    EACH \op\().vi, \imm
    .endr
    .endr
    .irp op, vmerge, vadc, vmadc
    WITH_V0 \op\().vvm, v2
    WITH_V0 \op\().vxm, s9
    WITH_V0 \op\().vim, -1
    .endr
    .irp op, vsbc, vmsbc
    WITH_V0 \op\().vvm, v2
    WITH_V0 \op\().vxm, s9
    .endr
    WITHOUT vmadc.vv, v2
    WITHOUT vmadc.vx, s9
    WITHOUT vmadc.vi, 1
    WITHOUT vmsbc.vv, v2
    WITHOUT vmsbc.vx, s9
    .irp op, vmand, vmnand, vmandnot, vmor, vmnor, vmornot, vmxor, vmxnor
    \op\().mm v4, v1, v6
    PUT v4
    .endr
    vmv.v.v v4, v2
    PUT v4
    vmv.v.x v4, s9
    PUT v4
    vmv.v.i v4, -16
    PUT v4
    vmv.s.x v4, s9              // Here all active threads
    PUT v4
    vmv.v.x v4, s9              // The active threads are equal, so vmv.x.s is defined
    vmv.x.s t0, v4
    PUT_X t0
    // 64 bits: {v2, v1} + {v1, v3}, then minus {v2, v3}.
    vmv.v.v v7, v0
    vadd.vv v4, v1, v3
    vmsltu.vv v0, v4, v1
    vadc.vvm v5, v2, v1, v0
    PUT v5
    vmsbc.vv v0, v4, v3
    vsub.vv v8, v4, v3
    vsbc.vvm v9, v5, v2, v0
    PUT v9
    vmv.v.v v0, v7
    PUT_FLUSH
    ret

    OUT WARPS, ROWS
