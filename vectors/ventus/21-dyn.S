// rm = dyn truncates, whatever frm is.
// defect: wrong value written, fcvt.w.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3fc00000
    fcvt.w.s x2, x1, dyn
    endprg
