// All six VBRANCHes on corner operands: uniform ones, divergent ones, and ones that are uniform only among the threads
// that are active.
//
// Exercises: signed and unsigned comparison, which operand is which (vs2 op vs1), no push where all go one way, that
// inactive threads do not count, that vl does not matter, forward and backward targets.

#include "karat.inc"
#include "corners.inc"

#define WARPS 2
#define PAIRS 12
#define ROUNDS 8
#define ROWS  (PAIRS + ROUNDS + 4)

    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS
    PROLOGUE ROWS
    vmv.v.i v10, 0

    // 1. The same pair in every thread: bit k of the row says whether branch k was taken. The two warps swap the pair.
    la s6, pairs
    li s7, PAIRS
uniform:
    lw t0, 0(s6)
    lw t1, 4(s6)
    beqz s1, 1f
    mv t2, t0
    mv t0, t1
    mv t1, t2
1:  vmv.v.x v2, t0
    vmv.v.x v1, t1
    vmv.v.i v3, 0
    // No reconvergence point is needed, and none is set: a wrong push would show.
    .irp kind, eq, ne, lt, ge, ltu, geu
    vb\kind v2, v1, taken_\kind
back_\kind:
    .endr
    j uniform_done
    // The targets lie after the code that branches back to what follows the branch.
    .set .Lbit, 1
    .irp kind, eq, ne, lt, ge, ltu, geu
taken_\kind:
    li t0, .Lbit
    vor.vx v3, v3, t0
    vbeq v10, v10, back_\kind
    .set .Lbit, .Lbit << 1
    .endr
uniform_done:
    PUT v3
    PUT_FLUSH
    addi s6, s6, 8
    addi s7, s7, -1
    bnez s7, uniform

    // 2. Different corners in each thread, each kind with a region of its own.
    li s6, 0
divergent:
    slli s7, s6, 2
    CORNER v2, corners_a, s7
    CORNER v1, corners_b, s7, 1
    vmv.v.i v3, 0
    .set .Lbit, 1
    .irp kind, eq, ne, lt, ge, ltu, geu
    RECONVERGE_AT merge_\kind
    vb\kind v2, v1, else_\kind
    vadd.vx v3, v3, s11         // If path: counts in bit 11 and up
    j merge_\kind
else_\kind:
    li t0, .Lbit
    vor.vx v3, v3, t0
merge_\kind:
    join
    .set .Lbit, .Lbit << 1
    .endr
    PUT v3
    PUT_FLUSH
    addi s6, s6, 1
    li t0, ROUNDS
    bne s6, t0, divergent

    // 3. Uniform among the active threads only. Threads below 2 have equal operands, the others do not.
    vmv.v.i v3, 0
    li t0, 2
    vmv.v.x v4, t0
    vmv.v.v v5, v30             // vs2: the lane
    vmv.v.v v6, v30             // vs1: the lane, for lanes below 2; else the lane + 1
    vmslt.vv v0, v30, v4
    vadd.vi v7, v30, 1
    vmerge.vvm v6, v7, v6, v0
    li s8, 0
    li s9, 0
    RECONVERGE_AT merge3
    vblt v30, v4, low
    vadd.vi v3, v3, 1           // Here all differ
    vbeq v5, v6, never
    addi s8, s8, 1
    vadd.vi v3, v3, 2
    vbltu v5, v6, high_all
    vadd.vi v3, v3, 4
    addi s8, s8, 16
high_all:
    vadd.vi v3, v3, 8
    j merge3
never:
    addi s8, s8, 256
    j merge3
low:
    vbne v5, v6, never_low
    addi s9, s9, 1
    vor.vi v3, v3, 7
    j merge3
never_low:
    addi s9, s9, 16
merge3:
    join
    PUT v3
    slli s9, s9, 12
    add s8, s8, s9
    PUT_X s8                    // How often the paths ran, as scalars see it

    // 4. vl = 2: lanes beyond it write nothing, but they branch.
    vmv.v.i v3, 0
    vsetivli x0, 2, e32, m1, tu, mu
    li s8, 0
    RECONVERGE_AT merge4
    vblt v30, v4, low4          // Lanes 0 and 1 against the rest: divergent although vl covers one side only
    addi s8, s8, 1              // The rest: runs, and writes nothing
    vadd.vi v3, v3, 5
    j merge4
low4:
    addi s8, s8, 16
    vadd.vi v3, v3, 9
merge4:
    join
    vsetvli x0, s0, e32, m1, tu, mu
    PUT v3
    PUT_X s8
    endprg

    .data
    .balign 8
pairs:
    .4byte 0, 0
    .4byte 0, 0xffffffff
    .4byte 0x7fffffff, 0x80000000
    .4byte 0x80000000, 0x7fffffff
    .4byte 0x80000000, 0x80000000
    .4byte 1, 2
    .4byte 0xfffffffb, 0xfffffffc
    .4byte 0xffffffff, 0xffffffff
    .4byte 0xffffffff, 1
    .4byte 0x80000000, 0
    .4byte 0x7fffffff, 0x7ffffffe
    .4byte 0x00010000, 0x00000001

    OUT WARPS, ROWS
