// A tile of a network: gelu(A B + bias) of binary16, and the sum of A B. One warp of 32 threads; A is 16 x 32, B 32 x 16.
//
// Exercises: matrix products that accumulate, conversions, packed arithmetic, gelu of both halves, a reduction by shuffles, ids of lanes.

#include "karat.inc"

    PROFILE public
    .text
    .globl _start
_start:
    KERNEL _start, threads=32, knl=sizes
    la s0, a
    la s1, b
    .irp c, 16, 17, 18, 19, 20, 21, 22, 23
    vmv.v.i v\c, 0
    .endr
    li s2, 2
step:                           // 16 columns of A and rows of B
    .irp r, 4, 5, 6, 7
    vle32.v v\r, (s0)
    addi s0, s0, 128
    .endr
    .irp r, 8, 9, 10, 11
    vle32.v v\r, (s1)
    addi s1, s1, 128
    .endr
    mma.m16n16k16.row.row.f32.f16.f16.f32 v16, v4, v8
    addi s2, s2, -1
    bnez s2, step

    vmv.v.v v24, v16            // Of each lane, then of all
    .irp c, 17, 18, 19, 20, 21, 22, 23
    vfadd.vv v24, v24, v\c
    .endr
    .irp distance, 16, 8, 4, 2, 1
    shuffle.bfly v25, v24, \distance
    vfadd.vv v24, v24, v25
    .endr
    la s3, sum
    vse32.v v24, (s3)

    la s4, bias
    vle32.v v2, (s4)
    la s5, out
    .macro epilogue low, high   // Of two registers: the lower and the upper halves
    vcvt.fp16.fp32 v26, \low
    vcvt.fp16.fp32 v27, \high
    vsll.vi v27, v27, 16
    vor.vv v26, v26, v27
    vadd.f16x2 v26, v26, v2
    vgelu.approx.f16x2 v26, v26
    vse32.v v26, (s5)
    addi s5, s5, 128
    .endm
    epilogue v16, v17
    epilogue v18, v19
    epilogue v20, v21
    epilogue v22, v23

    csrr.v v28, CSR_GID_X       // Each lane's id
    la s6, ids
    vse32.v v28, (s6)
    endprg

    .data
    .balign 4
sizes:
    .4byte 0, 0, 1, 32, 1, 1, 32, 1, 1, 100, 0, 0, 0, 0
// Halves of either sign, from 2^-4 to less than 2.
    .set .Lx, 2026
    .macro halves num
    .rept \num
    .set .Lx, (.Lx * 1103515245 + 12345) & 0x7fffffff
    .2byte 0x2c00 + ((.Lx >> 12) & 0x13ff) + (((.Lx >> 27) & 1) << 15)
    .endr
    .endm
    .balign 4
    .globl a, b, bias, sum, out, ids
a:
    halves 16 * 32
b:
    halves 16 * 32
bias:
    halves 64
sum:
    .space 128
out:
    .space 512
ids:
    .space 128
