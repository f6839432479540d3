// A sum with -inf is +inf.
// defect: wrong value written, fadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0
    li x2, 0xff800000
    fadd.s x3, x1, x2, rne
    endprg
