// Not implemented: REGPAIR and REGPAIRI are issued as instructions of their own.
// defect: wrong pc issued, lw
// chisel: wrong pc issued, lw
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x2, words
    li x3, 0
    regpair x0, x0, 0
    lw x4, 0(x2)
    endprg

    .data
    .balign 8
words:
    .4byte 1, 2
