// MULHSU returns the low half.
// chisel: wrong value written, mulhsu
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 2
    li x2, 3
    mulhsu x3, x1, x2
    endprg
