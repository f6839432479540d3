// VSET* writes the CSR whose number its upper twelve bits make: VSETVL with x11 as its type, CSR_PRINT.
// defect: wrong value written, csrrs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x11, 0x10
    li x1, 4
    vsetvl x2, x1, x11
    csrr x3, CSR_PRINT
    endprg
