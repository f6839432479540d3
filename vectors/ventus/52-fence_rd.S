// FENCE writes the register that stands in its unused field rd.
// defect: write that no instruction expects, fence
// chisel: write that no instruction expects, fence
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 7
    .insn i 0x0f, 0, x2, x1, 0xff
    addi x3, x1, 1
    endprg
