// The rounding mode of FCVT.W.S is frm, here to nearest, not its own.
// chisel: wrong value written, fcvt.w.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3fa00000
    fcvt.w.s x2, x1, rup
    endprg
