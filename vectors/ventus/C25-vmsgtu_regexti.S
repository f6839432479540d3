// REGEXTI does not extend an unsigned immediate.
// chisel: wrong value written, vmsgtu.vi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 50
    vmv.v.x v1, x1
    X_vvi vmsgtu.vi, v2, v1, 100
    endprg
