// Not implemented: VADC, VSBC, VMADC, VMSBC.
// defect: register write missing, vadc.vvm
// chisel: register write missing, vadc.vvm
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vmv.v.i v0, 0
    vadc.vvm v2, v1, v1, v0
    vadd.vi v2, v2, 1
    endprg
