// A flush of more changed lines than the queue of requests holds loses the others.
// defect: device memory differs
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, lines
    li x2, 64
again:
    lw x3, 4(x1)
    sw x2, 0(x1)
    addi x1, x1, 8
    addi x2, x2, -1
    bnez x2, again
    endprg

    .bss
    .balign 512
lines:
    .zero 512
