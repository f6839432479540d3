// CSR vl has no effect: elements beyond it take part.
// defect: wrong CSR value, vsetivli
// chisel: wrong CSR value, vsetivli
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 1
    addi x1, x1, 1
    vsetivli x1, 2, e32, m1, tu, mu
    vid.v v1
    endprg
