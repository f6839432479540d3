// VMV.X.S and VFMV.F.S never write.
// defect: no progress, vmv.x.s
// chisel: no progress, vmv.x.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 5
    vmv.x.s x1, v1
    addi x1, x1, 1
    endprg
