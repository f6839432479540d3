// Of two units of the FPU that end in one cycle, one loses its result.
// defect: no progress, vfcvt.f.x.v
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=3
    vmv.v.i v1, 0
    vfmul.vv v2, v1, v1
    vfcvt.f.x.v v3, v1
    vadd.vi v3, v3, 1
    endprg
