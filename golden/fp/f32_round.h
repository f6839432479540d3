/* Private to golden/fp: taking binary32 apart, and rounding and packing a result. See f32.h for the approach.
 */
#ifndef KARAT_FP_F32_ROUND_H
#define KARAT_FP_F32_ROUND_H

#include "fp/f32.h"

#define F32_FRAC   UINT32_C(0x007fffff)
#define F32_HIDDEN UINT32_C(0x00800000)
#define F32_MAX    UINT32_C(0x7f7fffff)
#define F32_QUIET  UINT32_C(0x00400000)

#define F32_COLD        __attribute__((cold, noinline))
#define F32_LIKELY(x)   __builtin_expect(!!(x), 1)
#define F32_UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline uint32_t f32_sign(uint32_t a) {
    return a >> 31;
}
static inline int f32_exp(uint32_t a) {
    return (int)(a >> 23 & 0xff);
}
static inline uint32_t f32_frac(uint32_t a) {
    return a & F32_FRAC;
}
static inline uint32_t f32_abs(uint32_t a) {
    return a & ~KARAT_F32_SIGN;
}
static inline bool f32_is_nan(uint32_t a) {
    return f32_abs(a) > KARAT_F32_INF;
}
static inline bool f32_is_inf(uint32_t a) {
    return f32_abs(a) == KARAT_F32_INF;
}
static inline bool f32_is_zero(uint32_t a) {
    return f32_abs(a) == 0;
}
static inline bool f32_is_normal(uint32_t a) {
    return (unsigned)f32_exp(a) - 1 < 254;
}
static inline bool f32_is_snan(uint32_t a) {
    return f32_is_nan(a) && !(a & F32_QUIET);
}
static inline uint32_t f32_pack(uint32_t sign, uint32_t magnitude) {
    return sign << 31 | magnitude;
}

/* A finite non-zero value is sig * 2^(exp - 127 - 23), with sig's leading one at bit 23. So exp is the biased exponent of a
 * normal number, and is below 1 for a subnormal one. */
struct f32_parts {
    uint32_t sig;
    int exp;
};

static inline struct f32_parts f32_normal_parts(uint32_t a) {
    return (struct f32_parts){f32_frac(a) | F32_HIDDEN, f32_exp(a)};
}

static inline struct f32_parts f32_parts(uint32_t a) {
    if (f32_exp(a) != 0)
        return f32_normal_parts(a);
    int shift = __builtin_clz(f32_frac(a)) - 8;
    return (struct f32_parts){f32_frac(a) << shift, 1 - shift};
}

/* Right shifts that keep the lost bits as a sticky bit 0. */
static inline uint32_t f32_shift_jam(uint32_t x, int n) {
    return n < 32 ? x >> n | ((x & ((UINT32_C(1) << n) - 1)) != 0) : x != 0;
}

static inline uint64_t f32_shift_jam64(uint64_t x, int n) {
    return n < 64 ? x >> n | ((x & ((UINT64_C(1) << n) - 1)) != 0) : x != 0;
}

/* The increment of a magnitude whose lowest bits, with half = one half, are cut off afterwards. Nearest-even needs one more
 * step for ties. The test (rm & 3) == 0 picks both nearest modes, 3 - sign the mode away from zero. */
static inline uint32_t f32_increment(uint32_t sign, unsigned rm, uint32_t half) {
    if ((rm & 3) == 0)
        return half;
    return rm == 3 - sign ? 2 * half - 1 : 0;
}

/* f32_round for an exponent at or beyond either end of the range. */
uint32_t f32_round_edge(uint32_t sign, int exp, uint32_t sig, unsigned rm, uint32_t *flags);

/* Round and pack sig * 2^(exp - 127 - 30), where sig has its leading one at bit 30 and a sticky bit 0. */
static inline uint32_t f32_round(uint32_t sign, int exp, uint32_t sig, unsigned rm, uint32_t *flags) {
    /* At 254, rounding could carry into the infinity. */
    if (F32_UNLIKELY((unsigned)exp - 1 >= 253))
        return f32_round_edge(sign, exp, sig, rm, flags);
    uint32_t lost = sig & 0x7f;
    uint32_t kept = (sig + f32_increment(sign, rm, 0x40)) >> 7;
    kept &= ~(uint32_t)(rm == KARAT_RNE && lost == 0x40);
    *flags |= lost != 0 ? KARAT_NX : 0;
    /* Adding lets the hidden bit, or a carry out of the fraction, step the exponent. */
    return (sign << 31) + ((uint32_t)(exp - 1) << 23) + kept;
}

/* Likewise for a 64-bit significand with its leading one at bit 62. */
static inline uint32_t f32_round64(uint32_t sign, int exp, uint64_t sig, unsigned rm, uint32_t *flags) {
    return f32_round(sign, exp, (uint32_t)(sig >> 32) | ((uint32_t)sig != 0), rm, flags);
}

/* The NaN result for operands of which at least one is a NaN; NV if one is signaling. */
static inline uint32_t f32_nan_result(bool signaling, uint32_t *flags) {
    *flags |= signaling ? KARAT_NV : 0;
    return KARAT_F32_NAN;
}

static inline uint32_t f32_invalid(uint32_t *flags) {
    return f32_nan_result(true, flags);
}

/* The 7-bit reciprocal square root estimate of the V extension: index bits are the exponent's lowest bit and
 * the fraction's six highest, as the specification's table has them. */
extern const uint8_t f32_rsqrt7_table[128];

/* 2^(j/128) times 2^62, rounded to nearest; here for the test that computes it again. */
extern const uint64_t f32_exp2_table[128];

#endif
