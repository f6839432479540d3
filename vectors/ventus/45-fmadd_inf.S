// A fused multiply-add takes an infinity or a NaN that it adds for a number.
// defect: wrong value written, fmadd.s
// chisel: wrong value written, fmadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x7fc00000
    fadd.s x3, x1, x1, rne
    fmadd.s x3, x1, x1, x2, rne
    endprg
