// Zicsr in all its forms, and what the CSRs of a warp hold.
//
// Exercises: csrrw, csrrs, csrrc and their immediate forms; x0 as destination and as source (a set or clear with x0
// does not write, so it may read what is read-only); fflags and frm as parts of fcsr, vxsat and vxrm as parts of vcsr;
// the custom CSRs; rpc by csrw and by SETRPC; one scalar register as source and destination.

#include "karat.inc"

#define WARPS 2
#define ROWS  52

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, knl=metadata, lds=128, pds=16
    PROLOGUE ROWS

    // 1. mscratch keeps what is written.
    li t0, 0x12345678
    add t0, t0, s1
    csrrw t1, mscratch, t0
    csrr t2, mscratch
    PUT_X t2
    li t0, 0x0f0f0f0f
    csrrs t1, mscratch, t0
    PUT_X t1
    csrr t1, mscratch
    PUT_X t1
    li t0, 0x00ff00ff
    csrrc t1, mscratch, t0
    PUT_X t1
    csrrsi t1, mscratch, 31
    PUT_X t1
    csrrci t1, mscratch, 21
    PUT_X t1
    csrrwi t1, mscratch, 17
    PUT_X t1
    csrr t1, mscratch
    PUT_X t1
    csrrw x0, mscratch, t0
    csrrs x0, mscratch, s11
    csrrc x0, mscratch, s11
    csrrwi x0, mscratch, 9
    csrrsi x0, mscratch, 2
    csrrci x0, mscratch, 1
    csrr t1, mscratch
    PUT_X t1                    // (9 | 2) & ~1 = 10
    csrrsi t1, mscratch, 0
    csrrci t2, mscratch, 0
    add t1, t1, t2
    PUT_X t1
    li t0, 0xa5a5a5a5
    csrrw t0, mscratch, t0      // rd = rs1: exchange
    PUT_X t0
    csrrs t0, mscratch, t0
    PUT_X t0
    csrr t0, mscratch
    PUT_X t0
    csrrw t0, mscratch, x0      // A write of 0, not 'no write'
    csrr t0, mscratch
    PUT_X t0
    li t0, 0x80000104
    csrw mtvec, t0
    csrr t1, mtvec
    PUT_X t1

    // 2. Floating-point control: fcsr = frm << 5 | fflags.
    li t0, 0xa5
    csrw fcsr, t0
    csrr t1, fflags
    PUT_X t1                    // 5
    csrr t1, frm
    PUT_X t1                    // 5: reserved, but it may be held
    csrrwi t1, frm, 2
    PUT_X t1
    csrr t1, fcsr
    PUT_X t1                    // 0x45
    csrrsi t1, fflags, 0x18
    PUT_X t1
    csrr t1, fcsr
    PUT_X t1                    // 0x5d
    csrrci t1, fcsr, 0x11
    csrr t1, fcsr
    PUT_X t1                    // 0x4c
    li t0, -1
    csrw fcsr, t0
    csrr t1, fcsr
    PUT_X t1                    // Only eight bits exist
    csrw fflags, t0
    csrw frm, t0
    csrr t1, frm
    PUT_X t1
    csrr t1, fflags
    PUT_X t1
    csrw fcsr, x0
    csrr t1, fcsr
    PUT_X t1

    // 3. Fixed-point control: vcsr = vxrm << 1 | vxsat.
    li t0, 5
    csrw vcsr, t0
    csrr t1, vxsat
    PUT_X t1
    csrr t1, vxrm
    PUT_X t1
    csrwi vxrm, 3
    csrwi vxsat, 0
    csrr t1, vcsr
    PUT_X t1                    // 6
    csrw vcsr, x0
    csrwi vstart, 0
    csrr t1, vstart
    PUT_X t1

    // 4. Read-only, in the forms that do not write.
    csrr t1, vl
    PUT_X t1
    csrrc t1, vtype, x0
    PUT_X t1                    // e32, m1
    csrrsi t1, vlenb, 0
    PUT_X t1
    csrrci t1, vl, 0
    PUT_X t1

    // 5. The launch's.
    csrr t1, CSR_TID
    PUT_X t1
    csrr t1, CSR_NUMW
    PUT_X t1
    csrrs t1, CSR_NUMT, x0
    PUT_X t1
    csrrc t1, CSR_KNL, x0
    lw t2, 0(t1)
    PUT_X t2
    csrrsi t1, CSR_WID, 0
    PUT_X t1
    csrrci t1, CSR_LDS, 0
    PUT_X t1
    csrr t1, CSR_PDS
    PUT_X t1
    csrr t1, CSR_GDX
    PUT_X t1
    csrr t1, CSR_GDY
    PUT_X t1
    csrr t1, CSR_GDZ
    PUT_X t1
    csrr t1, CSR_PRINT
    PUT_X t1

    // 6. rpc, read and written both ways.
    csrr t1, CSR_RPC
    PUT_X t1                    // 0 at launch
    li t0, 0x80000abc
    setrpc t1, t0, -4
    PUT_X t1
    csrrw t1, CSR_RPC, t0
    PUT_X t1
    csrrsi t1, CSR_RPC, 3
    PUT_X t1
    li t0, 0xff
    csrrc t1, CSR_RPC, t0
    PUT_X t1
    csrr t1, CSR_RPC
    PUT_X t1
    setrpc x0, x0, 2047
    csrr t1, CSR_RPC
    PUT_X t1
    endprg

    .data
metadata:
    .4byte 0xfeedface

    OUT WARPS, ROWS
