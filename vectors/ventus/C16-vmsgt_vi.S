// VMSGT compares unsigned.
// chisel: wrong value written, vmsgt.vi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, -1
    vmsgt.vi v2, v1, 0
    endprg
