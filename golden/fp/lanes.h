/* Operations of binary16, binary32 and binary64 on many elements at once: the same results and flags as the
 * functions of f16.h, f32.h and f64.h, in every rounding mode.
 *
 * Each function computes r[i] for the elements of active (bit i: element i < num) that are easy, and returns
 * their flags and the other ones of active, which the caller computes one by one: those with a NaN or most
 * with an infinity, a divisor of 0, and the root of a negative number; of binary64 also those near the ends
 * of the range of exponents (f64_lanes.c). Classes and sources that are integers are always easy. r[i] is
 * undefined for elements below num that are not active, and as it was for those that are returned; r may be
 * one of the sources. Where the host does not have the arithmetic that the arguments in f16_lanes.c,
 * f32_lanes.c and f64_lanes.c need, no element is easy.
 *
 * An element of a source and of r is a word. binary16 is the lower half of it; in r, the upper half is all
 * ones above a number and the sign above an integer. binary64 has the upper half of element i in word i +
 * stride. */
#ifndef KARAT_FP_LANES_H
#define KARAT_FP_LANES_H

#include "exec/level.h"

#include <stdint.h>

typedef struct karat_lanes {
    uint64_t left; /* Elements of active that are still to be computed */
    uint64_t flags;
} karat_lanes;

/* How: the number of elements, at most 64, the rounding mode, the stride of binary64, which is 64 at most,
 * too, and sources whose sign is inverted. Everything is in registers so. num is a power of two, or a
 * multiple of 8. */
#define KARAT_LANES_HOW(num, rm, stride) ((uint32_t)(num) | (uint32_t)(rm) << 8 | (uint32_t)(stride) << 24)
#define KARAT_LANES_NUM(how)             ((how)&0xffu)
#define KARAT_LANES_RM(how)              ((how) >> 8 & 7u)
#define KARAT_LANES_STRIDE(how)          ((how) >> 24)
enum { KARAT_LANES_NEG_A = 1 << 16, KARAT_LANES_NEG_B = 1 << 17, KARAT_LANES_NEG_C = 1 << 18 };

typedef karat_lanes karat_lanes_function(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                         uint32_t how, uint64_t active, uint32_t *r);

/* A + b, a * b, a / b, the root of a, a * b + c; min and max of a and b, and their comparisons, which give 0
 * or 1; the class of a, and its conversions to and from integers of the format's width, signed and
 * unsigned. */
#define KARAT_LANES_ROUNDED(X)   X(add) X(mul) X(div) X(sqrt) X(fma) X(to_i) X(to_u) X(from_i) X(from_u)
#define KARAT_LANES_UNROUNDED(X) X(min) X(max) X(eq) X(ne) X(lt) X(le) X(class)
#define KARAT_LANES_DECLARE(op)                                                                              \
    karat_lanes_function KARAT_LEVEL(karat_f16_lanes_##op);                                                  \
    karat_lanes_function KARAT_LEVEL(karat_f32_lanes_##op);                                                  \
    karat_lanes_function KARAT_LEVEL(karat_f64_lanes_##op);
KARAT_LANES_ROUNDED(KARAT_LANES_DECLARE)
KARAT_LANES_UNROUNDED(KARAT_LANES_DECLARE)
#undef KARAT_LANES_DECLARE

/* The function for the format of a, whose type counts alone, as in fp.h. */
#define KARAT_LANES(a, op)                                                                                   \
    _Generic((a), uint16_t                                                                                   \
             : KARAT_LEVEL(karat_f16_lanes_##op), uint32_t                                                   \
             : KARAT_LEVEL(karat_f32_lanes_##op), uint64_t                                                   \
             : KARAT_LEVEL(karat_f64_lanes_##op))

#endif
