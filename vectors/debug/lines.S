// Not a program to compute anything: one with line tables, of assembler and of C, to test the report's source lines with.

#include "karat.inc"

    .text
    .globl _start
_start:
    KERNEL _start

    vid.v v1
    li a0, 7
    call weigh                  // debug/weigh.c
    .type spread, @function
spread:
    vadd.vx v8, v1, a0          // here: spread
    vmul.vv v9, v8, v8          // here: the last that the assembler knows
    vadd12.vi v10, v9, 5
    vadd.vv v11, v10, v10       // here: of a custom instruction's result
    endprg
    .size spread, . - spread
