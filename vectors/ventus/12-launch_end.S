// A launch and an end in one cycle lose the end: a barrier of the same workgroup slot is never released. Only the last
// workgroup has one.
// defect: no progress, barrier
#include "karat.inc"

#define GROUPS 64

    .text
    .globl _start
_start:
    KERNEL _start, warps=2, grid_x=GROUPS, sgprs=32, vgprs=32
    csrr x1, CSR_GDX
    csrr x2, CSR_WID
    slli x3, x2, 3
    add x3, x3, x1
    andi x3, x3, 15
again:
    addi x3, x3, -1
    bgez x3, again
    addi x1, x1, 1-GROUPS
    bnez x1, end
    barrier
end:
    endprg
