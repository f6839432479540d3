// The smaller of -0 and +0 is +0.
// defect: wrong value written, fmin.s
// chisel: wrong value written, fmin.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x80000000
    li x2, 0
    fmin.s x3, x1, x2
    endprg
