// Memory of v2.03: PRE_M_* with its widths, spaces and 64-bit addresses, V*12D, LD and SD, atomics at 64-bit addresses, elements
// of SEW bits by index.
//
// Exercises: 1 to 4 words of every form, scalar and vector; words that overlap from lane to lane, up and down; odd data
// registers; scalar loads to x0; private, local and global space; private memory below CSR_PDS by a negative offset of 64 bits;
// PRE_M_* before another instruction; registers that are pending; x0 as a base pair; masks.

#include "v203.inc"

#define WARPS  2
#define GROUPS 2
#define AREA   4096

    .text
    .globl _start

.macro FORMS words, space, pair, base, vbase
    WORDS \words, \space, \pair, sw s5, 64(\base)
    WORDS \words, \space, \pair, lw t3, 64(\base)
    WORDS \words, \space, \pair, lw x0, 68(\base)
    .if \words > 1
    add t3, x1, x1              // The second word
    .endif
    WORDS \words, \space, \pair, vse32.v v7, (\base)
    WORDS \words, \space, \pair, vle32.v v13, (\base)
    WORDS \words, \space, \pair, vsse32.v v7, (\base), s7
    WORDS \words, \space, \pair, vlse32.v v13, (\base), s7
    WORDS \words, \space, \pair, vlse32.v v17, (\base), s7, v0.t
    WORDS \words, \space, \pair, vsuxei32.v v9, (\base), v4
    WORDS \words, \space, \pair, vluxei32.v v13, (\base), v4
    WORDS \words, \space, \pair, vsw12.v v7, 32(\vbase)
    WORDS \words, \space, \pair, vlw12.v v13, 32(\vbase)
    WORDS \words, \space, \pair, vsh12.v v7, 2(\vbase)
    WORDS \words, \space, \pair, vlb12.v v13, 3(\vbase)
    WORDS \words, \space, \pair, vle16.v v15, (\base)
    // The results are pending when they are used.
    vadd.vv v19, v13, v14
.endm
.macro ATOMICS space, pair, base
    .irp op, amoadd.w.aq, amoswap.w, amoxor.w.rl, amomaxu.w
    WORDS 4, \space, \pair, \op t3, s5, (\base)
    .endr
    WORDS 1, \space, \pair, lr.w.aq t3, (\base)
    WORDS 1, \space, \pair, sc.w.rl a4, s6, (\base)
.endm

_start:
    KERNEL _start, warps=WARPS, grid_x=GROUPS, lds=8192, pds=8192
    csrr s1, CSR_WID
    CLEAR
    la gp, numbers
    la sp, area
    csrr s0, CSR_GDX
    li t1, WARPS
    mul t1, t1, s0
    add t1, t1, s1              // The warp's number in the grid
    li t0, AREA
    mul t0, t0, t1
    add t0, t0, sp
    addi t0, t0, 1024
    mv a0, t0                   // A 64-bit address: {a1, a0}
    li a1, 0
    slli a6, s1, 10
    addi a6, a6, 512            // A small offset: {a7, a6}
    li a7, 0
    .irp v, 6, 7, 8, 9, 10, 11
    vle32.v v\v, (gp)
    addi gp, gp, 36
    .endr
    .irp x, 20, 21, 22, 23
    lw x\x, 0(gp)
    addi gp, gp, 4
    .endr
    li s3, 3                    // Rounds
    li s7, 4                    // Bytes from lane to lane: 4, 12, -8
    vid.v v0
    vsll.vi v4, v0, 2
    vadd.vx v2, v4, a0          // Addresses of lanes: {v3, v2}
    vmv.v.i v3, 0
    vadd.vx v24, v4, a6         // Small offsets: {v25, v24}
    vmv.v.i v25, 0
round:
    .irp words, 1, 2, 3, 4
    FORMS \words, SPACE_DEFAULT, 0, a0, v2
    FORMS \words, SPACE_GLOBAL, 1, a0, v2
    FORMS \words, SPACE_PRIVATE, 0, a6, v24
    FORMS \words, SPACE_PRIVATE, 1, a6, v24
    FORMS \words, SPACE_LOCAL, 0, a6, v24
    FORMS \words, SPACE_LOCAL, 1, a6, v24
    .endr
    ATOMICS SPACE_DEFAULT, 1, a0
    ATOMICS SPACE_LOCAL, 0, a6
    ATOMICS SPACE_PRIVATE, 1, a6
    // x0 as a base pair; x1 is not 0.
    WORDS 2, SPACE_PRIVATE, 1, sw s5, 64(x0)
    WORDS 3, SPACE_PRIVATE, 1, lw t3, 64(x0)
    // Below CSR_PDS: the second workgroup has the last words of the first one's threads, which do not touch them.
    beqz s0, 1f
    li t3, -16                  // {t4, t3}
    li t4, -1
    WORDS 2, SPACE_PRIVATE, 1, sw s5, 4(t3)
    WORDS 2, SPACE_PRIVATE, 1, lw a4, 4(t3)
1:  sd_ s5, 8, a0
    ld_ t3, 8, a0
    amo_d 0x00, t3, s5, a0
    amo_d 0x01, t3, s6, a0
    WORDS 3, SPACE_DEFAULT, 0, ld_ t3, -16, a0
    WORDS 2, SPACE_LOCAL, 0, sd_ s5, 8, a6
    .irp f3, 0, 1, 2, 4, 5
    vload12d \f3, v13, 8, v2
    .endr
    .irp f3, 3, 6, 7
    vstore12d \f3, v7, -24, v2
    .endr
    WORDS 2, SPACE_DEFAULT, 0, vload12d 2, v13, 16, v2
    WORDS 4, SPACE_PRIVATE, 0, vstore12d 6, v7, 16, v24
    // Void: neither the extension of a register nor pair has an effect.
    .4byte 0x0008007e | 1 << 23
    addi t3, s5, 1
    // Elements of 8 and 16 bits.
    .irp sew, e8, e16
    vsetvli t1, x0, \sew, m1, ta, ma
    vsuxei8.v v7, (a0), v4
    vloxei32.v v13, (a0), v4
    WORDS 4, SPACE_LOCAL, 0, vluxei16.v v14, (a6), v4
    vsetvli t1, x0, \sew, m2, ta, ma
    vadd.vi v4, v4, 0
    vsetvli t1, x0, e32, m2, ta, ma
    WORDS 1, SPACE_LOCAL, 1, vle32.v v14, (a6)
    WORDS 1, SPACE_PRIVATE, 1, vse32.v v14, (a6)
    vsetvli t1, x0, e32, m1, ta, ma
    vsll.vi v4, v0, 2
    .endr
    slli s7, s7, 1
    addi s7, s7, 4              // 4, 12, 28
    vadd.vv v4, v4, v4
    vrsub.vi v2, v2, 0          // Lanes in descending order, every other round
    vrsub.vi v2, v2, 0
    vid.v v22
    vrsub.vi v22, v22, 15
    vsll.vi v22, v22, 2
    vadd.vx v2, v22, a0
    addi s3, s3, -1
    beqz s3, end
    j round
end:
    endprg
    TABLE
    .bss
    .balign 4096
area:
    .zero AREA * WARPS * GROUPS
