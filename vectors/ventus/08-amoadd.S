// An AMO is neither performed nor answered.
// defect: no progress, amoadd.w
// chisel: register write missing, amoadd.w
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, word
    li x2, 1
    amoadd.w x3, x2, (x1)
    addi x3, x3, 1
    endprg

    .data
    .balign 4
word:
    .4byte 5
