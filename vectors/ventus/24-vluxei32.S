// Not implemented: indexed loads but VLOXEI32.
// defect: register write missing, vluxei32.v
// chisel: register write missing, vluxei32.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, words
    vid.v v1
    vsll.vi v1, v1, 2
    vluxei32.v v2, (x1), v1
    vadd.vi v2, v2, 1
    endprg

    .data
    .balign 4
words:
    .space 128, 1
