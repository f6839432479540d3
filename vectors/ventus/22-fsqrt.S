// A root's remainder counts for nothing: rounded up, it is one unit too small.
// defect: wrong value written, vfsqrt.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x01000001
    csrwi frm, 3
    vmv.v.x v1, x1
    vfsqrt.v v1, v1
    vadd.vi v1, v1, 1
    endprg
