// The immediate bits of REGEXTI are lost.
// defect: wrong value written, vadd.vi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    X_vvi vadd.vi, v2, v1, 100
    endprg
