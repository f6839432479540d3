// 16-bit floats, packed and converted, from bit patterns of both formats: numbers, subnormals, infinities, NaNs of both kinds.
//
// Exercises: every row of the packed and converting instructions, the widening conversions, masked too; flags; results in both halves.

#include "karat.inc"

#define WARPS 2
#define TURNS 8
#define ROWS  (TURNS * 20)

    PROFILE public
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    la s6, pattern
    vsll.vi v10, v30, 2
    vadd.vx v10, v10, s6
    vlw12.v v1, 0(v10)          // A pattern a lane, and another one in each turn
    li s7, 0
    li s8, TURNS
    li s9, 0x3f5a2b1d
turn:
    vmul.vx v2, v1, s9
    vadd.vx v2, v2, s7
    vxor.vx v3, v1, s2
    shuffle.bfly v4, v1, 1
    .irp op, vadd.f16x2, vmul.f16x2, vadd.bf16x2, vmul.bf16x2
    \op v5, v1, v4
    PUT v5
    .endr
    .irp op, vfma.f16x2, vfma.bf16x2
    vmv.v.v v5, v3
    \op v5, v4, v2
    PUT v5
    vmv.v.v v5, v1
    \op v5, v4, v1
    PUT v5
    .endr
    .irp op, vcvt.fp32.fp16, vcvt.fp16.fp32, vcvt.fp32.bf16, vcvt.bf16.fp32
    \op v5, v1
    PUT v5
    .endr
    vcvt.bf16.fp32 v5, v2
    PUT v5
    vcvt.fp16.fp32 v5, v3
    PUT v5
    csrr t0, fflags
    PUT_X t0
    csrwi fflags, 0
    .irp op, f.f.v, f.x.v, f.xu.v, x.f.v, xu.f.v
    vfwcvt.\op v5, v1
    PUT v5
    .endr
    PUT_FLUSH
    vid.v v0
    vfwcvt.rtz.x.f.v v5, v4, v0.t
    vadd.vv v1, v1, v2
    addi s7, s7, 5
    addi s8, s8, -1
    bnez s8, turn

    // One operand pair in all lanes: flags of each operation.
    li s8, 0
same:
    .irp reg, 1, 2, 3
    addi t0, s8, (\reg - 1) * 11 * 4
    andi t0, t0, 127
    add t0, t0, s6
    lw t0, 0(t0)
    vmv.v.x v\reg, t0
    .endr
    csrwi fflags, 0
    .irp op, vadd.f16x2, vmul.f16x2, vfma.f16x2, vadd.bf16x2, vmul.bf16x2, vfma.bf16x2
    vmv.v.v v5, v3
    \op v5, v1, v2
    csrrwi t0, fflags, 0
    .endr
    .irp op, vcvt.fp32.fp16, vcvt.fp16.fp32, vcvt.fp32.bf16, vcvt.bf16.fp32, vfwcvt.f.f.v, vfwcvt.x.f.v, vfwcvt.f.x.v
    \op v5, v1
    csrrwi t0, fflags, 0
    .endr
    addi s8, s8, 4
    li t0, 128
    bne s8, t0, same
    // One after the other, of warps with other lanes.
    sub t0, s0, s1
    vsetvli t0, t0, e32, m1, ta, ma
    .rept 4
    .irp reg, 5, 6, 7, 8, 9, 11, 12, 13
    vadd.f16x2 v\reg, v1, v2
    .endr
    .endr
    endprg

    .data
    .balign 4
pattern:    // Of both formats: one, subnormals, largest, infinities, signaling and quiet NaNs, ties
    .4byte 0x3c003f80, 0x00018001, 0x7bff7f7f, 0x7c007f80, 0xfc00ff80, 0x7e007fc0, 0x7d017f81, 0x04000080
    .4byte 0x3555bc00, 0x03ff007f, 0x64006401, 0x8000c000, 0x3f80a000, 0x477ff000, 0x33800000, 0x38801001
    .4byte 0x3f808000, 0x7f7fffff, 0x00008000, 0x80018000, 0x7fc00001, 0x7f800001, 0x477fefff, 0x387fc000
    .4byte 0xc2481234, 0x0bad4bad, 0x12345678, 0x9abcdef0, 0x42280000, 0x3eaaaaab, 0xbf000000, 0x70007000

    OUT WARPS, ROWS
