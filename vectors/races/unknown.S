// Atomics between instructions on groups of registers that no instruction has written.
//
// Exercises: accesses that are performed while the checker waits for what the core has read (program error, counted).

#include "karat.inc"
#define WARPS 4
#define GROUPS 6
#define ROWS 4
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=32, vgprs=32
    PROLOGUE ROWS
    la s6, words
    li t1, 1
    li t0, 64
    vsetvli t0, t0, e32, m2, ta, ma
.irp n, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
    amoadd.w t2, t1, (s6)
    vadd.vv v2, v\n, v\n
    add s9, s9, t2
.endr
    endprg
    .data
    .balign 64
words: .zero 64
out: .zero GROUPS * WARPS * ROWS * ROW_BYTES
