/* Comparisons, classification, conversions between binary32 and integers, and the 7-bit estimates. */
#include "fp/f32_round.h"

/* ---- min, max, comparisons, class ---- */

/* Ordered as signed integers: flipping the magnitude bits of negative values leaves -0 just below +0. */
static inline int32_t order_key(uint32_t a) {
    return (int32_t)(f32_sign(a) ? a ^ ~KARAT_F32_SIGN : a);
}

static F32_COLD uint32_t min_max_nan(uint32_t a, uint32_t b, uint32_t *flags) {
    uint32_t nan = f32_nan_result(f32_is_snan(a) || f32_is_snan(b), flags);
    if (f32_is_nan(a))
        return f32_is_nan(b) ? nan : b;
    return a;
}

uint32_t karat_f32_min(uint32_t a, uint32_t b, uint32_t *flags) {
    if (F32_UNLIKELY(f32_is_nan(a) || f32_is_nan(b)))
        return min_max_nan(a, b, flags);
    return order_key(a) < order_key(b) ? a : b;
}

uint32_t karat_f32_max(uint32_t a, uint32_t b, uint32_t *flags) {
    if (F32_UNLIKELY(f32_is_nan(a) || f32_is_nan(b)))
        return min_max_nan(a, b, flags);
    return order_key(a) > order_key(b) ? a : b;
}

bool karat_f32_eq(uint32_t a, uint32_t b, uint32_t *flags) {
    if (F32_UNLIKELY(f32_is_nan(a) || f32_is_nan(b))) {
        f32_nan_result(f32_is_snan(a) || f32_is_snan(b), flags);
        return false;
    }
    return a == b || f32_abs(a | b) == 0;
}

bool karat_f32_lt(uint32_t a, uint32_t b, uint32_t *flags) {
    if (F32_UNLIKELY(f32_is_nan(a) || f32_is_nan(b))) {
        *flags |= KARAT_NV;
        return false;
    }
    return order_key(a) < order_key(b) && f32_abs(a | b) != 0;
}

bool karat_f32_le(uint32_t a, uint32_t b, uint32_t *flags) {
    if (F32_UNLIKELY(f32_is_nan(a) || f32_is_nan(b))) {
        *flags |= KARAT_NV;
        return false;
    }
    return order_key(a) <= order_key(b) || f32_abs(a | b) == 0;
}

uint32_t karat_f32_class(uint32_t a) {
    if (f32_is_nan(a))
        return f32_is_snan(a) ? 1u << 8 : 1u << 9;
    /* Counted outwards from the zeros; the negative classes mirror the positive ones. */
    unsigned rank = f32_is_inf(a) ? 3 : f32_exp(a) != 0 ? 2 : f32_frac(a) != 0 ? 1 : 0;
    return f32_sign(a) ? 1u << (3 - rank) : 1u << (4 + rank);
}

/* ---- integer conversions ---- */

static inline uint32_t from_magnitude(uint32_t sign, uint32_t magnitude, unsigned rm, uint32_t *flags) {
    if (magnitude == 0)
        return 0;
    int shift = __builtin_clz(magnitude);
    /* Leading one at bit 62, which has the value 2^(31 - shift). */
    return f32_round64(sign, 127 + 31 - shift, (uint64_t)magnitude << (31 + shift), rm, flags);
}

uint32_t karat_f32_from_i32(int32_t i, unsigned rm, uint32_t *flags) {
    uint32_t sign = i < 0;
    return from_magnitude(sign, sign ? 0 - (uint32_t)i : (uint32_t)i, rm, flags);
}

uint32_t karat_f32_from_u32(uint32_t i, unsigned rm, uint32_t *flags) {
    return from_magnitude(0, i, rm, flags);
}

/* Round a to an integer between lowest and highest. */
static inline int64_t to_integer(uint32_t a, int64_t lowest, int64_t highest, unsigned rm, uint32_t *flags) {
    uint32_t sign = f32_sign(a);
    int exp = f32_exp(a);
    /* From 2^32 on, infinities and NaNs included, nothing fits. */
    if (F32_UNLIKELY(exp >= 127 + 32)) {
        *flags |= KARAT_NV;
        return sign && !f32_is_nan(a) ? lowest : highest;
    }
    /* A fixed-point number with 30 fraction bits, the last one sticky; 2^31 <= |a| < 2^32 ends at bit 61. */
    uint64_t fixed = (uint64_t)(f32_frac(a) | (exp != 0 ? F32_HIDDEN : 0)) << 38;
    fixed = f32_shift_jam64(fixed, 127 + 31 - (exp != 0 ? exp : 1));
    uint32_t lost = (uint32_t)fixed & ((UINT32_C(1) << 30) - 1);
    uint64_t kept = (fixed + f32_increment(sign, rm, UINT32_C(1) << 29)) >> 30;
    kept &= ~(uint64_t)(rm == KARAT_RNE && lost == UINT32_C(1) << 29);
    int64_t value = sign ? -(int64_t)kept : (int64_t)kept;
    if (F32_UNLIKELY(value < lowest || value > highest)) {
        *flags |= KARAT_NV;
        return sign ? lowest : highest;
    }
    *flags |= lost != 0 ? KARAT_NX : 0;
    return value;
}

