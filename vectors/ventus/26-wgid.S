// Every workgroup reads CSR_WGID as 0: two that run on one SM.
// core: the whole GPGPU
// defect: wrong launch
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=2
    li x1, 64
again:
    addi x1, x1, -1
    bgez x1, again
    csrr x2, CSR_WGID
    endprg
