// x0 is what another warp has left in its place: warps of uneven length, so that a slot gets registers of another one.
// defect: wrong operand read, csrrs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=2, grid_x=8, sgprs=32, vgprs=32
    csrr x1, CSR_WID
    csrr x2, CSR_GDX
    addi x3, x1, 1
    addi x4, x2, 1
    addi x5, x3, 1
    addi x6, x4, 1
    addi x7, x5, 1
    xor x8, x1, x2
    andi x8, x8, 1
    slli x8, x8, 5
    addi x8, x8, 2
again:
    addi x8, x8, -1
    add x9, x8, x0
    bnez x8, again
    endprg
