// A quotient's remainder counts for nothing: rounded up, it is one unit too small.
// defect: wrong value written, vfdiv.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x40400000
    csrwi frm, 3
    vmv.v.x v1, x1
    vmv.v.x v2, x2
    vfdiv.vv v1, v1, v2
    endprg
