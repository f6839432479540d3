// Printing: each warp in turn fills the print buffer and writes CSR_PRINT (ISA manual, section 3.2).
//
// Exercises: a text that ends in the buffer and one that fills it; the stores in front of the CSR write, which have to be
// in memory when the host reads it; CSR_PRINT and the buffer's first byte, which the host clears. The warp does not poll,
// so that it executes the same instructions whenever the host comes; the wait is far longer than the test benches' hosts
// take. The test looks at the texts as well.

#include "karat.inc"

#define WARPS 2
#define ROWS  4
#define SIZE  24 // Of the print buffer

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, knl=argument_block
    PROLOGUE ROWS
    la s6, text
    la s7, buffer
    li s8, 0 // Whose turn it is
turn:
    bne s8, s1, not_mine
    // The whole buffer, word by word. The last one is stored directly in front of the CSR write.
    li t0, SIZE
    mul t0, t0, s1
    add t0, t0, s6
    .set .Lword, 0
    .rept SIZE / 4
    lw t1, .Lword(t0)
    sw t1, .Lword(s7)
    .set .Lword, .Lword + 4
    .endr
    li t2, 1
    csrw CSR_PRINT, t2
    li t3, 100
1:  addi t3, t3, -1
    bnez t3, 1b
    csrr s9, CSR_PRINT
    lbu s10, 0(s7)
    PUT_X s9
    PUT_X s10
    lbu s10, 1(s7) // Nothing else is cleared
    PUT_X s10
    csrw CSR_PRINT, x0 // 0 asks for nothing
    lw s10, 4(s7)
    PUT_X s10
not_mine:
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    addi s8, s8, 1
    bne s8, s3, turn
    endprg

    .data
    .balign 4
text:
    .ascii "warp 0 says hello\n"
    .zero SIZE - 18
    .ascii "exactly twenty-four char" // No 0 at the end
buffer:
    .zero SIZE
    // The block that CSR_KNL names: words at 48 and 52 are the print buffer and its size.
    .globl argument_block
argument_block:
    .zero 48
    .4byte buffer, SIZE
    .zero 8
    OUT WARPS, ROWS
