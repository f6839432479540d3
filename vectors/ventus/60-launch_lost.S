// A workgroup that is launched while the end of another is being served never starts.
// core: the whole GPGPU
// defect: no progress
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start, grid_x=2
    csrr x1, CSR_GDX
    endprg
