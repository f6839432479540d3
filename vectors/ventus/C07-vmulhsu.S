// VMULHSU returns the low half.
// chisel: wrong value written, vmulhsu.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 3
    vmulhsu.vv v2, v1, v1
    endprg
