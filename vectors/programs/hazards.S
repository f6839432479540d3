// Instructions back to back that depend on each other over units of different latency.
//
// Exercises: read after write, write after write and write after read between divider, multiplier, adder, load and
// store, scalar and vector file, mask register, CSRs, prefixes; the same with the writers in different halves of a
// divergence; a store's data overwritten at once; loads that are overtaken by what does not need them. Iterated, so
// that units are busy in changing order.

#include "karat.inc"

#define WARPS  4
#define ROUNDS 5
#define ROWS   (ROUNDS * 16)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0
    la s6, area
    slli t0, s5, 7
    add s6, s6, t0
    vsll.vi v11, v30, 2
    vadd.vx v11, v11, s6        // The thread's word
    li s7, 0                    // Round
    vadd.vi v1, v29, 3          // State, never 0
    li s8, 0x10dcd              // Odd
    li s9, 12345                // Scalar state
round:
    // RAW: each takes what the one before is still computing.
    vdivu.vv v2, v10, v1
    vxor.vv v2, v2, v1
    vmul.vx v3, v2, s8
    vadd.vv v3, v3, v2
    vremu.vv v4, v3, v1
    vsw12.v v4, 0(v11)
    vlw12.v v5, 0(v11)
    vadd.vv v6, v5, v3
    PUT v6

    // WAW: the short one comes second and must win.
    vdiv.vv v7, v3, v1
    vadd.vi v7, v1, 5
    PUT v7
    vlw12.v v7, 0(v11)
    vmv.v.i v7, 9
    PUT v7
    vmul.vv v7, v3, v3
    vlw12.v v7, 0(v11)
    vdivu.vv v7, v7, v1
    vmul.vv v7, v1, v1
    PUT v7
    li t0, 77
    div t1, s8, t0
    li t1, 3                    // Scalar WAW
    rem t2, s8, t0
    mul t2, t2, t2
    vadd.vx v8, v3, t1
    vadd.vx v8, v8, t2
    PUT v8

    // WAR: sources overwritten while the reader may not have read them.
    vmv.v.v v12, v3
    vdiv.vv v13, v12, v1
    vmv.v.i v12, 0
    vsw12.v v3, 0(v11)
    vmv.v.i v3, 1
    vlw12.v v14, 0(v11)
    vadd.vv v13, v13, v12
    vadd.vv v13, v13, v14
    vadd.vv v13, v13, v3
    PUT v13
    vmv.v.v v15, v11
    vlw12.v v16, 0(v15)
    vmv.v.i v15, 4              // The address
    vlw12.v v16, 0(v11)
    vmul.vv v16, v16, v15
    PUT v16

    // Partial writes: two writers of one register, each under its own mask.
    vand.vi v0, v1, 1
    vdivu.vv v17, v13, v1
    vadd.vi v17, v13, 1, v0.t
    vxor.vi v0, v0, 1
    vmul.vv v17, v17, v1, v0.t
    vxor.vi v0, v0, 1           // The mask changes right after the masked instruction
    PUT v17
    // The mask is the result of the instruction before.
    vmsltu.vv v0, v13, v17
    vmerge.vvm v18, v13, v17, v0
    vremu.vv v0, v18, v1
    vadd.vi v18, v18, 2, v0.t
    PUT v18
    PUT v0

    // Divergence that depends on a slow result, and slow writes still under way when the other half goes on.
    vremu.vv v19, v18, v1
    vand.vi v19, v19, 1
    la t0, merge
    setrpc x0, t0, 0
    vbne v19, v10, other
    vdiv.vv v20, v18, v1
    j merge
other:
    vadd.vi v20, v18, 1
    vdiv.vv v20, v20, v1
    vlw12.v v20, 0(v11)
merge:
    join
    vadd.vv v20, v20, v18
    PUT v20

    // Between the files.
    vmul.vx v21, v10, s9
    vadd.vx v21, v21, s9
    vmv.x.s t3, v21             // All threads are equal
    addi t3, t3, 1
    vadd.vx v22, v21, t3
    mul t3, t3, t3
    vmul.vx v22, v22, t3
    divu s9, t3, s7
    sltu t4, s9, t3
    vadd.vx v22, v22, t4
    PUT v22
    csrw mscratch, s9
    csrr t5, mscratch
    vmv.v.x v23, t5
    csrw mscratch, t4
    csrr t5, mscratch
    addi t5, t5, 1
    vadd.vx v23, v23, t5
    PUT v23
    // A store and the load of its word by scalar code, and back: one memory order for the warp.
    vsw12.v v23, 0(v11)
    lw t6, 0(s6)
    addi t6, t6, 1
    sw t6, 4(s6)
    vle32.v v24, (s6)
    PUT v24

    // After prefixes: v33 and v1 share five bits and are two registers; v33 twice is one.
    X_vvv vdivu.vv, v33, v18, v1
    vadd.vi v2, v1, 1
    X_vvv vmul.vv, v33, v33, v1
    X_vvi vadd.vi, v33, v33, 100
    X_vvv vsub.vv, v25, v33, v2
    PUT v25

    // A branch on a scalar that is being loaded.
    lw t0, 4(s6)
    andi t0, t0, 1
    beqz t0, even
    vadd.vi v25, v25, 7
even:
    vxor.vv v26, v25, v6
    PUT v26
    PUT_FLUSH
    vor.vi v1, v26, 2           // The next state, never 0
    ori s9, s9, 1
    li t0, 0xffff
    and s9, s9, t0
    addi s7, s7, 1
    li t0, ROUNDS
    beq s7, t0, 1f
    j round
1:  endprg

    .bss
    .balign 128
area:
    .space WARPS * 128

    OUT WARPS, ROWS
