// Jumps from line to line of code, backwards, two lines at a time, by all warps at once and for long; then through the lines
// between them. All of it fits an instruction cache.
//
// Exercises: more lookups than an instruction cache can do, so that warps stay behind where they do not take turns; lines that
// are wanted before those in front of them, for which a cache must not take what the kernel before has left there.

#include "karat.inc"

#define WARPS  4
#define GROUPS 4
#define ROWS   1
#define TRIPS  60

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=32, vgprs=32
    j begin

// Lines of four instructions. All others are in other sets of a cache that has 16.
.macro LINE k, next
    .balign 16
line\k:
    .if (\k) % 2 == 0
    addi s10, s10, \k
    .endif
    j \next
.endm
    .balign 128
    LINE 8, turned
    LINE 9, trip
    LINE 10, line8
    LINE 11, line9
    LINE 12, line10
    LINE 13, line11
    LINE 14, line12
    LINE 15, line13
    .balign 256
begin:
    csrr s10, CSR_WID
    li s9, TRIPS + 1
trip:
    addi s9, s9, -1
    bnez s9, line15
    j line14
turned:
    mv s8, s10
    PROLOGUE ROWS
    PUT_X s8
    endprg

    OUT WARPS * GROUPS, ROWS
