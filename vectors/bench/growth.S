// For scripts/bench_growth: a loop of six vector ALU operations, a load and a store of local memory, and a scalar loop counter. The
// number of times is the kernel's argument, so that launches of any length and grid are of this one file.

#include "karat.inc"

    .text
    .globl _start, growth
_start:                         // A launch by options starts here; the only kernel follows
growth:
    csrr t0, CSR_KNL
    lw t0, 4(t0)                // The buffer of arguments
    lw s7, 0(t0)
    csrr t0, CSR_LDS
    vid.v v30
    vsll.vi v11, v30, 2
    vadd.vx v11, v11, t0        // A word for each thread
    vadd.vi v1, v30, 1
    vmv.v.i v2, 0
    vsw12.v v1, 0(v11)
loop:
    vlw12.v v3, 0(v11)
    vadd.vv v1, v1, v3
    vxor.vx v4, v1, s7
    vsll.vi v5, v4, 5
    vsub.vv v2, v2, v5
    vsrl.vi v6, v2, 7
    vor.vv v1, v1, v6
    vsw12.v v1, 0(v11)
    addi s7, s7, -1
    bnez s7, loop
    endprg
