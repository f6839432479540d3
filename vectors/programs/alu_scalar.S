// RV32IM on scalars: every operation on every pair of corners, immediates, branches, jumps.
//
// Exercises: results of all register and immediate operations, x0 as destination and source, lui and auipc, jal and
// jalr (link, cleared bit 0, rd = rs1), all branches taken and not taken, forward and backward. Loads and stores are
// in mem_widths.S. The second warp runs the same with the operands exchanged.

#include "karat.inc"

#define WARPS   2
#define CORNERS 10
#define OPS     18
#define IMMS    (6 * 5 + 3 * 4)
#define WORDS   (CORNERS * CORNERS * (OPS + 1) + CORNERS * IMMS + 16)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    csrr s1, CSR_WID
    la s2, out
    li t0, WORDS * 4
    mul t0, t0, s1
    add s2, s2, t0              // The next word goes there
    la s3, corners
    li s4, CORNERS * 4

    // 1. All pairs.
    mv s5, s3
pair_a:
    mv s6, s3
pair_b:
    lw a0, 0(s5)
    lw a1, 0(s6)
    beqz s1, 1f
    mv a2, a0
    mv a0, a1
    mv a1, a2
1:
    .set .Loffset, 0
    .irp op, add, sub, sll, slt, sltu, xor, srl, sra, or, and, mul, mulh, mulhsu, mulhu, div, divu, rem, remu
    \op a2, a0, a1
    sw a2, .Loffset(s2)
    .set .Loffset, .Loffset + 4
    .endr
    // Branches: bit k of a2 says whether branch k was taken.
    li a2, 0
    .set .Lbit, 1
    .irp kind, eq, ne, lt, ge, ltu, geu
    b\kind a0, a1, 2f
    j 3f
2:  addi a2, a2, .Lbit
3:
    .set .Lbit, .Lbit << 1
    .endr
    sw a2, .Loffset(s2)
    addi s2, s2, .Loffset + 4
    addi s6, s6, 4
    sub t0, s6, s3
    bne t0, s4, pair_b
    addi s5, s5, 4
    sub t0, s5, s3
    bne t0, s4, pair_a

    // 2. Immediates.
    mv s5, s3
imm:
    lw a0, 0(s5)
    .set .Loffset, 0
    .irp op, addi, slti, sltiu, xori, ori, andi
    .irp value, -2048, -1, 0, 1, 2047
    \op a2, a0, \value
    sw a2, .Loffset(s2)
    .set .Loffset, .Loffset + 4
    .endr
    .endr
    .irp op, slli, srli, srai
    .irp value, 0, 1, 13, 31
    \op a2, a0, \value
    sw a2, .Loffset(s2)
    .set .Loffset, .Loffset + 4
    .endr
    .endr
    addi s2, s2, .Loffset
    addi s5, s5, 4
    sub t0, s5, s3
    bne t0, s4, imm

    // 3. The rest, a word each.
    lui a2, 0xfffff
    sw a2, 0(s2)
    lui a2, 0x12345
    sw a2, 4(s2)
1:  auipc a2, 0
    la a3, 1b
    sub a2, a2, a3
    sw a2, 8(s2)                // 0
1:  auipc a2, 0xfffff
    la a3, 1b
    sub a2, a2, a3
    sw a2, 12(s2)               // 0xfffff000
    li a4, 5
    add x0, a4, a4              // No effect
    lw x0, 0(s3)
    lui x0, 1
    add a2, x0, x0
    sw a2, 16(s2)               // 0
1:  jal a2, 2f
    .4byte 0                    // Never reached
2:  la a3, 1b
    sub a2, a2, a3
    sw a2, 20(s2)               // 4
    la a3, 2f + 1
1:  jalr a3, 0(a3)              // Bit 0 is dropped; rd = rs1
    .4byte 0
2:  la a4, 1b
    sub a3, a3, a4
    sw a3, 24(s2)               // 4
    la a3, 2f + 2047
    jalr x0, -2047(a3)
    .4byte 0
2:  li a2, 3                    // A backward jump: loop three times
    li a3, 0
3:  addi a3, a3, 10
    addi a2, a2, -1
    beqz a2, 4f
    jal x0, 3b
    .4byte 0
4:  sw a3, 28(s2)               // 30
    // A call in a call.
    li a3, 1
    jal ra, outer
    sw a3, 32(s2)               // ((1 + 3) * 2 + 3) * 2 = 22
    fence
    fence rw, w
    // Division by zero and overflow once more, with the destination one of the sources.
    li a2, 0x80000000
    li a3, -1
    div a2, a2, a3
    sw a2, 36(s2)               // 0x80000000
    li a2, 0x80000000
    rem a3, a2, a3
    sw a3, 40(s2)               // 0
    li a2, 77
    div a3, a2, x0
    sw a3, 44(s2)               // 0xffffffff
    rem a2, a2, x0
    sw a2, 48(s2)               // 77
    li a2, -7
    li a3, 2
    div a4, a2, a3
    sw a4, 52(s2)               // -3
    rem a4, a2, a3
    sw a4, 56(s2)               // -1
    mulh a4, a2, a2
    sw a4, 60(s2)               // 0
    endprg

outer:
    mv a5, ra
    jal ra, inner
    jal ra, inner
    mv ra, a5
    ret
inner:
    addi a3, a3, 3
    slli a3, a3, 1
    ret

    .data
corners:
    .4byte 0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 2, 0xfffffff1, 0x12345678, 0x0000001f, 0xaaaa5555
    .bss
    .balign 128
    .globl out
    .type out, @object
out:
    .space WARPS * WORDS * 4
    .size out, . - out
