// Kernels that go wrong, each in its way.
#include "karat.inc"

    .text
    .globl _start
_start:
    li t4, 32
    vsetvli t4, t4, e32, m1, ta, ma
    csrr tp, CSR_PDS
    csrr t0, CSR_KNL
    lw t1, 0(t0)
    lw a0, 4(t0)
    jalr t1
    endprg

// The whole state comes again.
    .globl spin
spin:
    j spin

// It does not.
    .globl count
count:
    addi t0, t0, 1
    j count

// local(uint *p, uint *l): p[0] = l[0] of local memory, which is 0 at first, after the workgroup has counted there
    .globl local
local:
    lw t1, 0(a0)
    lw a1, 4(a0)
    lw t0, 0(a1)
    addi t0, t0, 1
    sw t0, 0(a1)
    sw t0, 0(t1)
    ret

    .globl illegal
illegal:
    .4byte 0

    .globl lanes
lanes:
    vid.v v1
    vmv.x.s t0, v1
    ret

// store(uint *p): p[0] += 1
    .globl store
store:
    lw t0, 0(a0)
    lw t1, 0(t0)
    addi t1, t1, 1
    sw t1, 0(t0)
    ret

    .globl say
say:
    csrrwi x0, CSR_PRINT, 1
    ret

// own(uint *p): each workgroup adds the word that its first thread's private memory holds, and leaves a 1 there
    .globl own
own:
    lw t0, 0(a0)
    vmv.v.i v1, 0
    vlw.v v2, 0(v1)
    vmv.v.i v3, 1
    vsw.v v3, 0(v1)
    vmv.x.s t2, v2
    amoadd.w x0, t2, (t0)
    ret
