// The A extension: AMOs, LR and SC, in device memory and in LDS.
//
// Exercises: all AMOs on corner operands, with and without .aq and .rl; results over the address or the operand, and to
// x0; loads and stores directly after; LR and SC that succeed and fail for every reason, from the warp itself and, with
// barriers between, from other warps: stores, bytes, vector stores of any lane, AMOs and SCs break a reservation, loads,
// LRs, failing SCs and stores to other words, also to those at the same place of another page, do not; a reservation that
// a warp leaves behind; REGPAIR.

#include "karat.inc"
#include "corners.inc"

#define WARPS  4
#define GROUPS 3
#define AREA   64               // Own bytes of a warp
#define PAGE   1024             // Of local memory
#define SHARED (128 + PAGE)     // Bytes of a workgroup
#define ROWS   52

// s10 collects the operation's results and what it leaves, at s9.
.macro EACH op
    li s10, 0
    li s8, 0
1:  CORNER_X t2, corners_b, s8
    add t3, s8, s1
    CORNER_X t4, corners_a, t3
    sw t4, 0(s9)
    \op t3, t2, (s9)
    lw t4, 0(s9)
    slli t5, s10, 1
    add s10, s10, t5
    add s10, s10, t3
    slli t5, s10, 1
    add s10, s10, t5
    add s10, s10, t4
    addi s8, s8, 3
    li t5, 33
    bne s8, t5, 1b
    PUT_X s10
.endm

.macro NOTE
    slli s10, s10, 1
    add s10, s10, t2
.endm
// Reservations of the warp's own words at a, and one elsewhere at b.
.macro RESERVE a, b
    li s10, 0
    li t1, 100
    sw t1, 0(\a)
    sw t1, 4(\a)
    sw t1, 0(\b)
    li t3, 7
    sc.w t2, t3, (\a)           // 1: none
    NOTE
    lr.w t1, (\a)
    addi t1, t1, 1
    sc.w t2, t1, (\a)           // 0
    NOTE
    sc.w t2, t3, (\a)           // 1: used up
    NOTE
    addi t4, \a, 4
    lr.w t1, (\a)
    sc.w t2, t3, (t4)           // 1: another word
    NOTE
    sc.w t2, t3, (\a)           // 1: that SC ended it
    NOTE
    lr.w t1, (\a)
    addi t5, \a, PAGE
    sc.w t2, t3, (t5)           // 1: a page further on
    NOTE
    lr.w t1, (\a)
    lr.w t1, (t4)
    sc.w t2, t3, (\a)           // 1: moved
    NOTE
    lr.w t1, (\a)
    lr.w t1, (t4)
    addi t1, t1, 5
    sc.w t2, t1, (t4)           // 0
    NOTE
    lr.w t1, (\a)
    sw t3, 0(\a)
    lw t5, 0(\a)
    addi t5, t5, 1
    sc.w t2, t5, (\a)           // 0: an own store
    NOTE
    lr.w t1, (\a)
    amoadd.w t5, t3, (\a)
    sc.w t2, t5, (\a)           // 0: an own AMO
    NOTE
    lr.w t1, (\a)
    sb t3, 5(\a)
    sc.w t2, t1, (\a)           // 0
    NOTE
    lr.w t1, (\a)
    lr.w t1, (\b)
    sc.w t2, t3, (\a)           // 1: moved to the other memory
    NOTE
    lr.w t1, (\b)
    lr.w t1, (\a)
    sc.w t2, t3, (\b)           // 1
    NOTE
    sc.w t2, t3, (\a)           // 1
    NOTE
    lr.w.aq t1, (\a)
    sc.w.rl x0, t3, (\a)        // Succeeds
    lw t1, 0(\a)
    lw t4, 4(\a)
    lw t5, 0(\b)
    PUT_X s10
    PUT_X t1
    PUT_X t4
    PUT_X t5
.endm

// The warps of a workgroup reserve a word each; then each does something to its neighbour's.
.macro CROSS base
    slli t0, s1, 4
    add a2, \base, t0           // The own word
    addi t0, s1, WARPS - 1
    andi t0, t0, WARPS - 1
    slli t0, t0, 4
    add a3, \base, t0           // The one of the warp before
    li t1, 50
    sw t1, 0(a2)
    sw t1, 4(a2)
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    lr.w t1, (a2)
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    li t1, 51
    vmv.v.x v5, a3
    vmv.v.x v6, t1
    addi t0, s1, -1
    bltz t0, 1f
    beqz t0, 2f
    addi t0, t0, -1
    beqz t0, 3f
    lr.w t1, (a3)
    addi t1, t1, 4
    sc.w t2, t1, (a3)
    j 4f
1:  vsw12.v v6, 0(v5)
    j 4f
2:  sb t1, 2(a3)
    j 4f
