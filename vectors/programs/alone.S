// Workgroups of one warp, which diverge for longer or shorter and then jump to a line of code that no warp has fetched yet.
//
// Exercises: warps that are launched next to others whose stack is not empty; warps that wait for one line and end when it comes.

#include "karat.inc"

#define GROUPS 128
#define ENDS   8 // Each for 16 workgroups
#define APART  64

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=GROUPS, sgprs=32, vgprs=32
    PROLOGUE 1
    csrr s6, CSR_NUMT
    srli s6, s6, 1
    vmv.v.x v2, s6
    vmv.v.i v3, 0
    slli s7, s4, 1
    add s7, s7, s4
    andi s7, s7, 7              // So many trips, and one
    mv s8, s7
    RECONVERGE_AT joined
    vblt v30, v2, lower
    li s9, 3
upper:
    vadd.vx v3, v3, s9
    addi s8, s8, -1
    bgez s8, upper
    j joined
lower:
    vadd.vi v3, v3, 5
    addi s7, s7, -1
    bgez s7, lower
joined:
    join
    vadd.vx v3, v3, s4
    PUT v3
    srli t0, s4, 4
    slli t0, t0, 6
    la t1, ends
    add t0, t0, t1
    jr t0
    .balign APART
ends:
    .rept ENDS
    endprg
    .balign APART
    .endr

    OUT GROUPS, 1
