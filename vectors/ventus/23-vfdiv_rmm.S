// Ties to larger: a quotient is rounded up by its own lowest bit.
// defect: wrong value written, vfdiv.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800001
    li x2, 0x3f800000
    csrwi frm, 4
    vmv.v.x v1, x1
    vmv.v.x v2, x2
    vfdiv.vv v1, v1, v2
    vadd.vi v1, v1, 1
    endprg
