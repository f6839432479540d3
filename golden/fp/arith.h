/* Private to golden/fp: rounding, and the arithmetic that needs it. Operands that are finite and normal take
 * a short path; everything else goes through cold functions.
 *
 * A template, see common.h. The file that includes it also defines
 *
 *     static FP_WORD F(root)(FP_WORD sig, unsigned odd);
 *
 * the square root of sig * 2^odd / 2^FP_FRAC_BITS (which is between 1 and 4, odd being 0 or 1), with its
 * leading one at bit FP_BITS - 2 and bit 0 sticky. Where bit numbers need an example, it is that of
 * binary32. */

/* A wide significand puts its leading one at bit 2 * FP_BITS - 2 after this shift: 39, to bit 62. */
#define FP_WIDEN (2 * FP_BITS - 2 - FP_FRAC_BITS)
/* The leading bit of a product of two significands, if it is not the one below: 47. */
#define FP_PRODUCT_TOP (2 * FP_FRAC_BITS + 1)

FP_COLD FP_WORD F(round_edge)(FP_WORD sign, int exp, FP_WORD sig, unsigned rm, uint32_t *flags) {
    FP_WORD increment = F(increment)(sign, rm, FP_HALF);
    bool tiny = false;
    if (exp <= 0) {
        /* Tiny after rounding: rounding as if the exponent had no bound does not carry up to the smallest
         * normal. */
        tiny = exp < 0 || !((sig + increment) >> (FP_BITS - 1));
        sig = F(shift_jam)(sig, 1 - exp);
        exp = 1;
    } else if (exp > FP_EXP_MAX - 1 || (sig + increment) >> (FP_BITS - 1)) {
        *flags |= KARAT_OF | KARAT_NX;
        return F(pack)(sign, increment != 0 ? FP_INF : FP_MAX);
    }
    FP_WORD lost = sig & (2 * FP_HALF - 1);
    FP_WORD kept = (sig + increment) >> FP_LOST_BITS;
    kept &= ~(FP_WORD)(rm == KARAT_RNE && lost == FP_HALF);
    if (lost != 0)
        *flags |= tiny ? KARAT_NX | KARAT_UF : KARAT_NX;
    return (sign << (FP_BITS - 1)) + ((FP_WORD)(exp - 1) << FP_FRAC_BITS) + kept;
}

/* ---- add, sub ---- */

static FP_COLD FP_WORD add_special(FP_WORD a, FP_WORD b, uint32_t *flags) {
    if (F(is_nan)(a) || F(is_nan)(b))
        return F(nan_result)(F(is_snan)(a) || F(is_snan)(b), flags);
    if (F(is_inf)(a) && F(is_inf)(b) && a != b)
        return F(invalid)(flags);
    return F(is_inf)(a) ? a : b;
}

/* An exp of 0 means 1 without the hidden bit: zeros and subnormals need no path of their own here. */
static inline struct F(parts) add_parts(FP_WORD a) {
    int exp = F(exp)(a);
    return exp != 0 ? F(normal_parts)(a) : (struct F(parts)){F(frac)(a), 1};
}

static inline FP_WORD add(FP_WORD a, FP_WORD b, unsigned rm, uint32_t *flags) {
    /* Now |a| >= |b|, so the sum has a's sign. */
    FP_WORD swap = F(abs)(a) < F(abs)(b) ? a ^ b : 0;
    a ^= swap;
    b ^= swap;
    if (FP_UNLIKELY(F(exp)(a) == FP_EXP_MAX))
        return add_special(a, b, flags);
    struct F(parts) x = add_parts(a), y = add_parts(b);
    /* Leading one at bit 62 at most. With FP_WIDEN bits below the significands, a sticky bit can only arise
     * when the shift is over FP_WIDEN, and then at most one leading bit cancels. */
    FP_WIDE big = (FP_WIDE)x.sig << FP_WIDEN;
    FP_WIDE small = F(shift_jam_wide)((FP_WIDE)y.sig << FP_WIDEN, x.exp - y.exp);
    bool subtract = F(sign)(a ^ b);
    FP_WIDE sum = subtract ? big - small : big + small;
    if (FP_UNLIKELY(sum == 0))
        return subtract ? F(pack)(rm == KARAT_RDN, 0) : a;
    int shift = FP_CLZ(sum);
    return F(round)(F(sign)(a), x.exp + 1 - shift, FP_FROM_TOP(sum << shift), rm, flags);
}

