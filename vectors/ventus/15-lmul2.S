// There is no LMUL 2.
// defect: wrong CSR value, vsetvli
// chisel: wrong CSR value, vsetvli
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 64
    vsetvli x2, x1, e32, m2, tu, mu
    endprg
