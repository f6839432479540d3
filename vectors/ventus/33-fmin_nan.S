// The smaller of a number and a NaN is the NaN.
// defect: wrong value written, fmin.s
// chisel: wrong value written, fmin.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x7fc00000
    fmin.s x3, x1, x2
    endprg
