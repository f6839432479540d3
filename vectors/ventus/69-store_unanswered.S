// A store that has waited for its line is lost, and never answered, where a changed line leaves as it could go on.
// defect: no progress
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=4, sgprs=32, vgprs=32
    csrr x1, CSR_WID
    slli x1, x1, 9
    la x2, lines
    add x2, x2, x1
    li x4, 2
again:
    lw x3, 4(x2)
    sw x4, 0(x2)
    addi x2, x2, 8
    addi x4, x4, -1
    bnez x4, again
    endprg

    .bss
    .balign 512
lines:
    .zero 2048
