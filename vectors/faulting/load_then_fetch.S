// A load whose lanes are on a page each, the last of which is not mapped, and a jump to another such page: the load's fault is the one that
// counts, though the fetch is translated earlier.

#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la t1, pages_end
    csrr t0, CSR_NUMT
    addi t0, t0, -1
    slli t0, t0, 12
    sub t1, t1, t0
    lui t2, 1
    lui t3, 0x12345
    vsetvli x0, x0, e32, m1, tu, mu
    vlse32.v v4, (t1), t2
    jr t3
    endprg

    .bss
    .balign 4096
    .space 31 * 4096
pages_end:
