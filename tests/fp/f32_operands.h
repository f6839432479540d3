/* Corner-biased binary32 operands, from a seeded generator. Shared by the floating-point tests. */
#ifndef KARAT_TESTS_FP_F32_OPERANDS_H
#define KARAT_TESTS_FP_F32_OPERANDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct rng {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t rng_next(struct rng *rng) {
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
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

/* One or more values of every class and at every edge; without their negatives. */
static const uint32_t f32_corners[] = {
    0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x00200000, 0x001fffff, 0x00400000, 0x007ffffe,
    0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x33800000, 0x33800001, 0x34000000,
    0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x3fffffff,
    0x40000000, 0x40400000, 0x4b000001, 0x4b7fffff, 0x4b800001, 0x4effffff, 0x4f000000, 0x4f000001,
    0x4f7fffff, 0x4f800000, 0x7e7fffff, 0x7e800000, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000,
    0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc12345,
};

enum { F32_CORNERS = sizeof f32_corners / sizeof f32_corners[0] };

/* Corner n of 2 * F32_CORNERS: the second half has the sign bit set. */
static inline uint32_t f32_corner(unsigned n) {
    return f32_corners[n % F32_CORNERS] | (n >= F32_CORNERS ? UINT32_C(0x80000000) : 0);
}

/* Operands for the 7-bit estimates, which depend on sign, exponent and at most 7 bits of the normalised
 * fraction: all combinations of these, for subnormal operands, too, and with zeros and with ones in the bits
 * that do not matter. */
enum { ESTIMATE_OPERANDS = 2 * 65536 + 2 * 2 * 256 * 23 };

static inline uint32_t estimate_operand(uint32_t n) {
    if (n < 2 * 65536)
        return n >> 1 << 16 | (n & 1 ? 0xffff : 0);
    n -= 2 * 65536;
    uint32_t normalised = (0x100 | (n >> 2 & 0xff)) << 15 | (n & 1 ? 0x7fff : 0);
    return (n & 2) << 30 | normalised >> (1 + (n >> 10));
}

/* Fractions that make ties and carries likely: few set bits, a run of ones, or anything. */
static inline uint32_t random_fraction(struct rng *rng) {
    uint64_t r = rng_next(rng);
    uint32_t bits = (uint32_t)(r >> 32) & 0x7fffff;
    uint32_t n = (uint32_t)r >> 3 & 31, m = (uint32_t)r >> 8 & 31;
    switch (r & 7) {
    case 0: return 0;
    case 1: return ((1u << n) | (1u << m)) & 0x7fffff;
    case 2: return (0x7fffffu << n % 24) & 0x7fffff;
    case 3: return 0x7fffffu >> n % 24;
    case 4:
        /* At most 13 significant bits: products of two of these are ties often. */
        return bits & 0x7ff800;
    case 5: return (bits << n % 24) & 0x7fffff;
    default: return bits;
    }
}

static inline uint32_t random_operand(struct rng *rng) {
    uint64_t r = rng_next(rng);
    uint32_t sign = (uint32_t)(r >> 63) << 31;
    uint32_t spread = (uint32_t)(r >> 32) & 0x1f;
    switch (r & 15) {
    case 0: return f32_corner(rng_below(rng, 2 * F32_CORNERS));
    case 1: return sign | random_fraction(rng); /* a subnormal */
    case 2: return sign | (1 + spread) << 23 | random_fraction(rng);
    case 3: return sign | (254 - spread) << 23 | random_fraction(rng);
    case 4:
        /* Roots of the smallest and largest values: products and squares at the edges. */
        return sign | ((r & 16 ? 52 : 190) - 4 + spread % 8) << 23 | random_fraction(rng);
    case 5: return (uint32_t)(r >> 20);
    case 6:
    case 7: return sign | (127 + spread) << 23 | random_fraction(rng); /* the range of integers */
    case 8: return sign | (uint32_t)(r >> 40 & 0xff) << 23 | random_fraction(rng);
    default: return sign | (127 - 16 + spread) << 23 | random_fraction(rng);
    }
}

/* Move the exponent of x to e, where that is a normal one. */
static inline uint32_t with_exponent(uint32_t x, int e) {
    return e >= 1 && e <= 254 ? (x & 0x807fffff) | (uint32_t)e << 23 : x;
}

static inline int exponent(uint32_t x) {
    return (int)(x >> 23 & 0xff);
}

/* Three operands that are related often enough for cancellation, ties, overflow and underflow to be common.
 */
static inline void random_operands(struct rng *rng, uint32_t x[3]) {
    for (int i = 0; i < 3; i++)
        x[i] = random_operand(rng);
    uint64_t r = rng_next(rng);
    int near = (int)(r >> 8 & 7) - 4;
    switch (r & 15) {
    case 0: /* neighbours */ x[1] = x[0] + (uint32_t)near; break;
    case 1: /* neighbours with opposite signs */ x[1] = (x[0] + (uint32_t)near) ^ 0x80000000; break;
    case 2: /* about 24 binades apart: half an ulp of a sum */
        x[1] = with_exponent(x[1], exponent(x[0]) - 24 + near);
        break;
    case 3: /* a product at the lower edge */
    case 4: x[1] = with_exponent(x[1], 127 - exponent(x[0]) - (int)(r >> 16 & 31) + 4); break;
    case 5: /* a product at the upper edge */
        x[1] = with_exponent(x[1], 127 + 254 - exponent(x[0]) + near);
        break;
    case 6: /* a quotient at the lower edge */
        x[1] = with_exponent(x[1], exponent(x[0]) + 127 + (int)(r >> 16 & 31) - 4);
        break;
    case 7: /* a quotient at the upper edge */ x[1] = with_exponent(x[1], exponent(x[0]) - 127 + near); break;
    default: break;
    }
    int product = exponent(x[0]) + exponent(x[1]) - 127;
    switch (r >> 4 & 7) {
    case 0: /* c near a * b */ x[2] = with_exponent(x[2], product + near); break;
    case 1: { /* c close to -(a * b), so that nearly everything cancels */
        uint64_t wide = (uint64_t)((x[0] & 0x7fffff) | 0x800000) * ((x[1] & 0x7fffff) | 0x800000);
        int carry = (int)(wide >> 47);
        uint32_t fraction = ((uint32_t)(wide >> (23 + carry)) + (uint32_t)(near / 2)) & 0x7fffff;
        x[2] = with_exponent((~(x[0] ^ x[1]) & 0x80000000) | fraction, product + carry);
        break;
    }
    case 2: /* c half an ulp of a * b, or a * b half an ulp of c */
        x[2] = with_exponent(x[2], product + (r & 1 ? 24 : -24) + near);
        break;
    case 3: x[2] = with_exponent(x[2], product + (r & 1 ? 48 : -48) + near); break;
    default: break;
    }
}

#endif
