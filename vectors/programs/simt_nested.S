// Nested divergence in which the inner regions reconverge where the outer one does: one rpc, written once, serves all
// levels, and the JOIN at it runs again and again until the stack is empty.
//
// Exercises: entries with equal rpc, three levels, else paths that meet the JOIN at once, paths with unequal numbers
// of threads in either order, reconvergence order (order of execution is recorded, not only results).

#include "karat.inc"

#define WARPS 2
#define ROUNDS 4
#define ROWS  (ROUNDS * 2)

// Thread t in round r takes the path that the bits of (t ^ r) * 5 + w say.
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    li s6, 0                    // Round
    vmv.v.i v10, 0              // Zero
    vmv.v.i v7, 0
round:
    vxor.vx v1, v29, s6
    vsll.vi v2, v1, 2
    vadd.vv v1, v1, v2
    vadd.vx v1, v1, s1
    vand.vi v3, v1, 1           // One bit a level
    vand.vi v4, v1, 2
    vand.vi v5, v1, 4
    vmv.v.i v6, 0               // The paths that the thread took
    RECONVERGE_AT merge
    vbne v3, v10, b1
    vadd.vi v6, v6, 1
    vbne v4, v10, b01
    vadd.vi v6, v6, 2
    vbne v5, v10, merge         // The else path has nothing but the JOIN
    vadd.vi v6, v6, 4
    j merge
b01:
    vsll.vi v6, v6, 4
    vbeq v5, v10, b010
    vadd.vi v6, v6, 3
    j merge
b010:
    vadd.vi v6, v6, 5
    j merge
b1:
    vadd.vi v6, v6, 7
    vbltu v10, v4, b11          // 0 < bit
    vadd.vi v6, v6, 8
    vbge v5, v3, b1x            // Signed, 4 >= 1
    vsub.vv v6, v10, v6
    j merge
b1x:
    vadd.vv v6, v6, v6
    j merge
b11:
    vxor.vi v6, v6, -1
    vbne v5, v10, b111
    vadd.vi v6, v6, 9
    j merge
b111:
    vadd.vi v6, v6, 10
merge:
    join
    PUT v6
    vadd.vv v7, v7, v6          // Only right if all threads are back
    PUT v7
    PUT_FLUSH
    addi s6, s6, 1
    li t0, ROUNDS
    bne s6, t0, round
    endprg

    OUT WARPS, ROWS
