// The flush at the end of a kernel is never over where the data cache has had no answer since the last one.
// defect: no progress
// after: 65-flush_idle
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 1
    mv x2, x1
    endprg
