// saxpy(float a, const float *x, float *y): y[id] = a * x[id] + y[id], called as the Ventus compiler calls a kernel: _start reads the metadata
// buffer, and calls it with the argument buffer in a0.
#include "karat.inc"

#define KNL_ENTRY    0
#define KNL_ARG_BASE 4
#define KNL_LC_SIZE  24   // Work-items of a workgroup in x

    .text
    .globl _start
_start:
    li t4, 32
    vsetvli t4, t4, e32, m1, ta, ma
    csrr sp, CSR_LDS
    csrr tp, CSR_PDS
    csrr t0, CSR_KNL
    lw t1, KNL_ENTRY(t0)
    lw a0, KNL_ARG_BASE(t0)
    jalr t1
    endprg

    .globl saxpy
    .type saxpy, @function
saxpy:
    csrr a1, CSR_KNL
    lw t0, KNL_LC_SIZE(a1)
    csrr t1, CSR_GDX
    mul t0, t0, t1
    csrr t1, CSR_TID
    add t0, t0, t1
    vid.v v2
    vadd.vx v0, v2, t0         // Global id in x
    vsll.vi v0, v0, 2
    lw t0, 0(a0)
    lw t1, 4(a0)
    lw t2, 8(a0)
    vmv.v.x v1, t0
    vadd.vx v3, v0, t1
    vlw12.v v3, 0(v3)
    vadd.vx v4, v0, t2
    vlw12.v v5, 0(v4)
    vfmul.vv v3, v3, v1
    vfadd.vv v5, v5, v3
    vsw12.v v5, 0(v4)
    ret
    .size saxpy, . - saxpy

// The kernel's needs: vector and scalar registers, bytes of local and private memory, a halfword each.
    .section .ventus.resource.saxpy, "", @progbits
    .2byte 6, 32, 0, 0
