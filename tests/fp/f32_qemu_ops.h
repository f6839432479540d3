/* The protocol between the host and the riscv32 guest of the qemu test. */
#ifndef KARAT_TESTS_FP_F32_QEMU_OPS_H
#define KARAT_TESTS_FP_F32_QEMU_OPS_H

#include <stdint.h>

/* Instruction names, in the order of their numbers. The scalar ones need a Zfinx CPU, the last two the V
 * extension. */
/* clang-format off */
#define SCALAR_OPS(X) \
    X(fadd) X(fsub) X(fmul) X(fdiv) X(fsqrt) X(fmadd) X(fmsub) X(fnmadd) X(fnmsub) \
    X(fmin) X(fmax) X(feq) X(flt) X(fle) X(fclass) \
    X(fcvt_w_s) X(fcvt_wu_s) X(fcvt_s_w) X(fcvt_s_wu) X(fsgnj) X(fsgnjn) X(fsgnjx)
/* clang-format on */
#define VECTOR_OPS(X) X(vfrec7) X(vfrsqrt7)

#define OP_NUMBER(name) OP_##name,
enum { SCALAR_OPS(OP_NUMBER) SCALAR_END, VECTOR_OPS(OP_NUMBER) VECTOR_END };

/* The vector instructions go on after the number that SCALAR_END takes. */
enum { VECTOR_START = SCALAR_END + 1 };

struct request {
    uint32_t op_rm; /* op << 8 | rounding mode */
    uint32_t a, b, c;
};

struct reply {
    uint32_t value, flags;
};

enum { BATCH = 4096 };

#endif
