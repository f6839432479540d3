// From 2^31 on, x / 1 is wrong.
// defect: wrong value written, divu
// chisel: wrong value written, divu
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x90000000
    li x2, 1
    divu x3, x1, x2
    endprg
