// Three workgroups end, and the flush that makes their stores visible never comes.
// chisel: no progress
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=3
    csrr x5, CSR_WID
    addi x6, x5, 1
    endprg
