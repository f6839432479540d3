/* Rounding, and the arithmetic that needs it. Operands that are finite and normal take a short path;
 * everything else goes through cold functions. */
#include "fp/f32_round.h"

F32_COLD uint32_t f32_round_edge(uint32_t sign, int exp, uint32_t sig, unsigned rm, uint32_t *flags) {
    uint32_t increment = f32_increment(sign, rm, 0x40);
    bool tiny = false;
    if (exp <= 0) {
        /* Tiny after rounding: rounding as if the exponent had no bound does not carry up to the smallest
         * normal. */
        tiny = exp < 0 || !((sig + increment) >> 31);
        sig = f32_shift_jam(sig, 1 - exp);
        exp = 1;
    } else if (exp > 254 || (sig + increment) >> 31) {
        *flags |= KARAT_OF | KARAT_NX;
        return f32_pack(sign, increment != 0 ? KARAT_F32_INF : F32_MAX);
    }
    uint32_t lost = sig & 0x7f;
    uint32_t kept = (sig + increment) >> 7;
    kept &= ~(uint32_t)(rm == KARAT_RNE && lost == 0x40);
    if (lost != 0)
        *flags |= tiny ? KARAT_NX | KARAT_UF : KARAT_NX;
    return (sign << 31) + ((uint32_t)(exp - 1) << 23) + kept;
}

/* ---- add, sub ---- */

static F32_COLD uint32_t add_special(uint32_t a, uint32_t b, uint32_t *flags) {
    if (f32_is_nan(a) || f32_is_nan(b))
        return f32_nan_result(f32_is_snan(a) || f32_is_snan(b), flags);
    if (f32_is_inf(a) && f32_is_inf(b) && a != b)
        return f32_invalid(flags);
    return f32_is_inf(a) ? a : b;
}

/* exp == 0 means exp == 1 without the hidden bit: zeros and subnormals need no path of their own here. */
static inline struct f32_parts add_parts(uint32_t a) {
    int exp = f32_exp(a);
    return exp != 0 ? f32_normal_parts(a) : (struct f32_parts){f32_frac(a), 1};
}

static inline uint32_t add(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags) {
    /* Now |a| >= |b|, so the sum has a's sign. */
    uint32_t swap = f32_abs(a) < f32_abs(b) ? a ^ b : 0;
    a ^= swap;
    b ^= swap;
    if (F32_UNLIKELY(f32_exp(a) == 0xff))
        return add_special(a, b, flags);
    struct f32_parts x = add_parts(a), y = add_parts(b);
    /* Leading one at bit 62 at most. With 39 bits below the significands, a sticky bit can only arise when
     * the shift is over 39, and then at most one leading bit cancels. */
    uint64_t big = (uint64_t)x.sig << 39;
    uint64_t small = f32_shift_jam64((uint64_t)y.sig << 39, x.exp - y.exp);
    bool subtract = f32_sign(a ^ b);
    uint64_t sum = subtract ? big - small : big + small;
    if (F32_UNLIKELY(sum == 0))
        return subtract ? f32_pack(rm == KARAT_RDN, 0) : a;
    int shift = __builtin_clzll(sum);
    /* Normalise to bit 63, then drop to bit 30. */
    sum <<= shift;
    return f32_round(f32_sign(a), x.exp + 1 - shift, (uint32_t)(sum >> 33) | ((sum << 31) != 0), rm, flags);
}

uint32_t karat_f32_add(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags) {
    return add(a, b, rm, flags);
}

uint32_t karat_f32_sub(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags) {
    return add(a, b ^ KARAT_F32_SIGN, rm, flags);
}

/* ---- mul ---- */

static inline uint32_t mul_finite(uint32_t sign, struct f32_parts x, struct f32_parts y, unsigned rm,
                                  uint32_t *flags) {
    uint64_t product = (uint64_t)x.sig * y.sig; /* leading one at bit 46 or 47 */
    int carry = (int)(product >> 47);
    product <<= 16 - carry;
    return f32_round64(sign, x.exp + y.exp - 127 + carry, product, rm, flags);
}