int32_t karat_f32_to_i32(uint32_t a, unsigned rm, uint32_t *flags) {
    return (int32_t)to_integer(a, INT32_MIN, INT32_MAX, rm, flags);
}

uint32_t karat_f32_to_u32(uint32_t a, unsigned rm, uint32_t *flags) {
    return (uint32_t)to_integer(a, 0, UINT32_MAX, rm, flags);
}

/* ---- 7-bit estimates ---- */

/* Indexed by the seven highest fraction bits; the result's seven highest fraction bits. */
static const uint8_t rec7_table[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99, 97, 96, 94, 93, 91,
    90,  88,  87,  85,  84,  83,  81,  80,  79,  77,  76,  75,  74,  72,  71,  70,  69, 68, 66, 65, 64, 63,
    62,  61,  60,  59,  58,  57,  56,  55,  54,  53,  52,  51,  50,  49,  48,  47,  46, 45, 44, 43, 42, 41,
    40,  40,  39,  38,  37,  36,  35,  35,  34,  33,  32,  31,  31,  30,  29,  28,  28, 27, 26, 25, 25, 24,
    23,  23,  22,  21,  21,  20,  19,  19,  18,  17,  17,  16,  15,  15,  14,  14,  13, 12, 12, 11, 11, 10,
    9,   9,   8,   8,   7,   7,   6,   5,   5,   4,   4,   3,   3,   2,   2,   1,   1,  0};

const uint8_t f32_rsqrt7_table[128] = {
    52,  51,  50,  48,  47,  46,  44,  43,  42,  41,  40,  39,  38,  36,  35,  34, 33, 32, 31, 30, 30,  29,
    28,  27,  26,  25,  24,  23,  23,  22,  21,  20,  19,  19,  18,  17,  16,  16, 15, 14, 14, 13, 12,  12,
    11,  10,  10,  9,   9,   8,   7,   7,   6,   6,   5,   4,   4,   3,   3,   2,  2,  1,  1,  0,  127, 125,
    123, 121, 119, 118, 116, 114, 113, 111, 109, 108, 106, 105, 103, 102, 100, 99, 97, 96, 95, 93, 92,  91,
    90,  88,  87,  86,  85,  84,  83,  82,  80,  79,  78,  77,  76,  75,  74,  73, 72, 71, 70, 70, 69,  68,
    67,  66,  65,  64,  63,  63,  62,  61,  60,  59,  59,  58,  57,  56,  56,  55, 54, 53};

uint32_t karat_f32_rec7(uint32_t a, unsigned rm, uint32_t *flags) {
    uint32_t sign = f32_sign(a);
    if (f32_is_nan(a))
        return f32_nan_result(f32_is_snan(a), flags);
    if (f32_is_inf(a))
        return f32_pack(sign, 0);
    if (f32_is_zero(a)) {
        *flags |= KARAT_DZ;
        return f32_pack(sign, KARAT_F32_INF);
    }
    struct f32_parts x = f32_parts(a);
    if (x.exp < -1) {
        /* Below 2^-128 in magnitude the reciprocal overflows. */
        *flags |= KARAT_OF | KARAT_NX;
        bool to_inf = f32_increment(sign, rm, 1) != 0;
        return f32_pack(sign, to_inf ? KARAT_F32_INF : F32_MAX);
    }
    uint32_t frac = (uint32_t)rec7_table[x.sig >> 16 & 127] << 16;
    int exp = 253 - x.exp;
    if (exp >= 1)
        return f32_pack(sign, (uint32_t)exp << 23 | frac);
    /* A subnormal estimate: exp is 0 or -1, and the shift loses no set bit. It raises no flag. */
    return f32_pack(sign, (F32_HIDDEN | frac) >> (1 - exp));
}

uint32_t karat_f32_rsqrt7(uint32_t a, uint32_t *flags) {
    uint32_t sign = f32_sign(a);
    if (f32_is_nan(a))
        return f32_nan_result(f32_is_snan(a), flags);
    if (f32_is_zero(a)) {
        *flags |= KARAT_DZ;
        return f32_pack(sign, KARAT_F32_INF);
    }
    if (sign)
        return f32_invalid(flags);
    if (f32_is_inf(a))
        return 0;
    struct f32_parts x = f32_parts(a);
    uint32_t index = ((uint32_t)x.exp & 1) << 6 | (x.sig >> 17 & 63);
    uint32_t exp = (uint32_t)(380 - x.exp) / 2; /* (3 * 127 - 1 - exp) / 2, as the specification writes it */
    return exp << 23 | (uint32_t)f32_rsqrt7_table[index] << 16;
}
