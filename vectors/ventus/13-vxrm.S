// CSR vxrm cannot be written.
// defect: wrong CSR value, csrrwi
// chisel: wrong CSR value, csrrwi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 1
    addi x1, x1, 1
    csrwi vxrm, 2
    endprg
