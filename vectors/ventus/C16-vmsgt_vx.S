// VMSGT.VX compares with a vector register, that of its scalar operand's number.
// chisel: wrong value written, vmsgt.vx
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 3
    li x1, 2
    vmsgt.vx v2, v1, x1
    endprg
