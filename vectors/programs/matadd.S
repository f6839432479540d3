// Matrix add on a grid of 2 x 3 workgroups: C = A + B, 12 rows of 40 columns, each workgroup a tile of 4 x 20.
//
// Exercises: workgroup ids in two dimensions, division and remainder by a scalar for the tile's coordinates, strided
// and indexed loads with a scalar base, a SIMT loop in each of several workgroups.

#include "karat.inc"

#define WARPS  2
#define GRID_X 2
#define GRID_Y 3
#define ROWS   12
#define COLS   40
#define TILE_R 4
#define TILE_C 20

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GRID_X, grid_y=GRID_Y, sgprs=32, vgprs=32

    csrr t0, CSR_TID
    vid.v v1
    vadd.vx v1, v1, t0          // Element of the tile
    csrr t0, CSR_NUMT
    csrr t1, CSR_NUMW
    mul s0, t0, t1              // Threads of the workgroup
    csrr s1, CSR_GDX
    csrr s2, CSR_GDY
    li t0, TILE_C
    mul s1, s1, t0              // The tile's first column
    slli s2, s2, 2              // The tile's first row
    la s3, a
    la s4, b
    la s5, out
    li s6, TILE_R * TILE_C
    vmv.v.x v2, s6
    li s7, TILE_C
    li s8, COLS
loop:
    RECONVERGE_AT done
    vbge v1, v2, done
    vdivu.vx v3, v1, s7         // Row and column in the tile
    vremu.vx v4, v1, s7
    vadd.vx v3, v3, s2
    vadd.vx v4, v4, s1
    vmul.vx v3, v3, s8
    vadd.vv v3, v3, v4
    vsll.vi v3, v3, 2           // Byte offset in the matrix
    vluxei32.v v5, (s3), v3
    vadd.vx v6, v3, s4
    vlw12.v v7, 0(v6)
    vadd.vv v8, v5, v7
    vsuxei32.v v8, (s5), v3
    vadd.vx v1, v1, s0
    j loop
done:
    join
    endprg

    .data
a:
    .set .Li, 0
    .rept ROWS * COLS
    .4byte .Li * 0x00030005
    .set .Li, .Li + 1
    .endr
b:
    .set .Li, 0
    .rept ROWS * COLS
    .4byte ((.Li << 24) ^ (.Li * 11)) & 0xffffffff
    .set .Li, .Li + 1
    .endr
    .bss
    .balign 128
    .globl out
    .type out, @object
out:
    .space ROWS * COLS * 4
    .size out, . - out
