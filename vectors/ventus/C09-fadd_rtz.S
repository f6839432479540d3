// The rounding mode of FADD.S is frm, here to nearest, not its own.
// chisel: wrong value written, fadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0x33c00000
    fadd.s x3, x1, x2, rtz
    endprg
