// The larger of a number and a signalling NaN is 0.
// defect: wrong value written, fmax.s
// chisel: wrong value written, fmax.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x7f800001
    fmax.s x3, x1, x2
    endprg
