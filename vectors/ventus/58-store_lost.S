// A store that hits while a line from memory waits to enter the data cache is written to that line's place.
// defect: wrong value written, vlse32.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=8, sgprs=32, vgprs=32
    csrr x1, CSR_WID
    la x2, line
    la x3, fresh
    csrr x4, CSR_TID
    slli x4, x4, 3
    add x2, x2, x4
    slli x4, x1, 10
    add x3, x3, x4
    li x4, 32
    li x9, 8
    vmv.v.x v3, x1
again:
    vlse32.v v1, (x3), x9
    vsse32.v v3, (x2), x9
    vlse32.v v5, (x2), x9
    vadd.vi v3, v3, 8
    addi x3, x3, 32
    addi x4, x4, -1
    bnez x4, again
    endprg

    .bss
    .balign 1024
line:
    .zero 2048
fresh:
    .zero 16384
