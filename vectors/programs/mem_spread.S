// Addresses of one access that have nothing to do with each other: far apart, on top of each other, in different
// memories.
//
// Exercises: words of LDS far apart in the window that differ in high address bits only, also in one access; lanes that
// store to one address, of which the highest active one wins; strides of more than 16 bits, negative and zero ones;
// lanes divided between LDS and global memory in one access.

#include "karat.inc"

#define WARPS  2
#define ROWS   27
#define AREA   256              // Bytes of LDS page by page that are a warp's own
#define STEP   0x00123400       // Stride in LDS: every lane in a page of its own
#define GSTEP  0x00010404       // Stride in global memory
#define PAGES  0x03f00400       // Between the places of four neighbouring lanes

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    csrr s6, CSR_LDS
    slli t0, s1, 8              // AREA
    add s6, s6, t0              // LDS of the warp
    la s7, buffer
    add s7, s7, t0              // Global memory
    vsll.vi v1, v30, 2          // 4 * lane
    li t0, 0x01010101
    vmul.vx v2, v29, t0
    vadd12.vi v2, v2, 0x123     // A value that differs in every thread and in all bytes
    vand.vi v3, v30, 1          // Odd lanes

    // 1. The same low address bits, four places in the window.
    vadd.vx v4, v1, s6
    li t0, 0x01000000
    vadd.vx v5, v4, t0
    li t0, 0x08000000
    vadd.vx v6, v4, t0
    li t0, 0x0ffffc00
    vadd.vx v7, v4, t0          // The last page of the window, with the two warps' areas at its beginning
    vsw12.v v2, 0(v4)
    vxor.vi v8, v2, -1
    vsw12.v v8, 0(v5)
    vadd.vi v8, v2, 7
    vsw12.v v8, 0(v6)
    vadd.vv v8, v2, v2
    vsw12.v v8, 0(v7)
    vlw12.v v9, 0(v4)
    PUT v9
    vlw12.v v9, 0(v5)
    PUT v9
    vlw12.v v9, 0(v6)
    PUT v9
    vlw12.v v9, 0(v7)
    PUT v9
    li t0, 0x08000000
    add t0, t0, s6
    lw t1, 4(t0)                // Lane 1's word, by scalar code
    PUT_X t1
    // Four neighbouring lanes in four pages.
    vand.vi v10, v30, 3
    li t0, PAGES
    vmul.vx v10, v10, t0
    vadd.vv v10, v10, v4
    vsw12.v v30, 128(v10)
    vlw12.v v9, 128(v10)
    PUT v9
    vand.vi v10, v30, 3         // Alike in their lower bits
    li t0, 0x00100000
    vmul.vx v10, v10, t0
    vadd.vx v10, v10, s6
    vsw12.v v2, 128(v10)        // Every fourth lane meets
    vlw12.v v9, 128(v10)
    PUT v9

    // 2. Several lanes, one word. All; by pairs; bytes; the ones of a mask; with stride 0. First LDS, then global.
    mv s8, s6
    li s9, 2
    PUT_FLUSH
meet:
    vmv.v.x v11, s8
    vsw12.v v2, 0(v11)
    vlw12.v v9, 0(v11)
    PUT v9
    vsrl.vi v12, v30, 1
    vsll.vi v12, v12, 2
    vadd.vv v12, v12, v11
    vsw12.v v2, 0(v12)
    vlw12.v v9, 0(v12)
    PUT v9
    vsb12.v v30, 1(v11)
    vlw12.v v9, 0(v11)
    PUT v9
    vmseq.vi v0, v3, 0
    vsse32.v v2, (s8), x0, v0.t
    vlse32.v v9, (s8), x0
    PUT v9
    PUT_FLUSH
    mv s8, s7
    addi s9, s9, -1
    bnez s9, meet

    // 3. Strides: up, and the same words from the other end. Zero and -4 are not as far.
    addi t2, s0, -1
    li t0, STEP
    vsse32.v v2, (s6), t0
    vlse32.v v9, (s6), t0
    PUT v9
    mul t3, t2, t0
    add t3, t3, s6              // Last lane's word
    neg t0, t0
    vlse32.v v9, (t3), t0
    PUT v9
    vsse32.v v2, (t3), t0
    lw t1, 0(s6)                // Now the last lane's value
    PUT_X t1
    la t4, far
    slli t0, s1, 2
    add t4, t4, t0
    li t0, GSTEP
    vsse32.v v2, (t4), t0
    mul t3, t2, t0
    add t3, t3, t4
    neg t0, t0
    vlse32.v v9, (t3), t0
    PUT v9
    neg t0, t0
    vlse32.v v9, (t4), t0
    PUT v9
    slli t3, t2, 2
    add t3, t3, s7
    li t0, -4
    vsse32.v v2, (t3), t0
    vle32.v v9, (s7)
    PUT v9

    // 4. Odd lanes in LDS, even ones in global memory.
    vmv.v.v v0, v3
    vadd.vx v13, v1, s7
    vmerge.vvm v13, v13, v4, v0
    vsw12.v v2, 0(v13)
    vlw12.v v9, 0(v13)
    PUT v9
    vsb12.v v30, 3(v13)
    vlhu12.v v9, 2(v13)
    PUT v9
    vluxei32.v v14, (x0), v13
    vadd.vi v14, v14, 5
    vsuxei32.v v14, (x0), v13
    vluxei32.v v9, (x0), v13
    PUT v9
    vle32.v v9, (s6)            // LDS has the odd lanes' words
    vmul.vv v9, v9, v3
    PUT v9
    vle32.v v9, (s7)            // Global memory has the even ones'
    vxor.vi v15, v3, 1
    vmul.vv v9, v9, v15
    PUT v9
    // One lane in LDS, the others not.
    vmseq.vi v0, v30, 2
    vadd.vx v13, v1, s7
    vmerge.vvm v13, v13, v4, v0
    vsw12.v v30, 0(v13)
    vlw12.v v9, 0(v13)
    PUT v9
    endprg

    .bss
    .balign 128
buffer:
    .space WARPS * AREA
far:
    .space 31 * GSTEP + 4 * WARPS

    OUT WARPS, ROWS
