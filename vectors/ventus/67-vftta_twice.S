// A VFTTA that waits at the unit, because a result waits behind it, is executed in each of these cycles.
// defect: write that no instruction expects, vftta.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=8, sgprs=32, vgprs=32
    csrr x1, CSR_WID
    .irp n, 1, 2, 8, 9, 10, 11
    vmv.v.i v\n, 0
    .endr
    li x2, 5
    bge x1, x2, products
    li x3, 10
again:
    .rept 16
    vmv.v.i v3, 1
    vmv.v.i v4, 2
    .endr
    addi x3, x3, -1
    bnez x3, again
    endprg
products:
    li x3, 8
1:  .irp n, 8, 9, 10, 11
    vftta.vv v\n, v1, v2
    .endr
    addi x3, x3, -1
    bnez x3, 1b
    endprg
