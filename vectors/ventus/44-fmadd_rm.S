// A fused multiply-add is rounded as the last FADD or FSUB was.
// defect: wrong value written, fmadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x33c00000
    fadd.s x3, x1, x1, rtz
    fmadd.s x3, x1, x1, x2, rne
    endprg
