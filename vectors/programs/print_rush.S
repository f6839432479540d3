// Sixty-four warps that write CSR_PRINT again and again without a pause, on all SMs at once. The print buffer is empty, so
// that nothing is printed.
//
// Exercises: a print that waits for the host while others are served, and the warp's next write meanwhile.

#include "karat.inc"

#define WARPS  4
#define GROUPS 16
#define ROWS   1

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, knl=argument_block, vgprs=32
    .rept 12
    csrwi CSR_PRINT, 3
    .endr
    PROLOGUE ROWS, GROUPS
    PUT_X s5
    .rept 4
    csrwi CSR_PRINT, 5
    .endr
    endprg

    .data
    .balign 4
buffer:
    .zero 8
    .globl argument_block
argument_block:
    .zero 48
    .4byte buffer, 8
    .zero 8

    OUT GROUPS * WARPS, ROWS
