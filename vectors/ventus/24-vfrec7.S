// Not implemented: VFREC7, VFRSQRT7.
// defect: register write missing, vfrec7.v
// chisel: register write missing, vfrec7.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    vmv.v.x v1, x1
    vfrec7.v v2, v1
    vadd.vi v2, v2, 1
    endprg
