// A product beyond all numbers gets the sign of what is added.
// defect: wrong value written, fmadd.s
// chisel: wrong value written, fmadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x7f000000
    li x2, 0xbf800000
    fadd.s x3, x1, x2, rne
    fmadd.s x3, x1, x1, x2, rne
    endprg
