// JALR keeps bit 0 of its target, and the instruction there is left out.
// defect: wrong pc issued, jalr
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, there
    jalr x0, 1(x1)
    .balign 8
there:
    li x2, 1
    li x3, 2
    endprg
