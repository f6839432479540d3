// Quotients and roots are rounded up where frm says down, and down where it says up.
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
    vfdiv.vv v3, v1, v2
    vadd.vi v3, v3, 1
    endprg
