// A sum that finds the writeback taken is written twice.
// defect: write that no instruction expects, fadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=6, sgprs=32, vgprs=32
    li x1, 0x3f800000
    addi x2, x1, 1
    fadd.s x3, x1, x1, rne
    addi x3, x3, 1
    endprg
