// Not implemented: vector stores of 8 and 16 bits, unit-stride and strided.
// defect: memory access missing, vse8.v
// chisel: memory access missing, vse8.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, bytes
    vid.v v1
    vse8.v v1, (x1)
    endprg

    .bss
    .balign 4
bytes:
    .space 32
