// Lanes that load the same word of local memory: all except the first receive what the memory puts out without a request.
// chisel: wrong value written, vlw12.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, lds=32
    csrr x1, CSR_LDS
    li x2, 7
    sw x2, 0(x1)
    vmv.v.x v1, x1
    vlw12.v v2, 0(v1)
    endprg
