// Code whose last instruction is the last one of a page: the line after it, on the next page, is fetched and never executed. Where
// addresses are translated that fetch may still be under way when the next kernel begins (page_next).

#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la t0, out
    li t1, 7
    sw t1, 0(t0)
    j last

    .balign 4096, 0
    .space 4096 - 16
last:
    li t0, 1
    li t1, 2
    li t2, 3
    endprg
    .space 4096

    .data
    .type out, @object
out:
    .word 0
    .size out, . - out
