// The floating-point unit keeps five bits of its destination's number: x33 is x1.
// chisel: write that no instruction expects, endprg
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    X_xxx fadd.s, x33, x1, x1
    endprg