FP_TYPE KARAT(add)(FP_TYPE a, FP_TYPE b, unsigned rm, uint32_t *flags) {
    return add(a, b, rm, flags);
}

FP_TYPE KARAT(sub)(FP_TYPE a, FP_TYPE b, unsigned rm, uint32_t *flags) {
    return add(a, b ^ FP_SIGN, rm, flags);
}

/* ---- mul ---- */

static inline FP_WORD mul_finite(FP_WORD sign, struct F(parts) x, struct F(parts) y, unsigned rm,
                                 uint32_t *flags) {
    FP_WIDE product = (FP_WIDE)x.sig * y.sig; /* Leading one at bit 46 or 47 */
    int carry = (int)(product >> FP_PRODUCT_TOP);
    product <<= 2 * FP_BITS - 1 - FP_PRODUCT_TOP - carry;
    return F(round_wide)(sign, x.exp + y.exp - FP_BIAS + carry, product, rm, flags);
}

static FP_COLD FP_WORD mul_special(FP_WORD a, FP_WORD b, unsigned rm, uint32_t *flags) {
    FP_WORD sign = F(sign)(a ^ b);
    if (F(is_nan)(a) || F(is_nan)(b))
        return F(nan_result)(F(is_snan)(a) || F(is_snan)(b), flags);
    if (F(is_inf)(a) || F(is_inf)(b))
        return F(is_zero)(a) || F(is_zero)(b) ? F(invalid)(flags) : F(pack)(sign, FP_INF);
    if (F(is_zero)(a) || F(is_zero)(b))
        return F(pack)(sign, 0);
    return mul_finite(sign, F(parts)(a), F(parts)(b), rm, flags);
}

FP_TYPE KARAT(mul)(FP_TYPE a, FP_TYPE b, unsigned rm, uint32_t *flags) {
    if (FP_LIKELY(F(is_normal)(a) && F(is_normal)(b)))
        return mul_finite(F(sign)(a ^ b), F(normal_parts)(a), F(normal_parts)(b), rm, flags);
    return mul_special(a, b, rm, flags);
}

/* ---- fma ---- */

/* Computes x * y + z for finite non-zero operands. Product and addend both get their leading one at bit 62;
 * the product then has 15 zero bits below it and the addend 39, so that losing bits to the sticky bit takes a
 * shift of more than 15, and then at most one leading bit cancels. */
static inline FP_WORD fma_finite(FP_WORD sign, struct F(parts) x, struct F(parts) y, FP_WORD sign_z,
                                 struct F(parts) z, unsigned rm, uint32_t *flags) {
    FP_WIDE product = (FP_WIDE)x.sig * y.sig;
    int carry = (int)(product >> FP_PRODUCT_TOP);
    product <<= 2 * FP_BITS - 1 - FP_PRODUCT_TOP - carry;
    int exp = x.exp + y.exp - FP_BIAS + carry;
    FP_WIDE addend = (FP_WIDE)z.sig << FP_WIDEN;
    int distance = exp - z.exp;
    if (distance >= 0) {
        addend = F(shift_jam_wide)(addend, distance);
    } else {
        product = F(shift_jam_wide)(product, -distance);
        exp = z.exp;
    }
    FP_WIDE sum;
    if (sign == sign_z) {
        sum = product + addend;
    } else if (product >= addend) {
        sum = product - addend;
    } else {
        sum = addend - product;
        sign = sign_z;
    }
    if (FP_UNLIKELY(sum == 0))
        return F(pack)(rm == KARAT_RDN, 0);
    int shift = FP_CLZ(sum);
    return F(round)(sign, exp + 1 - shift, FP_FROM_TOP(sum << shift), rm, flags);
}

