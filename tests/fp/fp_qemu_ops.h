/* Messages between the host and the riscv64 guest of the qemu test. */
#ifndef KARAT_TESTS_FP_FP_QEMU_OPS_H
#define KARAT_TESTS_FP_FP_QEMU_OPS_H

#include <stdint.h>

/* Instructions, each of a format, without its suffixes. A conversion to an integer goes by the integer's
 * width; those of 8 and 16 bits and the last three are vector instructions. */
/* clang-format off */
#define INSTRUCTIONS(X) \
    X(fadd) X(fsub) X(fmul) X(fdiv) X(fsqrt) X(fmadd) X(fmsub) X(fnmadd) X(fnmsub) \
    X(fmin) X(fmax) X(feq) X(flt) X(fle) X(fclass) X(fsgnj) X(fsgnjn) X(fsgnjx) \
    X(from_w) X(from_wu) X(from_l) X(from_lu) X(widen) X(narrow) \
    X(to_b) X(to_bu) X(to_h) X(to_hu) X(to_w) X(to_wu) X(to_l) X(to_lu) \
    X(vfrec7) X(vfrsqrt7) X(narrow_rod)
/* clang-format on */

#define OP_NUMBER(name) OP_##name,
enum { INSTRUCTIONS(OP_NUMBER) OPS };

struct request {
    uint32_t op;
    uint16_t bits, rm; /* Bits of the format; the rounding mode */
    uint64_t a, b, c;
};

struct reply {
    uint64_t value; /* Sign-extended */
    uint64_t flags;
};

enum { BATCH = 2048 };

#endif
