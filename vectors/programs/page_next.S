// Code on the page after the one that page_end ends on.

#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la t0, out
    li t1, 7
    sw t1, 0(t0)
    j next

    .balign 4096, 0
    .space 4096
next:
    li t0, 1
    endprg

    .data
    .type out, @object
out:
    .word 0
    .size out, . - out