static FP_COLD FP_WORD fma_special(FP_WORD a, FP_WORD b, FP_WORD c, unsigned rm, uint32_t *flags) {
    FP_WORD sign = F(sign)(a ^ b);
    bool product_invalid = (F(is_inf)(a) && F(is_zero)(b)) || (F(is_zero)(a) && F(is_inf)(b));
    /* RISC-V: infinity times zero is invalid even when c is a quiet NaN. */
    if (product_invalid)
        return F(invalid)(flags);
    if (F(is_nan)(a) || F(is_nan)(b) || F(is_nan)(c))
        return F(nan_result)(F(is_snan)(a) || F(is_snan)(b) || F(is_snan)(c), flags);
    if (F(is_inf)(a) || F(is_inf)(b)) {
        if (F(is_inf)(c) && F(sign)(c) != sign)
            return F(invalid)(flags);
        return F(pack)(sign, FP_INF);
    }
    if (F(is_inf)(c))
        return c;
    if (F(is_zero)(a) || F(is_zero)(b)) {
        if (F(is_zero)(c) && F(sign)(c) != sign)
            return F(pack)(rm == KARAT_RDN, 0);
        return c;
    }
    if (F(is_zero)(c))
        return mul_finite(sign, F(parts)(a), F(parts)(b), rm, flags);
    return fma_finite(sign, F(parts)(a), F(parts)(b), F(sign)(c), F(parts)(c), rm, flags);
}

FP_TYPE KARAT(fma)(FP_TYPE a, FP_TYPE b, FP_TYPE c, unsigned rm, uint32_t *flags) {
    if (FP_LIKELY(F(is_normal)(a) && F(is_normal)(b) && F(is_normal)(c)))
        return fma_finite(F(sign)(a ^ b), F(normal_parts)(a), F(normal_parts)(b), F(sign)(c),
                          F(normal_parts)(c), rm, flags);
    return fma_special(a, b, c, rm, flags);
}

/* ---- div ---- */

static inline FP_WORD div_finite(FP_WORD sign, struct F(parts) x, struct F(parts) y, unsigned rm,
                                 uint32_t *flags) {
    /* Scale the dividend so that the quotient has its leading one at bit FP_BITS - 2. */
    int borrow = x.sig < y.sig;
    FP_WIDE dividend = (FP_WIDE)x.sig << (FP_BITS - 2 + borrow);
    FP_WORD quotient = (FP_WORD)(dividend / y.sig);
    quotient |= (FP_WIDE)quotient * y.sig != dividend;
    return F(round)(sign, x.exp - y.exp + FP_BIAS - borrow, quotient, rm, flags);
}

static FP_COLD FP_WORD div_special(FP_WORD a, FP_WORD b, unsigned rm, uint32_t *flags) {
    FP_WORD sign = F(sign)(a ^ b);
    if (F(is_nan)(a) || F(is_nan)(b))
        return F(nan_result)(F(is_snan)(a) || F(is_snan)(b), flags);
    if ((F(is_inf)(a) && F(is_inf)(b)) || (F(is_zero)(a) && F(is_zero)(b)))
        return F(invalid)(flags);
    if (F(is_inf)(a))
        return F(pack)(sign, FP_INF);
    if (F(is_inf)(b) || F(is_zero)(a))
        return F(pack)(sign, 0);
    if (F(is_zero)(b)) {
        *flags |= KARAT_DZ;
        return F(pack)(sign, FP_INF);
    }
    return div_finite(sign, F(parts)(a), F(parts)(b), rm, flags);
}

FP_TYPE KARAT(div)(FP_TYPE a, FP_TYPE b, unsigned rm, uint32_t *flags) {
    if (FP_LIKELY(F(is_normal)(a) && F(is_normal)(b)))
        return div_finite(F(sign)(a ^ b), F(normal_parts)(a), F(normal_parts)(b), rm, flags);
    return div_special(a, b, rm, flags);
}

/* ---- sqrt ---- */

FP_TYPE KARAT(sqrt)(FP_TYPE a, unsigned rm, uint32_t *flags) {
    if (FP_UNLIKELY(F(is_nan)(a)))
        return F(nan_result)(F(is_snan)(a), flags);
    if (FP_UNLIKELY(F(is_zero)(a) || a == FP_INF))
        return a;
    if (FP_UNLIKELY(F(sign)(a)))
        return F(invalid)(flags);
    struct F(parts) x = F(parts)(a);
    /* The value is m * 2^(2k) with 1 <= m < 4; its root is sqrt(m) * 2^k. An even biased exponent is an odd
     * one. */
    unsigned odd = (x.exp & 1) == 0;
    int k = (x.exp - FP_BIAS - (int)odd) / 2;
    return F(round)(0, k + FP_BIAS, F(root)(x.sig, odd), rm, flags);
}
