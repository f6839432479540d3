// For the debugger's tests: with line tables. Two workgroups of two warps; a divergence, a store by each lane to out, to local and to
// private memory, and a barrier. out[thread] becomes 3 * thread for odd threads and thread + 100 for even ones; so do local memory at
// 128 * warp + 4 * lane, and each thread's private memory at 8.

#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, warps=2, grid_x=2, lds=256, pds=64
    csrr x5, CSR_GDX
    csrr x6, CSR_NUMW
    csrr x7, CSR_NUMT
    mul x5, x5, x6
    mul x5, x5, x7
    csrr x6, CSR_TID
    add x5, x5, x6
    vid.v v30
    vadd.vx v30, v30, x5        // The thread's number in the grid
    vmv.v.i v10, 0
    vand.vi v2, v30, 1
    la x5, out
    vsll.vi v4, v30, 2
    vadd.vx v4, v4, x5
    RECONVERGE_AT meet
branch:
    vbne v2, v10, odd           // here: branch
    li x8, 100                  // here: even
    vadd.vx v3, v30, x8
    j meet
odd:
    vadd.vv v3, v30, v30        // here: odd
    vadd.vv v3, v3, v30
meet:
    join                        // here: meet
store:
    vsw12.v v3, 0(v4)           // here: store
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL  // here: barrier
    vlw12.v v5, 0(v4)
    vid.v v6
    vsll.vi v6, v6, 2
    csrr x6, CSR_WID
    csrr x7, CSR_LDS
    slli x6, x6, 7
    add x6, x6, x7
    vadd.vx v6, v6, x6
local:
    vsw12.v v5, 0(v6)           // here: local
    vmv.v.i v7, 4
own:
    vsw.v v5, 4(v7)             // here: private
    endprg x0, x0, x0

    .bss
    .balign 4
out:
    .space 4 * 32 * 4
