// Warps that ask for 24 scalar registers and 16 vector registers.
//
// Exercises: fields of instructions that are no registers (immediates, shift amounts, offsets), with numbers beyond the
// warp's last register; scalar registers whose numbers are beyond the last vector register.

#include "karat.inc"

#define WARPS  2
#define GROUPS 3
#define ROWS   9

.macro STORE vs
    vsw12.v \vs, .Lput(v15)
    .set .Lput, .Lput + ROW_BYTES
.endm
.macro STORE_X rs
    vmv.v.x v12, \rs
    STORE v12
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=24, vgprs=16
    // Not PROLOGUE and PUT, which want more registers.
    csrr s1, CSR_WID
    csrr s3, CSR_NUMW
    csrr s4, CSR_GDX
    mul s5, s4, s3
    add s5, s5, s1
    vid.v v14
    li t0, ROWS * ROW_BYTES
    mul t0, s5, t0
    la t1, out
    add s6, t0, t1
    vsll.vi v15, v14, 2
    vadd.vx v15, v15, s6
    .set .Lput, 0

    addi t1, s5, 31             // 24 to 31 where a second source would be
    STORE_X t1
    slli t1, t1, 27
    STORE_X t1
    srai t2, t1, 24
    STORE_X t2
    xori t2, s5, -5
    STORE_X t2
    lui t2, 0xfffff
    STORE_X t2
    csrwi fflags, 29            // The place of a first one
    csrr t2, fflags
    STORE_X t2
    vmv.v.i v1, -4
    vadd.vi v1, v1, -1
    STORE v1
    vmv.v.x v2, s5
    vadd12.vi v2, v2, 31
    STORE v2
    addi t1, s6, -28
    lw t2, 28(t1)               // Its own first row
    STORE_X t2
    endprg

    OUT WARPS * GROUPS, ROWS
