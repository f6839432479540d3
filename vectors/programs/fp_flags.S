// When fflags arrive, and where; frm of each warp.
//
// Exercises: flags of results for x0, of no lane, of active lanes only; flags that stay; fflags, frm and fcsr as views of
// each other; flags of two results at once, and beside a CSR instruction; warps with flags and rounding modes of their
// own, at work at the same time.

#include "karat.inc"
#include "corners.inc"

#define WARPS 4
#define ROWS  75

// The flags, put and cleared.
.macro PUT_FLAGS
    csrrwi t0, fflags, 0
    PUT_X t0
.endm
.macro WAIT cycles
    .rept \cycles
    addi t2, t2, 1
    .endr
.endm

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    li a1, 0x3f800000           // 1
    li a2, 0x33800000           // 2^-24: 1 + 2^-24 is a tie
    li a3, 0x7f800001           // A signaling NaN
    li a4, 0x7f7fffff           // The largest number
    li a5, 0x00800001
    li a6, 0x3f000000           // 0.5: half of a5 is inexact, and below the normal numbers
    vmv.v.x v1, a1
    vmv.v.x v2, a2
    vmv.v.x v3, a3
    vmv.v.x v4, a4
    vmv.v.x v5, a5
    vmv.v.x v6, a6

    // 1. Each flag on its own; a result for x0 raises it as well.
    .irp rd, t1, x0
    fadd.s \rd, a1, a2
    PUT_FLAGS
    fmul.s \rd, a5, a6
    PUT_FLAGS
    fmul.s \rd, a4, a4
    PUT_FLAGS
    fdiv.s \rd, a1, x0
    PUT_FLAGS
    fsub.s \rd, a1, a3
    PUT_FLAGS
    feq.s \rd, a3, a1
    PUT_FLAGS
    fcvt.w.s \rd, a4
    PUT_FLAGS
    fmadd.s \rd, a4, a4, a1
    PUT_FLAGS
    .endr
    fdiv.s x0, a1, x0           // On their way, one after the other
    fadd.s x0, a1, a2
    fdiv.s x0, a4, a6
    csrr t1, fcsr
    PUT_X t1
    csrwi fcsr, 0
    addi t1, x0, 7              // x0 is still 0
    PUT_X t1

    // 2. Lanes that write nothing raise nothing.
    vmv.v.i v0, 0
    vmv.v.i v8, 9
    vfadd.vv v8, v1, v3, v0.t
    vfdiv.vf v8, v1, ft0, v0.t
    vmfeq.vv v8, v1, v3, v0.t
    PUT_FLAGS
    vsetivli x0, 0, e32, m1, tu, mu
    vfmul.vv v8, v4, v4
    vfsqrt.v v8, v3
    csrrwi t1, fflags, 0
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    PUT v8
    // Lane 0 and lane 1 have what raises something; lane 2 works.
    vmv.v.v v9, v1
    vmseq.vi v0, v30, 0
    vmerge.vxm v9, v9, a3, v0
    vmseq.vi v0, v30, 1
    vmerge.vxm v9, v9, a4, v0
    vmseq.vi v0, v30, 2
    vfmul.vv v8, v9, v9, v0.t
    PUT_FLAGS
    vfdiv.vv v8, v9, v9, v0.t
    PUT_FLAGS
    vfmin.vv v8, v9, v9, v0.t
    PUT_FLAGS
    vmseq.vi v0, v30, 1
    vfmul.vv v8, v9, v9, v0.t
    PUT_FLAGS
    PUT v8
    vsetivli x0, 1, e32, m1, tu, mu
    vfmin.vv v8, v9, v1
    csrrwi t1, fflags, 0
    vfmul.vv v8, v4, v4
    csrrwi t2, fflags, 0
    vsetvli x0, s0, e32, m1, tu, mu
    PUT_X t1
    PUT_X t2
    // Under divergence: each path its own lanes' flags.
    vmv.v.i v10, 2
    RECONVERGE_AT merge
    vblt v30, v10, low
    vfmul.vv v8, v9, v9
    csrrwi s6, fflags, 0
    j merge
