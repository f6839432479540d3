// A root's remainder counts for nothing: above a tie is rounded as a tie.
// defect: wrong value written, fsqrt.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3d176f57
    fsqrt.s x2, x1, rne
    addi x2, x2, 0
    endprg
