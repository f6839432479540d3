// CSR_RPC is written by SETRPC alone.
// defect: wrong CSR value, csrrw
// chisel: wrong CSR value, csrrw
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x80000000
    csrw CSR_RPC, x1
    endprg