static F32_COLD uint32_t mul_special(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags) {
    uint32_t sign = f32_sign(a ^ b);
    if (f32_is_nan(a) || f32_is_nan(b))
        return f32_nan_result(f32_is_snan(a) || f32_is_snan(b), flags);
    if (f32_is_inf(a) || f32_is_inf(b))
        return f32_is_zero(a) || f32_is_zero(b) ? f32_invalid(flags) : f32_pack(sign, KARAT_F32_INF);
    if (f32_is_zero(a) || f32_is_zero(b))
        return f32_pack(sign, 0);
    return mul_finite(sign, f32_parts(a), f32_parts(b), rm, flags);
}

uint32_t karat_f32_mul(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags) {
    if (F32_LIKELY(f32_is_normal(a) && f32_is_normal(b)))
        return mul_finite(f32_sign(a ^ b), f32_normal_parts(a), f32_normal_parts(b), rm, flags);
    return mul_special(a, b, rm, flags);
}

/* ---- fma ---- */

/* x * y + z for finite non-zero operands. Product and addend both get their leading one at bit 62; the
 * product then has 15 zero bits below it and the addend 39, so that losing bits to the sticky bit takes a
 * shift of more than 15, and then at most one leading bit cancels. */
static inline uint32_t fma_finite(uint32_t sign, struct f32_parts x, struct f32_parts y, uint32_t sign_z,
                                  struct f32_parts z, unsigned rm, uint32_t *flags) {
    uint64_t product = (uint64_t)x.sig * y.sig;
    int carry = (int)(product >> 47);
    product <<= 16 - carry;
    int exp = x.exp + y.exp - 127 + carry;
    uint64_t addend = (uint64_t)z.sig << 39;
    int distance = exp - z.exp;
    if (distance >= 0) {
        addend = f32_shift_jam64(addend, distance);
    } else {
        product = f32_shift_jam64(product, -distance);
        exp = z.exp;
    }
    uint64_t sum;
    if (sign == sign_z) {
        sum = product + addend;
    } else if (product >= addend) {
        sum = product - addend;
    } else {
        sum = addend - product;
        sign = sign_z;
    }
    if (F32_UNLIKELY(sum == 0))
        return f32_pack(rm == KARAT_RDN, 0);
    int shift = __builtin_clzll(sum);
    sum <<= shift;
    return f32_round(sign, exp + 1 - shift, (uint32_t)(sum >> 33) | ((sum << 31) != 0), rm, flags);
}

static F32_COLD uint32_t fma_special(uint32_t a, uint32_t b, uint32_t c, unsigned rm, uint32_t *flags) {
    uint32_t sign = f32_sign(a ^ b);
    bool product_invalid = (f32_is_inf(a) && f32_is_zero(b)) || (f32_is_zero(a) && f32_is_inf(b));
    /* RISC-V: infinity times zero is invalid even when c is a quiet NaN. */
    if (product_invalid)
        return f32_invalid(flags);
    if (f32_is_nan(a) || f32_is_nan(b) || f32_is_nan(c))
        return f32_nan_result(f32_is_snan(a) || f32_is_snan(b) || f32_is_snan(c), flags);
    if (f32_is_inf(a) || f32_is_inf(b)) {
        if (f32_is_inf(c) && f32_sign(c) != sign)
            return f32_invalid(flags);
        return f32_pack(sign, KARAT_F32_INF);
    }
    if (f32_is_inf(c))
        return c;
    if (f32_is_zero(a) || f32_is_zero(b)) {
        if (f32_is_zero(c) && f32_sign(c) != sign)
            return f32_pack(rm == KARAT_RDN, 0);
        return c;
    }
    if (f32_is_zero(c))
        return mul_finite(sign, f32_parts(a), f32_parts(b), rm, flags);
    return fma_finite(sign, f32_parts(a), f32_parts(b), f32_sign(c), f32_parts(c), rm, flags);
}

