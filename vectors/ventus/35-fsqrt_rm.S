// FDIV.S and FSQRT.S do not look at their rm.
// defect: wrong value written, fsqrt.s
// chisel: wrong value written, fsqrt.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x01000001
    csrwi frm, 0
    fsqrt.s x2, x1, rtz
    endprg
