// Local memory in every pattern of bank conflicts, in storage that many workgroups use one after the other.
//
// Exercises: strides from one word to more than the banks there are, all lanes at one word, lanes in pairs, bytes and
// halves of one word, order of stores to one word; reservations of which three fit, used up or not; pages that a
// workgroup leaves written and the next one must find cleared, from the first word to the last; pages that stay while
// other workgroups end.

#include "karat.inc"

#define WARPS  2
#define GROUPS 22
#define ROWS   19
#define AREA   8192             // Of the window, for each warp: 8 pages
#define FAR    0x01000000       // One page of a warp's own far behind
#define BYTES  (16 * 1024 + 400)    // 17 pages: three workgroups fit 64, and can touch one more

// Each thread stores the next number into its word of every \words, and loads its neighbour's.
.macro STRIDE words
    li t0, \words
    vmul.vx v4, v9, t0
    vadd.vx v4, v4, s8
    vadd.vi v3, v3, 1
    vsw12.v v3, 0(v4)
    vmul.vx v5, v10, t0
    vadd.vx v5, v5, s8
    vlw12.v v6, 0(v5)
    PUT v6
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, lds=BYTES, sgprs=32, vgprs=32
    PROLOGUE ROWS
    csrr s7, CSR_LDS
    li t0, AREA
    mul s8, t0, s1
    add s8, s8, s7              // The warp's area
    li s9, FAR
    add s9, s9, s8              // The warp's far page
    mul t0, s5, s0
    vadd.vx v3, v30, t0         // Thread in the grid
    vsll.vi v9, v30, 2          // lane * 4
    vxor.vi v10, v30, 3
    vsll.vi v10, v10, 2         // The neighbour's
    slli t0, s0, 2
    li s10, 1024
    sub s10, s10, t0            // The last words of a page begin there

    // The first and the last words of every page must be 0; then they are not. One workgroup in four touches the first
    // page only.
    li t1, 8
    andi t0, s4, 3
    addi t0, t0, -3
    bnez t0, all
    li t1, 1
all:
    mv t2, s8
    vmv.v.i v12, 0
pages:
    vadd.vx v4, v9, t2
    vadd.vx v5, v4, s10
    vlw12.v v6, 0(v4)
    vlw12.v v7, 0(v5)
    vor.vv v12, v12, v6
    vor.vv v12, v12, v7
    vxor.vi v6, v4, -1
    vsw12.v v6, 0(v4)
    vsw12.v v6, 0(v5)
    addi t2, t2, 1024
    addi t1, t1, -1
    bnez t1, pages
    vadd.vx v11, v9, s9
    vadd.vx v11, v11, s10
    vlw12.v v6, 0(v11)
    vor.vv v12, v12, v6
    PUT v12
    vsw12.v v3, 0(v11)          // Read at the end
    vmv.v.v v13, v3

    STRIDE 1
    STRIDE 2
    STRIDE 4
    STRIDE 8
    STRIDE 3
    STRIDE 9
    STRIDE 16
    STRIDE 33
    STRIDE 64

    // All lanes at one word: the highest lane's value stays, and all read it.
    vmv.v.x v4, s8
    vsw12.v v3, 16(v4)
    vlw12.v v6, 16(v4)
    PUT v6
    // Two words that share a bank, in turn; then lanes in pairs.
    vadd.vi v3, v3, 7
    vand.vi v5, v30, 1
    vsll.vi v5, v5, 7
    vadd.vx v4, v5, s8
    vsw12.v v3, 32(v4)
    vlw12.v v6, 32(v4)
    PUT v6
    vsrl.vi v5, v30, 1
    vsll.vi v5, v5, 2
    vadd.vx v4, v5, s8
    vsw12.v v3, 64(v4)
    vlw12.v v6, 64(v4)
    PUT v6
    // Bytes and halves: up to four lanes in one word.
    vmv.v.i v4, 0
    vadd.vx v5, v9, s8
    vsw12.v v4, 256(v5)
    vadd.vx v4, v30, s8
    vsb12.v v3, 256(v4)
    vlbu12.v v6, 256(v4)
    PUT v6
    vlw12.v v6, 256(v5)
    PUT v6
    vsll.vi v4, v30, 1
    vadd.vx v4, v4, s8
    vsh12.v v3, 512(v4)
    vlhu12.v v6, 512(v4)
    PUT v6
    // The first two lanes in device memory (the next row), the others at one word.
    vmslt.vi v0, v30, 2
    vmv.v.x v5, s8
    vmerge.vvm v4, v5, v31, v0
    vadd.vi v3, v3, 1
    vsw12.v v3, 0(v4)
    vlw12.v v6, 0(v4)
    PUT v6
    // An AMO beside words that lanes write.
    addi t0, s8, 1028
    sw s5, 0(t0)
    li t1, 40
    amoadd.w t2, t1, (t0)
    lw t1, 0(t0)
    add t1, t1, t2
    PUT_X t1
    vlw12.v v6, 0(v11)
    vsub.vv v6, v6, v13
    PUT v6
    endprg

    OUT GROUPS * WARPS, ROWS
