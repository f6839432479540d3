// VMERGE writes lanes that are masked off.
// defect: wrong lanes written, vmerge.vim
// chisel: no progress, join
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vmv.v.i v0, 0
    vmv.v.i v2, 2
    RECONVERGE_AT merge
    vblt v1, v2, merge
    vmerge.vim v1, v1, 5, v0
merge:
    join
    endprg
