// The third operand of VFMADD and its kin is extended by xd, not by x3.
// defect: wrong operand read, vfmadd.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    vmv.v.x v1, x1
    vmv.v.i v8, 0
    X_vx vmv.v.x, v40, x1
    regext x0, x0, 1 << 9
    vfmadd.vv v8, v1, v1
    endprg
