// A warp of fewer threads than there are lanes is launched with all lanes.
// defect: wrong launch
// chisel: wrong launch
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, threads=3
    li x1, 1
    addi x1, x1, 1
    endprg
