// A warp's end does not wait for its results: one is written when the slot has its next owner.
// defect: register write missing, div
// chisel: register write missing, div
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=1, grid_x=12
    li x1, 0x7fffffff
    li x2, 3
    div x3, x1, x2
    endprg
