// Twelve workgroups in a grid of 3 x 2 x 2, more than a small core holds at once, with very different amounts of work.
//
// Exercises: dispatch, slots that are used again by later workgroups, every launch CSR, LDS that belongs to the
// workgroup, barriers of several workgroups at the same time, registers that a new warp must not inherit in its
// results.

#include "karat.inc"

#define WARPS  2
#define GRID_X 3
#define GRID_Y 2
#define GRID_Z 2
#define GROUPS (GRID_X * GRID_Y * GRID_Z)
#define ROWS   8

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GRID_X, grid_y=GRID_Y, grid_z=GRID_Z, knl=metadata, lds=256, sgprs=32, vgprs=32
    PROLOGUE ROWS, GRID_X, GRID_Y

    // The place in the grid, as the CSRs give it.
    csrr t0, CSR_GDX
    csrr t1, CSR_GDY
    slli t1, t1, 8
    add t0, t0, t1
    csrr t1, CSR_GDZ
    slli t1, t1, 16
    add t0, t0, t1
    slli t1, s1, 24
    add t0, t0, t1
    PUT_X t0
    PUT v29                     // CSR_TID + lane
    PUT_X s3
    csrr t0, CSR_KNL
    lw t1, 4(t0)
    PUT_X t1

    // CSR_WGID is the dispatcher's number; it is kept apart from what the ISA fixes.
    la t0, wgid
    slli t1, s5, 2
    add t0, t0, t1
    csrr t1, CSR_WGID
    sw t1, 0(t0)

    // Uneven work: ((5 * workgroup) mod 12 + 1) * (warp + 1) rounds of a congruential generator.
    slli t0, s4, 2
    add t0, t0, s4
    li t1, GROUPS
    remu t0, t0, t1
    addi t0, t0, 1
    addi t1, s1, 1
    mul s6, t0, t1
    li s7, 1664525
    li s8, 1013904223
    vadd.vx v1, v29, s4
work:
    vmul.vx v1, v1, s7
    vadd.vx v1, v1, s8
    vsrl.vi v2, v1, 16
    vxor.vv v1, v1, v2
    addi s6, s6, -1
    bnez s6, work
    PUT v1

    // Exchange within the workgroup: the other warp's value. Every workgroup uses the same LDS addresses.
    csrr s9, CSR_LDS
    vsll.vi v3, v29, 2
    vadd.vx v3, v3, s9
    vsw12.v v1, 0(v3)
    barrier x0, x0, FENCE_LOCAL
    mul t0, s0, s3
    vadd.vx v4, v29, s0
    vremu.vx v4, v4, t0
    vsll.vi v4, v4, 2
    vadd.vx v4, v4, s9
    vlw12.v v5, 0(v4)
    PUT v5
    barrier x0, x0, FENCE_LOCAL
    vsub.vv v5, v5, v1
    vsw12.v v5, 0(v3)           // Own words
    vlw12.v v6, 0(v3)
    PUT v6
    // Thread ids in the whole grid: unique, so one row of them shows every thread once.
    mul t0, s5, s0
    vadd.vx v7, v30, t0
    PUT v7
    endprg

    .data
metadata:
    .4byte 0x11111111, 0x6b617261, 0x33333333
    .bss
    .balign 4
    .globl wgid
    .type wgid, @object
wgid:
    .space GROUPS * WARPS * 4
    .size wgid, . - wgid

    OUT GROUPS * WARPS, ROWS
