// VFDIV and VFSQRT take frm one cycle late, when another warp's may be shown.
// defect: wrong value written, vfsqrt.v
// chisel: wrong value written, vfsqrt.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=2
    li x1, 0x01000001
    vmv.v.x v1, x1
    csrr x2, CSR_WID
    csrw frm, x2
    vfsqrt.v v1, v1
    vadd.vi v1, v1, 1
    endprg
