// Whether a byte is signed is taken from the last lane's offset in its word: LBU at offset 0 is sign-extended.
// defect: wrong value written, lbu
#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start
    la x1, byte
    lbu x2, 0(x1)
    endprg

    .data
    .balign 4
byte:
    .byte 0x80, 0, 0, 0
