// Workgroups whose registers nearly fill the register files, so that they wait for each other's, and every port of the
// files with numbers from one end of a warp's range to the other.
//
// Exercises: ranges of registers that do not divide the files, given back and taken again many times; registers next to
// those of another warp; scalar, vector, third, mask and pair operands of all warps; results of slow units that are
// written while other warps issue; warps of one workgroup that end far apart.

#include "karat.inc"

#define WARPS  2
#define GROUPS 20
#define ROWS   12
#define SGPRS  45               // 48 with the rest of the granule
#define VGPRS  165              // 168: three workgroups of two warps fit 1024 rows, and 16 rows are left

    PROFILE v2.02
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, sgprs=SGPRS, vgprs=VGPRS
    PROLOGUE ROWS

    // The first and the last registers, and others between, each with a value of its own: base + register, where base
    // is of the warp; vectors add the lane.
    addi s6, s5, 1              // x22
    slli s6, s6, 10
    vadd.vx v2, v30, s6
    .irp n, 32, 33, 40, 64, 96, 127, 128, 160, 163, 164
    addi x5, s6, \n
    X_vvx vadd.vx, v\n, v30, x5
    .endr
    .irp n, 32, 33, 40, 42, 43, 44
    X_xxi addi, x\n, x22, \n
    .endr
    andi t0, s5, 1
    vadd.vx v0, v30, t0         // Even and odd lanes in turn

    // Uneven work, so that workgroups end out of order and warps of one far apart.
    andi t0, s4, 3
    slli t1, s1, 2
    add t0, t0, t1
    slli t0, t0, 2
    vmv.v.i v3, 3
    vmv.v.v v4, v2
work:
    vdivu.vv v5, v4, v3
    vmacc.vv v4, v3, v5
    addi t0, t0, -1
    bgez t0, work
    PUT v4

    // Sums of what is there.
    X_vvv vadd.vv, v6, v32, v164
    PUT v6
    X_vvv vsub.vv, v6, v163, v33
    PUT v6
    X_xxx add, x7, x44, x32
    PUT_X x7
    X_xxx sub, x7, x33, x43
    PUT_X x7
    X_mvv vmacc.vv, v160, v30, v3       // The third operand: base + 160 + lane + 3 * lane
    X_vv vmv.v.v, v6, v160
    PUT v6
    vmv.v.i v7, 0
    X_vvv vadd.vv, v7, v127, v128, v0.t // The mask
    PUT v7
    X_vvv vdivu.vv, v96, v164, v3       // A slow result into the range, and a quick one after it
    X_vvv vadd.vv, v64, v40, v164
    X_vvv vsub.vv, v6, v96, v64
    PUT v6

    // Pairs: a stored one of scalars, one of vectors, a 64-bit base.
    la s7, scratch              // x23
    slli t1, s5, 9
    add s7, s7, t1              // The warp's 512 bytes
    regpair x0, x0, 1 << 6      // {x43, x42}
    .insn s 0x23, 2, x10, 0(s7) // sw x42, 0(s7): the base is odd
    lw t1, 4(s7)
    lw t2, 0(s7)
    slli t1, t1, 1
    sub t1, t1, t2
    PUT_X t1
    vsll.vi v9, v30, 3
    vadd.vx v9, v9, s7          // Odd: 32-bit addresses
    regpair x0, x0, 1 << 6      // {v33, v32}
    vsw12.v v0, 64(v9)          // vs2 is v32
    vlw12.v v6, 64(v9)
    PUT v6
    vlw12.v v6, 68(v9)
    PUT v6
    X_xxi addi, x40, x23, 0
    X_xxi addi, x41, x0, 0      // {x41, x40}
    regpair x0, x0, 1 << 3
    .insn i 0x03, 2, x7, x8, 4  // lw x7, 4(x40)
    PUT_X x7
    endprg

    .bss
    .balign 512
scratch:
    .space GROUPS * WARPS * 512

    OUT GROUPS * WARPS, ROWS
