// A load that hits, and waits for the answer to a store, is answered as a miss of another warp comes in: with 0.
// defect: wrong value written, lw
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=8, sgprs=32, vgprs=32
    csrr x1, CSR_WID
    la x2, line
    la x3, fresh
    slli x4, x1, 3
    add x2, x2, x4
    slli x4, x1, 9
    add x3, x3, x4
    li x4, 64
    la x7, stores
    slli x8, x1, 9
    add x7, x7, x8
again:
    lw x5, 0(x3)
    sw x4, 0(x7)
    lw x6, 0(x2)
    addi x3, x3, 8
    addi x7, x7, 8
    addi x4, x4, -1
    bnez x4, again
    endprg

    .data
    .balign 8
line:
    .rept 16
    .4byte 0x11111111
    .endr

    .bss
    .balign 1024
fresh:
    .zero 8192
stores:
    .zero 4096
