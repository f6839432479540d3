// Lines of code that were on their way when the instruction cache was invalidated are valid in the next kernel.
// defect: wrong instruction word issued, addi
// after: 66-old_code
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    .rept 15
    li x1, 2
    .endr
    endprg
