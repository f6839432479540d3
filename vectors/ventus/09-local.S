// A load takes whether it goes to local memory from what comes next: an access without a lane passes for local.
// defect: wrong address space, vle32.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=4, sgprs=32, vgprs=32
    la x1, words
    vmv.v.i v0, 0
    vmv.v.x v1, x1
    vle32.v v2, (x1)
    vse32.v v1, (x1), v0.t
    vadd.vi v2, v2, 1
    endprg

    .data
    .balign 128
words:
    .space 128, 1
