// CSR fcsr cannot be written.
// defect: wrong CSR value, csrrw
// chisel: wrong CSR value, csrrw
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x60
    csrw fcsr, x1
    endprg
