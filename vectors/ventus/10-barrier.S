// Two workgroups on one SM: no barrier is released once warps of both wait.
// defect: no progress, barrier
// chisel: barrier released before all warps arrived, barrier
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=2, grid_x=2
    csrr x1, CSR_WID
    slli x1, x1, 6
again:
    addi x1, x1, -1
    bgez x1, again
    barrier
    endprg
