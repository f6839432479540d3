// Private memory: per-thread words, interleaved by word over the workgroup.
//
// Exercises: private loads and stores of all widths, negative offsets, offsets up to both ends of their 11 bits,
// threads at different places of their private memory, several warps and workgroups (CSR_PDS differs), masks, the
// interleaving itself: the workgroup reads its private memory with plain loads afterwards; REGPAIR: an address of 64 bits
// that is negative, below the workgroup's own memory.

#include "karat.inc"

#define WARPS 2
#define GROUPS 2
#define PDS   68                // 17 words a thread
#define ROWS  32

    PROFILE v2.02
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, pds=PDS, sgprs=32, vgprs=32
    PROLOGUE ROWS
    vmv.v.i v10, 0
    // Value of the thread: 0x9e3779b1 * (thread + 1) + 0x01020304 * workgroup
    li t0, 0x9e3779b1
    vadd.vi v1, v29, 1
    vmul.vx v1, v1, t0
    li t0, 0x01020304
    mul t0, t0, s4
    vadd.vx v1, v1, t0

    // 1. Words 0 to 3: plain, by positive and by negative offset.
    vsw.v v1, 0(v10)
    vadd.vv v2, v1, v1
    vsw.v v2, 4(v10)
    li t0, 1024 + 8
    vmv.v.x v3, t0
    vxor.vi v4, v1, -1
    vsw.v v4, -1024(v3)         // Word 2
    li t0, 12 - 1020
    vmv.v.x v3, t0
    vrsub.vi v5, v1, 0
    vsw.v v5, 1020(v3)          // Word 3
    vlw.v v6, 0(v10)
    PUT v6
    vlw.v v6, 4(v10)
    PUT v6
    vlw.v v6, 8(v10)
    PUT v6
    vlw.v v6, 12(v10)
    PUT v6

    // 2. Halves and bytes within words 4 and 5.
    li t0, 16
    vmv.v.x v3, t0
    vsw.v v1, 0(v3)
    vsw.v v1, 4(v3)
    vsh.v v4, 2(v3)             // Upper half of word 4
    vsb.v v5, 5(v3)             // Byte 1 of word 5
    vsb.v v2, 7(v3)
    vlw.v v6, 0(v3)
    PUT v6
    vlw.v v6, 4(v3)
    PUT v6
    li t0, 24
    vmv.v.x v7, t0
    vlh.v v6, -8(v7)
    PUT v6
    vlh.v v6, -6(v7)
    PUT v6
    vlhu.v v6, -6(v7)
    PUT v6
    .irp byte, -4, -3, -2, -1
    vlb.v v6, \byte(v7)
    PUT v6
    vlbu.v v6, \byte(v7)
    PUT v6
    .endr
    // The widest offsets of narrow accesses.
    li t0, 20 - 1023
    vmv.v.x v8, t0
    vlbu.v v6, 1023(v8)
    PUT v6

    // 3. Each thread at a place of its own: words 8 to 15, chosen by the thread, one half or byte of them.
    vand.vi v8, v29, 7
    vsll.vi v9, v8, 2
    vadd12.vi v9, v9, 32
    vsw.v v1, 0(v9)
    vand.vi v11, v29, 3
    vadd.vv v12, v9, v11        // A byte address
    vsb.v v29, 0(v12)
    vlw.v v6, 0(v9)
    PUT v6
    vlb.v v6, 0(v12)
    PUT v6
    vand.vi v13, v11, 2
    vadd.vv v13, v13, v9        // A half
    vlhu.v v6, 0(v13)
    PUT v6

    // 4. Under divergence: odd threads write word 6, even ones word 7; the others' keep 0.
    vand.vi v14, v29, 1
    RECONVERGE_AT merge
    vbne v14, v10, odd
    vsw.v v1, 28(v10)
    vlw.v v6, 28(v10)
    j merge
odd:
    vsw.v v4, 24(v10)
    vlw.v v6, 24(v10)
merge:
    join
    PUT v6
    vlw.v v6, 24(v10)
    PUT v6
    vlw.v v6, 28(v10)
    PUT v6

    // 5. Seen from outside: word k of thread t lies at CSR_PDS + 4 * (k * threads + t). Read the words of the thread at
    // the other end of the workgroup.
    barrier x0, x0, FENCE_GLOBAL
    csrr t2, CSR_PDS
    mul t3, s0, s3
    addi t4, t3, -1
    vrsub.vx v15, v29, t4
    vsll.vi v15, v15, 2
    vadd.vx v15, v15, t2
    slli t3, t3, 2              // From one word to the next
    .rept 6
    vlw12.v v6, 0(v15)
    PUT v6
    vadd.vx v15, v15, t3
    .endr

    // 6. Below CSR_PDS: the second workgroup has the last word of the first one's threads, which do not touch it.
    vmv.v.i v6, 0
    vmv.v.i v7, 0
    beqz s4, 1f
    vmv.v.i v16, 4
    vmv.v.i v17, 0
    regpair x0, x0, 0
    vsw.v v1, -8(v16)
    regpair x0, x0, 0
    vlw.v v7, -8(v16)           // Odd data: one word
    vmv.v.i v16, -4
    vmv.v.i v17, -1
    regpair x0, x0, 0
    vlhu.v v6, 2(v16)
1:  PUT v6
    PUT v7
    endprg

    OUT WARPS * GROUPS, ROWS
