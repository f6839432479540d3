// Vector add, as a compiler writes it: every thread takes elements tid, tid + threads, ... until the array ends. 100
// elements fit no device evenly, so the last round diverges, and threads leave the loop at different times.
//
// Exercises: vlw12/vsw12 with a vector base, thread ids from CSRs, a SIMT loop with one reconvergence point.

#include "karat.inc"

#define WARPS 4
#define N     100

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS

    csrr s2, CSR_TID
    vid.v v1
    vadd.vx v1, v1, s2          // Element of this thread
    csrr t0, CSR_NUMT
    csrr t1, CSR_NUMW
    mul s3, t0, t1              // Threads of the workgroup
    la s4, a
    la s5, b
    la s6, out
    lw s7, count
    vmv.v.x v2, s7
    RECONVERGE_AT done
loop:
    vbge v1, v2, done
    vsll.vi v3, v1, 2
    vadd.vx v4, v3, s4
    vadd.vx v5, v3, s5
    vadd.vx v6, v3, s6
    vlw12.v v7, 0(v4)
    vlw12.v v8, 0(v5)
    vadd.vv v9, v7, v8
    vsw12.v v9, 0(v6)
    vadd.vx v1, v1, s3
    j loop
done:
    join
    endprg

    .data
count:
    .4byte N
a:  // 0, 7, 14, ... with the sign bit in odd places
    .set .Li, 0
    .rept N
    .4byte (.Li * 7) ^ ((.Li & 1) << 31)
    .set .Li, .Li + 1
    .endr
b:
    .set .Li, 0
    .rept N
    .4byte (.Li * .Li * 0x01010101) & 0xffffffff
    .set .Li, .Li + 1
    .endr
    .bss
    .balign 128
    .globl out
    .type out, @object
out:
    .space 4 * 128              // The 28 words after the array stay 0
    .size out, . - out
