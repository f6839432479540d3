// The floating-point unit keeps five bits of its destination's number: v33 is v1.
// chisel: write that no instruction expects, endprg
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    vmv.v.i v1, 0
    X_vvv vfadd.vv, v33, v1, v1
    endprg