uint32_t karat_f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, uint32_t *flags) {
    if (F32_LIKELY(f32_is_normal(a) && f32_is_normal(b) && f32_is_normal(c)))
        return fma_finite(f32_sign(a ^ b), f32_normal_parts(a), f32_normal_parts(b), f32_sign(c),
                          f32_normal_parts(c), rm, flags);
    return fma_special(a, b, c, rm, flags);
}

/* ---- div ---- */

static inline uint32_t div_finite(uint32_t sign, struct f32_parts x, struct f32_parts y, unsigned rm,
                                  uint32_t *flags) {
    /* Scale the dividend so that the quotient has its leading one at bit 30. */
    int borrow = x.sig < y.sig;
    uint64_t dividend = (uint64_t)x.sig << (30 + borrow);
    uint32_t quotient = (uint32_t)(dividend / y.sig);
    quotient |= (uint64_t)quotient * y.sig != dividend;
    return f32_round(sign, x.exp - y.exp + 127 - borrow, quotient, rm, flags);
}

static F32_COLD uint32_t div_special(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags) {
    uint32_t sign = f32_sign(a ^ b);
    if (f32_is_nan(a) || f32_is_nan(b))
        return f32_nan_result(f32_is_snan(a) || f32_is_snan(b), flags);
    if ((f32_is_inf(a) && f32_is_inf(b)) || (f32_is_zero(a) && f32_is_zero(b)))
        return f32_invalid(flags);
    if (f32_is_inf(a))
        return f32_pack(sign, KARAT_F32_INF);
    if (f32_is_inf(b) || f32_is_zero(a))
        return f32_pack(sign, 0);
    if (f32_is_zero(b)) {
        *flags |= KARAT_DZ;
        return f32_pack(sign, KARAT_F32_INF);
    }
    return div_finite(sign, f32_parts(a), f32_parts(b), rm, flags);
}

uint32_t karat_f32_div(uint32_t a, uint32_t b, unsigned rm, uint32_t *flags) {
    if (F32_LIKELY(f32_is_normal(a) && f32_is_normal(b)))
        return div_finite(f32_sign(a ^ b), f32_normal_parts(a), f32_normal_parts(b), rm, flags);
    return div_special(a, b, rm, flags);
}

/* ---- sqrt ---- */

uint32_t karat_f32_sqrt(uint32_t a, unsigned rm, uint32_t *flags) {
    if (F32_UNLIKELY(f32_is_nan(a)))
        return f32_nan_result(f32_is_snan(a), flags);
    if (F32_UNLIKELY(f32_is_zero(a) || a == KARAT_F32_INF))
        return a;
    if (F32_UNLIKELY(f32_sign(a)))
        return f32_invalid(flags);
    struct f32_parts x = f32_parts(a);
    /* The value is m * 2^(2k) with 1 <= m < 4; its root is sqrt(m) * 2^k. An even biased exponent is an odd
     * one. */
    uint32_t odd = (x.exp & 1) == 0;
    int k = (x.exp - 127 - (int)odd) / 2;
    /* 1 / sqrt(m) from the 7-bit estimate, as a fraction of 2^31, then one Newton step y (3 - m y^2) / 2. */
    uint32_t index = (odd ? 0 : 64) | (x.sig >> 17 & 63);
    uint64_t y = (uint64_t)(128 | f32_rsqrt7_table[index]) << 23;
    uint64_t m = (uint64_t)x.sig << (7 + odd); /* a fraction of 2^30 */
    uint64_t m_y2 = ((m * y) >> 31) * y >> 31; /* about 2^30 */
    y = y * ((UINT64_C(3) << 30) - m_y2) >> 31;
    /* The integer root of m * 2^50 as a fraction of 2^25: first m * y, off by about 2^-14, then a step
     * towards the exact root, off by at most one or two units, which the loops remove. */
    uint64_t square = m << 20;
    uint64_t root = (m * y) >> 36;
    int64_t error = (int64_t)(square - root * root);
    root += (uint64_t)(error / (1 << 25) * (int64_t)(y >> 6) / (1 << 26));
    while (root * root > square)
        root--;
    while ((root + 1) * (root + 1) <= square)
        root++;
    return f32_round(0, k + 127, (uint32_t)root << 5 | (root * root != square), rm, flags);
}
