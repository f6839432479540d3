// BARRIERSUB waits for the workgroup.
// defect: barrier event that no instruction owes, barriersub
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    barriersub
    endprg
