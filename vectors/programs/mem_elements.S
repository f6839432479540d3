// Vector loads and stores of narrow elements, and narrow indices.
//
// Exercises: vle8/16, vlse8/16 (zero-extended into 32-bit elements), vse8/16, vsse8/16 (low bits stored, the bytes
// around them kept), strides of both signs, vluxei/vloxei and vsuxei/vsoxei 8/16/32 with indices whose upper bits must
// not count and whose top bit is no sign, lanes that store to one word in order; masked, with short vl, in LDS.

#include "karat.inc"
#include "corners.inc"

#define WARPS 2
#define ROWS  33
#define AREA  2048              // Scratch of a warp

// A masked load on top of v2, stored as a row.
.macro MASKED op, operands:vararg
    vmv.v.v v6, v2
    \op v6, \operands, v0.t
    PUT v6
.endm
.macro ROW at
    vle32.v v6, (\at)
    PUT v6
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, lds=WARPS*256
    PROLOGUE ROWS
    slli s6, s1, 4
    CORNER v1, corners_a, s6
    CORNER v2, corners_b, s6
    CORNER v0, corners_c, s6
    la s8, corners_a            // 384 bytes: three tables, one after the other
    la s7, scratch
    li t0, AREA
    mul t0, t0, s1
    add s7, s7, t0              // The warp's area

    // 1. Unit-stride loads.
    add t0, s8, s1
    addi t0, t0, 75             // Bytes from 75 + warp on
    vle8.v v6, (t0)
    PUT v6
    slli t1, s1, 1
    add t0, s8, t1
    addi t0, t0, 50
    vle16.v v6, (t0)
    PUT v6
    MASKED vle8.v, (s8)
    MASKED vle16.v, (t0)

    // 2. Strided loads: forward, backward, one byte for all.
    li t1, 3
    vlse8.v v6, (s8), t1
    PUT v6
    addi t0, s8, 196
    li t1, -6
    vlse16.v v6, (t0), t1
    PUT v6
    addi t0, s8, 11
    vlse8.v v6, (t0), x0
    PUT v6
    li t1, -5
    addi t0, s8, 160
    MASKED vlse8.v, (t0), t1
    li t1, 10
    MASKED vlse16.v, (s8), t1

    // 3. Stores on top of words.
    vse32.v v1, (s7)
    vse8.v v2, (s7)
    ROW s7
    addi t0, s7, 128
    vse32.v v1, (t0)
    addi t1, t0, 2
    vse16.v v2, (t1)
    ROW t0
    addi t0, s7, 256
    vse32.v v1, (t0)
    addi t1, t0, 1
    li t2, 5
    vsse8.v v2, (t1), t2        // Up to byte 156
    ROW t0
    addi t0, t0, 128
    ROW t0
    addi t0, s7, 512
    vse32.v v1, (t0)
    slli t1, s0, 1
    addi t1, t1, -2
    add t1, t1, t0
    li t2, -2
    vsse16.v v2, (t1), t2, v0.t
    ROW t0
    vse8.v v2, (t0), v0.t
    ROW t0
    vse16.v v1, (t0), v0.t
    ROW t0

    // 4. Indexed loads: word (7 * lane + warp) & 63 of the tables. Upper bits of the indices do not count.
    vsll.vi v5, v30, 3
    vsub.vv v5, v5, v30
    vadd.vx v5, v5, s1
    li t0, 63
    vand.vx v5, v5, t0
    vsll.vi v5, v5, 2
    li t0, 0xabcdef00
    vadd.vx v7, v5, t0
    vluxei8.v v6, (s8), v7
    PUT v6
    MASKED vloxei8.v, (s8), v7
    li t0, 0xdeed8000
    vadd.vx v7, v5, t0
    li t1, 0x8000
    sub t1, s8, t1              // The index has its top bit set
    vluxei16.v v6, (t1), v7
    PUT v6
    MASKED vloxei16.v, (t1), v7
    vloxei32.v v6, (s8), v5
    PUT v6
    MASKED vluxei32.v, (s8), v5

    // 5. Indexed stores of words, in reverse.
    addi t2, s0, -1
    slli t2, t2, 2
    vsll.vi v8, v30, 2
    vrsub.vx v8, v8, t2
    addi t0, s7, 1024
    addi t1, t0, 128
    li t3, 0x5580
    vadd.vx v9, v8, t3          // Index 128 and more
    vsuxei8.v v1, (t0), v9
    ROW t1
    vsoxei8.v v2, (t0), v9, v0.t
    ROW t1
    li t1, 0x9000
    sub t4, t0, t1
    vadd.vx v9, v8, t1
    li t3, 0x7fff0000
    vor.vx v9, v9, t3
    vsuxei16.v v2, (t4), v9
    ROW t0
    vsoxei16.v v1, (t4), v9, v0.t
    ROW t0
    vsoxei32.v v1, (t0), v8
    ROW t0
    li t1, 0x1200
    vmv.v.x v9, t1
    vsoxei8.v v2, (t0), v9      // All to one word: the highest lane's stays
    lw t1, 0(t0)
    PUT_X t1
    vsoxei8.v v1, (t0), v9, v0.t
    lw t1, 0(t0)
    PUT_X t1

    // 6. vl = 3.
    addi t0, s7, 1536
    vse32.v v1, (t0)
    vmv.v.i v6, 5
    vmv.v.i v7, 6
    vsetivli x0, 3, e32, m1, tu, mu
    vle16.v v6, (s8)
    vluxei8.v v7, (s8), v5
    vse8.v v2, (t0)
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v6
    PUT v7
    ROW t0

    // 7. Local memory.
    csrr t0, CSR_LDS
    slli t1, s1, 8
    add t0, t0, t1
    vse32.v v1, (t0)
    addi t1, t0, 6
    vse16.v v2, (t1)
    vle8.v v6, (t1)
    PUT v6
    endprg

    .bss
    .balign 128
scratch:
    .space WARPS * AREA

    OUT WARPS, ROWS
