// x0 as the data of a store is the contents of its row.
// chisel: wrong operand read, sw
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=8, grid_x=4, sgprs=32, vgprs=32
    la x1, word
    li x16, -1
    li x2, 5
    sw x0, 0(x1)
    endprg

    .data
    .balign 4
word:
    .4byte 5
