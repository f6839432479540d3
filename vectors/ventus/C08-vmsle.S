// VMSLE of equal elements is 0.
// chisel: wrong value written, vmsle.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 3
    vmsle.vv v2, v1, v1
    endprg
