// REGEXT's x3 is ignored by the scalar fused multiply-adds.
// defect: wrong operand read, fmadd.s
// chisel: wrong operand read, fmadd.s
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    li x1, 0x3f800000
    li x2, 0
    X_xxi addi, x34, x1, 0
    X_xxxx fmadd.s, x3, x1, x1, x34
    endprg
