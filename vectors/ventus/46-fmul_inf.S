// 0 times infinity is infinity.
// defect: wrong value written, fmul.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0
    li x2, 0x7f800000
    fmul.s x3, x1, x2, rne
    endprg
