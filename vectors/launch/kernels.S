// Kernels of the calling convention that the Ventus compiler and its OpenCL runtime have (docs/run.md), for launches from a command
// line: _start reads the metadata buffer, calls the kernel with the argument buffer in a0, and ends the warp. sp and tp are bases of
// local and private memory. There is no .karat.launch.
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

// v0 = global id in x, a1 = CSR_KNL. Changes t0, t1, v2.
global_id:
    csrr a1, CSR_KNL
    lw t0, KNL_LC_SIZE(a1)
    csrr t1, CSR_GDX
    mul t0, t0, t1
    csrr t1, CSR_TID
    add t0, t0, t1
    vid.v v2
    vadd.vx v0, v2, t0
    ret

// vecadd(const float *a, const float *b, float *c): c[id] = a[id] + b[id]
    .globl vecadd
    .type vecadd, @function
vecadd:
    mv s0, ra
    call global_id
    vsll.vi v0, v0, 2
    lw t0, 0(a0)
    lw t1, 4(a0)
    lw t2, 8(a0)
    vadd.vx v3, v0, t0
    vlw12.v v3, 0(v3)
    vadd.vx v4, v0, t1
    vlw12.v v4, 0(v4)
    vfadd.vv v3, v3, v4
    vadd.vx v4, v0, t2
    vsw12.v v3, 0(v4)
    jr s0
    .size vecadd, . - vecadd

// scale(float f, uint n, uint *out): out[id] = bits of f * id + n
    .globl scale
    .type scale, @function
scale:
    mv s0, ra
    call global_id
    lw t0, 0(a0)
    lw t1, 4(a0)
    lw t2, 8(a0)
    vfcvt.f.xu.v v3, v0
    vmv.v.x v4, t0
    vfmul.vv v3, v3, v4
    vadd.vx v3, v3, t1
    vsll.vi v0, v0, 2
    vadd.vx v4, v0, t2
    vsw12.v v3, 0(v4)
    jr s0
    .size scale, . - scale

// reverse(local uint *tmp, const uint *in, uint *out): the workgroup's words the other way round, through local memory; each thread adds
// what its own word of local memory held at first.
    .globl reverse
    .type reverse, @function
reverse:
    mv s0, ra
    call global_id
    lw t0, 0(a0)
    lw t1, 4(a0)
    lw t2, 8(a0)
    csrr t3, CSR_TID
    vadd.vx v5, v2, t3         // Local id
    vsll.vi v5, v5, 2
    vadd.vx v6, v5, t0         // Its word of tmp
    vsll.vi v0, v0, 2
    vadd.vx v3, v0, t1
    vlw12.v v3, 0(v3)
    vlw12.v v7, 0(v6)
    vadd.vv v3, v3, v7
    vsw12.v v3, 0(v6)
    barrier x0, x0, FENCE_LOCAL
    lw t3, KNL_LC_SIZE(a1)
    slli t3, t3, 2
    addi t3, t3, -4
    vrsub.vx v5, v5, t3
    vadd.vx v6, v5, t0
    vlw12.v v3, 0(v6)
    vadd.vx v4, v0, t2
    vsw12.v v3, 0(v4)
    jr s0
    .size reverse, . - reverse

// count(uint *out): how often it ran since its .bss was 0, which is once
    .globl count
    .type count, @function
count:
    la t0, counter
    lw t1, 0(t0)
    addi t1, t1, 1
    sw t1, 0(t0)
    lw t2, 0(a0)
    sw t1, 0(t2)
    ret
    .size count, . - count

    .bss
    .balign 4
counter: .zero 4
