/* binary32 operations on many elements at once: the same results and flags as the functions of f32.h, in every rounding mode.
 *
 * Each function computes r[i] for the elements of active (bit i: element i < num) that are easy, and returns their flags and the other
 * ones of active, which the caller computes one by one: those with a NaN or most with an infinity, a divisor of 0, and the root of a
 * negative number. Classes and sources that are integers are always easy. r[i] is undefined for elements below num that are not active,
 * and as it was for those that are returned; r may be one of the sources. Where the host does not have the arithmetic that the argument
 * in f32_lanes.c needs, no element is easy. */
#ifndef KARAT_FP_F32_LANES_H
#define KARAT_FP_F32_LANES_H

#include "exec/level.h"

#include <stdint.h>

typedef struct karat_lanes {
    uint64_t left; /* elements of active that are still to be computed */
    uint64_t flags;
} karat_lanes;

/* How: the number of elements, the rounding mode, and sources whose sign is inverted. Everything is in registers so. */
#define KARAT_LANES_HOW(num, rm) ((uint32_t)(num) | (uint32_t)(rm) << 8)
#define KARAT_LANES_NUM(how)     ((how)&0xffu)
#define KARAT_LANES_RM(how)      ((how) >> 8 & 7u)
enum { KARAT_LANES_NEG_A = 1 << 16, KARAT_LANES_NEG_B = 1 << 17, KARAT_LANES_NEG_C = 1 << 18 };

typedef karat_lanes karat_lanes_function(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                         uint32_t how, uint64_t active, uint32_t *r);

/* a + b, a * b, a / b, the root of a, a * b + c. */
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_add);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_mul);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_div);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_sqrt);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_fma);

/* Of a and b. The comparisons give 0 or 1. */
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_min);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_max);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_eq);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_ne);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_lt);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_le);

/* Of a: class, and conversions to and from integers of 32 bits. */
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_class);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_to_i32);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_to_u32);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_from_i32);
karat_lanes_function KARAT_LEVEL(karat_f32_lanes_from_u32);

#endif
