/* Corner-biased operands of any of the three formats, from a seeded generator. Shared by the floating-point
 * tests. */
#ifndef KARAT_TESTS_FP_OPERANDS_H
#define KARAT_TESTS_FP_OPERANDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "splitmix.h"

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng) {
    return karat_random(&rng->state);
}

static inline uint32_t rng_below(struct rng *rng, uint32_t bound) {
    return (uint32_t)((rng_next(rng) >> 32) * bound >> 32);
}

static inline uint64_t env_number(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoull(text, NULL, 0) : fallback;
}

/* KARAT_SEED, or the time; printed, so that a failure can be repeated. */
static inline uint64_t test_seed(void) {
    uint64_t seed = env_number("KARAT_SEED", (uint64_t)time(NULL));
    printf("KARAT_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

struct format {
    int bits, fraction; /* The width, and how much of it is the fraction */
};

static const struct format binary16 = {16, 10}, binary32 = {32, 23}, binary64 = {64, 52};

static inline int exponent_max(struct format f) {
    return (1 << (f.bits - 1 - f.fraction)) - 1; /* Exponent of infinities and NaNs */
}

static inline int exponent_bias(struct format f) {
    return exponent_max(f) / 2;
}

static inline uint64_t sign_bit(struct format f) {
    return UINT64_C(1) << (f.bits - 1);
}

static inline uint64_t fraction_mask(struct format f) {
    return (UINT64_C(1) << f.fraction) - 1;
}

static inline uint64_t infinity(struct format f) {
    return (uint64_t)exponent_max(f) << f.fraction;
}

static inline uint64_t quiet_bit(struct format f) {
    return UINT64_C(1) << (f.fraction - 1);
}

static inline int exponent_of(struct format f, uint64_t x) {
    return (int)(x >> f.fraction & (uint64_t)exponent_max(f));
}

/* Move the exponent of x to e, where that is a normal one. */
static inline uint64_t move_exponent(struct format f, uint64_t x, int e) {
    return e >= 1 && e < exponent_max(f) ? (x & (sign_bit(f) | fraction_mask(f))) | (uint64_t)e << f.fraction
                                         : x;
}

/* Where corners are: bit patterns relative to one of these. */
enum anchor {
    AT_ZERO,
    AT_LEAST_NORMAL,
    AT_EPSILON, /* One ulp of 1 */
    AT_ONE,
    AT_INTEGERS, /* From here on an ulp is 1 or more */
    AT_LAST_BIT, /* 2^31, or what is that to the format: 2^15, 2^63 */
    AT_INFINITY
};

struct corner {
    enum anchor anchor;
    int binades;  /* After the anchor */
    int quarters; /* Quarters of a binade, after that */
    int ulps;     /* After that */
};

/* One or more values of every class and at every edge; without their negatives. */
static const struct corner corner_table[] = {
    {AT_ZERO, 0, 0, 0},         {AT_ZERO, 0, 0, 1},          {AT_ZERO, 0, 0, 2},
    {AT_ZERO, 0, 0, 3},         {AT_ZERO, 0, 1, 0},          {AT_ZERO, 0, 1, -1},
    {AT_ZERO, 0, 2, 0},         {AT_LEAST_NORMAL, 0, 0, -2}, {AT_LEAST_NORMAL, 0, 0, -1},
    {AT_LEAST_NORMAL, 0, 0, 0}, {AT_LEAST_NORMAL, 0, 0, 1},  {AT_LEAST_NORMAL, 1, 0, -1},
    {AT_LEAST_NORMAL, 1, 0, 0}, {AT_EPSILON, -1, 0, 0},      {AT_EPSILON, -1, 0, 1},
    {AT_EPSILON, 0, 0, 0},      {AT_ONE, -1, 0, -1},         {AT_ONE, -1, 0, 0},
    {AT_ONE, -1, 0, 1},         {AT_ONE, 0, 0, -1},          {AT_ONE, 0, 0, 0},
    {AT_ONE, 0, 0, 1},          {AT_ONE, 0, 2, 0},           {AT_ONE, 1, 0, -1},
    {AT_ONE, 1, 0, 0},          {AT_ONE, 1, 2, 0},           {AT_INTEGERS, 0, 0, 1},
    {AT_INTEGERS, 1, 0, -1},    {AT_INTEGERS, 1, 0, 1},      {AT_LAST_BIT, 0, 0, -1},
    {AT_LAST_BIT, 0, 0, 0},     {AT_LAST_BIT, 0, 0, 1},      {AT_LAST_BIT, 1, 0, -1},
    {AT_LAST_BIT, 1, 0, 0},     {AT_INFINITY, -2, 0, -1},    {AT_INFINITY, -2, 0, 0},
    {AT_INFINITY, -1, 0, 0},    {AT_INFINITY, 0, 0, -2},     {AT_INFINITY, 0, 0, -1},
    {AT_INFINITY, 0, 0, 0},     {AT_INFINITY, 0, 0, 1},      {AT_INFINITY, 0, 2, -1},
    {AT_INFINITY, 0, 2, 0},     {AT_INFINITY, 0, 2, 345},
};

enum { CORNERS = sizeof corner_table / sizeof corner_table[0] };

/* Corner n of 2 * CORNERS: the second half has the sign bit set. */
static inline uint64_t format_corner(struct format f, unsigned n) {
    const struct corner *c = &corner_table[n % CORNERS];
    int bias = exponent_bias(f), e = 0;
    switch (c->anchor) {
    case AT_ZERO: e = 0; break;
    case AT_LEAST_NORMAL: e = 1; break;
    case AT_EPSILON: e = bias - f.fraction; break;
    case AT_ONE: e = bias; break;
    case AT_INTEGERS: e = bias + f.fraction; break;
    case AT_LAST_BIT: e = bias + f.bits - 1; break;
    default: e = exponent_max(f); break;
    }
    uint64_t quarter = UINT64_C(1) << (f.fraction - 2);
    uint64_t pattern = ((uint64_t)(e + c->binades) << f.fraction) + (uint64_t)c->quarters * quarter;
    return (pattern + (uint64_t)(int64_t)c->ulps) | (n >= CORNERS ? sign_bit(f) : 0);
}

/* Operands for the 7-bit estimates, which depend on sign, exponent and at most 7 bits of the normalised
 * fraction: all combinations of these, for subnormal operands, too, and with zeros and with ones in the bits
 * that do not matter. */
static inline uint32_t estimate_operands(struct format f) {
    return (UINT32_C(2) << (f.bits - f.fraction + 7)) + 2 * 2 * 256 * (uint32_t)f.fraction;
}

static inline uint64_t format_estimate_operand(struct format f, uint32_t n) {
    uint32_t normal = UINT32_C(2) << (f.bits - f.fraction + 7);
    int ignored = f.fraction - 7;
    if (n < normal)
        return (uint64_t)(n >> 1) << ignored | (n & 1 ? (UINT64_C(1) << ignored) - 1 : 0);
    n -= normal;
    ignored--;
    uint64_t normalised =
        (uint64_t)(0x100 | (n >> 2 & 0xff)) << ignored | (n & 1 ? (UINT64_C(1) << ignored) - 1 : 0);
    return (n & 2 ? sign_bit(f) : 0) | normalised >> (n >> 10);
}

/* Fractions that make ties and carries likely: few set bits, a run of ones, or anything. */
static inline uint64_t format_random_fraction(struct format f, struct rng *rng) {
    uint64_t mask = fraction_mask(f), bits = rng_next(rng) & mask;
    uint32_t r = (uint32_t)rng_next(rng), places = (uint32_t)f.fraction + 1;
    uint32_t n = (r >> 3 & 0xff) % places, m = (r >> 11 & 0xff) % places;
    switch (r & 7) {
    case 0: return 0;
    case 1: return (UINT64_C(1) << n | UINT64_C(1) << m) & mask;
    case 2: return (mask << n) & mask;
    case 3: return mask >> n;
    case 4:
        /* At most half of the significant bits: products of two of these are ties often. */
        return bits >> f.fraction / 2 << f.fraction / 2;
    case 5: return (bits << n) & mask;
    default: return bits;
    }
}

static inline uint64_t format_random_operand(struct format f, struct rng *rng) {
    uint64_t r = rng_next(rng), bias = (uint64_t)exponent_bias(f);
    uint64_t sign = r >> 63 ? sign_bit(f) : 0;
    uint32_t near = f.bits == 16 ? 15 : 32; /* So many binades are near */
    uint32_t spread = (uint32_t)(r >> 32 & 0xff) % near;
    if ((r & 15) == 0)
        return format_corner(f, rng_below(rng, 2 * CORNERS));
    if ((r & 15) == 5)
        return rng_next(rng) >> (64 - f.bits);
    uint64_t e, fraction = format_random_fraction(f, rng);
    switch (r & 15) {
    case 1: e = 0; break; /* A subnormal */
    case 2: e = 1 + spread; break;
    case 3: e = (uint64_t)exponent_max(f) - 1 - spread; break;
    case 4:
        /* Roots of the smallest and largest values: products and squares at the edges. */
        e = (r & 16 ? bias - (bias + (uint64_t)f.fraction) / 2 : bias + bias / 2) + spread % 8 - 3;
        break;
    case 6:
    case 7: e = bias + (r >> 40 & 0xff) % (f.bits == 16 ? 16 : 68); break; /* The range of integers */
    case 8: e = r >> 40 & (uint64_t)exponent_max(f); break;
    default: e = bias - near / 2 + spread; break;
    }
    return sign | e << f.fraction | fraction;
}

/* Three operands that are related often enough for cancellation, ties, overflow and underflow to be common.
 */
static inline void format_random_operands(struct format f, struct rng *rng, uint64_t x[3]) {
    __extension__ typedef unsigned __int128 product_t;
    const uint64_t mask = fraction_mask(f), pattern = sign_bit(f) | (sign_bit(f) - 1);
    const int bias = exponent_bias(f), precision = f.fraction + 1;
    for (int i = 0; i < 3; i++)
        x[i] = format_random_operand(f, rng);
    uint64_t r = rng_next(rng);
    int near = (int)(r >> 8 & 7) - 4, depth = (int)(r >> 16 & 0xff) % (f.fraction + 9);
    switch (r & 15) {
    case 0: /* Neighbours */ x[1] = (x[0] + (uint64_t)(int64_t)near) & pattern; break;
    case 1: /* Neighbours with opposite signs */
        x[1] = ((x[0] + (uint64_t)(int64_t)near) ^ sign_bit(f)) & pattern;
        break;
    case 2: /* A precision of binades apart: half an ulp of a sum */
        x[1] = move_exponent(f, x[1], exponent_of(f, x[0]) - precision + near);
        break;
    case 3: /* A product at the lower edge */
    case 4: x[1] = move_exponent(f, x[1], bias - exponent_of(f, x[0]) - depth + 4); break;
    case 5: /* A product at the upper edge */
        x[1] = move_exponent(f, x[1], bias + exponent_max(f) - 1 - exponent_of(f, x[0]) + near);
        break;
    case 6: /* A quotient at the lower edge */
        x[1] = move_exponent(f, x[1], exponent_of(f, x[0]) + bias + depth - 4);
        break;
    case 7: /* A quotient at the upper edge */
        x[1] = move_exponent(f, x[1], exponent_of(f, x[0]) - bias + near);
        break;
    default: break;
    }
    int product = exponent_of(f, x[0]) + exponent_of(f, x[1]) - bias;
    switch (r >> 4 & 7) {
    case 0: /* Takes c near a * b */ x[2] = move_exponent(f, x[2], product + near); break;
    case 1: { /* Takes c close to -(a * b), so that nearly everything cancels */
        product_t wide = (product_t)((x[0] & mask) | (mask + 1)) * ((x[1] & mask) | (mask + 1));
        int carry = (int)(wide >> (2 * f.fraction + 1));
        uint64_t fraction = ((uint64_t)(wide >> (f.fraction + carry)) + (uint64_t)(int64_t)(near / 2)) & mask;
        x[2] = move_exponent(f, (~(x[0] ^ x[1]) & sign_bit(f)) | fraction, product + carry);
        break;
    }
    case 2: /* Takes c half an ulp of a * b, or a * b half an ulp of c */
        x[2] = move_exponent(f, x[2], product + (r & 1 ? precision : -precision) + near);
        break;
    case 3: x[2] = move_exponent(f, x[2], product + (r & 1 ? 2 * precision : -2 * precision) + near); break;
    default: break;
    }
}

/* An integer of 64 bits for conversions to f: small, large, near a power of two, or at a tie. */
static inline uint64_t format_random_integer(struct format f, struct rng *rng) {
    uint64_t r = rng_next(rng), value = rng_next(rng);
    unsigned n = r >> 8 & 63;
    int near = (int)(r >> 16 & 7) - 3;
    switch (r & 7) {
    case 0: value &= 0x1ff; break;
    case 1:
    case 2: value = (UINT64_C(1) << n) + (uint64_t)(int64_t)near; break;
    case 3:
    case 4:
        value = (((fraction_mask(f) + 1) | format_random_fraction(f, rng)) << 1 | 1)
                << n % (unsigned)(f.bits - f.fraction);
        value += (uint64_t)(int64_t)(near / 3);
        break;
    default: value >>= n; break;
    }
    return r >> 32 & 1 ? 0 - value : value;
}

/* A value of f at the bounds of 8, 16, 32 and 64 bits, or elsewhere, with up to two bits of a fraction. */
static inline uint64_t format_random_near_integer(struct format f, struct rng *rng) {
    uint64_t r = rng_next(rng), quarters = rng_next(rng);
    const int largest = exponent_bias(f); /* Exponent */
    int scale = -2;                       /* The value is quarters * 2^scale */
    switch (r & 3) {
    case 0: quarters >>= r >> 8 & 63; break;
    default: {
        /* Around 2^n, with the smallest steps that the format has there down to 1/4. */
        int n = (r & 4 ? 8 << (r >> 8 & 3) : (int)(r >> 8) & 63) % (largest + 2);
        int step = n - 1 - f.fraction;
        n -= r & 8 ? 1 : 0;
        scale = step > -2 ? step : -2;
        if (n - scale > 62)
            n = 62 + scale;
        quarters = (UINT64_C(1) << (n - scale)) + (uint64_t)((int64_t)(r >> 16 & 15) - 8);
    }
    }
    uint64_t sign = r >> 63 ? sign_bit(f) : 0;
    if (quarters == 0)
        return sign;
    int top = 63;
    while (!(quarters >> top))
        top--;
    uint64_t fraction = top > f.fraction ? quarters >> (top - f.fraction) : quarters << (f.fraction - top);
    int e = top + scale < largest ? top + scale : largest;
    return sign | (uint64_t)(exponent_bias(f) + e) << f.fraction | (fraction & fraction_mask(f));
}

#endif
