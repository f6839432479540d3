// Of a product's low bits 22 count for nothing, so that what is above a tie is rounded as one.
// defect: wrong value written, fmul.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x412cccd0
    fmul.s x2, x1, x1, rne
    endprg
