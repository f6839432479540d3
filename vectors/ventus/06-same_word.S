// Of lanes that store to one word, the OR of their data is stored.
// defect: wrong value written, lw
// chisel: wrong value written, lw
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, word
    vid.v v2
    vadd.vi v2, v2, 1
    vmv.v.x v1, x1
    vsw12.v v2, 0(v1)
    lw x2, 0(x1)
    endprg

    .bss
    .balign 4
word:
    .space 4
