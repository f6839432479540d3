/* Private to golden/fp: comparisons, classification, conversions from and to integers, and the 7-bit
 * estimates.
 *
 * A template, see common.h. */

/* ---- min, max, comparisons, class ---- */

/* Ordered as unsigned integers, with -0 just below +0. */
static inline FP_WORD order_key(FP_WORD a) {
    return a ^ (F(sign)(a) ? 2 * FP_SIGN - 1 : FP_SIGN);
}

static FP_COLD FP_WORD min_max_nan(FP_WORD a, FP_WORD b, uint32_t *flags) {
    FP_WORD nan = F(nan_result)(F(is_snan)(a) || F(is_snan)(b), flags);
    if (F(is_nan)(a))
        return F(is_nan)(b) ? nan : b;
    return a;
}

FP_TYPE KARAT(min)(FP_TYPE a, FP_TYPE b, uint32_t *flags) {
    if (FP_UNLIKELY(F(is_nan)(a) || F(is_nan)(b)))
        return min_max_nan(a, b, flags);
    return order_key(a) < order_key(b) ? a : b;
}

FP_TYPE KARAT(max)(FP_TYPE a, FP_TYPE b, uint32_t *flags) {
    if (FP_UNLIKELY(F(is_nan)(a) || F(is_nan)(b)))
        return min_max_nan(a, b, flags);
    return order_key(a) > order_key(b) ? a : b;
}

bool KARAT(eq)(FP_TYPE a, FP_TYPE b, uint32_t *flags) {
    if (FP_UNLIKELY(F(is_nan)(a) || F(is_nan)(b))) {
        F(nan_result)(F(is_snan)(a) || F(is_snan)(b), flags);
        return false;
    }
    return a == b || F(abs)(a | b) == 0;
}

bool KARAT(lt)(FP_TYPE a, FP_TYPE b, uint32_t *flags) {
    if (FP_UNLIKELY(F(is_nan)(a) || F(is_nan)(b))) {
        *flags |= KARAT_NV;
        return false;
    }
    return order_key(a) < order_key(b) && F(abs)(a | b) != 0;
}

bool KARAT(le)(FP_TYPE a, FP_TYPE b, uint32_t *flags) {
    if (FP_UNLIKELY(F(is_nan)(a) || F(is_nan)(b))) {
        *flags |= KARAT_NV;
        return false;
    }
    return order_key(a) <= order_key(b) || F(abs)(a | b) == 0;
}

uint32_t KARAT(class)(FP_TYPE a) {
    if (F(is_nan)(a))
        return F(is_snan)(a) ? 1u << 8 : 1u << 9;
    /* Counted outwards from the zeros; the negative classes mirror the positive ones. */
    unsigned rank = F(is_inf)(a) ? 3 : F(exp)(a) != 0 ? 2 : F(frac)(a) != 0 ? 1 : 0;
    return F(sign)(a) ? 1u << (3 - rank) : 1u << (4 + rank);
}

/* ---- integer conversions ---- */

static inline FP_WORD from_integer(uint64_t value, bool is_signed, unsigned rm, uint32_t *flags) {
    bool negative = is_signed && value >> 63 != 0;
    uint64_t magnitude = negative ? 0 - value : value;
    if (magnitude == 0)
        return 0;
    int shift = FP_CLZ(magnitude);
    /* Leading one at bit 63, which has the value 2^(63 - shift). */
    return F(round)(negative, FP_BIAS + 63 - shift, FP_FROM_TOP(magnitude << shift), rm, flags);
}

FP_TYPE KARAT(from_int)(uint64_t value, bool is_signed, unsigned rm, uint32_t *flags) {
    return from_integer(value, is_signed, rm, flags);
}

