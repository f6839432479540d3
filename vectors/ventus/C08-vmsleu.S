// VMSLEU of equal elements is 0.
// chisel: wrong value written, vmsleu.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 3
    vmsleu.vv v2, v1, v1
    endprg
