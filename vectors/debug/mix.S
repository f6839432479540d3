// A kernel of the public calling convention that does not say how it is launched (docs/run.md): its start-up code reads the metadata
// buffer that CSR_KNL names, as that of the public compiler does. For the tests of launches on the command line.
//
//   out[g] = in[workgroup, last - item] * factor + bytes of the print buffer + work-items in x
//   bits[g] = value

#include "karat.inc"
    .text
    .globl _start
_start:
    li t4, 32
    vsetvli t4, t4, e32, m1, ta, ma
    csrr t1, CSR_WID
    csrr t2, CSR_LDS
    slli t1, t1, 10
    add sp, t1, t2
    li tp, 0
    la a0, bss_first            // .bss, as the public start-up code clears it
    la a2, bss_end
1:  sw x0, 0(a0)
    addi a0, a0, 4
    bltu a0, a2, 1b
    csrr t0, CSR_KNL
    lw t1, 0(t0)                // The kernel
    lw a0, 4(t0)                // Its arguments
    lw t2, 48(t0)
    lw t3, 52(t0)
    la t4, print_addr
    la t5, print_size
    sw t2, 0(t4)
    sw t3, 0(t5)
    jalr t1
    endprg

    .globl mix
mix:                            // In, out, bits, factor, value, local
    lw s0, 0(a0)
    lw s1, 4(a0)
    lw s2, 8(a0)
    lw s3, 12(a0)
    lw s4, 16(a0)
    lw s5, 20(a0)
    csrr t0, CSR_KNL
    lw t1, 24(t0)               // Work-items of a workgroup in x
    lw s6, 12(t0)               // Work-items in x
    csrr t2, CSR_TID
    vid.v v1
    vadd.vx v1, v1, t2          // Item
    csrr t3, CSR_GDX
    mul t3, t3, t1
    vadd.vx v2, v1, t3
    vsll.vi v2, v2, 2           // Bytes before the work-item's words
    vadd.vx v3, v2, s0
    vlw12.v v3, 0(v3)
    vsll.vi v4, v1, 2
    vadd.vx v4, v4, s5
    vsw12.v v3, 0(v4)
    barrier
    addi t1, t1, -1
    vrsub.vx v4, v1, t1
    vsll.vi v4, v4, 2
    vadd.vx v4, v4, s5
    vlw12.v v3, 0(v4)           // Of the workgroup's mirror item
    vmul.vx v3, v3, s3
    la t4, print_size
    lw t4, 0(t4)
    vadd.vx v3, v3, t4
    vadd.vx v3, v3, s6
    vadd.vx v4, v2, s1
    vsw12.v v3, 0(v4)
    vmv.v.x v3, s4
    vadd.vx v4, v2, s2
    vsw12.v v3, 0(v4)
    ret

    .bss
    .balign 4
bss_first:
print_addr: .zero 4
print_size: .zero 4
bss_end:
