// Workgroups of 5 x 3 work-items in a grid of 8 x 5: threads without a work-item start inactive, in the middle of warps too, and the last warps of
// some workgroups do not start at all. Private memory goes by resident slot.
//
// Exercises: initial masks that are no prefix; barriers of workgroups whose warps have not all started; private memory of the same slot in
// workgroups one after the other.

#include "karat.inc"

#define WARPS   4
#define GROUPS  4
#define ROWS    4

    PROFILE v2.02
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, threads=4, grid_x=2, grid_y=2, lds=64, pds=16, sgprs=32, vgprs=32, local_x=5, local_y=3, global_x=8, \
           global_y=5, offset_x=100, pds_slots=3
    PROLOGUE ROWS
    PUT v29                     // The thread

    // 1. Private memory that another workgroup may have had before.
    vmv.v.i v1, 0
    slli t0, s4, 8
    vadd.vx v3, v29, t0         // Thread and workgroup
    vsw.v v3, 12(v1)
    barrier x0, x0, FENCE_GLOBAL
    vlw.v v5, 12(v1)
    PUT v5

    // 2. Local memory: a word of each thread that is there.
    csrr t0, CSR_LDS
    vsll.vi v2, v29, 2
    vadd.vx v2, v2, t0
    vsw12.v v3, 0(v2)
    barrier x0, x0, FENCE_LOCAL
    vlw12.v v5, 0(v2)
    PUT v5
    endprg

    OUT WARPS * GROUPS, ROWS
