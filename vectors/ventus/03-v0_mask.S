// v0 as a mask is put out as 0, although it is 1 in every lane.
// defect: wrong operand read, vadd.vi
// chisel: no progress, vmv.v.i
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vmv.v.i v0, 1
    vadd.vi v1, v1, 1, v0.t
    endprg
