// Accesses that a warp may not reorder: a load and the younger store to its address, and a read after a pending write when
// other registers of similar numbers get their values first.
//
// Exercises: load, then store to the same words at once, over and over, in global memory and LDS, scalar and vector;
// registers n, n^32, n^64 and n^128 (v) and n^32 (x) with writes on their way at the same time, one of them slow.

#include "karat.inc"

#define WARPS  4
#define ROUNDS 20
#define ROWS   (3 + 8 + 2)

// Slow takes a division, and the others are written meanwhile. slow is read first: the division takes at most as many
// cycles as its dividend has bits.
.macro OTHERS_FIRST slow, a, b, c
    X_vvv vdivu.vv, \slow, v2, v3
    X_vvi vadd.vi, \a, v2, 100
    X_vvi vadd.vi, \b, v2, 200
    X_vvi vrsub.vi, \c, v2, 300
    X_vvi vadd.vi, v4, \slow, 1
    X_vvv vadd.vv, v6, \a, \b
    X_vvv vmul.vv, v7, v6, \c
    PUT v4
    PUT v7
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, lds=WARPS*128
    PROLOGUE ROWS

    // 1. Load and store of the same words. Each round has to see what the round before stored.
    slli t1, s1, 7
    la s6, buffer
    add s6, s6, t1              // Scalar words of the warp
    la t0, vbuffer
    vsll.vi v1, v29, 2
    csrr t1, CSR_LDS
    vadd.vx v5, v1, t1
    vadd.vx v1, v1, t0          // The thread's word, v5: in LDS
    li s7, ROUNDS
    li s8, 0
    vmv.v.i v8, 0
    vmv.v.i v9, 0
    vsw12.v v8, 0(v5)
1:  vadd.vx v10, v30, s7
    lw t1, 0(s6)
    sw s7, 0(s6)
    lw t2, 4(s6)
    sw s7, 4(s6)
    vlw12.v v11, 0(v1)
    vsw12.v v10, 0(v1)
    vlw12.v v12, 0(v5)
    vsw12.v v10, 0(v5)
    slli t3, s8, 1
    add s8, s8, t3
    add s8, s8, t1
    add s8, s8, t2
    vsll.vi v13, v8, 1
    vadd.vv v8, v8, v13
    vadd.vv v8, v8, v11
    vsll.vi v13, v9, 1
    vadd.vv v9, v9, v13
    vadd.vv v9, v9, v12
    addi s7, s7, -1
    bnez s7, 1b
    PUT_X s8
    PUT v8
    PUT v9

    // 2. Register numbers that differ in one of the bits above the fifth.
    li t0, 0x7fff1234
    vadd.vx v2, v29, t0
    vadd.vi v3, v30, 3
    OTHERS_FIRST v40, v8, v104, v168
    OTHERS_FIRST v8, v40, v72, v136
    OTHERS_FIRST v72, v104, v8, v200
    OTHERS_FIRST v136, v168, v200, v8
    li a0, 0x7fff1234
    li a1, 3
    X_xxx div, x44, a0, a1
    addi a2, a0, 100            // x12 = x(44^32)
    X_xxx add, a3, x44, a2
    PUT_X a3
    div a2, a0, a1
    X_xxi addi, x44, a0, 100
    X_xxx sub, a3, a2, x44
    PUT_X a3
    endprg

    .bss
    .balign 128
buffer:
    .space WARPS * 128
vbuffer:
    .space WARPS * 128

    OUT WARPS, ROWS
