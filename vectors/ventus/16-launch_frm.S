// A warp rounds as the last one in its slot was set to.
// defect: wrong value written, csrrs
// chisel: wrong value written, csrrs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=1, grid_x=9
    csrr x1, frm
    csrwi frm, 1
    endprg
