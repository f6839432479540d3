// Matrix products of every shape, type and layout: numbers, then bit patterns with infinities and NaNs among them.
//
// Exercises: all registers of each matrix, sums whose order shows, tf32's low bits, flags; registers that results overwrite, hazards behind
// and in front of it, other instructions of the warp meanwhile, and another warp that waits for the unit.

#include "karat.inc"

// D and C in v16 on, A in v8 on, B in v12 on; the last register of D is stored.
.macro MATRIX shape, layout, types
    .irp reg, 16, 17, 18, 19, 20, 21, 22, 23
    vmul.vx v\reg, v8, s3
    addi s3, s3, 6
    .endr
    mma.\shape\().\layout\().\types v16, v8, v12
    vadd.vi v24, v16, 1
    vse32.v v16, (s1)
    vse32.v v24, (s1)
.endm

    PROFILE public
    .text
    .globl _start
_start:
    KERNEL _start, warps=2, threads=32
    la s0, numbers
    la s1, out
    csrr t0, CSR_WID
    slli t0, t0, 9
    add s1, s1, t0
    li s2, 2
    li s3, 1
turn:
    .irp reg, 8, 9, 10, 11, 12, 13, 14, 15
    vle32.v v\reg, (s0)
    addi s0, s0, 128
    .endr
    .irp shape, m8n8, m16n8, m8n16, m16n16
    .irp layout, row.row, row.col, col.row, col.col
    MATRIX \shape\()k16, \layout, f16.f16.f16.f16
    MATRIX \shape\()k16, \layout, f32.f16.f16.f32
    MATRIX \shape\()k16, \layout, f32.bf16.bf16.f32
    MATRIX \shape\()k8, \layout, f16.f16.f16.f16
    MATRIX \shape\()k8, \layout, f32.f16.f16.f32
    MATRIX \shape\()k8, \layout, f32.bf16.bf16.f32
    MATRIX \shape\()k8, \layout, f32.tf32.tf32.f32
    .endr
    .endr
    csrr t0, fflags
    csrwi fflags, 0
    sw t0, 0(s1)
    addi s1, s1, 128
    addi s2, s2, -1
    beqz s2, end
    j turn
end:
    endprg

    .data
    .balign 128
    .set .Lx, 5
numbers:    // From 2^-4 to 2^4 as halves of binary16, which bfloat16 and tf32 take for numbers as well
    .rept 256
    .set .Lx, (.Lx * 1103515245 + 12345) & 0x7fffffff
    .set .Ly, (.Lx >> 3) & 0xffff
    .set .Lx, (.Lx * 1103515245 + 12345) & 0x7fffffff
    .4byte 0x2c002c00 + (.Ly & 0x9fff) * 0x10000 + ((.Lx >> 3) & 0x9fff)
    .endr
    .rept 256
    .set .Lx, (.Lx * 1103515245 + 12345) & 0x7fffffff
    .set .Ly, (.Lx >> 7) & 0xffff
    .set .Lx, (.Lx * 1103515245 + 12345) & 0x7fffffff
    .4byte .Ly * 0x10000 + ((.Lx >> 7) & 0xffff)
    .endr
    .globl out
out:
    .space 1024
