/* The special functions of special.h.
 *
 * The operand is exact in binary32. Its function is computed with an error below 2^-96 of the result, and
 * rounded to the format once. The functions but rcp and sqrt, which are those of arith.h, have a rational
 * value at few rational operands, which are taken apart: integers for 2^x, powers of two for the logarithm,
 * powers of four for rsqrt, and zero (Lindemann). All other results are inexact, and no point half-way
 * between two numbers; 2^32 results that lie at random come as near to one as 2^-57 of themselves. Nearer are
 * those next to their leading term:
 *
 *  - sin x and tanh x are next to x, cos x, tanh x and 2^x to 1, and silu x and gelu x of large x to x. All
 *    of these are numbers of the format, to which the result is rounded from either side.
 *  - gelu x and silu x of small x are next to x / 2, which may be half-way between two subnormal numbers.
 *    Below 2^-60 the result is x / 2 and a last bit on the side of x / 2 that x^2 is on.
 *
 * Fixed point: "of 2^n" means an integer that counts units of 2^-n. */
#include "fp/special.h"

#include "fp/bf16_round.h"
#include "fp/f16_round.h"
#include "fp/f32_round.h"

typedef fp_uint128 u128;
#define W(high, low) ((u128)UINT64_C(high) << 64 | UINT64_C(low))
#define ONE          ((u128)1 << 127) /* Of 2^127 */

static const u128 LN2 = W(0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af);         /* Of 2^128 */
static const u128 INVERSE_LN2 = W(0xb8aa3b295c17f0bb, 0xbe87fed0691d3e88); /* Of 2^127 */

/* A number sig * 2^(exp - 127): the leading one of sig is its highest bit. */
typedef struct wide {
    bool negative;
    int exp;
    u128 sig;
} wide;

static const wide one = {.sig = ONE}, half_pi = {.sig = W(0xc90fdaa22168c234, 0xc4c6628b80dc1cd1)},
                  gelu_linear = {.sig = W(0xcc42299ea1b28468, 0x7e59e2805d5c717f)}, /* 2 sqrt(2/pi) */
    gelu_cubic = {.exp = -5, .sig = W(0xb727136a400fba88, 0x26aa8eb463497b74)};     /* 0.044715 */

/* The upper half of a product. */
static u128 mul_high(u128 a, u128 b) {
    const u128 a0 = (uint64_t)a, a1 = a >> 64, b0 = (uint64_t)b, b1 = b >> 64;
    const u128 middle = a1 * b0 + (a0 * b0 >> 64);
    const u128 carried = a0 * b1 + (uint64_t)middle;
    return a1 * b1 + (middle >> 64) + (carried >> 64);
}

/* The significand, of 2^127 times 2^exp, which is not 0. */
static wide normal(bool negative, int exp, u128 sig) {
    const int shift = fp_clz128(sig);
    return (wide){negative, exp - shift, sig << shift};
}

static wide mul(wide a, wide b) {
    return normal(a.negative != b.negative, a.exp + b.exp + 1, mul_high(a.sig, b.sig));
}

/* The sum, which is not 0, is off by less than a unit of the larger one's significand. */
static wide add(wide a, wide b) {
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
        const wide c = a;
        a = b;
        b = c;
    }
    const int distance = a.exp - b.exp;
    const u128 small = distance < 127 ? b.sig >> 1 >> distance : 0, big = a.sig >> 1;
    return normal(a.negative, a.exp + 1, a.negative == b.negative ? big + small : big - small);
}

/* 1 / a: 64 bits by division, and one step of Newton's, y (2 - a y). */
static wide inverse(wide a) {
    const u128 y = ~(u128)0 / (uint64_t)(a.sig >> 64) << 62; /* Of 2^127, for a between 1 and 2 */
    const u128 rest = ONE - mul_high(a.sig, y);              /* 2 - a y, of 2^126 */
    return normal(a.negative, 2 - a.exp, mul_high(y, rest));
}

/* a^2 of 2^127, for a below 1. */
static u128 square_of(wide a) {
    const int shift = -2 * a.exp - 1;
    return shift < 128 ? mul_high(a.sig, a.sig) >> shift : 0;
}

static u128 inverse_of(unsigned n) {
    return ~(u128)0 / n; /* Of 2^128 */
}

/* --- Exponential and logarithm --- */

/* e^r for r from 0 to ln 2, of 2^119: by the Taylor polynomial of r / 256, and 8 squares. */
static u128 exp_fraction(u128 r) {
    const u128 s = r << 1; /* r / 256, of 2^128 */
    u128 t = ONE;          /* Of 2^127 */
    for (unsigned n = 13; n > 0; n--)
        t = ONE + mul_high(mul_high(s, t), inverse_of(n));
    for (unsigned i = 0; i < 8; i++)
        t = mul_high(t, t) << 1;
    return t;
}

