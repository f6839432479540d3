// Loops whose trip count depends on the thread, one within another.
//
// Exercises: backward jumps under a shrinking mask, divergence in every iteration with the same reconvergence point
// (the stack unwinds through many entries at the end), a loop in a loop with two reconvergence points, loop exits by
// vbeq and by vbge, 'continue' by a divergent branch in the body.

#include "karat.inc"

#define WARPS 2
#define ROWS  3

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0

    // 1. count down from (5 * thread + 3) mod 8, sum up
    vsll.vi v1, v29, 2
    vadd.vv v1, v1, v29
    vadd.vi v1, v1, 3
    vand.vi v1, v1, 7
    vmv.v.i v2, 0
    RECONVERGE_AT sum_done
sum:
    vbeq v1, v10, sum_done
    vadd.vv v2, v2, v1
    vsll.vi v3, v2, 1
    vadd.vv v2, v2, v3
    vadd.vi v1, v1, -1
    j sum
sum_done:
    join
    PUT v2

    // 2. Collatz steps of 3 * thread + 1: odd and even threads take different ways in each iteration
    vsll.vi v1, v29, 1
    vadd.vv v1, v1, v29
    vadd.vi v1, v1, 1
    vmv.v.i v2, 0
    vmv.v.i v4, 1
collatz:
    RECONVERGE_AT collatz_done
    vbgeu v4, v1, collatz_done
    vadd.vi v2, v2, 1
    vand.vi v3, v1, 1
    RECONVERGE_AT collatz_next
    vbne v3, v10, odd
    vsrl.vi v1, v1, 1
    j collatz_next
odd:
    vsll.vi v3, v1, 1
    vadd.vv v1, v1, v3
    vadd.vi v1, v1, 1
collatz_next:
    join
    j collatz
collatz_done:
    join
    PUT v2

    // 3. for (i = 0; i < thread & 3; i++) for (j = i; j < (thread >> 2) & 3; j++) { if (i == j) continue; ... }
    vand.vi v1, v29, 3
    vsrl.vi v2, v29, 2
    vand.vi v2, v2, 3
    vmv.v.i v5, 0               // Result
    vmv.v.i v3, 0               // Index i
outer:
    RECONVERGE_AT outer_done
    vbge v3, v1, outer_done
    vmv.v.v v4, v3              // Index j
inner:
    RECONVERGE_AT inner_done
    vbge v4, v2, inner_done
    RECONVERGE_AT inner_next
    vbeq v3, v4, inner_next
    vsll.vi v5, v5, 2
    vadd.vv v5, v5, v3
    vadd.vv v5, v5, v4
    vadd.vi v5, v5, 1
inner_next:
    join
    vadd.vi v4, v4, 1
    j inner
inner_done:
    join
    vadd.vi v5, v5, 5
    vadd.vi v3, v3, 1
    j outer
outer_done:
    join
    PUT v5
    endprg

    OUT WARPS, ROWS
