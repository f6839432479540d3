// LMUL 2: groups of two registers, twice as many elements.
//
// Exercises: vset* with m2, vl up to and between whole registers; arithmetic of every unit, compares, merges, carries,
// mask logic, moves and vid on groups; masks in v0 and v1; saturation in the second register only; loads and stores of
// all forms; scalars from odd registers; divergence; hazards on either register; REGEXT; custom instructions, which work
// on one register.

#include "karat.inc"
#include "corners.inc"

#define WARPS 2
#define ROWS  115
#define AREA  2048              // Scratch of a warp

.macro M1
    vsetvli x0, s0, e32, m1, tu, mu
.endm
.macro M2
    vsetvli t0, x0, e32, m2, tu, mu
.endm
// Store a group or a scalar. PUT works on single registers.
.macro OUT2 even, odd
    M1
    PUT \even
    PUT \odd
    M2
.endm
.macro OUT_X rs
    M1
    PUT_X \rs
    M2
.endm
// Into v8, on top of v6.
.macro EACH op, operands:vararg
    vmv.v.v v8, v6
    \op v8, \operands
    OUT2 v8, v9
.endm
.macro BACK at
    vle32.v v8, (\at)
    OUT2 v8, v9
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, lds=WARPS*256
    PROLOGUE ROWS
    slli s6, s1, 4
    CORNER v2, corners_a, s6
    CORNER v3, corners_a, s6, 11
    CORNER v4, corners_b, s6
    CORNER v5, corners_b, s6, 11
    CORNER v6, corners_a, s6, 5
    CORNER v7, corners_b, s6, 3
    CORNER v0, corners_c, s6
    CORNER v1, corners_c, s6, 11
    CORNER_X a6, corners_b, s6, 8
    la s8, corners_a            // 96 words: three tables, one after the other
    la s7, scratch
    li t0, AREA
    mul t0, t0, s1
    add s7, s7, t0              // The warp's area
    csrwi vxrm, 1

    // 1. vl and vtype.
    slli s10, s0, 1             // 2 * num_thread
    .irp more, -1, 0, 1
    addi t1, s10, \more
    vsetvli t1, t1, e32, m2, ta, ma
    csrr t2, vl
    csrr t3, vtype
    M1
    PUT_X t1
    PUT_X t2
    PUT_X t3
    .endr
    vsetivli t1, 31, e32, m2, tu, mu
    li t2, -1
    vsetvli t2, t2, e32, m2, tu, mu
    vsetvli x0, x0, e32, m1, tu, mu     // Cut to num_thread
    csrr t3, vl
    li t4, 0x51
    vsetvl t4, s0, t4           // e32, m2, ta
    csrr t5, vtype
    M1
    PUT_X t1
    PUT_X t2
    PUT_X t3
    PUT_X t4
    PUT_X t5
    vsetvli t1, s0, e32, m4, tu, mu
    csrr t2, vl
    M1
    PUT_X t1
    PUT_X t2

    // 2. Arithmetic.
    M2
    EACH vadd.vv, v2, v4
    EACH vsub.vx, v2, a6
    EACH vrsub.vi, v2, -7
    EACH vadd.vv, v2, v4, v0.t
    EACH vsra.vi, v2, 3, v0.t
    EACH vmul.vv, v2, v4
    EACH vmulh.vx, v2, a6, v0.t
    EACH vdivu.vv, v2, v4
    EACH vrem.vx, v2, a6, v0.t
    EACH vmacc.vv, v2, v4
    EACH vnmsub.vv, v2, v4, v0.t
    EACH vmslt.vv, v2, v4
    EACH vmsleu.vx, v2, a6, v0.t
    EACH vmerge.vvm, v2, v4, v0
    EACH vadc.vxm, v2, a6, v0
    EACH vmadc.vvm, v2, v4, v0
    EACH vmxnor.mm, v2, v4
    EACH vmv.v.x, a6
    EACH vmv.s.x, a6
    EACH vsadd.vv, v2, v4
    EACH vssra.vv, v2, v4, v0.t
    vid.v v8
    OUT2 v8, v9
    vmv.v.v v8, v6
    vid.v v8, v0.t
    OUT2 v8, v9
    // Saturation of the second register alone.
    M1
    vmv.v.i v10, 0
    li t0, 0x80000000
    vmv.v.x v11, t0
    M2
    csrwi vxsat, 0
    vsadd.vv v8, v10, v10
    csrrwi t1, vxsat, 0
    OUT_X t1
    vsmul.vv v8, v10, v10
    csrr t1, vxsat
    OUT_X t1
    // A scalar comes from one register, odd ones too.
    M1
    vmv.v.x v13, a6
    M2
    vmv.x.s t1, v13
    OUT_X t1

    // 3. vl between and below whole registers.
    li a1, 1
    addi a2, s0, -1
    addi a3, s0, 1
    addi a4, s10, -1
    .irp avl, a1, a2, s0, a3, a4
    vmv.v.v v8, v6
    vsetvli x0, \avl, e32, m2, tu, mu
    vadd.vv v8, v2, v4
    vmul.vv v8, v8, v4, v0.t
    M2
    OUT2 v8, v9
    .endr

    // 4. Memory.
    BACK s8
    vse32.v v2, (s7)
    vle8.v v8, (s7)
    OUT2 v8, v9
    addi t1, s7, 1
    vse8.v v4, (t1)
    BACK s7
    addi t1, s7, 2
    vse16.v v4, (t1), v0.t
    BACK s7
    slli t2, s0, 3
    addi s6, t2, -4             // The last word's offset
    add t2, s6, s7
    li t1, -4
    vlse32.v v8, (t2), t1
    OUT2 v8, v9
    vmv.v.v v8, v6
    li t1, 6
    vlse16.v v8, (s8), t1, v0.t
    OUT2 v8, v9
    addi t1, s7, 1024
    li t2, 8
    vsse32.v v2, (t1), t2
    BACK t1
    vsse32.v v4, (t1), x0       // All to one word: the last element's stays
    lw t1, 0(t1)
    OUT_X t1
    vid.v v10
    vsll.vi v10, v10, 2
    vrsub.vx v10, v10, s6       // Reversed
    vluxei8.v v8, (s7), v10
    OUT2 v8, v9
    addi s6, s7, 512
    vsuxei32.v v2, (s6), v10
    BACK s6
    vsoxei16.v v4, (s6), v10, v0.t
    BACK s6
    vmv.v.i v12, 4
    vsoxei8.v v2, (s6), v12
    lw t1, 4(s6)
    OUT_X t1
    vluxei32.v v10, (s7), v10   // Over its index
    OUT2 v10, v11
    csrr t1, CSR_LDS
    slli t2, s1, 8
    add t1, t1, t2
    vse32.v v4, (t1)
    vle16.v v8, (t1)
    OUT2 v8, v9

    // 5. Under divergence.
    addi t1, s7, 512
    vse32.v v6, (t1)
    vmv.v.v v8, v6
    M1
    vmv.v.i v14, 0
    vand.vi v15, v30, 1
    RECONVERGE_AT merge
    vbne v15, v14, odd
    M2
    vadd.vv v8, v2, v4
    vse32.v v2, (t1)
    j merge
odd:
    M2
    vsub.vv v8, v2, v4, v0.t
    vse32.v v4, (t1), v0.t
merge:
    join
    M2
    OUT2 v8, v9
    BACK t1

    // 6. Hazards: a write after a slow one, either register alone, a mask that is on its way.
    vdivu.vv v8, v2, v4
    vadd.vv v8, v2, v2
    OUT2 v8, v9
    vle32.v v8, (s7)
    vadd12.vi v12, v9, 1
    vadd12.vi v13, v8, 2
    OUT2 v12, v13
    vmv.v.v v10, v6
    vmul.vv v0, v2, v4
    vadd.vv v10, v2, v4, v0.t
    OUT2 v10, v11
    .rept 3
    vmul.vv v8, v8, v4
    vadd.vv v8, v8, v2
    .endr
    OUT2 v8, v9

    // 7. After REGEXT.
    X_vvv vadd.vv, v64, v2, v4
    X_vvv vsub.vv, v130, v64, v6
    vmv.v.v v8, v6
    X_vvv vadd.vv, v8, v130, v64, v0.t
    OUT2 v8, v9
    endprg

    .bss
    .balign 128
scratch:
    .space WARPS * AREA

    OUT WARPS, ROWS