/* e^-a of a from 0 on, or e^-350 where that is more. */
static wide exp_minus(wide a) {
    const u128 most = (u128)350 << 119, ln2 = LN2 >> 9; /* Of 2^119 */
    const u128 fixed = a.exp > 8      ? most
                       : a.exp < -120 ? 0
                                      : a.sig >> (8 - a.exp),
               x = fixed < most ? fixed : most;
    u128 k = mul_high(x, INVERSE_LN2) >> 118, r = x - mul_high(k << 119, LN2);
    if (r >> 127) { /* Below 0 */
        r += ln2;
        k--;
    }
    for (; r >= ln2; r -= ln2)
        k++;
    return r ? normal(false, -(int)k - 1, exp_fraction(ln2 - r)) : normal(false, -(int)k, ONE);
}

/* log2 m for m from 1 / sqrt(2) to sqrt(2), but 1: 2 z (1 + z^2/3 + z^4/5 + ...) / ln 2 with z = (m - 1) / (m
 * + 1). */
static wide logarithm(wide m) {
    const wide z = mul(add(m, (wide){.negative = true, .sig = ONE}), inverse(add(m, one)));
    const u128 square = square_of(z);
    u128 t = 0; /* Of 2^127 */
    for (unsigned n = 27; n > 0; n--)
        t = (inverse_of(2 * n - 1) >> 1) + (mul_high(square, t) << 1);
    wide result = mul(mul(z, normal(false, 0, t)), (wide){.sig = INVERSE_LN2});
    result.exp++;
    return result;
}

/* --- Functions of e^x --- */

static wide magnitude(wide a) {
    a.negative = false;
    return a;
}

/* 1 / (1 + e^-y). */
static wide sigmoid(wide y) {
    const wide power = exp_minus(magnitude(y)), denominator = inverse(add(one, power));
    return y.negative ? mul(power, denominator) : denominator;
}

/* x - x^3/3 + 2 x^5/15 - 17 x^7/315 for small x, else (1 - e^-2x) / (1 + e^-2x). */
static wide hyperbolic_tangent(wide x) {
    if (x.exp < -20) {
        const u128 square = square_of(x);
        u128 t = (inverse_of(15) - (mul_high(square, 17 * inverse_of(630)) << 1)); /* Of 2^127: 2/15 - ... */
        t = (inverse_of(3) >> 1) - (mul_high(square, t) << 1);
        return mul(x, normal(false, 0, ONE - (mul_high(square, t) << 1)));
    }
    wide twice = magnitude(x);
    twice.exp++;
    wide power = exp_minus(twice);
    const wide denominator = inverse(add(one, power));
    power.negative = true;
    wide result = mul(add(one, power), denominator);
    result.negative = x.negative;
    return result;
}

/* The product x sigmoid(y(x)) where y is x for silu, and 2 sqrt(2/pi) (x + 0.044715 x^3) for gelu. */
static wide gated(wide x, bool gelu) {
    if (x.exp < -60) { /* x / 2, and a bit of x^2: see above */
        x.exp--;
        x.sig = x.negative ? x.sig - 1 : x.sig + 1;
        return normal(x.negative, x.exp, x.sig);
    }
    const wide y = gelu ? mul(gelu_linear, add(x, mul(gelu_cubic, mul(x, mul(x, x))))) : x;
    return mul(x, sigmoid(y));
}

/* --- Sine and cosine --- */

/* 2 / pi, of 2^384. */
static const uint64_t two_over_pi[6] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                        0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c};

/* x = (n + t) pi/2 with t from -1/2 to 1/2, for x from 1/2 on: t, and n modulo 4. x = sig 2^exp, with a sig
 * of 24 bits. */
static wide quadrant(uint32_t sig, int exp, unsigned *n) {
    const int skipped = exp > 2 ? exp - 2 : 0; /* Bits of 2 / pi that make multiples of 4 */
    uint64_t limb[5], fraction[3];             /* Of x 2/pi, the highest first */
    u128 carry = 0;
    for (int i = 3; i >= 0; i--) {
        const int at = skipped / 64 + i, bit = skipped % 64;
        const uint64_t window = two_over_pi[at] << bit | (bit ? two_over_pi[at + 1] >> (64 - bit) : 0);
        carry += (u128)window * sig;
        limb[i + 1] = (uint64_t)carry;
        carry >>= 64;
    }
    limb[0] = (uint64_t)carry;
    const int whole = 64 + exp - skipped, word = whole / 64,
              bit = whole % 64; /* The first bits: before the point */
    *n = (unsigned)(((u128)limb[0] << 64 | limb[1]) >> (128 - whole)) & 3;
    for (int i = 0; i < 3; i++)
        fraction[i] = limb[word + i] << bit | (bit ? limb[word + i + 1] >> (64 - bit) : 0);
    const bool negative = fraction[0] >> 63;
    *n += negative;
    for (int i = 0; negative && i < 3; i++)
        fraction[i] = ~fraction[i];
    const u128 upper = (u128)fraction[0] << 64 | fraction[1];
    const int zeros = fp_clz128(upper);
    const u128 lower = zeros ? fraction[2] >> (64 - zeros) : 0;
    return normal(negative, -1 - zeros, upper << zeros | lower);
}

