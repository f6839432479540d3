// Forty workgroups of one warp each, more than a core of several SMs holds at once, which end in quick succession and on
// several SMs in the same cycle.  They share lines of memory but no words.
//
// Exercises: dispatch over SMs, reservations that warps with the same number on other SMs must not touch, AMOs on words of
// one line from everywhere, prints that are asked for at the same time. The print buffer is empty but for the first of
// them, whichever it is, so that nobody has to write it; CSR_PRINT is read after far more cycles than all of them take.

#include "karat.inc"

#define GROUPS 40
#define ROWS   6
#define ROUNDS 8
#define PRINTS 8

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=GROUPS, knl=argument_block, sgprs=32, vgprs=32
    PROLOGUE ROWS
    la s6, area
    slli t0, s5, 3
    add s6, s6, t0              // Two words
    addi s7, s6, 4
    li s8, 0                    // Failed SCs
    li s9, ROUNDS
round:
    lr.w t1, (s6)
    add t1, t1, s9
    andi t2, s4, 3              // A while, in which others reserve their words
1:  addi t2, t2, -1
    bgez t2, 1b
    sc.w t3, t1, (s6)
    add s8, s8, t3
    amoadd.w s10, s9, (s7)
    addi s9, s9, -1
    bnez s9, round
    lw t1, 0(s6)
    lw t2, 4(s6)
    PUT_X s8                    // 0
    PUT_X t1                    // 1 + ... + ROUNDS
    PUT_X t2                    // As before
    PUT_X s10                   // Before the last AMO: all but 1

    // Loads that may not overtake each other.
    .rept 8
    lw t3, 0(s6)
    fence
    lw t4, 4(s6)
    .endr

    li t2, 1
    li s9, PRINTS
    li s8, 0
print:
    csrw CSR_PRINT, t2
    li t3, 32                   // Far more than it takes all warps' prints to be served
2:  addi t3, t3, -1
    bnez t3, 2b
    csrr t4, CSR_PRINT
    add s8, s8, t4
    addi s9, s9, -1
    bnez s9, print
    PUT_X s8                    // 0
    slli t0, s4, 8
    vadd.vx v1, v29, t0
    PUT v1
    // Each waits until the host has taken the one before, and the end for the last.
    csrwi CSR_PRINT, 1
    csrwi CSR_PRINT, 2
    csrwi CSR_PRINT, 3
    endprg

    .data
    .balign 4
buffer:
    .asciz "one of many says so\n"
    .balign 4
    .globl argument_block
argument_block:
    .zero 48
    .4byte buffer, 24
    .zero 8
    .bss
    .balign 128
area:
    .space GROUPS * 8

    OUT GROUPS, ROWS
