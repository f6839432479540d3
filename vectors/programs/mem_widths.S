// Loads and stores of every kind and width, vector and scalar, but private ones (private.S).
//
// Exercises: V*12 with sign and zero extension and offsets at both ends; scalar loads and stores; unit-stride, strided
// (positive, negative, zero) and indexed accesses, masked, under divergence, and with vl shorter than num_thread;
// stores that change only their bytes; elements that must keep their value; offsets on a wrapping base.

#include "karat.inc"
#include "corners.inc"

#define WARPS 2
#define ROWS  51
#define AREA  4096              // Scratch of a warp

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0
    slli s6, s1, 4
    CORNER v1, corners_a, s6
    CORNER v2, corners_b, s6
    CORNER v0, corners_c, s6
    la s7, scratch
    li t0, AREA
    mul t0, t0, s1
    add s7, s7, t0              // The warp's area
    vsll.vi v3, v30, 2
    vadd.vx v4, v3, s7          // Address of the thread's word
    la s8, corners_a

    // 1. V*12. Loads from the corners, at places that differ by thread: word (7 * lane + warp) & 31.
    vsll.vi v5, v30, 3
    vsub.vv v5, v5, v30
    vadd.vx v5, v5, s1
    li t0, 31
    vand.vx v5, v5, t0
    vsll.vi v5, v5, 2
    vadd.vx v5, v5, s8
    vlw12.v v6, 0(v5)
    PUT v6
    .irp at, 0, 1, 2, 3
    vlb12.v v6, \at(v5)
    PUT v6
    vlbu12.v v6, \at(v5)
    PUT v6
    .endr
    .irp at, 0, 2
    vlh12.v v6, \at(v5)
    PUT v6
    vlhu12.v v6, \at(v5)
    PUT v6
    .endr
    // Offsets at both ends; the base is off by as much.
    li t0, 2048
    vadd.vx v7, v5, t0
    vlw12.v v6, -2048(v7)
    PUT v6
    vadd.vi v7, v7, 1
    vlhu12.v v6, -2047(v7)      // Halfword at +2
    PUT v6
    li t0, -2047
    vadd.vx v7, v5, t0
    vlbu12.v v6, 2047(v7)
    PUT v6
    // Stores: a word, then parts of it.
    vsw12.v v1, 0(v4)
    vsb12.v v2, 1(v4)
    vlw12.v v6, 0(v4)
    PUT v6
    vsh12.v v2, 2(v4)
    vlw12.v v6, 0(v4)
    PUT v6
    vsb12.v v30, 0(v4)
    vsb12.v v30, 3(v4)
    vlw12.v v6, 0(v4)
    PUT v6
    li t0, 2048 - 128
    vadd.vx v7, v4, t0
    vsw12.v v2, -1920(v7)       // 0
    vsh12.v v1, -1918(v7)       // 2
    vlw12.v v6, 0(v4)
    PUT v6
    vadd12.vi v7, v4, 1
    vsb12.v v1, 2047(v7)        // Byte 2048 of the area's row
    vlw12.v v6, 2047(v7)
    PUT v6

    // 2. vle32, vse32.
    vle32.v v6, (s8)
    PUT v6
    addi t0, s7, 256
    vse32.v v1, (t0)
    vmv.v.v v6, v2
    vle32.v v6, (t0), v0.t
    PUT v6
    vse32.v v2, (t0), v0.t
    vle32.v v6, (t0)
    PUT v6

    // 3. Strided: forward by 8, backward by 4, not at all.
    addi t0, s7, 512
    li t1, 8
    vsse32.v v1, (t0), t1
    vlse32.v v6, (t0), t1
    PUT v6
    vle32.v v6, (t0)            // Words in between are 0
    PUT v6
    addi t2, s0, -1
    slli t2, t2, 3
    add t2, t0, t2              // The last one
    li t3, -8
    vlse32.v v6, (t2), t3
    PUT v6
    vsse32.v v2, (t2), t3, v0.t
    vlse32.v v6, (t0), t1
    PUT v6
    li t3, 4
    addi t2, s8, 12
    vlse32.v v6, (t2), x0       // One word for all
    PUT v6
    vmv.v.v v6, v2
    vlse32.v v6, (t2), x0, v0.t
    PUT v6
    vlse32.v v6, (s8), t3
    PUT v6

    // 4. Indexed: the index is unsigned, a byte offset, and differs by thread.
    addi t2, s0, -1
    slli t2, t2, 2
    vrsub.vx v7, v3, t2         // Reversed
    vluxei32.v v6, (s8), v7
    PUT v6
    addi t0, s7, 1024
    vsuxei32.v v1, (t0), v7
    vle32.v v6, (t0)
    PUT v6
    vsuxei32.v v2, (t0), v7, v0.t
    vle32.v v6, (t0)
    PUT v6
    vmv.v.v v6, v30
    vluxei32.v v6, (t0), v7, v0.t
    PUT v6
    // The sum wraps: base 16 above what is meant, index 16 less than 0.
    addi t1, t0, 16
    vadd.vi v8, v7, -16
    vluxei32.v v6, (t1), v8
    PUT v6

    // 5. Under divergence: odd lanes load and store one way, even lanes another.
    vand.vi v8, v30, 1
    addi t0, s7, 1280
    addi t1, s7, 1408
    li t2, 4
    RECONVERGE_AT merge, t3
    vbne v8, v10, odd
    vle32.v v6, (s8)
    vse32.v v6, (t0)
    vsuxei32.v v6, (t1), v7
    j merge
odd:
    vlse32.v v6, (s8), t2
    vadd.vi v6, v6, 1
    vsse32.v v6, (t0), t2
    vadd.vx v9, v3, t1
    vsw12.v v6, 128(v9)
merge:
    join
    PUT v6
    vle32.v v6, (t0)
    PUT v6
    vle32.v v6, (t1)
    PUT v6
    addi t1, t1, 128
    vle32.v v6, (t1)
    PUT v6

    // 6. vl = 3: lanes beyond it neither load nor store.
    addi t0, s7, 1664
    vse32.v v2, (t0)
    vmv.v.i v6, 5
    vmv.v.i v8, 6
    vmv.v.i v9, 7
    vadd.vx v11, v3, t0
    vsetivli x0, 3, e32, m1, tu, mu
    vle32.v v6, (s8)
    vluxei32.v v8, (s8), v7
    vlw12.v v9, 0(v5)
    vse32.v v1, (t0)
    vsb12.v v30, 1(v11)
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v6
    PUT v8
    PUT v9
    vle32.v v6, (t0)
    PUT v6
    vsetivli x0, 0, e32, m1, tu, mu // Nothing at all
    vmv.v.i v6, 1
    vsw12.v v6, 0(v11)
    vse32.v v6, (t0)
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v6
    vle32.v v6, (t0)
    PUT v6

    // 7. Scalar. The word is 0x9abcdef0 or, in warp 1, its complement.
    addi t0, s7, 1792
    lw t1, 76(s8)
    neg t2, s1
    xor t1, t1, t2
    sw t1, 0(t0)
    lb t2, 0(t0)
    lbu t3, 1(t0)
    sub t2, t2, t3
    lb t3, 2(t0)
    slli t2, t2, 4
    add t2, t2, t3
    lbu t3, 3(t0)
    slli t2, t2, 4
    xor t2, t2, t3
    PUT_X t2
    lh t2, 0(t0)
    lhu t3, 2(t0)
    slli t2, t2, 8
    xor t2, t2, t3
    lhu t3, 0(t0)
    lh t4, 2(t0)
    add t2, t2, t3
    add t2, t2, t4
    PUT_X t2
    sb t2, 1(t0)
    lw t3, 0(t0)
    PUT_X t3
    sh t2, 2(t0)
    lw t3, 0(t0)
    PUT_X t3
    li t4, 2047
    add t4, t0, t4
    sb t3, -2047(t4)
    addi t4, t0, -2047
    sb t2, 2047(t4)
    sb t2, -4(t0)
    lw t3, -4(t0)
    lw t4, 0(t0)
    slli t3, t3, 8
    add t3, t3, t4
    PUT_X t3
    endprg

    .bss
    .balign 128
scratch:
    .space WARPS * AREA

    OUT WARPS, ROWS
