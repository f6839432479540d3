// VMSLEU.VI and VMSGTU.VI do not sign-extend their immediate.
// defect: wrong value written, vmsleu.vi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, -3
    vmsleu.vi v2, v1, -1
    endprg
