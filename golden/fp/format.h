/* Private to golden/fp: taking a format apart, and rounding and packing a result. See f32.h for the approach.
 *
 * A template, included once for each format by f16_round.h, f32_round.h and f64_round.h, which define the
 * format (FP_BITS and what else common.h lists). */

static inline FP_WORD F(sign)(FP_WORD a) {
    return a >> (FP_BITS - 1);
}
static inline int F(exp)(FP_WORD a) {
    return (int)(a >> FP_FRAC_BITS & FP_EXP_MAX);
}
static inline FP_WORD F(frac)(FP_WORD a) {
    return a & FP_FRAC;
}
static inline FP_WORD F(abs)(FP_WORD a) {
    return a & ~FP_SIGN;
}
static inline bool F(is_nan)(FP_WORD a) {
    return F(abs)(a) > FP_INF;
}
static inline bool F(is_inf)(FP_WORD a) {
    return F(abs)(a) == FP_INF;
}
static inline bool F(is_zero)(FP_WORD a) {
    return F(abs)(a) == 0;
}
static inline bool F(is_normal)(FP_WORD a) {
    return (unsigned)F(exp)(a) - 1 < FP_EXP_MAX - 1;
}
static inline bool F(is_snan)(FP_WORD a) {
    return F(is_nan)(a) && !(a & FP_QUIET);
}
static inline FP_WORD F(pack)(FP_WORD sign, FP_WORD magnitude) {
    return sign << (FP_BITS - 1) | magnitude;
}

/* A finite non-zero value is sig * 2^(exp - FP_BIAS - FP_FRAC_BITS), with sig's leading one at bit
 * FP_FRAC_BITS. So exp is the biased exponent of a normal number, and is below 1 for a subnormal one. */
struct F(parts) {
    FP_WORD sig;
    int exp;
};

static inline struct F(parts) F(normal_parts)(FP_WORD a) {
    return (struct F(parts)){F(frac)(a) | FP_HIDDEN, F(exp)(a)};
}

static inline struct F(parts) F(parts)(FP_WORD a) {
    if (F(exp)(a) != 0)
        return F(normal_parts)(a);
    int shift = FP_CLZ(F(frac)(a)) - FP_CLZ(FP_HIDDEN);
    return (struct F(parts)){F(frac)(a) << shift, 1 - shift};
}

/* Right shifts that keep the lost bits as a sticky bit 0. */
static inline FP_WORD F(shift_jam)(FP_WORD x, int n) {
    return n < FP_BITS ? x >> n | ((x & ((FP_ONE << n) - 1)) != 0) : x != 0;
}

static inline FP_WIDE F(shift_jam_wide)(FP_WIDE x, int n) {
    return n < 2 * FP_BITS ? x >> n | ((x & (((FP_WIDE)1 << n) - 1)) != 0) : x != 0;
}

/* The increment of a magnitude whose lowest bits, with half = one half, are cut off afterwards. Nearest-even
 * needs one more step for ties. The test (rm & 3) == 0 picks both nearest modes, 3 - sign the mode away from
 * zero. */
static inline FP_WORD F(increment)(FP_WORD sign, unsigned rm, FP_WORD half) {
    if ((rm & 3) == 0)
        return half;
    return rm == 3 - sign ? 2 * half - 1 : 0;
}

/* Round for an exponent at or beyond either end of the range. */
FP_WORD F(round_edge)(FP_WORD sign, int exp, FP_WORD sig, unsigned rm, uint32_t *flags);

/* Round and pack sig * 2^(exp - FP_BIAS - (FP_BITS - 2)), where sig has its leading one at bit FP_BITS - 2
 * and a sticky bit 0. */
static inline FP_WORD F(round)(FP_WORD sign, int exp, FP_WORD sig, unsigned rm, uint32_t *flags) {
    /* At FP_EXP_MAX - 1, rounding could carry into the infinity. */
    if (FP_UNLIKELY((unsigned)exp - 1 >= FP_EXP_MAX - 2))
        return F(round_edge)(sign, exp, sig, rm, flags);
    FP_WORD lost = sig & (2 * FP_HALF - 1);
    FP_WORD kept = (sig + F(increment)(sign, rm, FP_HALF)) >> FP_LOST_BITS;
    kept &= ~(FP_WORD)(rm == KARAT_RNE && lost == FP_HALF);
    *flags |= lost != 0 ? KARAT_NX : 0;
    /* Adding lets the hidden bit, or a carry out of the fraction, step the exponent. */
    return (sign << (FP_BITS - 1)) + ((FP_WORD)(exp - 1) << FP_FRAC_BITS) + kept;
}

/* Likewise for a wide significand with its leading one at bit 2 * FP_BITS - 2. */
static inline FP_WORD F(round_wide)(FP_WORD sign, int exp, FP_WIDE sig, unsigned rm, uint32_t *flags) {
    FP_WIDE low = ((FP_WIDE)1 << FP_BITS) - 1;
    return F(round)(sign, exp, (FP_WORD)(sig >> FP_BITS) | ((sig & low) != 0), rm, flags);
}

/* The NaN result for operands of which at least one is a NaN; NV if one is signaling. */
static inline FP_WORD F(nan_result)(bool signaling, uint32_t *flags) {
    *flags |= signaling ? KARAT_NV : 0;
    return FP_NAN;
}

static inline FP_WORD F(invalid)(uint32_t *flags) {
    return F(nan_result)(true, flags);
}
