// A store of a group of two registers whose second register is on a page that is not mapped: no lane of either is stored.

#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la t1, page_end
    csrr t2, CSR_NUMT
    slli t2, t2, 2
    sub t1, t1, t2
    vsetvli t0, x0, e32, m2, tu, mu
    vmv.v.i v2, 5
    vse32.v v2, (t1)
    endprg

    .data
    .balign 4096
page:
    .space 4096
page_end:
