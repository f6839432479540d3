// Warps of three threads, fewer than any device has: workgroups are as large as they say, not as large as the device
// would let them be.
//
// Exercises: CSR_NUMT, CSR_TID; lanes without a thread, which never are active: under the largest vl, a short one,
// LMUL 2, divergence, in accesses of every kind; private memory, interleaved for the workgroup's own number of
// threads, of several workgroups next to each other.

#include "karat.inc"

#define WARPS   3
#define THREADS 3
#define GROUPS  5
#define ROWS    16
#define PRIVATE 64

    PROFILE v2.02
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, threads=THREADS, grid_x=GROUPS, lds=WARPS*THREADS*4, pds=PRIVATE, sgprs=32, vgprs=32
    PROLOGUE ROWS
    PUT_X s0                    // 3
    PUT_X s2                    // 3 * warp
    PUT v29
    csrr t0, vl
    PUT_X t0                    // num_thread

    // 1. Private memory: words at 0 and 4 + 4 * lane, a byte at 41.
    vmv.v.i v1, 0
    vsll.vi v2, v30, 2
    slli t0, s4, 8
    vadd.vx v3, v29, t0         // Thread and workgroup
    vxor.vi v4, v3, -1
    vsw.v v3, 0(v1)
    vsw.v v4, 4(v2)
    vsb.v v3, 41(v1)
    vlw.v v5, 0(v1)
    PUT v5
    vlw.v v5, 4(v2)
    PUT v5
    vlbu.v v5, 41(v1)
    PUT v5

    // 2. Local memory: the word of the thread four further, round the workgroup.
    csrr t0, CSR_LDS
    vsll.vi v1, v29, 2
    vadd.vx v1, v1, t0
    vsw12.v v3, 0(v1)
    barrier x0, x0, FENCE_LOCAL
    vadd.vi v2, v29, 4
    li t1, WARPS * THREADS
    vremu.vx v2, v2, t1
    vsll.vi v2, v2, 2
    vadd.vx v2, v2, t0
    vlw12.v v5, 0(v2)
    PUT v5

    // 3. Device memory: unit stride, then backwards. The fourth word is not written.
    la s6, buffer
    slli t0, s5, 7
    add s6, s6, t0
    vse32.v v3, (s6)
    addi t0, s6, 8
    li t1, -4
    vlse32.v v5, (t0), t1
    PUT v5
    lw t1, 12(s6)
    PUT_X t1                    // 0

    // 4. VBRANCH on which all threads agree (the other lanes would not), and one that parts them.
    vmv.v.i v6, 0
    vmv.v.i v4, 3
    RECONVERGE_AT merge
    vbltu v30, v4, small
    vadd.vi v6, v6, 9           // No thread
    j merge
small:
    vadd.vi v6, v6, 1
merge:
    join
    vmv.v.i v4, 2
    RECONVERGE_AT merge2
    vbltu v30, v4, small2
    vadd.vi v6, v6, 14
    j merge2
small2:
    vadd.vi v6, v6, 2
merge2:
    join
    PUT v6

    // 5. vl beyond the threads, and below.
    vsetvli t0, x0, e32, m2, ta, ma
    vid.v v8
    vsetvli t1, x0, e32, m1, ta, ma
    PUT_X t0                    // 2 * num_thread
    PUT v8
    PUT v9                      // From num_thread
    vmv.v.i v7, 1
    vsetivli t0, 2, e32, m1, tu, mu
    vadd.vi v7, v7, 5
    vsetvli t1, x0, e32, m1, tu, mu
    PUT v7
    vmv.x.s t0, v4              // 2 in every thread, whatever the other lanes hold
    PUT_X t0
    endprg

    .bss
    .balign 128
buffer:
    .space WARPS * GROUPS * 128

    OUT WARPS * GROUPS, ROWS
