// REGPAIR and REGPAIRI: 64-bit addresses and pairs of words.
//
// Exercises: even and odd base and data registers of every memory form, scalar and vector; results over the base, the
// index or the mask; 64-bit arithmetic whose upper half becomes 0; negative offsets; unit-stride elements of 8 bytes;
// private memory word by word; pairs that overlap from lane to lane, upwards, downwards, at random, and only with the lane
// after the next; narrow accesses, which move no pair, also under LMUL 2; x0; upper registers that are pending; extended
// registers; LDS; divergence.

#include "karat.inc"
#include "corners.inc"

#define WARPS 2
#define ROWS  91
#define AREA  4096              // Scratch of a warp

.macro PAIR x3=0, x2=0, x1=0, xd=0
    regpair x0, x0, (\x3 << 9) | (\x2 << 6) | (\x1 << 3) | \xd
.endm
.macro PAIRI x2=0, xd=0
    regpairi x0, x0, (\x2 << 3) | \xd
.endm
.macro PUT2 even, odd
    PUT \even
    PUT \odd
.endm
// The words at \at: two rows of num_thread.
.macro BACK2 at
    slli t0, s0, 2
    add t0, t0, \at
    vle32.v v26, (\at)
    PUT v26
    vle32.v v26, (t0)
    PUT v26
.endm
// v6 and v7 get their first values again.
.macro OLD
    vmv.v.v v6, v24
    vmv.v.v v7, v25
