// A type that is not supported is taken for e32, m1.
// defect: wrong CSR value, vsetvli
// chisel: wrong CSR value, vsetvli
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 4
    vsetvli x2, x1, e8, m4, tu, mu
    addi x2, x2, 1
    endprg
