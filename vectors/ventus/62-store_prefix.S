// A vector store's data register is extended by the prefix's xd, not by its x3: v8 is stored for v40.
// defect: wrong operand read, vse32.v
// chisel: wrong operand read, vse32.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v8
    vadd.vi v9, v8, 7
    X_vv vmv.v.v, v40, v9
    la x3, words
    X_vse vse32.v, v40, x3
    endprg

    .data
    .balign 128
words:
    .zero 32
