// Registers above v31 and x31, and immediates above five bits, by REGEXT and REGEXTI.
//
// Exercises: each extension field (x3, x2, x1, xd) alone and all together; every format that has such a field: vector
// arithmetic, multiply-add, whose x3 is ignored, vadd12, loads and stores with
// vector and scalar bases, VBRANCH, moves between the files, scalar arithmetic, loads, stores and branches; REGEXTI
// with signed and unsigned immediates, those of CSR instructions and vsetivli as well; v0.t, which is never extended;
// that the register with the same low five bits keeps its value; a prefixed instruction as branch target and as
// pc-relative one.

#include "karat.inc"
#include "corners.inc"

#define WARPS 2
#define ROWS  71

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0
    slli s6, s1, 4              // Warps take different corners

    // Marks in the low registers that share five bits with the high ones below: v1 to v9 hold 101 to 109.
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9
    li t0, 100 + \n
    vmv.v.x v\n, t0
    .endr

    // Operands: a in v33 and v225, b in v66, c in v130.
    CORNER v20, corners_a, s6
    CORNER v21, corners_b, s6
    CORNER v22, corners_c, s6
    X_vv vmv.v.v, v33, v20
    X_vv vmv.v.v, v225, v20
    X_vv vmv.v.v, v66, v21
    X_vv vmv.v.v, v130, v22
    vmv.v.v v0, v22

    // 1. One field at a time, then all. The low registers are read as sources as well: v1 to v3.
    X_vvv vadd.vv, v19, v33, v2     // x2
    PUT v19
    X_vvv vsub.vv, v19, v1, v66     // x1
    PUT v19
    X_vvv vadd.vv, v36, v1, v2      // Xd
    X_vv vmv.v.v, v19, v36
    PUT v19
    PUT v4                          // Kept
    X_vvv vsub.vv, v197, v225, v66
    X_vv vmv.v.v, v19, v197
    PUT v19
    PUT v5
    X_vvv vmul.vv, v166, v33, v130
    X_vv vmv.v.v, v19, v166
    PUT v19
    X_vvv vdivu.vv, v255, v225, v66
    X_vv vmv.v.v, v19, v255
    PUT v19

    // 2. The mask is v0 whatever the fields say, also where vd is v32, v64 or v224: the assembler sees v0 there and
    // refuses the mnemonics.
    X_vv vmv.v.v, v32, v1
    karat_regext none, v33, v66, v32
    .insn r 0x57, 0, 0x00, v0, v2, v1   // vadd.vv v32, v33, v66, v0.t
    X_vv vmv.v.v, v19, v32
    PUT v19
    karat_regext none, v33, v66, v224
    .insn r 0x57, 0, 0x2e, v0, v2, v1   // vmerge.vvm v224, v33, v66, v0
    X_vv vmv.v.v, v19, v224
    PUT v19
    karat_regext none, v33, v66, v64
    .insn r 0x57, 0, 0x20, v0, v2, v1   // vadc.vvm v64, v33, v66, v0
    X_vv vmv.v.v, v19, v64
    PUT v19
    X_vvv vmsltu.vv, v96, v33, v66
    X_vv vmv.v.v, v19, v96
    PUT v19
    PUT v0

    // 3. Multiply-add: third source and destination are {xd, vd}, whatever x3 is.
    X_mvv vmacc.vv, v130, v33, v66
    X_vv vmv.v.v, v19, v130
    PUT v19
    X_vv vmv.v.v, v194, v22
    regext x0, x0, (4 << 9) | (2 << 6) | (1 << 3) | 6   // v194 + v33 * v66 to v194; x3 names v130
    vmacc.vv v2, v1, v2
    X_vv vmv.v.v, v19, v194
    PUT v19
    X_vv vmv.v.v, v19, v130
    PUT v19
    X_vv vmv.v.v, v103, v1
    regext x0, x0, (0 << 9) | (2 << 6) | (7 << 3) | 3   // v225 * v103 + v66 to v103, as compilers have it: x3 is 0
    vmadd.vv v7, v1, v2
    X_vv vmv.v.v, v19, v103
    PUT v19
    PUT v7
    regext x0, x0, (2 << 9) | (1 << 6) | (0 << 3) | 0   // v2 - v1 * v33 to v2: no register is extended by x3
    vnmsac.vv v2, v1, v1
    PUT v2
    X_vv vmv.v.v, v19, v66
    PUT v19
    li t0, 102
    vmv.v.x v2, t0
    li x9, 13
    X_mxv vnmsub.vx, v130, s1, v33
    X_vv vmv.v.v, v19, v130
    PUT v19
    csrr s1, CSR_WID                // x9 again

    // 4. Scalars above x31, with vectors.
    li t0, 1000003
    X_xxi addi, x33, t0, 0
    X_xxi addi, x63, x0, -77
    X_vvx vadd.vx, v34, v33, x33
    X_vv vmv.v.v, v19, v34
    PUT v19
    X_vvx vrsub.vx, v19, v225, x63, v0.t
    PUT v19
    X_vx vmv.v.x, v34, x63
    X_xv vmv.x.s, x40, v34
    X_xxi addi, t1, x40, 1
    PUT_X t1
    X_vvx vmslt.vx, v19, v33, x63
    PUT v19
    X_mxv vmacc.vx, v34, x33, v66
    X_vv vmv.v.v, v19, v34
    PUT v19
    X_vvx vsll.vx, v19, v33, x63    // Low five bits: 19
    PUT v19

    // 5. REGEXTI: 11-bit immediates, signed where the five bits are.
    X_vvi vadd.vi, v35, v33, 1023
    X_vv vmv.v.v, v19, v35
    PUT v19
    X_vvi vadd.vi, v19, v225, -1024
    PUT v19
    X_vvi vrsub.vi, v35, v66, 500
    X_vv vmv.v.v, v19, v35
    PUT v19
    X_vvi vand.vi, v19, v33, 0x2a5
    PUT v19
    X_vvi vor.vi, v19, v33, -257
    PUT v19
    X_vvi vxor.vi, v19, v33, 32     // Only a high bit
    PUT v19
    X_vvi vxor.vi, v19, v33, -16, v0.t
    PUT v19
    X_vvu vsll.vi, v19, v33, 31
    PUT v19
    X_vvu vsrl.vi, v19, v33, 33     // Shifts take five bits: 1
    PUT v19
    X_vvu vsra.vi, v19, v225, 2047  // 31
    PUT v19
    X_vvi vmseq.vi, v19, v66, 16    // 0x10: would be -16 in five bits
    PUT v19
    X_vvi vmsne.vi, v19, v66, 31
    PUT v19
    X_vvi vmsle.vi, v19, v66, -1000
    PUT v19
    X_vvc vmsleu.vi, v19, v66, 1040     // Zero-extended
    PUT v19
    vmsleu.vi v19, v3, -12              // The assembler's spelling of 20
    PUT v19
    X_vvi vmsgt.vi, v19, v66, 1000
    PUT v19
    X_vvc vmsgtu.vi, v19, v66, 1000
    PUT v19
    X_vvi vmerge.vim, v35, v33, 777, v0
    X_vv vmv.v.v, v19, v35
    PUT v19
    X_vvi vadc.vim, v35, v33, -600, v0
    X_vv vmv.v.v, v19, v35
    PUT v19
    X_vi vmv.v.i, v35, -1000
    X_vv vmv.v.v, v19, v35
    PUT v19
    PUT v3                          // Kept by all the writes to v35
    // Without sign in CSR instructions and vsetivli.
    regexti x0, x0, (0x2a << 6)
    csrrwi t1, mscratch, 21
    csrr t1, mscratch
    PUT_X t1                        // 0x2a << 5 | 21
    regexti x0, x0, (1 << 6)
    csrrsi t1, mscratch, 0          // Sets bit 5
    csrr t1, mscratch
    PUT_X t1
    regexti x0, x0, (1 << 6)
    vsetivli t1, 1, e32, m1, tu, mu // 33: num_thread
    PUT_X t1

    // 6. vadd12, vsub12.
    X_vk vadd12.vi, v99, v33, 4095
    X_vv vmv.v.v, v19, v99
    PUT v19
    X_vk vsub12.vi, v99, v33, 2048
    X_vv vmv.v.v, v19, v99
    PUT v19

    // 7. Memory. A row of scratch for each warp.
    la s7, scratch
    slli t0, s1, 8
    add s7, s7, t0
    vsll.vi v11, v30, 2
    vadd.vx v12, v11, s7
    X_vv vmv.v.v, v172, v12         // Address of the lane's word: shares bits with v12
    X_sm vsw12.v, v33, 0, v172
    X_vm vlw12.v, v44, 0, v172
    X_vv vmv.v.v, v19, v44
    PUT v19
    X_sm vsh12.v, v66, 130, v172
    X_sm vsb12.v, v66, 129, v172
    X_vm vlhu12.v, v45, 130, v172
    X_vm vlb12.v, v46, 129, v172
    X_vvv vadd.vv, v19, v45, v46
    PUT v19
    X_xxi addi, x41, s7, 0
    X_vse vse32.v, v225, x41
    X_vle vle32.v, v47, x41
    X_vv vmv.v.v, v19, v47
    PUT v19
    // The lanes' order reversed: the last lane's word, stride -4
    addi t0, s0, -1
    slli t0, t0, 2
    X_xxx add, x42, x41, t0
    X_xxi addi, x43, x0, -4
    X_vls vlse32.v, v48, x42, x43
    X_vv vmv.v.v, v19, v48
    PUT v19
    X_vss vsse32.v, v66, x42, x43
    X_vvx vrsub.vx, v50, v11, t0    // Reversed offsets
    X_vlx vluxei32.v, v49, x41, v50
    X_vv vmv.v.v, v19, v49
    PUT v19
    X_vsx vsuxei32.v, v130, x41, v50
    vlw12.v v19, 0(v12)
    PUT v19
    X_vv vmv.v.v, v51, v1
    X_vle vle32.v, v51, x41, v0.t
    X_vv vmv.v.v, v19, v51
    PUT v19

    // 8. VBRANCH on high registers: v225 < v66, and with the roles changed.
    RECONVERGE_AT merge
    X_vb vblt, v225, v66, taken
    vadd.vi v19, v10, 1
    j merge
    .4byte 0                        // Never reached