low:
    vfmin.vv v8, v9, v9
    csrrwi s7, fflags, 0
merge:
    join
    PUT_X s6
    PUT_X s7

    // 3. They stay until they are cleared; views.
    vfadd.vv v8, v1, v2
    vfdiv.vf v8, v1, ft0
    fsgnj.s t1, a1, a2
    csrr t1, fflags
    PUT_X t1
    vfmul.vv v8, v5, v6
    csrrci t1, fflags, 8
    PUT_X t1
    csrrsi t1, fcsr, 4
    PUT_X t1
    csrwi frm, 3
    fadd.s t1, a1, a2           // Rounds up
    PUT_X t1
    csrr t1, fcsr
    PUT_X t1
    li t1, 0x46
    csrrw t1, fcsr, t1
    PUT_X t1
    fadd.s t1, a1, a2
    PUT_X t1
    csrrci t1, fcsr, 0x1f
    PUT_X t1
    csrr t1, frm
    PUT_X t1
    csrwi fcsr, 0

    // 4. Two results at once: a vector's and a scalar's, one after the other by any number of cycles.
    .irp cycles, 0, 1, 2, 3, 4, 5
    vfadd.vv v8, v1, v2
    WAIT \cycles
    fcvt.w.s t1, a3
    PUT_FLAGS
    fadd.s t1, a1, a2
    WAIT \cycles
    vfmin.vv v8, v3, v1
    PUT_FLAGS
    .endr
    .irp cycles, 6, 8, 10, 12
    vfdiv.vv v8, v1, v4
    WAIT \cycles
    fadd.s t1, a4, a4
    csrrwi t0, fcsr, 0
    PUT_X t0
    .endr
    // Beside an instruction that works on another CSR.
    .irp cycles, 0, 1, 2, 3, 4, 5, 6, 7
    vfadd.vv v8, v1, v2
    WAIT \cycles
    csrw mscratch, a1
    csrw mscratch, a2
    PUT_FLAGS
    .endr

    // 5. Every warp its own flag and its own rounding mode, again and again.
    csrw frm, s1
    li s6, 16
    li s10, 0
    beqz s1, 2f
    li t0, 1
    beq s1, t0, 3f
    li t0, 2
    beq s1, t0, 4f
5:  vfmin.vv v8, v3, v1         // Invalid
    fmin.s t1, a3, a1
    addi s6, s6, -1
    bnez s6, 5b
    j 6f
2:  vfadd.vv v8, v1, v2         // Inexact
    fadd.s t1, a1, a2
    vfadd.vv v9, v1, v2
    addi s6, s6, -1
    bnez s6, 2b
    j 6f
3:  vfdiv.vf v8, v1, ft0        // Division by zero
    fdiv.s t1, a1, x0
    fdiv.s x0, a1, x0
    addi s6, s6, -1
    bnez s6, 3b
    j 6f
4:  fmul.s t1, a4, a4           // Overflow
    vfmul.vv v8, v4, v4
    addi s6, s6, -1
    bnez s6, 4b
6:  PUT_FLAGS
    li s6, 24
7:  vfadd.vv v8, v1, v2
    fadd.s t1, a1, a2
    fcvt.w.s t2, a6
    slli t0, s10, 5
    add s10, s10, t0
    add s10, s10, t1
    add s10, s10, t2
    vadd.vv v9, v9, v8
    addi s6, s6, -1
    bnez s6, 7b
    PUT v8
    PUT_X s10
    // A new mode is the next instruction's.
    .irp step, 1, 2, 3
    addi t1, s1, \step
    andi t1, t1, 3
    csrw frm, t1
    vfadd.vf v8, v1, fa2
    csrw frm, s1
    fadd.s t1, a1, a2
    fadd.s t2, a1, a2, rup
    PUT v8
    PUT_X t1
    PUT_X t2
    .endr
    endprg

    OUT WARPS, ROWS
