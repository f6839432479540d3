// vxrm cannot be written.
// defect: wrong CSR value, csrrwi
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    csrwi vxrm, 2
    endprg
