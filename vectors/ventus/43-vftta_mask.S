// VFTTA writes lanes that are masked off.
// defect: wrong lanes written, vftta.vv
// chisel: wrong lanes written, vftta.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vmv.v.i v2, 2
    vmv.v.i v3, 0
    RECONVERGE_AT merge
    vblt v1, v2, merge
    vftta.vv v3, v3, v3
merge:
    join
    endprg
