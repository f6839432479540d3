// Records of kernels' needs of every version, with what they do not know, and records that contradict the code or
// themselves, or are damaged.
#include "karat.inc"

    .text
    .globl _start
_start:
    vmv.v.i v2, 0
    endprg
    .irp kernel, first, one, two, three, bound, four, few, wrong, ends
    .globl \kernel
    .set \kernel, _start
    .endr

    .section .ventus.resource.first, "", @progbits
    .2byte 3, 4, 5, 6

    .section .ventus.resource.one, "", @progbits
    .ascii "VRES"
    .2byte 1, 24
    .4byte 3, 4, 5, 6

    .section .ventus.resource.two, "", @progbits
    .4byte 2, 0
    .8byte 3, 4, 5, 6

    .section .ventus.resource.three, "", @progbits
    .4byte 3, 8
    .8byte 3, 4, 5, -1, 7, 8

    .section .ventus.resource.bound, "", @progbits
    .4byte 3, 0x38
    .8byte 3, 4, 5, 6, 7, 8

    .section .ventus.resource.four, "", @progbits
    .4byte 4, 0
    .8byte 3, 4, 5, 600, 7, 8
    .4byte 3, 5, 5, 16, 384, 400, 200, 1, 2, 0

    .section .ventus.resource.few, "", @progbits
    .2byte 2, 4, 5, 6

    .section .ventus.resource.wrong, "", @progbits
    .4byte 9, 0, 0

    .section .ventus.resource.ends, "", @progbits
    .4byte 4, 0
    .8byte 3, 4, 5, 599, 7, 8
    .4byte 3, 5, 5, 16, 384, 400, 200, 1, 2, 0
