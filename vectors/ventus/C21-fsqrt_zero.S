// The square root of -0 is +0.
// chisel: wrong value written, fsqrt.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x80000000
    fsqrt.s x2, x1
    endprg
