// The softmax of two rows of 32 numbers, one a lane: 2^(log2(e) (x - max)) / sum.
//
// Exercises: maximum and sum by shuffles, 2^x and the reciprocal.

#include "karat.inc"

    PROFILE public
    .text
    .globl _start
_start:
    KERNEL _start, threads=32
    la s0, x
    la s1, out
    lui t0, 0x3fb8b             // log2(e), rounded
    addi t0, t0, -0x5c5
    vmv.v.x v8, t0
    li s2, 2
row:
    vle32.v v1, (s0)
    vmv.v.v v2, v1
    .irp distance, 16, 8, 4, 2, 1
    shuffle.bfly v3, v2, \distance
    vfmax.vv v2, v2, v3
    .endr
    vfsub.vv v4, v1, v2
    vfmul.vv v4, v4, v8
    vex2.approx.f32 v4, v4
    vmv.v.v v5, v4
    .irp distance, 16, 8, 4, 2, 1
    shuffle.bfly v6, v5, \distance
    vfadd.vv v5, v5, v6
    .endr
    vrcp.approx.f32 v5, v5
    vfmul.vv v7, v4, v5
    vse32.v v7, (s1)
    addi s0, s0, 128
    addi s1, s1, 128
    addi s2, s2, -1
    bnez s2, row
    endprg

    .data
    .balign 4
    .globl x, out
// From 2^-3 to less than 2^5, of either sign.
    .set .Lx, 7
x:
    .rept 64
    .set .Lx, (.Lx * 1103515245 + 12345) & 0x7fffffff
    .4byte 0x3e000000 + ((.Lx >> 5) & 0x3ffffff) + (((.Lx >> 4) & 1) << 31)
    .endr
out:
    .space 256
