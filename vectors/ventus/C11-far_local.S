// Local memory: bytes 32 KiB apart are the same.
// chisel: wrong value written, lw
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, lds=65536
    csrr x1, CSR_LDS
    li x2, 0x8000
    add x2, x1, x2
    li x3, 1
    li x4, 2
    sw x3, 0(x1)
    sw x4, 0(x2)
    lw x5, 0(x1)
    endprg
