// Private addresses are made from the CSRs of the warp that used the load-store unit before.
// defect: wrong memory address, vsw.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=2, pds=64
    vid.v v1
    vmv.v.i v2, 0
    vsw.v v1, 0(v2)
    endprg
