// Four warps exchange values through local memory, several rounds of write, BARRIER, read, BARRIER.
//
// Exercises: BARRIER with several flags and scopes, BARRIERSUB and scope 'work_item' (no-ops between warps), LDS
// words, halves and bytes, vector and scalar accesses to LDS, exchange through global memory over a barrier, warps
// that arrive in different order because they have different work to do.

#include "karat.inc"

#define WARPS  4
#define ROUNDS 6
#define ROWS   (ROUNDS + 3)
// LDS: words of 128 threads, then halves, bytes, and one word a warp
#define LDS_HALF  (WARPS * 32 * 4)
#define LDS_BYTE  (LDS_HALF + WARPS * 32 * 2)
#define LDS_WARP  (LDS_BYTE + WARPS * 32)
#define LDS_SIZE  (LDS_WARP + WARPS * 4)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, lds=LDS_SIZE
    PROLOGUE ROWS
    csrr s6, CSR_LDS
    mul s7, s0, s3              // Threads of the workgroup
    vsll.vi v1, v29, 2
    vadd.vx v1, v1, s6          // The thread's own word
    li t0, 1021
    vmul.vx v2, v29, t0
    vadd.vi v2, v2, 1           // Its value
    li s8, 0                    // Round
round:
    // Later warps take longer, so they do not arrive in order.
    sub t0, s3, s1
    xor t0, t0, s8
    slli t0, t0, 2
1:  addi t0, t0, -1
    bgtz t0, 1b

    vsw12.v v2, 0(v1)
    andi t0, s8, 1
    bnez t0, 2f
    barrier x0, x0, FENCE_LOCAL
    j 3f
2:  barrier x0, x0, SCOPE_ALL_SVM | FENCE_LOCAL | FENCE_GLOBAL
3:
    // thread + num_thread * (round + 1) + 3, round the workgroup
    addi t0, s8, 1
    mul t0, t0, s0
    addi t0, t0, 3
    vadd.vx v3, v29, t0
    vremu.vx v3, v3, s7
    vsll.vi v3, v3, 2
    vadd.vx v3, v3, s6
    vlw12.v v4, 0(v3)
    vsll.vi v5, v2, 1
    vadd.vv v2, v2, v5
    vadd.vv v2, v2, v4
    vadd.vx v2, v2, s8
    PUT v2
    PUT_FLUSH
    barriersub x0, x0, FENCE_LOCAL
    barrier x0, x0, SCOPE_WORK_ITEM | FENCE_LOCAL   // Synchronises nothing
    barrier                     // Before anybody writes again
    addi s8, s8, 1
    li t0, ROUNDS
    bne s8, t0, round

    // Halves and bytes; read by the thread at the other end of the workgroup.
    vsll.vi v3, v29, 1
    vadd.vx v3, v3, s6
    vsh12.v v2, LDS_HALF(v3)
    vadd.vx v4, v29, s6
    vsb12.v v2, LDS_BYTE(v4)
    // One word a warp, by scalar code.
    slli t0, s1, 2
    add t0, t0, s6
    li t1, 0x1234567
    add t1, t1, s1
    sw t1, LDS_WARP(t0)
    barrier x0, x0, FENCE_LOCAL
    addi t0, s7, -1
    vrsub.vx v5, v29, t0
    vsll.vi v6, v5, 1
    vadd.vx v6, v6, s6
    vlh12.v v7, LDS_HALF(v6)
    vadd.vx v5, v5, s6
    vlbu12.v v8, LDS_BYTE(v5)
    vsll.vi v7, v7, 8
    vxor.vv v7, v7, v8
    PUT v7
    addi t0, s1, 1
    andi t0, t0, WARPS - 1
    slli t0, t0, 2
    add t0, t0, s6
    lw t1, LDS_WARP(t0)
    PUT_X t1

    // Values go through global memory now.
    la t0, exchange
    vsll.vi v3, v29, 2
    vadd.vx v3, v3, t0
    vsw12.v v2, 0(v3)
    barrier x0, x0, SCOPE_DEVICE | FENCE_GLOBAL
    addi t1, s7, -1
    vrsub.vx v5, v29, t1
    vsll.vi v5, v5, 2
    vluxei32.v v6, (t0), v5
    PUT v6
    endprg

    .bss
    .balign 128
exchange:
    .space WARPS * 32 * 4

    OUT WARPS, ROWS
