// A load from two lines: the lanes of the first receive the words of the second.
// chisel: wrong value written, vlw12.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vsll.vi v1, v1, 2
    la x3, words
    vadd.vx v2, v1, x3
    vlw12.v v3, 112(v2)
    vadd.vi v3, v3, 0
    endprg

    .data
    .balign 128
words:
    .set word, 0
    .rept 64
    .4byte word
    .set word, word + 1
    .endr
