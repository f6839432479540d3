// Every warp swaps something into a word of each of many pages, some of them what it held from the start, and looks at none.
//
// Exercises: pages that hold after all stores what they held before: what came last in the core is not what came last in the model.

#include "karat.inc"
#define WARPS 4
#define GROUPS 6
#define PAGES 24
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=32, vgprs=32
    PROLOGUE 1
    la s6, words
    li s7, 0x1000
    andi t1, s5, 1              // 0: what is there
    .rept PAGES
    amoswap.w x0, t1, (s6)
    add s6, s6, s7
    .endr
    PUT_X s5
    endprg
    .bss
    .balign 4096
words:
    .zero PAGES * 4096
    .balign 4096
out: .zero GROUPS * WARPS * ROW_BYTES
