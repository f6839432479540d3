// Lanes that are masked off become 0.
// defect: wrong register file contents, vadd.vv
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vmv.v.i v2, 2
    RECONVERGE_AT merge
    vblt v1, v2, merge
    vadd.vv v1, v1, v1
merge:
    join
    endprg
