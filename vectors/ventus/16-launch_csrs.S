// A warp finds in mscratch what the last one in its slot has left.
// defect: wrong value written, csrrs
// chisel: wrong value written, csrrs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=1, grid_x=9
    csrr x1, mscratch
    csrwi mscratch, 5
    endprg
