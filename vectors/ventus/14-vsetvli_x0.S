// AVL x0 is taken for 0, not for as many as there can be.
// defect: wrong value written, vsetvli
// chisel: wrong value written, vsetvli
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vsetvli x1, x0, e32, m1, tu, mu
    endprg
