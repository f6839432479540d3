// Two SMs that fetch: a request that both make in one cycle is lost, and the warp waits for its line for ever.
// core: the whole GPGPU
// defect: no progress
// chisel: no progress, addi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=8, grid_x=3, sgprs=32, vgprs=32
    la x1, out
    csrr x2, CSR_GDX
    slli x2, x2, 6
    add x1, x1, x2
    csrr x2, CSR_WID
    slli x2, x2, 3
    add x1, x1, x2
    li x2, 40
again:
    addi x2, x2, -1
    sw x2, 0(x1)
    bgez x2, again
    endprg

    .bss
    .balign 64
out:
    .zero 192
