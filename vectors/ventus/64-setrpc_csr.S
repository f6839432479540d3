// SETRPC writes the CSR that its immediate names as well.
// defect: wrong value written, csrrs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x1000
    csrw mscratch, x1
    setrpc x0, x1, 0x340
    csrr x2, mscratch
    endprg
