// Workgroups with so much local memory that three of them fill an SM's, each of which uses all of it, late and in no hurry.
//
// Exercises: workgroups that wait for local memory, which is kept for them before they touch it; every page of it at
// once, each with what its own workgroup has stored.

#include "karat.inc"

#define GROUPS 24
#define ROWS   3
#define PAGES  20
#define PAGE   1024

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=GROUPS, lds=PAGES*PAGE, sgprs=32, vgprs=32
    PROLOGUE ROWS
    csrr s6, CSR_LDS
    vsll.vi v1, v30, 2
    vadd.vx v1, v1, s6
    slli t1, s4, 8
    vadd.vx v2, v30, t1         // 256 * workgroup + lane, and one more for each page
    li t0, PAGE
    li t1, PAGES
    vmv.v.v v3, v1
    vmv.v.v v4, v2
1:  vsw12.v v4, 0(v3)
    vadd.vx v3, v3, t0
    vadd.vi v4, v4, 1
    andi t2, s4, 3              // Some take longer than others
    slli t2, t2, 3
2:  addi t2, t2, -1
    bgez t2, 2b
    addi t1, t1, -1
    bnez t1, 1b
    li t1, PAGES
    vmv.v.v v3, v1
    vmv.v.i v5, 0
    vmv.v.i v6, 0
3:  vlw12.v v4, 0(v3)
    vadd.vx v3, v3, t0
    vadd.vv v5, v5, v4
    vxor.vv v6, v6, v4
    addi t1, t1, -1
    bnez t1, 3b
    PUT v4
    PUT v5
    PUT v6
    endprg

    OUT GROUPS, ROWS
