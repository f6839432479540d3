// The dispatcher keeps 14 bits of the address of private memory: CSR_PDS of every warp.
// core: the whole GPGPU
// chisel: wrong launch
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    csrr x1, CSR_PDS
    endprg
