// CSR fflags stays 0.
// defect: wrong value written, csrrs
// chisel: wrong value written, csrrs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x7f7fffff
    fadd.s x2, x1, x1, rne
    csrr x3, fflags
    endprg
