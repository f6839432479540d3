// VFEXP: a core may be off by as many ulp as it declares, so that its results go nowhere but to memory.
//
// Exercises: the whole range and its ends in every rounding mode, special values, masked and short ones; every multiple
// of ln2 / 64 within ln2, in every lane, for tables of 64 entries or fewer; results just above a number, which in a wrong
// rounding mode can be off by two, in front of instructions with modes of their own; fflags, which are exact; one after
// the other, groups of lanes without an active one.

#include "karat.inc"
#include "fp.inc"

#define WARPS 2
#define ROWS  (FP_ROUNDS * 14)

.pushsection .data
.balign 128
fp_e:   // Overflow and underflow begin at 88.7, -87.3 and -103.97
    .4byte 0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x42b17217, 0x42b17218
    .4byte 0xc2aeac4f, 0xc2aeac50, 0xc2cff1b4, 0xc2cff1b5, 0xc2ce8ed0, 0xc2b00000, 0x00000001, 0x80000001
    .4byte 0x3f800000, 0xbf800000, 0x3f317218, 0xbf317218, 0x40490fdb, 0xc1200000, 0x33000000, 0xb2800000
    .4byte 0x42a00000, 0xc2a00000, 0x7f7fffff, 0xff7fffff, 0x3c2aaaab, 0xbbaaaaab, 0x41c80001, 0xc0ffffff
fp_n:   // e^x is above a number, by less than 1/250 of its last place
    .4byte 0x3c71457b, 0x3e298ac6, 0x3f11de48, 0xbf4b2899, 0x3e7d7905, 0xbfb05dcd, 0xbdc0c4d6, 0x3f6478fc
    .4byte 0x3f81100b, 0x3c08b11f, 0xbdbb8cbd, 0xbb837cf2, 0x3e56fc78, 0xbffc4fec, 0xc0234850, 0x3f099807
    .4byte 0xbbe5a709, 0x3e2abeae, 0x3c5ff55b, 0xbfffa31a, 0xbc938aba, 0xbc54f2ff, 0xbe28113d, 0x3db63ab4
    .4byte 0x3bccfa89, 0x3e1d9e39, 0x3c3aa64b, 0x3e0e5302, 0xbeb48ce7, 0xbd89c01d, 0x3dd4c22c, 0xbe9bb650
.popsection

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    FP_START ROWS
    CORNER v1, fp_e, s7
    CORNER v2, fp_e, s8
    EACH1 vfexp.v, v1, v2
    // From -20 to 20, ever other fractions.
    vsll.vi v7, v30, 1
    vadd.vx v7, v7, s7
    li t0, -30
    vadd.vx v7, v7, t0
    vfcvt.f.x.v v7, v7
    li t0, 0x3f2b4c5d
    addi t1, s6, 3
    slli t1, t1, 10
    add t0, t0, t1
    vmv.v.x v8, t0
    vfmul.vv v7, v7, v8
    csrwi fflags, 0
    EACH1 vfexp.v, v7, v2
    // Flags of the active lanes of the last group, or of none.
    addi t1, s0, -1
    vmseq.vx v0, v30, t1
    vmv.v.v v5, v3
    vfexp.v v5, v2, v0.t
    PUT v5
    FLAGS
    vmv.v.i v0, 0
    vfexp.v v5, v2, v0.t
    PUT v5
    FLAGS
    li t0, 2
    vsetvli x0, t0, e32, m1, tu, mu
    vfexp.v v5, v7
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v5
    FLAGS
    // One after the other, and what depends on them.
    vfexp.v v9, v7
    vfexp.v v10, v2
    vfexp.v v9, v1
    vfadd.vv v11, v7, v7
    vmv.v.v v7, v11             // Read already
    PUT v9
    PUT v10
    PUT v7
    // j * ln2 / 64, j from -320 up: 80 of them in each lane.
    li t0, FP_ROUNDS
    mul t0, t0, s1
    add t0, t0, s6
    addi t0, t0, -320
    li t1, 17
    vmul.vx v7, v30, t1
    vadd.vx v7, v7, t0
    li a7, 0x3c317218
    .irp more, FP_ROUNDS * WARPS, 0
    vfcvt.f.x.v v8, v7
    vfmul.vf v8, v8, fa7
    csrwi fflags, 0
    vfexp.v v9, v8
    FLAGS
    PUT v9
    vadd12.vi v7, v7, \more
    .endr
    // The instructions after it have a rounding mode of their own.
    CORNER v8, fp_n, s7
    vfexp.v v9, v8
    fadd.s t1, x0, x0, rdn
    fadd.s t1, x0, x0, rdn
    FLAGS
    PUT v9
    FP_NEXT
    endprg

    OUT WARPS, ROWS
