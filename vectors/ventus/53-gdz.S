// A kernel's third dimension is its second. The first workgroup ends in time for the second to run alone (26), but not while that is launched (60).
// core: the whole GPGPU
// defect: wrong launch
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, grid_y=2
    li x1, 1
    csrr x2, CSR_GDZ
    endprg
