// Shuffles of every distance, under masks and a short vl: lanes in range, out of it, inactive, the own one; the destination is the source.
//
// Exercises: each row with all immediates, inactive lanes as sources, hazards with slow results in front.

#include "karat.inc"

#define WARPS 2
#define ROWS  (4 * 32 + 9)

    PROFILE public
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmul.vv v1, v29, v29
    vadd.vi v1, v1, 7
    .irp op, bfly, idx, up, down
    .set .Ldistance, 0
    .rept 32
    shuffle.\op v2, v1, .Ldistance
    PUT v2
    .set .Ldistance, .Ldistance + 1
    .endr
    .endr
    // Half of the lanes, then all but the last one.
    vand.vi v3, v30, 1
    vmv.v.i v4, 0
    RECONVERGE_AT merge
    vbeq v3, v4, even
    .irp op, bfly, idx, up, down
    shuffle.\op v2, v1, 1
    vmv.v.v v5, v2
    .endr
    j merge
even:
    vdivu.vv v5, v1, v29
    .irp op, bfly, idx, up, down
    shuffle.\op v5, v5, 2
    .endr
merge:
    join
    PUT v5
    addi t0, s0, -1
    vsetvli t0, t0, e32, m1, ta, ma
    .irp op, bfly, idx, up, down
    shuffle.\op v2, v1, 3
    PUT v2
    PUT v5
    .endr
    endprg

    OUT WARPS, ROWS
