// Warps leave everything they can in a state of their own, and the next owners of their slots must not see any of it.
//
// Exercises: CSRs, vl and no reservation, as they are at launch, on slots that are used many times; local memory that a workgroup has
// not written, which reads 0 whoever had its storage before, and which there would not be enough of if it were not
// given back.

#include "karat.inc"

#define WARPS  2
#define GROUPS 24
#define ROWS   13
#define FAR    0x02000000       // From one word of LDS to another one of the thread

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, knl=metadata, sgprs=32, vgprs=32
    // Before anything else: a wrong vl would spoil the PROLOGUE.
    csrr a0, vl
    csrr a1, vtype
    csrr a2, CSR_RPC
    csrr a3, CSR_PRINT
    csrr a4, mscratch
    csrr a5, mstatus
    csrr a6, mtvec
    csrr a7, fcsr
    csrr s6, vcsr
    PROLOGUE ROWS
    PUT_X a0                    // num_thread
    PUT_X a1                    // e32, m1
    PUT_X a2                    // 0, and all further ones
    PUT_X a3
    PUT_X a4
    PUT_X a5
    PUT_X a6
    PUT_X a7
    PUT_X s6
    la t2, reserved
    sc.w t3, t2, (t2)           // Fails, whoever had a reservation before
    PUT_X t3

    // Each thread's own words of LDS, in two pages. Every workgroup uses the same addresses.
    csrr t0, CSR_LDS
    li t1, FAR
    add t1, t1, t0
    vsll.vi v1, v29, 2
    vadd.vx v2, v1, t1
    vadd.vx v1, v1, t0
    vlw12.v v3, 64(v1)
    PUT v3                      // 0: cleared
    vlw12.v v3, 64(v2)
    PUT v3
    vxor.vi v4, v29, -1
    vsw12.v v4, 64(v1)
    vsw12.v v4, 64(v2)
    vlw12.v v3, 64(v1)
    vlw12.v v5, 64(v2)
    vadd.vv v3, v3, v5
    PUT v3

    // Leave as much after as possible; vl last, since it stops lanes.
    li t0, 0x5a5a5a54
    csrw CSR_RPC, t0
    csrw CSR_PRINT, t0
    csrw mscratch, t0
    csrw mtvec, t0
    csrw mstatus, t0
    li t0, 0x7f
    csrw fcsr, t0
    csrwi vcsr, 7
    la t2, reserved
    lr.w t0, (t2)
    li t0, 3
    vsetvli x0, t0, e32, m1, ta, ma
    andi t0, s4, 1
    beqz t0, 1f
    vsetvli x0, t0, e8, m1, ta, ma  // With vill, vl is 0 then
1:  endprg

    // A host that serves CSR_PRINT finds a print buffer of 0 bytes in here.
    .bss
    .balign 4
metadata:
    .space 64
reserved:
    .space 4

    OUT GROUPS * WARPS, ROWS
