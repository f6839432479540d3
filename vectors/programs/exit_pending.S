// A warp ends while its last results are on their way, and the slot's next owner comes right behind it.
//
// Exercises: slots reused many times; ENDPRG directly behind divisions, whose writes may land after the warp has ended
// but never in the registers of the next one, which it sets at once.

#include "karat.inc"

#define WARPS 2
#define ROWS  2

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=12, sgprs=32, vgprs=32
    vmv.v.i v8, 5
    li s9, -7
    PROLOGUE ROWS

    PUT v8                      // 5
    PUT_X s9                    // -7

    // Two slow results, and nothing waits for them.
    li t1, 3
    vid.v v1
    vadd.vi v1, v1, 1
    li s7, 0x7fffffff
    vmv.v.x v2, s7
    vdiv.vv v8, v2, v1
    div s9, s7, t1
    endprg

    OUT 12 * WARPS, ROWS
