// LR.W asks for the word after its address.
// defect: wrong memory address, lr.w
// chisel: register write missing, lr.w
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, word
    lr.w x2, (x1)
    endprg

    .data
    .balign 8
word:
    .4byte 5, 6
