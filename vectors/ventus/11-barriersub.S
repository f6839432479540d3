// BARRIERSUB waits for the workgroup.
// defect: barrier event that no instruction expects, barriersub
// chisel: barrier event that no instruction expects, barriersub
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 1
    addi x1, x1, 1
    barriersub
    endprg
