// A jump writes its link register in each cycle in which the branch queue does not take it.
// chisel: write that no instruction expects, addi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=8, sgprs=16, vgprs=16
    li x2, 16
again:
    jal x1, next
next:
    addi x2, x2, -1
    bnez x2, again
    endprg