.endm

    PROFILE v2.02
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, pds=64, lds=WARPS*512
    PROLOGUE ROWS
    slli s6, s1, 4
    CORNER v4, corners_b, s6
    CORNER v5, corners_a, s6, 9
    CORNER v24, corners_a, s6, 3
    CORNER v25, corners_b, s6, 5
    CORNER v0, corners_c, s6
    CORNER v1, corners_c, s6, 7
    vmv.v.v v23, v0
    OLD
    la s8, corners_a            // 96 words
    la s7, scratch
    li t0, AREA
    mul t0, t0, s1
    add s7, s7, t0              // The warp's area
    mv a0, s7
    li a1, 0                    // {a1, a0}: the area
    mv a3, s7                   // Odd: the area as a 32-bit address

    // 1. Scalar.
    li t1, 0x11223344
    add t1, t1, s1
    li t2, 0x55667788
    PAIR
    sw t1, 8(a3)                // Words 8 and 12
    PAIR
    sw t2, 16(a3)               // Odd: one word
    PAIR
    sw t1, 24(a0)               // 24 and 28
    PAIR
    sb t1, 33(a0)
    PAIR
    sh t2, 34(a0)
    vle32.v v8, (s7)            // The first words, as many as there are threads
    PUT v8
    addi t0, s7, 20
    vle32.v v8, (t0)
    PUT v8
    li a5, 5
    PAIR
    lw a4, 8(a3)
    PUT_X a4
    PUT_X a5
    PAIR
    lw a5, 24(a0)
    PUT_X a4
    PUT_X a5
    li a5, 6
    PAIR
    lh a4, 8(a0)
    PUT_X a4
    PUT_X a5
    mv a6, s7
    li a7, 0
    PAIR
    lw a6, 8(a6)                // Over its own base
    PUT_X a6
    PUT_X a7
    PAIR
    lw x0, 8(a3)                // The high word goes to x1
    PUT_X x1
    PAIR
    sw x0, 40(a0)               // {x1, 0}
    lw t0, 40(s7)
    lw t1, 44(s7)
    add t0, t0, t1
    PUT_X t0
    PUT_X x0
    addi a0, s7, 48
    PAIR
    lw a4, -24(a0)              // 24 and 28
    PUT_X a4
    PUT_X a5

    // 2. Each lane's own base.
    addi s9, s7, 256
    vsll.vi v10, v30, 3
    vadd.vx v2, v10, s9         // 8 bytes apart
    vmv.v.i v3, 0
    vmv.v.v v9, v2              // Odd
    PAIR
    vsw12.v v4, 0(v2)
    BACK2 s9
    PAIR
    vlw12.v v6, 0(v2)
    PUT2 v6, v7
    PAIR
    vlw12.v v6, -4(v2)
    PUT2 v6, v7
    OLD
    PAIR
    vlw12.v v7, 4(v9)           // Odd: one word
    PUT2 v6, v7
    PAIR
    vlhu12.v v6, 2(v2)
    PUT2 v6, v7
    PAIR
    vlw12.v v2, 0(v2)           // Over its own base
    PUT2 v2, v3
    PAIR
    vsb12.v v5, 1(v9)
    PAIR
    vsw12.v v5, 4(v9)           // Odd data
    BACK2 s9
    // Overlapping: 4 bytes upwards, 4 bytes downwards, anywhere.
    addi s9, s7, 768
    vsll.vi v10, v30, 2
    vadd.vx v9, v10, s9
    PAIR
    vsw12.v v4, 0(v9)
    BACK2 s9
    addi t1, s0, -1
    slli t1, t1, 2
    vrsub.vx v10, v10, t1
    addi s9, s7, 1280
    vadd.vx v9, v10, s9
    PAIR
    vsw12.v v4, 0(v9)
    BACK2 s9
    vmul.vv v10, v30, v30
    vsll.vi v11, v30, 1
    vadd.vv v10, v10, v11
    vsrl.vi v11, v10, 2
    vadd.vv v10, v10, v11
    vand.vi v10, v10, 7
    vsll.vi v10, v10, 2         // 4 * ((l * l + 2 * l) * 5 / 4 & 7)
    addi s9, s7, 1792
    vadd.vx v9, v10, s9
    PAIR
    vsw12.v v5, 4(v9)           // v5 is odd: one word
    PAIR
    vsw12.v v4, 0(v9)
    BACK2 s9
    PAIR
    vlw12.v v6, 0(v9)
    PUT2 v6, v7
    OLD
    // Upwards, even and odd lanes apart.
    li t1, 2304
    add s9, s7, t1
    slli t1, s0, 2
    vand.vi v10, v30, 1
    vmul.vx v10, v10, t1
    vsrl.vi v11, v30, 1
    vsll.vi v11, v11, 2
    vadd.vv v9, v10, v11
    vadd.vx v9, v9, s9
    PAIR
    vsw12.v v4, 0(v9)
    BACK2 s9

    // 3. Private memory.
    vmv.v.i v8, 4
    vmv.v.i v9, 0
    vmv.v.i v11, 12
    PAIR
    vsw.v v4, 4(v8)             // 8 and 12
    PAIR
    vsw.v v24, 12(v11)          // 24 and 28, odd base
    PAIR
    vsw.v v5, 20(v11)           // 32 alone
    .irp at, 8, 12, 24, 28, 32, 36
    vlw.v v10, \at(v9)
    PUT v10
    .endr
    PAIR
    vlw.v v6, 20(v8)            // 24 and 28
    PUT2 v6, v7
    OLD

    // 4. The V extension's loads and stores.
    addi a0, s7, 256
    addi a3, s7, 256
    PAIR
    vse32.v v4, (a3)            // 8 bytes apart
    BACK2 a3
    PAIR
    vle32.v v6, (a0), v0.t
    PUT2 v6, v7
    OLD
    PAIR
    vle32.v v7, (a3)            // Odd: 4 bytes apart
    PUT2 v6, v7
    OLD
    PAIR
    vle8.v v6, (a0)             // Narrow: 1 byte apart
    PUT2 v6, v7
    OLD
    li t1, 12
    mv a3, s8
    PAIR
    vlse32.v v6, (a3), t1       // Within the tables
    PUT2 v6, v7
    OLD
    slli t1, s0, 3
    addi t1, t1, -8
    add a0, s7, t1
    addi a0, a0, 256            // The last element
    li t1, -8
    PAIR
    vlse32.v v6, (a0), t1
    PUT2 v6, v7
    OLD
    addi a0, s7, 768
    li t1, 4
    PAIR
    vsse32.v v24, (a0), t1, v0.t
    BACK2 a0
    vsll.vi v8, v30, 3
    addi t1, s0, -1
    slli t1, t1, 3
    vrsub.vx v8, v8, t1
    addi a0, s7, 256
    PAIR
    vluxei16.v v6, (a0), v8
    PUT2 v6, v7
    addi a3, s7, 1280
    PAIR
    vsoxei32.v v6, (a3), v8
    BACK2 a3
    PAIR
    vluxei32.v v8, (a0), v8     // Over its own index
    PUT2 v8, v9
    OLD
    PAIR
    .insn i 0x07, 6, x0, 0(a0)  // vle32.v v0, (a0), v0.t: over its own mask
    PUT2 v0, v1
    vmv.v.v v0, v23
    // The base is negative, and the index brings it back: the upper half is 0.
    li a0, 0xf0000000
    li a1, -1
    li t1, 0x10000000
    add t1, t1, s7
    addi t1, t1, 256
    vsll.vi v8, v30, 3
    vadd.vx v8, v8, t1
    PAIR
    vluxei32.v v6, (a0), v8
    PUT2 v6, v7
    OLD
    // Lane 2 alone is below 4 GiB.
    addi a0, s7, 256
    li a1, 1
    li t1, 0x80000000
    vmseq.vi v0, v30, 2
    PAIR
    vlse32.v v6, (a0), t1, v0.t
    PUT2 v6, v7
    OLD
    vmv.v.v v0, v23
    // LMUL 2: narrow accesses only.
    li a1, 0
    vsetvli t0, x0, e32, m2, tu, mu
    PAIR
    vle8.v v6, (a0)
    PAIR
    vse16.v v4, (a0)
    vsetvli x0, s0, e32, m1, tu, mu
    PUT2 v6, v7
    OLD
    BACK2 a0

    // 5. Extended registers: x42, x46, v38, v68, v72.
    X_xxi addi, x42, s7, 0
    X_xxi addi, x43, x0, 0
    PAIR 0, 0, 1, 1
    lw a4, 8(a0)                // x46 and x47 from {x43, x42}
    X_xxx sub, a4, x47, x46
    PUT_X a4
    X_vvi vadd.vi, v68, v4, 3
    X_vvi vadd.vi, v69, v5, 4
    addi a3, s7, 256
    PAIR 2, 0, 0, 0
    vse32.v v4, (a3)            // v68 and v69
    vsll.vi v8, v30, 3
    X_vvi vadd.vi, v72, v8, 0
    PAIRI 2, 1
    vluxei8.v v6, (a3), v8      // v38 and v39, indices in v72
    X_vvv vsub.vv, v8, v39, v38
    PUT v8

    // 6. Hazards: upper registers of base and data on their way; results that a slow one must not overwrite.
    vsll.vi v8, v30, 3
    vadd.vx v2, v8, a3
    li t1, 40
    vmv.v.x v3, t1
    vdivu.vv v3, v30, v3        // 0
    PAIR
    vlw12.v v6, 0(v2)
    PUT2 v6, v7
    vdivu.vv v5, v24, v25
    PAIR
    vsw12.v v4, 0(v2)
    BACK2 a3
    vdivu.vv v7, v24, v25
    PAIR
    vlw12.v v6, 0(v2)
    vadd12.vi v8, v7, 1
    PUT v8
    li t1, 0x7fffffff
    li t2, 3
    addi a0, s7, 256
    li a1, 0
    div t2, t1, t2
    PAIR
    sw t1, 0(a0)
    div a1, x0, t1              // 0
    PAIR
    lw a4, 0(a0)
    PUT_X a4
    div a5, t1, t2
    PAIR
    lw a4, 0(a0)
    add a4, a4, a5
    PUT_X a4

    // 7. Local memory, and divergence.
    csrr a3, CSR_LDS
    slli t1, s1, 9
    add a3, a3, t1
    PAIR
    vse32.v v24, (a3)
    PAIR
    lw a4, 8(a3)
    sub a4, a4, a5
    PUT_X a4
    vsll.vi v8, v30, 2
    vadd.vx v9, v8, a3
    vand.vi v10, v30, 1
    vmv.v.i v11, 0
    vadd.vx v13, v8, s8
    RECONVERGE_AT merge
    vbne v10, v11, odd
    PAIR
    vsw12.v v4, 0(v9)           // Even lanes: apart
    j merge
odd:
    PAIR
    vlw12.v v6, 4(v13)
merge:
    join
    PUT2 v6, v7
    BACK2 a3
    endprg

    .bss
    .balign 128
scratch:
    .space WARPS * AREA

    OUT WARPS, ROWS
