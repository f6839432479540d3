// A number is not unlike a signalling NaN.
// defect: wrong value written, vmfne.vv
// chisel: wrong value written, vmfne.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x7f800001
    vmv.v.x v1, x1
    vmv.v.x v2, x2
    vmfne.vv v3, v1, v2
    endprg
