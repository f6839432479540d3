// Not implemented: vector loads of 8 and 16 bits, unit-stride and strided.
// defect: register write missing, vle8.v
// chisel: register write missing, vle8.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, bytes
    vle8.v v1, (x1)
    vadd.vi v1, v1, 1
    endprg

    .data
    .balign 4
bytes:
    .space 32, 1
