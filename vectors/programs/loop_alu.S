// Benchmark loop: seven vector ALU operations and a load and a store out of every nine, without divergence. The trip
// count is the word "trips"; -DTRIPS=n gives it another value.
//
// As a directed program it exercises sustained issue: full units, loads after stores to the same words.

#include "karat.inc"

#define WARPS 4
#define ROWS  1
#ifndef TRIPS
#define TRIPS 64
#endif

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    la s6, area
    slli t0, s5, 8
    add s6, s6, t0
    vsll.vi v11, v30, 2
    vadd.vx v11, v11, s6        // Two words for each thread, 128 bytes apart
    vadd.vi v1, v29, 1
    vmv.v.i v2, 0
    la t0, trips
    lw s7, 0(t0)
    li s8, 0x01000193
loop:
    .irp at, 0, 128
    vlw12.v v3, \at(v11)
    vadd.vv v1, v1, v3
    vxor.vx v4, v1, s7
    vsll.vi v5, v4, 5
    vsub.vv v2, v2, v5
    vsrl.vi v6, v2, 7
    vor.vv v1, v1, v6
    vadd.vx v1, v1, s8
    vsw12.v v1, \at(v11)
    .endr
    addi s7, s7, -1
    bnez s7, loop
    vxor.vv v1, v1, v2
    PUT v1
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
    .space WARPS * 256

    OUT WARPS, ROWS
