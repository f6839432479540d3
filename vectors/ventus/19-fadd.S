// The sticky bit of a sum is the AND of what is after, so that what is above a tie is rounded as one.
// defect: wrong value written, fadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x33800001
    fadd.s x3, x1, x2, rne
    endprg
