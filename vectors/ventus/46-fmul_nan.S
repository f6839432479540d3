// The product with a NaN is 0.
// defect: wrong value written, fmul.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x7fc00000
    fmul.s x3, x1, x2, rne
    endprg
