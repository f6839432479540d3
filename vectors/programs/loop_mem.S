// Benchmark loop: unit-stride, strided and scalar loads and stores, each store in front of a load of the same words.
// The trip count is the word "trips"; -DTRIPS=n gives it another value.
//
// As a directed program it exercises loads that have to wait for older stores, over and over.

#include "karat.inc"

#define WARPS 4
#define ROWS  2
#ifndef TRIPS
#define TRIPS 64
#endif

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    la s6, area
    slli t0, s5, 9
    add s6, s6, t0
    addi s7, s6, 128
    addi s8, s6, 256
    la t0, trips
    lw s9, 0(t0)
    li s10, 4
    vmv.v.i v3, 0
loop:
    vle32.v v1, (s6)
    vadd.vx v1, v1, s9
    vse32.v v1, (s7)
    lw t1, 0(s8)
    vle32.v v2, (s7)
    vxor.vv v3, v3, v2
    add t1, t1, s9
    sw t1, 0(s8)
    vlse32.v v4, (s7), s10
    vadd.vv v4, v4, v2
    vse32.v v4, (s6)
    addi s9, s9, -1
    bnez s9, loop
    PUT v3                      // 0
    PUT_X t1                    // 1
    endprg

    .data
    .balign 4
    .globl trips
trips:
    .4byte TRIPS
    .size trips, 4
    .bss
    .balign 128
area:
    .space WARPS * 512

    OUT WARPS, ROWS
