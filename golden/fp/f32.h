/* IEEE 754 binary32 with RISC-V rules, in integer arithmetic only.
 *
 * A value is its bit pattern in a uint32_t; no host floating point is involved anywhere, so every host,
 * compiler and optimisation level produces the same bits. There is no hidden state: the rounding mode is an
 * argument, and the exception flags are ORed into *flags (never cleared), as the fflags CSR requires.
 *
 * How rounding works: an operation on finite operands first computes a 31-bit significand with its leading
 * one at bit 30. The upper 24 bits are the result's significand, the lower 7 are rounded off, and bit 0 is
 * "sticky": it is one when anything non-zero was lost further right. One function (format.h) then rounds,
 * packs and raises NX, OF and UF. So each operation only has to be exact up to the sticky bit.
 *
 * RISC-V rules: every NaN result is the canonical NaN (payloads do not propagate), tininess is detected after
 * rounding, subnormals are kept, conversions to integers saturate, min and max are IEEE 754-2019
 * minimumNumber and maximumNumber.
 */
#ifndef KARAT_FP_F32_H
#define KARAT_FP_F32_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rounding modes, as encoded in frm. The caller rejects the reserved modes 5 to 7 and resolves "dynamic". */
enum {
    KARAT_RNE = 0, /* To nearest, ties to even */
    KARAT_RTZ = 1, /* Towards zero */
    KARAT_RDN = 2, /* Towards minus infinity */
    KARAT_RUP = 3, /* Towards plus infinity */
    KARAT_RMM = 4, /* To nearest, ties away from zero */
    /* To odd: what is inexact gets a last bit of one. No value of frm means it; the narrowing conversions
     * take it, for vfncvt.rod.f.f.w, and nothing else does. */
    KARAT_ROD = 5
};

/* Exception flags, as encoded in fflags. */
enum {
    KARAT_NX = 1, /* Inexact */
    KARAT_UF = 2, /* Underflow: tiny after rounding, and inexact */
    KARAT_OF = 4, /* Overflow */
    KARAT_DZ = 8, /* Division by zero */
    KARAT_NV = 16 /* Invalid operation */
};

#define KARAT_F32_SIGN UINT32_C(0x80000000)
#define KARAT_F32_INF  UINT32_C(0x7f800000)
#define KARAT_F32_NAN  UINT32_C(0x7fc00000) /* The canonical NaN */

/* Arithmetic. fma is a * b + c with a single rounding; the negated forms flip the sign bits of a and c. */
uint32_t karat_f32_add(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags);
uint32_t karat_f32_sub(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags);
uint32_t karat_f32_mul(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags);
uint32_t karat_f32_div(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags);
uint32_t karat_f32_sqrt(uint32_t a, unsigned rm, uint32_t *flags);
uint32_t karat_f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, uint32_t *flags);

/* Computes e^a, correctly rounded in every mode, for vfexp.v. Exact, so without a flag: e^(+-0) = 1, e^(-inf)
 * = +0, e^(+inf) = +inf; every other number raises NX, and OF or UF where the result requires it. */
uint32_t karat_f32_exp(uint32_t a, unsigned rm, uint32_t *flags);

/* -0 < +0; of a NaN and a number the number; of two NaNs the canonical one. A signaling NaN raises NV. */
uint32_t karat_f32_min(uint32_t a, uint32_t b, uint32_t *flags);
uint32_t karat_f32_max(uint32_t a, uint32_t b, uint32_t *flags);

/* Comparisons: false when unordered. eq raises NV for signaling NaNs only, lt and le for every NaN. */
bool karat_f32_eq(uint32_t a, uint32_t b, uint32_t *flags);
bool karat_f32_lt(uint32_t a, uint32_t b, uint32_t *flags);
bool karat_f32_le(uint32_t a, uint32_t b, uint32_t *flags);

/* The one-hot mask of fclass.s: bit 0 -inf, 1 negative normal, 2 negative subnormal, 3 -0, 4 +0, 5 positive
 * subnormal, 6 positive normal, 7 +inf, 8 signaling NaN, 9 quiet NaN. */
uint32_t karat_f32_class(uint32_t a);

/* Conversions. To integers: out of range saturates and NaN becomes the largest value, both with NV alone.
 *
 * The general ones have integers in 64 bits, a signed one sign-extended and an unsigned one zero-extended:
 * the argument of from_int, and the result of to_int, which fits bits (8, 16, 32 or 64) of them. */
uint32_t karat_f32_from_int(uint64_t value, bool is_signed, unsigned rm, uint32_t *flags);
uint64_t karat_f32_to_int(uint32_t a, unsigned bits, bool is_signed, unsigned rm, uint32_t *flags);
uint32_t karat_f32_from_i32(int32_t i, unsigned rm, uint32_t *flags);
uint32_t karat_f32_from_u32(uint32_t i, unsigned rm, uint32_t *flags);
int32_t karat_f32_to_i32(uint32_t a, unsigned rm, uint32_t *flags);
uint32_t karat_f32_to_u32(uint32_t a, unsigned rm, uint32_t *flags);

/* The 7-bit estimates vfrec7.v and vfrsqrt7.v of the V extension 1.0. */
uint32_t karat_f32_rec7(uint32_t a, unsigned rm, uint32_t *flags);
uint32_t karat_f32_rsqrt7(uint32_t a, uint32_t *flags);

/* Sign injection: the magnitude of a with b's sign, b's sign inverted, or both signs xored. */
static inline uint32_t karat_f32_sgnj(uint32_t a, uint32_t b) {
    return (a & ~KARAT_F32_SIGN) | (b & KARAT_F32_SIGN);
}

static inline uint32_t karat_f32_sgnjn(uint32_t a, uint32_t b) {
    return (a & ~KARAT_F32_SIGN) | (~b & KARAT_F32_SIGN);
}

static inline uint32_t karat_f32_sgnjx(uint32_t a, uint32_t b) {
    return a ^ (b & KARAT_F32_SIGN);
}

#ifdef __cplusplus
}
#endif

#endif
