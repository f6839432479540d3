// Not implemented: VFMERGE.
// defect: register write missing, vfmerge.vfm
// chisel: register write missing, vfmerge.vfm
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vmv.v.i v0, 0
    li x1, 5
    vfmerge.vfm v2, v1, f1, v0
    vadd.vi v2, v2, 1
    endprg
