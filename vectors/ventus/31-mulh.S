// The sign of a product is taken one cycle late, from what comes next.
// defect: wrong value written, mulh
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, -5
    li x2, 3
    mulh x3, x1, x2
    endprg
