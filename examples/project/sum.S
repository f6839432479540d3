// The instructions addi and endprg are all that the core knows.
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, threads=4
    addi t0, x0, 7
    addi t1, t0, 35
    addi t0, t1, -2
    endprg
