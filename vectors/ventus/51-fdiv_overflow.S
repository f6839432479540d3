// A quotient beyond all numbers is the largest of them.
// defect: wrong value written, fdiv.s, core 7f7fffff
// chisel: wrong value written, fdiv.s, core 047fffff
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x7f7fffff
    li x2, 0x3a800000
    fdiv.s x3, x1, x2, rne
    addi x3, x3, 0
    endprg