static inline uint64_t to_integer(FP_WORD a, unsigned bits, bool is_signed, unsigned rm, uint32_t *flags) {
    /* The exponent of 2^64; or that of infinities and NaNs, where it is smaller. */
    const int too_large = FP_BIAS + 64 < FP_EXP_MAX ? FP_BIAS + 64 : FP_EXP_MAX;
    bool negative = F(sign)(a) && !F(is_nan)(a);
    uint64_t all = UINT64_MAX >> (64 - bits);
    /* The largest magnitude that fits. */
    uint64_t limit = is_signed ? (all >> 1) + negative : negative ? 0 : all;
    int exp = F(exp)(a);
    uint64_t kept = UINT64_MAX, lost = 0; /* Lost counts units of 2^-64 */
    bool fits = exp < too_large;
    if (FP_LIKELY(fits)) {
        kept = F(frac)(a) | (exp != 0 ? FP_HIDDEN : 0);
        int shift = FP_BIAS + FP_FRAC_BITS - (exp != 0 ? exp : 1);
        if (shift > 0) {
            /* From 63 on, all that matters is that it is less than one half, and whether it is zero. */
            shift = shift < 63 ? shift : 63;
            lost = kept << (64 - shift);
            kept >>= shift;
            /* Rounding carries out of the fraction. */
            const uint64_t half = UINT64_C(1) << 63;
            uint64_t increment = (rm & 3) == 0 ? half : rm == 3 - (unsigned)negative ? UINT64_MAX : 0;
            kept += lost + increment < lost;
            kept &= ~(uint64_t)(rm == KARAT_RNE && lost == half);
        } else {
            kept <<= -shift;
        }
    }
    if (FP_UNLIKELY(!fits || kept > limit)) {
        *flags |= KARAT_NV;
        return negative ? 0 - limit : limit;
    }
    *flags |= lost != 0 ? KARAT_NX : 0;
    return negative ? 0 - kept : kept;
}

uint64_t KARAT(to_int)(FP_TYPE a, unsigned bits, bool is_signed, unsigned rm, uint32_t *flags) {
    return to_integer(a, bits, is_signed, rm, flags);
}

/* ---- 7-bit estimates ---- */

FP_TYPE KARAT(rec7)(FP_TYPE a, unsigned rm, uint32_t *flags) {
    FP_WORD sign = F(sign)(a);
    if (F(is_nan)(a))
        return F(nan_result)(F(is_snan)(a), flags);
    if (F(is_inf)(a))
        return F(pack)(sign, 0);
    if (F(is_zero)(a)) {
        *flags |= KARAT_DZ;
        return F(pack)(sign, FP_INF);
    }
    struct F(parts) x = F(parts)(a);
    if (x.exp < -1) {
        /* Below a quarter of the least normal number the reciprocal overflows. */
        *flags |= KARAT_OF | KARAT_NX;
        bool to_inf = F(increment)(sign, rm, 1) != 0;
        return F(pack)(sign, to_inf ? FP_INF : FP_MAX);
    }
    FP_WORD frac = (FP_WORD)fp_rec7_table[x.sig >> (FP_FRAC_BITS - 7) & 127] << (FP_FRAC_BITS - 7);
    int exp = 2 * FP_BIAS - 1 - x.exp;
    if (exp >= 1)
        return F(pack)(sign, (FP_WORD)exp << FP_FRAC_BITS | frac);
    /* A subnormal estimate: exp is 0 or -1, and the shift loses no set bit. It raises no flag. */
    return F(pack)(sign, (FP_HIDDEN | frac) >> (1 - exp));
}

FP_TYPE KARAT(rsqrt7)(FP_TYPE a, uint32_t *flags) {
    FP_WORD sign = F(sign)(a);
    if (F(is_nan)(a))
        return F(nan_result)(F(is_snan)(a), flags);
    if (F(is_zero)(a)) {
        *flags |= KARAT_DZ;
        return F(pack)(sign, FP_INF);
    }
    if (sign)
        return F(invalid)(flags);
    if (F(is_inf)(a))
        return 0;
    struct F(parts) x = F(parts)(a);
    unsigned index = ((unsigned)x.exp & 1) << 6 | (x.sig >> (FP_FRAC_BITS - 6) & 63);
    FP_WORD exp = (FP_WORD)(3 * FP_BIAS - 1 - x.exp) / 2;
    return exp << FP_FRAC_BITS | (FP_WORD)fp_rsqrt7_table[index] << (FP_FRAC_BITS - 7);
}