taken:
    X_vvi vadd.vi, v19, v10, 600
merge:
    join
    PUT v19
    RECONVERGE_AT merge2
    X_vb vbltu, v66, v225, taken2
    X_vvi vadd.vi, v19, v10, 31
    j merge2
taken2:
    vadd.vi v19, v10, 2
merge2:
    join
    PUT v19
    X_v vid.v, v200
    X_vv vmv.v.v, v19, v200
    PUT v19

    // 9. Scalar code on x32 and above. x1 and its kin keep their values.
    li x1, 111
    li t0, 0x12345678
    X_xxi addi, x34, t0, 0
    X_xxi xori, x35, x34, -1
    X_xxx sub, x36, x34, x35
    X_xxx mul, x37, x36, x34
    X_xxx divu, x38, x37, x33
    X_xxi slli, x39, x38, 3
    X_xxx sltu, x32, x38, x37
    X_xxx add, t1, x39, x32
    PUT_X t1
    la t2, word
    slli t0, s1, 2
    add t2, t2, t0
    X_xxi addi, x60, t2, 0
    X_xs sw, x37, 0, x60
    X_xm lw, x61, 0, x60
    X_xxi addi, t1, x61, 0
    PUT_X t1
    li t3, 5
    X_xb beq, x61, x37, 1f
    addi t3, t3, 100
1:  X_xb bltu, x61, x0, 2f
    addi t3, t3, 7
2:  PUT_X t3
    PUT_X x1
    la t4, 3f
    X_xxi setrpc, x44, t4, 4
    X_xxx sub, t4, x44, t4
    csrr t5, CSR_RPC
    la t2, 3f
    sub t5, t5, t2
    slli t5, t5, 8
    add t4, t4, t5
3:  PUT_X t4
    // AUIPC after a prefix: relative to its own pc
    regext x0, x0, 1
4:  auipc x13, 0                    // to x45
    la t2, 4b
    X_xxx sub, t2, x45, t2
    PUT_X t2
    // JAL after a prefix: the link is the address after the jump
    regext x0, x0, 1
5:  jal x14, 6f                     // to x46
    .4byte 0
6:  la t2, 5b
    X_xxx sub, t2, x46, t2
    PUT_X t2
    // A csrr after a prefix
    regext x0, x0, 1
    csrr x15, CSR_NUMT              // to x47
    X_xxx sub, t2, x47, s0
    PUT_X t2
    endprg

    .data
    .balign 256
scratch:
    .space WARPS * 256
word:
    .space WARPS * 4

    OUT WARPS, ROWS
