// Stores directly in front of BARRIER: after it, the other warps must see them. Loads directly in front of it: they
// must not see what others store after it.
//
// Exercises: BARRIER that waits for the warp's stores and loads, over many rounds, since memory has to be slow at the
// right moment for a core that does not wait to be found out. Each round's stores go to one of two buffers in turn,
// so one BARRIER a round is enough: a buffer is written again two rounds later.

#include "karat.inc"

#define WARPS  4
#define ROUNDS 24
#define WORDS  3                // A thread stores in global memory per round
#define PLANE  (WARPS * 32 * 4) // A word of every thread
#define LOADS  40               // Rounds of the second part
#define ROWS   (ROUNDS + 1)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, lds=2*PLANE
    PROLOGUE ROWS
    mul s7, s0, s3              // Threads of the workgroup
    csrr t0, CSR_LDS
    la t1, buffer
    vsll.vi v1, v29, 2
    vadd.vx v2, v1, t0          // The thread's word in LDS
    vadd.vx v1, v1, t1          // Its first one in global memory
    // The same of the threads one, two and three warps on, round the workgroup.
    .macro NEIGHBOUR warps, global, local
    li t2, \warps
    mul t2, t2, s0
    vadd.vx v3, v29, t2
    vremu.vx v3, v3, s7
    vsll.vi v3, v3, 2
    vadd.vx \local, v3, t0
    vadd.vx \global, v3, t1
    .endm
    NEIGHBOUR 1, v4, v5
    NEIGHBOUR 2, v6, v7
    NEIGHBOUR 3, v8, v9
    li t0, 0x01020304
    vmul.vx v10, v29, t0        // Value, another one in each round
    vmv.v.i v20, 0
    li s8, 0                    // Round
    li s9, WORDS * PLANE        // To the other buffer, and back
    li s10, PLANE               // In LDS
    li a0, 0x9e3779b1
    li a1, ROUNDS
round:
    vadd.vx v10, v10, a0
    vxor.vi v11, v10, -1
    vadd.vi v12, v10, 9
    vadd.vi v13, v10, 5
    vsw12.v v10, 0(v1)
    vsw12.v v11, PLANE(v1)
    vsw12.v v12, 0(v2)
    vsw12.v v13, 2 * PLANE(v1)
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    // The last store comes first.
    vlw12.v v14, 2 * PLANE(v4)
    vlw12.v v15, 2 * PLANE(v6)
    vlw12.v v16, 2 * PLANE(v8)
    vlw12.v v17, 0(v5)
    vlw12.v v18, 0(v7)
    vlw12.v v19, 0(v9)
    vlw12.v v21, PLANE(v4)
    vlw12.v v22, 0(v6)
    .irp v, v14, v15, v16, v17, v18, v19, v21, v22
    vsll.vi v3, v20, 1
    vadd.vv v20, v20, v3
    vadd.vv v20, v20, \v
    .endr
    PUT v20
    PUT_FLUSH
    // The other buffer.
    .irp v, v1, v4, v6, v8
    vadd.vx \v, \v, s9
    .endr
    .irp v, v2, v5, v7, v9
    vadd.vx \v, \v, s10
    .endr
    neg s9, s9
    neg s10, s10
    addi s8, s8, 1
    bne s8, a1, round

    // One warp stores, the other three have loaded the same word. Nothing waits for what they load but the BARRIER.
    la s6, word
    li s7, 0
    li s8, LOADS
load:
    andi t0, s8, WARPS - 1
    beq t0, s1, 1f
    lw t1, 0(s6)
    barrier x0, x0, FENCE_GLOBAL
    j 2f
1:  li t1, 0
    barrier x0, x0, FENCE_GLOBAL
    sw s8, 0(s6)
2:  barrier x0, x0, FENCE_GLOBAL
    slli t0, s7, 1
    add s7, s7, t0
    add s7, s7, t1
    addi s8, s8, -1
    bnez s8, load
    PUT_X s7
    endprg

    .bss
    .balign 128
word:
    .space 128
buffer:
    .space 2 * WORDS * PLANE

    OUT WARPS, ROWS
