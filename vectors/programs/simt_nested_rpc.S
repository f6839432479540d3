// Nested divergence in which every region has a reconvergence point of its own, with code after the inner one that
// belongs to the outer path.
//
// Exercises: SETRPC before each VBRANCH (rd and CSR_RPC both written, immediate offsets positive and negative), csrw to
// CSR_RPC, entries with different rpc, a JOIN that is not the top entry's rpc and must do nothing, three levels.

#include "karat.inc"

#define WARPS 2
#define ROUNDS 4
#define ROWS  (ROUNDS * 2 + 1)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    li s6, 0
    vmv.v.i v10, 0
    vmv.v.i v7, 0
round:
    vxor.vx v1, v29, s6
    vsll.vi v2, v1, 1
    vadd.vv v1, v1, v2
    vadd.vx v1, v1, s1
    vand.vi v3, v1, 1
    vand.vi v4, v1, 2
    vand.vi v5, v1, 4
    vmv.v.i v6, 0

    RECONVERGE_AT outer
    vbne v3, v10, else0
    // If path of the outer region
    vadd.vi v6, v6, 1
    la t0, inner_a - 12
    setrpc t2, t0, 12           // Its rd gets the sum as well
    vbne v4, v10, else_a
    vadd.vi v6, v6, 2
    join                        // Not the reconvergence point: nothing happens
    la t0, deep + 2047
    setrpc t3, t0, -2047
    vbne v5, v10, else_deep
    vsll.vi v6, v6, 3
    j deep
else_deep:
    vxor.vi v6, v6, 15
deep:
    join
    vadd.vi v6, v6, 3           // By both, before inner_a
    j inner_a
else_a:
    vadd.vi v6, v6, 11
inner_a:
    join
    vadd.vv v6, v6, v6          // Still the outer if path
    j outer
else0:
    vadd.vi v6, v6, 4
    la t0, inner_b
    csrw CSR_RPC, t0
    vbne v4, v10, else_b        // One side of this one is empty
    j inner_b
else_b:
    vadd.vi v6, v6, 6
inner_b:
    join
    vadd.vx v6, v6, s0
    vsub.vx v6, v6, s0
    vsll.vi v6, v6, 4
outer:
    join
    PUT v6
    vadd.vv v7, v7, v6
    PUT v7
    PUT_FLUSH
    addi s6, s6, 1
    li t0, ROUNDS
    bne s6, t0, round

    // The value that SETRPC wrote to its rd, relative to the code. Four threads in a row take every path, so every warp has been
    // through both.
    la t0, inner_a
    sub t2, t2, t0
    la t0, deep
    sub t3, t3, t0
    slli t3, t3, 8
    add t2, t2, t3
    addi t2, t2, 77
    PUT_X t2
    endprg

    OUT WARPS, ROWS
