// Long texts whose last bytes are stored directly in front of the CSR write: by scalars of every width, by an atomic instruction
// and by all lanes. The host must find them all (section 3.2).
//
// Exercises: CSR_PRINT, which waits for every kind of store before it; texts of several hundred bytes, one that fills the
// buffer and one that ends in it. The warp does not poll, as in printing.S; the test looks at the texts as well.

#include "karat.inc"

#define WARPS 2
#define ROWS  5
#define SIZE  320 // Of the print buffer

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, knl=argument_block
    PROLOGUE ROWS
    la s7, buffer
    li s8, 0 // Whose turn it is
turn:
    bne s8, s1, not_mine
    // Letters, warp 1's five further on; a line is 64 bytes.
    li t0, 5
    mul t0, t0, s1
    li t1, 0
    li t2, 26
    li t6, SIZE
1:  add t3, t0, t1
    remu t3, t3, t2
    addi t3, t3, 0x61
    andi t4, t1, 63
    addi t4, t4, -63
    bnez t4, 2f
    li t3, 10
2:  add t5, t1, s7
    sb t3, 0(t5)
    addi t1, t1, 1
    bne t1, t6, 1b
    fence
    // Capitals, of which none may be missing.
    add t0, s1, s1
    addi t0, t0, 0x41       // A, or C
    vmv.v.x v1, t0
    addi t1, t0, 1          // B, or D
    addi s10, s7, 256
    slli t2, t1, 24
    addi t3, s7, 128
    vadd.vx v2, v30, t3
    sh t1, 200(s7)          // A 0 as its second byte, which the next store covers
    sb t1, 201(s7)
    amoor.w s9, t2, (s10)   // The word's last byte
    beqz s1, 3f
    sb x0, 301(s7)
3:  vsb12.v v1, 0(v2)       // From 128 on, a byte for each lane
    csrw CSR_PRINT, t0
    li t3, 150
4:  addi t3, t3, -1
    bnez t3, 4b
    csrr s9, CSR_PRINT
    lbu s10, 0(s7)
    PUT_X s9
    PUT_X s10
    lbu s10, 128(s7)
    PUT_X s10
    lhu s10, 200(s7)
    PUT_X s10
    lbu s10, 259(s7)
    PUT_X s10
not_mine:
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    addi s8, s8, 1
    bne s8, s3, turn
    endprg

    .data
    .balign 4
buffer:
    .zero SIZE
    // The block that CSR_KNL names: words at 48 and 52 are the print buffer and its size.
    .globl argument_block
argument_block:
    .zero 48
    .4byte buffer, SIZE
    .zero 8
    OUT WARPS, ROWS
