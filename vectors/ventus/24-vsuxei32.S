// Not implemented: indexed stores but VSOXEI32.
// defect: memory access missing, vsuxei32.v
// chisel: memory access missing, vsuxei32.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, words
    vid.v v1
    vsll.vi v1, v1, 2
    vsuxei32.v v1, (x1), v1
    endprg

    .bss
    .balign 4
words:
    .space 128
