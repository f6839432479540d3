// Special functions: their results may be off by the ulp that a core declares, so that they go nowhere but to memory.
//
// Exercises: every function and format on zeros, infinities, NaNs, subnormals, the ends of the ranges, large angles; flags, which are exact;
// lanes without work.

#include "karat.inc"

#define WARPS 2
#define TURNS 3
#define ROWS  (TURNS * 26)

    PROFILE public
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    la s6, pattern
    vadd.vx v10, v30, s1
    li t0, 31
    vand.vx v10, v10, t0
    vsll.vi v10, v10, 2
    vadd.vx v10, v10, s6
    li s8, TURNS
turn:
    vlw12.v v1, 0(v10)
    .irp op, ex2, lg2, rcp, sqrt, rsqrt, sin, cos, tanh, gelu, silu
    v\op\().approx.f32 v5, v1
    PUT v5
    .endr
    csrr t0, fflags
    PUT_X t0
    csrwi fflags, 0
    .irp op, ex2, rcp, sqrt, rsqrt, tanh, gelu, silu
    v\op\().approx.f16x2 v5, v1
    PUT v5
    v\op\().approx.bf16x2 v5, v1
    PUT v5
    .endr
    csrr t0, fflags
    PUT_X t0
    csrwi fflags, 0
    PUT_FLUSH
    addi s8, s8, -1
    li t0, 128
    vadd.vx v10, v10, t0
    bnez s8, turn

    // One operand in four lanes: flags of each operation.
    vsetivli t0, 4, e32, m1, ta, ma
    li s8, 0
same:
    add t0, s8, s6
    lw t0, 0(t0)
    vmv.v.x v1, t0
    .irp op, ex2, lg2, rcp, sqrt, rsqrt, sin, cos, tanh, gelu, silu
    v\op\().approx.f32 v5, v1
    csrrwi t0, fflags, 0
    .endr
    .irp op, ex2, rcp, sqrt, rsqrt, tanh, gelu, silu
    v\op\().approx.f16x2 v5, v1
    csrrwi t0, fflags, 0
    v\op\().approx.bf16x2 v5, v1
    csrrwi t0, fflags, 0
    .endr
    addi s8, s8, 4
    li t0, 256
    bne s8, t0, same
    // One lane, whose result is exact.
    vsin.approx.f32 v5, v10
    lui t0, 0x3f800
    vmv.v.x v1, t0
    vsetivli t0, 1, e32, m1, ta, ma
    csrwi fflags, 0
    vex2.approx.f32 v5, v1
    csrr t0, fflags
    endprg

    .data
    .balign 4
    .set .Lx, 7
pattern:
    .4byte 0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3f800000, 0xbf800000
    .4byte 0x00000001, 0x80000001, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x40000000, 0x40800000, 0xc2fc0000
    .4byte 0x42ff8000, 0xc3150000, 0x40490fdb, 0x3fc90fdb, 0x4b800001, 0x7e967699, 0xc0a00000, 0x41200000
    .4byte 0x3e800000, 0x3e7fffff, 0xbe800001, 0x33000000, 0xb3000000, 0x3f7fffff, 0x3f800001, 0x41100000
    .4byte 0x3c003c00, 0x44004400, 0x00010001, 0x80018001, 0x7c00fc00, 0x7e007d01, 0x4c00cc00, 0x38003801
    .4byte 0x3f803f80, 0x40804080, 0x00800001, 0x7f80ff80, 0x7fc07f81, 0x42fe43c0, 0xc2fec316, 0x3f7fbf7f
    .4byte 0x7bff7bff, 0x04008400, 0x3555b555, 0x5140d140, 0x40484048, 0x34003400, 0x33ffb3ff, 0xc500c600
    .4byte 0x40c9c0c9, 0x3e9abe9a, 0x41b8c1b8, 0x3f003f01, 0x7f7fff7f, 0x00ff0100, 0x12345678, 0x9abcdef0
    .rept 64
    .set .Lx, (.Lx * 1103515245 + 12345) & 0x7fffffff
    .4byte 0x38000000 + .Lx % 0x0b000000 + ((.Lx >> 3) & 1) * 0x80000000
    .endr

    OUT WARPS, ROWS
