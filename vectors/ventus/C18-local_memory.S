// Local memory is not cleared for a workgroup.
// chisel: wrong value written, vlw12.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, lds=32
    vid.v v1
    vsll.vi v1, v1, 2
    csrr x1, CSR_LDS
    vadd.vx v1, v1, x1
    vlw12.v v2, 0(v1)
    endprg
