// CSR vlenb reads 0.
// defect: wrong value written, csrrs
// chisel: wrong value written, csrrs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    csrr x1, vlenb
    endprg
