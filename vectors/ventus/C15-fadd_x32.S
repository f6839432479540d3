// The floating-point unit keeps five bits of its destination's number: x32 is x0, and its write never comes.
// chisel: no progress, fadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    X_xxx fadd.s, x32, x1, x1
    X_xxi addi, x2, x32, 0
    endprg
