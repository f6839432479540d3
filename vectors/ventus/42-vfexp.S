// Not implemented: VFEXP is the square root of the pc.
// defect: wrong value written, vfexp.v
// chisel: wrong value written, vfexp.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 0
    vfexp.v v2, v1
    endprg
