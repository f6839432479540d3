// VADD12.VI sign-extends its immediate.
// chisel: wrong value written, vadd12.vi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vadd12.vi v2, v1, 2048
    endprg