3:  amoor.w x0, x0, (a3)
4:  barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    li t1, 60
    sc.w t2, t1, (a2)
    PUT_X t2
    lw t1, 0(a2)
    PUT_X t1
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    lr.w t1, (a2)
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    addi t0, s1, -1
    bltz t0, 1f
    beqz t0, 2f
    addi t0, t0, -1
    beqz t0, 3f
    lr.w t1, (a3)
    j 4f
1:  lw t1, 0(a3)
    j 4f
2:  sw t1, 4(a3)
    j 4f
3:  sc.w t2, t1, (a3)
4:  barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    li t1, 70
    sc.w t2, t1, (a2)
    PUT_X t2
    lw t1, 0(a2)
    PUT_X t1
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    lr.w t1, (a2)
    barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    li t1, 71
    vmv.v.x v6, t1
    addi t0, s1, -1
    bltz t0, 1f
    beqz t0, 2f
    addi t0, t0, -1
    beqz t0, 3f
    vadd.vi v5, v30, -1
    vmsleu.vi v0, v5, 1
    addi a3, a3, -4
    vse32.v v6, (a3), v0.t      // Lanes 1 and 2: the word and the one after it
    j 4f
1:  vmseq.vi v0, v30, 3
    addi a3, a3, -12
    vse32.v v6, (a3), v0.t      // Lane 3 alone
    j 4f
2:  sw t1, PAGE(a3)             // Another page
    j 4f
3:  addi a3, a3, PAGE
    amoadd.w x0, t1, (a3)
4:  barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    li t1, 80
    sc.w t2, t1, (a2)
    PUT_X t2
    lw t1, 0(a2)
    PUT_X t1
    // A counter that the warps add to in turn.
    addi a2, \base, WARPS * 16
    li s8, 0
5:  bne s8, s1, 6f
    addi t1, s1, 5
    amoadd.w s10, t1, (a2)
6:  barrier x0, x0, FENCE_LOCAL | FENCE_GLOBAL
    addi s8, s8, 1
    li t0, WARPS
    bne s8, t0, 5b
    PUT_X s10
.endm

    PROFILE v2.02
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, lds=WARPS*AREA+SHARED, sgprs=32, vgprs=32
    PROLOGUE ROWS, GROUPS
    // The slot's last warp reserved this word.
    la a6, common
    li t1, 77
    sc.w t2, t1, (a6)
    PUT_X t2
    la s6, area
    li t0, AREA
    mul t0, t0, s5
    add s6, s6, t0              // The warp's words
    csrr s7, CSR_LDS
    li t0, AREA
    mul t0, t0, s1
    add s7, s7, t0              // The words in LDS

    // 1. AMOs.
    mv s9, s6
    .irp op, swap, add, xor, and, or, min, max, minu, maxu
    EACH amo\op\().w
    .endr
    mv s9, s7
    .irp op, swap, add, xor, and, or, min, max, minu, maxu
    EACH amo\op\().w.aqrl
    .endr

    // 2. Results in registers that the AMO reads, and other accesses close to it.
    .irp base, s6, s7
    addi t4, \base, 8
    li t1, 40
    sw t1, 8(\base)
    amoadd.w x0, t1, (t4)
    mv t5, t4
    amoadd.w t5, t1, (t5)
    PUT_X t5                    // 80
    li t2, 6
    amoxor.w t2, t2, (t4)
    PUT_X t2                    // 120
    vmv.v.x v5, t4
    amoadd.w.rl x0, t2, (t4)
    vlw12.v v6, 0(v5)
    PUT v6                      // 126 + 120
    mv a0, t4
    li a1, 0
    regpair x0, x0, 0
    amoswap.w t5, t2, (a0)
    regpair x0, x0, 0
    lr.w t1, (t4)
    regpair x0, x0, 0
    sc.w t2, t5, (a0)
    add t2, t2, t1
    PUT_X t2                    // 120
    lw t1, 8(\base)
    PUT_X t1                    // 246
    .endr

    // 3. LR and SC.
    RESERVE s6, s7
    RESERVE s7, s6
    sw x0, 0(s6)
    li s8, 5
1:  lr.w t1, (s6)
    addi t1, t1, 3
    sc.w t2, t1, (s6)
    bnez t2, 1b
    addi s8, s8, -1
    bnez s8, 1b
    lw t1, 0(s6)
    PUT_X t1

    // 4. Between warps.
    la s9, shared
    li t0, SHARED
    mul t0, t0, s4
    add s9, s9, t0
    CROSS s9
    csrr s9, CSR_LDS
    addi s9, s9, WARPS * AREA
    CROSS s9

    lr.w t1, (a6)               // Left behind
    endprg

    .bss
    .balign 128
common:
    .space 128
area:
    .space WARPS * GROUPS * AREA + PAGE
    .balign 128
shared:
    .space GROUPS * SHARED

    OUT WARPS*GROUPS, ROWS
