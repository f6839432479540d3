// A quotient's remainder counts for nothing: above a tie is rounded as a tie.
// defect: wrong value written, fdiv.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x41089c52
    li x2, 0x367feaf3
    fdiv.s x3, x1, x2, rne
    addi x3, x3, 0
    endprg
