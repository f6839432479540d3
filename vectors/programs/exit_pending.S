// A warp ends while its last results or stores are on their way, and the slot's next owner comes right after it.
//
// Exercises: slots reused many times; ENDPRG directly after divisions, whose writes may land after the warp has ended
// but never in the registers of the next one, which it sets at once; directly after stores to local memory, which must
// never land in that of the next workgroup, where it reads 0.

#include "karat.inc"

#define WARPS 2
#define ROWS  4

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=12, lds=WARPS*128, sgprs=32, vgprs=32
    vmv.v.i v8, 5
    li s9, -7
    csrr t0, CSR_LDS
    csrr t1, CSR_WID
    slli t1, t1, 7
    add s8, t0, t1              // The warp's first word
    lw s10, 0(s8)
    PROLOGUE ROWS

    PUT v8                      // 5
    PUT_X s9                    // -7
    PUT_X s10                   // 0
    PUT v29

    andi t0, s4, 1
    bnez t0, 1f
    // Stores, and nothing waits for them.
    vmv.v.i v2, -1
    vsll.vi v1, v30, 2
    vadd.vx v1, v1, s8
    vsw12.v v2, 0(v1)
    sw s9, 0(s8)
    endprg
1:
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
