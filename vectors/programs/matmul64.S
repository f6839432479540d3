// Matrix product in binary64, of profile v2.03: product = (C + A B) alpha and difference = - A |B|, with A of 8 x 8, B of 8 x 16.
//
// Exercises: PRE_M_* of two and four words, from 64-bit addresses and in local memory; PREFIX with pair, ABS and NEG before
// multiply-adds; a scalar of 64 bits; VSW12D. B is copied to local memory first, column by column, so that four words are two of its
// elements.

#include "karat.inc"

#define WARPS 2
#define ROWS  8
#define COLS  16
#define INNER 8

    PROFILE v2.03
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, lds=INNER*COLS*8, sgprs=32, vgprs=64

    csrr s1, CSR_TID
    csrr s0, CSR_NUMT
    csrr t0, CSR_NUMW
    mul s0, s0, t0              // Threads of the workgroup
    vid.v v1
    vadd.vx v1, v1, s1          // The thread's first element

    vmv.v.v v2, v1
    la s3, b
    li s4, INNER * COLS / 2
copy:
    vsll.vi v3, v2, 4           // Two elements
    vadd.vx v4, v3, s3
    PREFIXED pre_m_128
    X_vm vlw12.v, v32, 0, v4
    PREFIXED pre_m_local_128
    X_sm vsw12.v, v32, 0, v3
    vadd.vx v2, v2, s0
    sub s4, s4, s0
    bnez s4, copy
    barrier x0, x0, FENCE_LOCAL

    la s3, a
    la s4, c
    la s5, product
    la s6, difference
    la t0, alpha
    PREFIXED pre_m_64
    X_xm lw, s8, 0, t0          // s8 and s9
    li s7, ROWS * COLS
    vmv.v.i v9, 0               // The upper words of addresses
    vmv.v.i v11, 0
    vmv.v.i v13, 0
loop:
    vsrl.vi v5, v1, 4           // Row
    vand.vi v6, v1, 15          // Column
    vsll.vi v5, v5, 6
    vsll.vi v6, v6, 6           // Its place in local memory
    vsll.vi v7, v1, 3
    vadd.vx v8, v5, s3
    vadd.vx v10, v7, s4
    vadd.vx v12, v7, s6
    vadd.vx v14, v7, s5
    PREFIXED pre_m_64, pair=1
    X_vm vlw12.v, v40, 0, v10
    PREFIXED prefix, pair=1
    X_vi vmv.v.i, v42, 0
    .irp offset, 0, 16, 32, 48
    PREFIXED pre_m_global_128, pair=1
    X_vm vlw12.v, v32, \offset, v8
    PREFIXED pre_m_local_128, hint=\offset/16
    X_vm vlw12.v, v36, \offset, v6
    PREFIXED prefix, pair=1
    X_mvv vfmacc.vv, v40, v32, v36
    PREFIXED prefix, pair=1
    X_mvv vfmacc.vv, v40, v34, v38
    PREFIXED prefix, pair=1, abs=2, neg=1
    X_mvv vfmacc.vv, v42, v32, v36
    PREFIXED prefix, pair=1, abs=2, neg=1
    X_mvv vfmacc.vv, v42, v34, v38
    .endr
    PREFIXED prefix, pair=1
    X_vvf vfmul.vf, v40, v40, s8
    PREFIXED pre_m_64
    X_sm vsw12.v, v40, 0, v14
    PREFIXED pre_m_64
    X_sm vsw12d.v, v42, 0, v12
    vadd.vx v1, v1, s0
    sub s7, s7, s0
    bnez s7, loop
    endprg

// Sign and fraction from a multiplication, exponents from -7 to 5.
.macro ELEMENTS first, number
    .set .Ln, \first
    .rept \number
    .8byte (((.Ln * 0x9e3779b97f4a7c15) & 0x800fffffffffffff) | ((0x3f8 + .Ln % 13) << 52))
    .set .Ln, .Ln + 1
    .endr
.endm
    .data
    .balign 8
a:
    ELEMENTS 1, ROWS * INNER
b:  // By columns
    ELEMENTS 101, INNER * COLS
c:
    ELEMENTS 301, ROWS * COLS
alpha:
    ELEMENTS 501, 1

    .bss
    .balign 128
    .irp name, product, difference
    .globl \name
    .type \name, @object
\name:
    .space ROWS * COLS * 8
    .size \name, . - \name
    .endr
