// Code that is longer than an instruction cache, and warps that are all over it: eight functions that begin pages
// apart, so that their lines want the same places, called by each warp in an order of its own, a chain of jumps a
// page each, and a loop longer than 2 KiB.
//
// Exercises: misses of many lines at once and of one line by many warps, lines that replace each other, tags, those
// of what each warp has fetched as well; the last function ends where its page and mapped memory does, so that what
// is fetched ahead of it is not there.

#include "karat.inc"

#define WARPS  4
#define GROUPS 3
#define ROWS   4
#define CIRCLES 6
#define CALLS  24
#define TRIPS  2

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=32, vgprs=32
    PROLOGUE ROWS
    li s10, 0
    vmv.v.v v1, v29
    // Two lines of one set, and the one that is fetched in vain between them; the warps go there together. This code is
    // not in the way.
    li s9, CIRCLES
    j circle
    .balign 256
    .fill 32, 4, 0x13
circle:
    call function0
    call function1
    barrier x0, x0, 0
    call function7
    addi s9, s9, -1
    bnez s9, circle

    la s6, functions
    slli s7, s1, 1
    addi s7, s7, 1              // An odd step
    mv s8, s4
    li s9, CALLS
call:
    andi t0, s8, 7
    slli t0, t0, 2
    add t0, t0, s6
    lw t0, 0(t0)
    jalr ra, 0(t0)
    add s8, s8, s7
    addi s9, s9, -1
    bnez s9, call
    PUT_X s10
    PUT v1

    // From each line straight to the one at its place in the next page.
    call link0
    PUT_X s10

    li s9, TRIPS
trip:
    .set .Lk, 1
    .rept 260
    slli t1, s10, 1
    xor s10, s10, t1
    addi s10, s10, .Lk
    .set .Lk, .Lk + 1
    .endr
    addi s9, s9, -1
    beqz s9, 1f
    j trip
1:  PUT_X s10
    endprg

// Twelve instructions, three lines.
.macro FUNCTION k
function\k:
    slli t1, s10, 2
    add s10, s10, t1
    addi s10, s10, \k + 1
    vadd.vx v1, v1, s10
    vxor.vi v1, v1, \k
    slli t1, s10, 3
    xor s10, s10, t1
    addi s10, s10, \k * 3
    vadd.vv v1, v1, v1
    vadd.vx v1, v1, s10
    xori s10, s10, \k * 16
    ret
.endm
// One line.
.macro LINK k, next
link\k:
    slli t1, s10, 1
    add s10, s10, t1
    addi s10, s10, \k + 1
    j link\next
.endm
    .irp k, 0, 1, 2, 3, 4, 5, 6
    .balign 4096
    FUNCTION \k
    .altmacro
    LINK \k, %(\k + 1)
    .noaltmacro
    .endr
    .balign 4096
    .fill 12, 4, 0x13
link7:
    ret
    .section .rodata
    .balign 4
functions:
    .4byte function0, function1, function2, function3, function4, function5, function6, function7

    .data
    .balign ROW_BYTES
    .globl out
    .type out, @object
out:
    .space WARPS * GROUPS * ROWS * ROW_BYTES
    .size out, . - out
    // At the end of the data, after which nothing is mapped (loaders map more than the code's own section).
    .balign 4096
    .space 4096 - 48
    FUNCTION 7
