// VMSGTU.VX compares with a vector register, that of its scalar operand's number.
// chisel: wrong value written, vmsgtu.vx
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 3
    li x1, 2
    vmsgtu.vx v2, v1, x1
    endprg
