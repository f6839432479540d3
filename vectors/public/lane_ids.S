// The CSRs of lanes in a grid of three dimensions at whose ragged edges threads do not start; CSRs of the warp in a vector register.
//
// Exercises: global, linear and local ids of every dimension, offsets, warps that are left out, sizes that differ in each dimension; fflags
// read behind the results that raise them; csrr.v under a mask.

#include "karat.inc"

#define WARPS   4
#define GROUPS  8
#define ROWS    12

    PROFILE public
    .text
    .globl _start
_start:
    KERNEL _start, warps=WARPS, threads=4, knl=buffer, grid_x=2, grid_y=2, grid_z=2, local_x=2, local_y=4, local_z=2, \
           global_x=3, global_y=6, global_z=3, offset_x=100, offset_y=2000, offset_z=30000
    PROLOGUE ROWS, x=2, y=2
    .irp csr, CSR_GID_X, CSR_GID_Y, CSR_GID_Z, CSR_GID, CSR_LID_X, CSR_LID_Y, CSR_LID_Z, CSR_WID, CSR_NUMT
    csrr.v v1, \csr
    PUT v1
    .endr
    vmv.v.i v2, 3
    vfdiv.vv v3, v2, v29        // Flags of it
    csrr.v v4, 0x001
    PUT v4
    csrr.v v4, 0xc20            // Element count
    PUT v4
    // Under divergence.
    RECONVERGE_AT merge
    vand.vi v3, v30, 1
    vmv.v.i v5, 0
    vbeq v3, v5, even
    csrr.v v5, CSR_GID_Z
    j merge
even:
    csrr.v v5, CSR_LID_Y
merge:
    join
    PUT v5
    endprg

    .data
    .balign 4
buffer:
    .4byte _start, 0, 3
    .4byte 3, 6, 3
    .4byte 2, 4, 2
    .4byte 100, 2000, 30000
    .4byte 0, 0, 0, 0

    OUT WARPS * GROUPS, ROWS
