// Not implemented: VSADD(U), VSSUB(U), VAADD(U), VASUB(U), VSMUL, VSSRL, VSSRA.
// defect: register write missing, vsaddu.vi
// chisel: register write missing, vsaddu.vi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vid.v v1
    vsaddu.vi v2, v1, 1
    vadd.vi v2, v2, 1
    endprg
