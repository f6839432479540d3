// Registers that nothing has written, in every kind of operand, in ways whose results do not depend on what they hold.
//
// The one program that reads undefined registers on purpose: a core that leaves registers as they are at launch shows
// their values in READs, and the checker adopts and counts them.
//
// Exercises: scalar and vector sources, the third source, v0 as an operand, a branch and a VBRANCH, a CSR operand, a
// stride, stored data, registers written in some lanes only, groups of two registers.

#include "karat.inc"

#define WARPS  2
#define GROUPS 4
#define ROWS   12

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=40, vgprs=40
    PROLOGUE ROWS
    vxor.vv v1, v20, v20        // 0: one register in two operands
    PUT v1
    sub t2, a0, a0
    PUT_X t2                    // 0
    vand.vi v2, v21, 0
    PUT v2                      // 0
    vmul.vx v3, v22, x0
    PUT v3                      // 0
    vmerge.vvm v4, v30, v30, v0
    PUT v4                      // Lane, either way
    vmacc.vv v5, v30, v29
    vxor.vv v5, v5, v5
    PUT v5                      // 0
    // Control that comes out the same.
    li t2, 6
    beq a2, a2, 1f
    li t2, 7
1:  bltu a3, x0, 2f
    addi t2, t2, 1
2:  RECONVERGE_AT 3f
    vbeq v23, v23, 3f
    vadd.vi v30, v30, 1
3:  join
    PUT_X t2                    // 7
    PUT v30                     // Lane
    csrw mscratch, a4
    csrr t2, mscratch
    sub t2, t2, a4
    PUT_X t2                    // 0
    // A stride of which only the first element is accessed, and a store that is never read.
    vmv.v.i v6, 0
    la s7, word
    vsetivli x0, 1, e32, m1, ta, ma
    vlse32.v v6, (s7), a6
    vsetvli x0, s0, e32, m1, ta, ma
    PUT v6                      // 1234 in lane 0
    la s8, scratch
    slli t0, s5, 7
    add s8, s8, t0
    vse32.v v24, (s8)
    // Two lanes are written, then all are read.
    vmslt.vi v0, v30, 2
    vadd.vi v7, v30, 5, v0.t
    vadd.vi v7, v7, 1, v0.t     // No use of the others
    vxor.vv v7, v7, v7
    PUT v7                      // 0
    // Groups.
    vsetvli t0, x0, e32, m2, ta, ma
    vxor.vv v10, v26, v26
    vsetvli x0, s0, e32, m1, ta, ma
    vor.vv v10, v10, v11
    PUT v10                     // 0
    endprg

    .data
word:
    .4byte 1234
    .bss
    .balign 128
scratch:
    .space GROUPS * WARPS * 128

    OUT GROUPS * WARPS, ROWS
