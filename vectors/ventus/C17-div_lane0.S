// A scalar quotient is wrong where lane 0 is masked off: the special-function unit computes active lanes only.
// chisel: wrong value written, div
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vmv.v.i v2, 0
    li x1, 20
    li x2, 5
    RECONVERGE_AT merge
    vbeq v1, v2, merge
    div x3, x1, x2
merge:
    join
    endprg
