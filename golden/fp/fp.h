/* One definition for three widths: selection of a format by the type of a bit pattern.
 *
 *     karat_fp(s2, add)(s2, s1, rm, &flags)
 *
 * is karat_f16_add, karat_f32_add or karat_f64_add, where s2 is a uint16_t, uint32_t or uint64_t. The first
 * argument is not evaluated; only its type counts. It has to be one of the three: an expression like s2 ^ 1
 * of a uint16_t is an int and does not compile. So the sign of a pattern is changed by sgnjn and sgnjx rather
 * than by operators:
 *
 *     karat_fp(s2, fma)(s2, s1, karat_fp_neg(d), rm, &flags)
 *
 * An operation that not all three formats have (exp) does not compile either. For C only. */
#ifndef KARAT_FP_FP_H
#define KARAT_FP_FP_H

#include "fp/f16.h"
#include "fp/f32.h"
#include "fp/f64.h"

#define karat_fp(a, op)                                                                                      \
    _Generic((a), uint16_t : karat_f16_##op, uint32_t : karat_f32_##op, uint64_t : karat_f64_##op)

/* A constant of the format of a: SIGN, INF or NAN. */
#define KARAT_FP(a, name)                                                                                    \
    _Generic((a), uint16_t : KARAT_F16_##name, uint32_t : KARAT_F32_##name, uint64_t : KARAT_F64_##name)

/* A with its sign inverted. */
#define karat_fp_neg(a) karat_fp(a, sgnjn)(a, a)

/* Conversion to the next wider format (of a uint16_t or uint32_t) and to the next narrower one (of a uint32_t
 * or uint64_t). */
#define karat_fp_widen(a)  _Generic((a), uint16_t : karat_f32_from_f16, uint32_t : karat_f64_from_f32)
#define karat_fp_narrow(a) _Generic((a), uint32_t : karat_f16_from_f32, uint64_t : karat_f32_from_f64)

#endif