/* The functions sin t or cos t for t from -pi/4 to pi/4. */
static wide sine(wide t, bool cosine) {
    const u128 square = square_of(t);
    u128 sum = ONE; /* Of 2^127 */
    for (unsigned n = 28; n >= 2; n -= 2)
        sum = ONE - (mul_high(mul_high(square, sum), inverse_of(n * (cosine ? n - 1 : n + 1))) << 1);
    const wide factor = normal(false, 0, sum);
    return cosine ? factor : mul(t, factor);
}

static wide trigonometric(wide x, bool cosine) {
    unsigned n = 0;
    wide t = magnitude(x);
    if (t.exp >= -1)
        t = mul(quadrant((uint32_t)(x.sig >> 104), x.exp - 23, &n), half_pi);
    n += cosine;
    wide result = sine(t, n & 1);
    result.negative ^= (n >> 1 & 1) ^ (x.negative && !cosine);
    return result;
}

/* --- Results --- */

/* 1 / sqrt(x), for x from 1 to 4: a root of 64 bits, its inverse, and one step of Newton's, y (3 - x y^2) /
 * 2. */
static wide inverse_root(wide x) {
    const u128 radicand = x.exp & 1 ? x.sig : x.sig >> 1; /* x / 4, of 2^128 */
    uint64_t root = 0;                                    /* sqrt(x) / 2, of 2^64 */
    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
        if ((u128)(root | bit) * (root | bit) <= radicand)
            root |= bit;
    const wide y = inverse(normal(false, 0, (u128)root << 64));
    wide square = mul(mul(y, y), normal(false, x.exp & 1, x.sig));
    square.negative = true;
    wide result = mul(y, add((wide){.exp = 1, .sig = ONE | ONE >> 1}, square));
    result.exp -= 1 + (x.exp - (x.exp & 1)) / 2;
    return result;
}

typedef enum kind { FINITE, ZERO, INFINITE, INVALID } kind;

/* A value of a function before rounding. */
typedef struct value {
    kind kind;
    bool exact; /* Whether sig is */
    wide number;
} value;

static value special_value(kind kind, bool negative) {
    return (value){kind, true, {.negative = negative}};
}

static value finite(wide number, bool exact) {
    return (value){FINITE, exact, number};
}

/* 2^n. */
static value power_of_two(int n, bool exact) {
    return finite((wide){.exp = n, .sig = ONE}, exact);
}

/* The values at zeros and infinities. */
static value at_limit(karat_function function, bool infinite, bool negative, uint32_t *flags) {
    switch (function) {
    case KARAT_EX2:
        return !infinite ? power_of_two(0, true) : special_value(negative ? ZERO : INFINITE, false);
    case KARAT_LG2:
        if (infinite)
            return special_value(negative ? INVALID : INFINITE, false);
        *flags |= KARAT_DZ;
        return special_value(INFINITE, true);
    case KARAT_RSQRT:
        if (infinite)
            return special_value(negative ? INVALID : ZERO, false);
        *flags |= KARAT_DZ;
        return special_value(INFINITE, negative);
    case KARAT_SIN: return special_value(infinite ? INVALID : ZERO, negative);
    case KARAT_COS: return infinite ? special_value(INVALID, false) : power_of_two(0, true);
    case KARAT_TANH:
        if (infinite)
            return finite((wide){.negative = negative, .sig = ONE}, true);
        return special_value(ZERO, negative);
    default: /* KARAT_GELU, KARAT_SILU */
        return special_value(infinite && !negative ? INFINITE : ZERO, negative);
    }
}

/* 2^x: of the integer below x, and e^(ln 2 (x - that)). */
static value power(wide x) {
    if (x.exp < -60)
        return power_of_two(0, false);
    if (x.exp > 8)
        return power_of_two(x.negative ? -1000 : 1000, false);
    const u128 fixed = x.sig >> (8 - x.exp),
               fraction = fixed & (((u128)1 << 119) - 1); /* Of 2^119: exact, or smaller */
    const int whole = (int)(fixed >> 119);
    if (!fraction)
        return power_of_two(x.negative ? -whole : whole, true);
    const u128 above = x.negative ? ((u128)1 << 119) - fraction : fraction;
    return finite(normal(false, x.negative ? -whole - 1 : whole, exp_fraction(mul_high(above, LN2))), false);
}

