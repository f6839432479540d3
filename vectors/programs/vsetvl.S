// The vsetvl family: what it returns, and what vl does to vector instructions.
//
// Exercises: vsetvli, vsetivli, vsetvl with an AVL below, at and above num_thread; rs1 = x0 with and without rd;
// settings that are not supported give vill; elements beyond vl keep their value, also under masks and divergence;
// vmv.x.s with vl = 0, which writes nothing.

#include "karat.inc"

#define WARPS 1
#define ROWS  35

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0

    // 1. vl for AVLs 0, 1, 3, 31, num_thread, num_thread + 1, the largest; for each one vector instruction.
    vmv.v.i v1, 0
    li s6, 1
    .irp avl, 0, 1, 3, 31
    li t0, \avl
    vsetvli t1, t0, e32, m1, tu, mu
    vadd.vx v1, v1, s6
    slli s6, s6, 1
    csrr t2, vl
    sub t2, t2, t1
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    PUT_X t2                    // 0
    .endr
    .irp more, 0, 1
    addi t0, s0, \more
    vsetvli t1, t0, e32, m1, ta, ma
    vadd.vx v1, v1, s6
    slli s6, s6, 1
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    .endr
    li t0, -1
    vsetvli t1, t0, e32, m1, tu, mu
    vadd.vx v1, v1, s6
    PUT_X t1
    PUT v1

    // 2. rs1 = x0: the largest vl with an rd, the same vl without.
    vsetivli t1, 2, e32, m1, tu, mu
    vsetvli x0, x0, e32, m1, ta, ma     // Keeps 2
    csrr t2, vl
    csrr t3, vtype
    vsetvli t4, x0, e32, m1, tu, mu     // num_thread
    csrr t5, vtype
    PUT_X t1
    PUT_X t2
    PUT_X t3                    // 0xd0
    PUT_X t4
    PUT_X t5                    // 0x10
    vsetivli x0, 2, e32, m1, tu, mu
    regext x0, x0, 1
    vsetvli x0, x0, e32, m1, ta, ma     // x32, which is not x0: num_thread
    csrr t1, vl
    X_xxi addi, t2, x32, 0
    PUT_X t1
    PUT_X t2

    // 3. vsetivli with more than there is, vsetvl with vtype in a register.
    vsetivli t1, 31, e32, m1, tu, mu
    vsetvli x0, x0, e32, m1, tu, mu
    csrr t2, vl
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    PUT_X t2
    li t0, 3
    li t1, 0x90                 // e32, m1, ma
    vsetvl t2, t0, t1
    csrr t3, vtype
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t2
    PUT_X t3

    // 4. Not supported: vill, vl = 0, rd = 0. The next good setting repairs it.
    li t0, 4
    vsetvli t1, t0, e64, m1, tu, mu
    csrr t2, vtype
    csrr t3, vl
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    PUT_X t2
    PUT_X t3
    vsetivli t1, 4, e32, m4, tu, mu
    csrr t2, vtype
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    PUT_X t2
    li t1, 0x80000010           // Bits that do not exist
    vsetvl t2, t0, t1
    csrr t3, vtype
    csrr t4, vl
    csrr t5, vlenb
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t2
    PUT_X t3
    PUT_X t4
    PUT_X t5

    // 5. vl with a mask, and vl changed under divergence (it belongs to the warp).
    vmv.v.i v2, 0
    vand.vi v0, v30, 1
    vsetivli x0, 3, e32, m1, tu, mu
    vadd.vi v2, v2, 7, v0.t     // Lane 1 only
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v2
    vmv.v.i v3, 0
    RECONVERGE_AT merge
    vbne v0, v10, odd
    vsetivli x0, 3, e32, m1, tu, mu
    vadd.vi v3, v3, 1           // Lanes 0 and 2
    vsetvli x0, s0, e32, m1, tu, mu
    j merge
odd:
    vsetivli x0, 4, e32, m1, tu, mu
    vadd.vi v3, v3, 2           // Lanes 1 and 3
    vsetvli x0, s0, e32, m1, tu, mu
merge:
    join
    PUT v3

    // 6. No lane, so that not even a scalar is written.
    li t1, 77
    vsetivli x0, 0, e32, m1, tu, mu
    vmv.x.s t1, v30
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1                    // 77
    endprg

    OUT WARPS, ROWS
