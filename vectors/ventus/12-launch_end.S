// A launch and an end in one cycle lose the end: a barrier of the same workgroup slot is never released. Only the last
// workgroup has one; how long the others run is chosen so that it happens. (Nothing here reads x0.)
// defect: no progress, barrier
#include "karat.inc"

#define GROUPS 5

    .text
    .globl _start
_start:
    KERNEL _start, warps=3, grid_x=GROUPS, sgprs=32, vgprs=32
    csrrsi x1, CSR_GDX, 0
    csrrsi x2, CSR_WID, 0
    csrrsi x4, vstart, 0
    slli x3, x2, 2
    add x3, x3, x1
    andi x3, x3, 1
again:
    addi x3, x3, -1
    bge x3, x4, again
    addi x1, x1, 1 - GROUPS
    bne x1, x4, end
    barrier
end:
    endprg