/* log2 x: of the power of two in x and of the rest. */
static value binary_logarithm(wide x) {
    int exp = x.exp;
    x.exp = 0;
    if (x.sig == ONE) {
        if (!exp)
            return special_value(ZERO, false);
        return finite(normal(exp < 0, 127, (u128)(exp < 0 ? -exp : exp)), true);
    }
    if (x.sig > W(0xb504f333f9de6484, 0)) { /* sqrt(2) */
        x.exp = -1;
        exp++;
    }
    const wide rest = logarithm(x);
    return finite(exp ? add(rest, normal(exp < 0, 127, (u128)(exp < 0 ? -exp : exp))) : rest, false);
}

/* The function of a number of binary32; *flags as far as they do not come from rounding. */
static value evaluate(karat_function function, uint32_t a, uint32_t *flags) {
    if (f32_is_nan(a)) {
        *flags |= f32_is_snan(a) ? KARAT_NV : 0;
        return special_value(INVALID, false);
    }
    const bool negative = f32_sign(a);
    value result;
    if (f32_is_inf(a) || f32_is_zero(a)) {
        result = at_limit(function, f32_is_inf(a), negative, flags);
    } else {
        const struct f32_parts parts = f32_parts(a);
        const wide x = {negative, parts.exp - 127, (u128)parts.sig << 104};
        switch (function) {
        case KARAT_EX2: result = power(x); break;
        case KARAT_LG2: result = negative ? special_value(INVALID, false) : binary_logarithm(x); break;
        case KARAT_RSQRT:
            if (negative)
                result = special_value(INVALID, false);
            else if (x.sig == ONE && !(x.exp & 1))
                result = power_of_two(-x.exp / 2, true);
            else
                result = finite(inverse_root(x), false);
            break;
        case KARAT_SIN:
        case KARAT_COS: result = finite(trigonometric(x, function == KARAT_COS), false); break;
        case KARAT_TANH: result = finite(hyperbolic_tangent(x), false); break;
        default: result = finite(gated(x, function == KARAT_GELU), false); break;
        }
    }
    *flags |= result.kind == INVALID ? KARAT_NV : 0;
    return result;
}

/* A value of that format, rounded to nearest even. bits: of a significand before rounding. */
#define ROUND(format, bits, bias, inf, nan)                                                                  \
    switch (v.kind) {                                                                                        \
    case ZERO: return format##_pack(v.number.negative, 0);                                                   \
    case INFINITE: return format##_pack(v.number.negative, inf);                                             \
    case INVALID: return nan;                                                                                \
    default: break;                                                                                          \
    }                                                                                                        \
    const u128 sig = v.number.sig >> (128 - (bits)), lost = v.number.sig << (bits);                          \
    return format##_round_wide(v.number.negative, v.number.exp + (bias), sig | (lost != 0 || !v.exact),      \
                               KARAT_RNE, flags)

uint32_t karat_f32_special(karat_function function, uint32_t a, uint32_t *flags) {
    if (function == KARAT_RCP)
        return karat_f32_div(UINT32_C(127) << 23, a, KARAT_RNE, flags);
    if (function == KARAT_SQRT)
        return karat_f32_sqrt(a, KARAT_RNE, flags);
    const value v = evaluate(function, a, flags);
    ROUND(f32, 63, 127, KARAT_F32_INF, KARAT_F32_NAN);
}

static uint32_t f16_value(value v, uint32_t *flags) {
    ROUND(f16, 31, 15, KARAT_F16_INF, KARAT_F16_NAN);
}

uint16_t karat_f16_special(karat_function function, uint16_t a, uint32_t *flags) {
    if (function == KARAT_RCP)
        return karat_f16_div(0x3c00, a, KARAT_RNE, flags);
    if (function == KARAT_SQRT)
        return karat_f16_sqrt(a, KARAT_RNE, flags);
    return (uint16_t)f16_value(evaluate(function, karat_f32_from_f16(a, KARAT_RNE, flags), flags), flags);
}

static uint32_t bf16_value(value v, uint32_t *flags) {
    ROUND(bf16, 31, 127, KARAT_BF16_INF, KARAT_BF16_NAN);
}

uint16_t karat_bf16_special(karat_function function, uint16_t a, uint32_t *flags) {
    if (function == KARAT_RCP)
        return karat_bf16_div(0x3f80, a, KARAT_RNE, flags);
    if (function == KARAT_SQRT)
        return karat_bf16_sqrt(a, KARAT_RNE, flags);
    return (uint16_t)bf16_value(evaluate(function, (uint32_t)a << 16, flags), flags);
}
