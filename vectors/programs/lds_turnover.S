// Short workgroups that take all local memory over and over; one in four ends without a page of it.
//
// Exercises: ends of workgroups in the cycle of another one's first touch of a page; pages that are 0 whoever had them before.

#include "karat.inc"

#define GROUPS 128
#define PAGES  16
#define PAGE   1024

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=GROUPS, lds=PAGES*PAGE, sgprs=32, vgprs=32
    csrr s7, CSR_LDS
    csrr s4, CSR_GDX
    li s9, 0
    mv s5, s7
    li s6, PAGES
    andi t0, s4, 3
    beqz t0, 9f
1:  sw s4, 0(s5)
    addi s5, s5, PAGE
    addi s6, s6, -1
    bnez s6, 1b
    li s6, PAGES
    mv s5, s7
2:  lw t1, 0(s5)
    add s9, s9, t1
    lw t2, 64(s5)               // 0
    add s9, s9, t2
    addi s5, s5, PAGE
    addi s6, s6, -1
    bnez s6, 2b
    la t0, out
    slli t1, s4, 2
    add t0, t0, t1
    sw s9, 0(t0)
9:  endprg

    .bss
    .balign 128
    .globl out
    .type out, @object
out:
    .space 4 * GROUPS
    .size out, . - out
