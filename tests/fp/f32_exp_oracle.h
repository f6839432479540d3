/* The oracle for the exponential function: from one evaluation by MPFR, value and flags in all five modes.
 *
 * mpfr_exp to 64 bits towards zero is exactly the first 64 bits of e^x, as MPFR rounds correctly, and its
 * ternary value says whether anything follows them. Where something does, the exact result lies strictly
 * between this value and the next one of 64 bits. All rounding boundaries of binary32 have 25 bits or fewer:
 * none of them lies between those two, so each mode's answer follows with no evaluation at a higher
 * precision.
 *
 * test_f32_exp compares what this derives with what MPFR gives when it is asked to round to binary32 itself.
 * Shares nothing with golden/fp but the numbers of modes and flags. */
#ifndef KARAT_TESTS_FP_F32_EXP_ORACLE_H
#define KARAT_TESTS_FP_F32_EXP_ORACLE_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fp/f32.h"

enum { MODES = 5 };

struct exp_outcomes {
    uint32_t value[MODES], flags[MODES];
};

/* An oracle belongs to one thread. */
struct exp_oracle {
    mpfr_t x, y;
    uint64_t evaluations;
    /* The least distance from a result to a rounding boundary, as the logarithm to base 2 of its part of the
     * result, and the operand; for operands below 2^-9, and from there on. Results beyond binary32's range do
     * not count, nor do operands below 2^-26, which are that close to the boundary 1. */
    double closest[2];
    uint32_t closest_operand[2];
};

/* MPFR's exponent range and cache are per thread, too. The range only has to contain that of binary32. */
static inline void exp_oracle_open(struct exp_oracle *o) {
    mpfr_set_emin(-2000);
    mpfr_set_emax(2000);
    mpfr_init2(o->x, 24);
    mpfr_init2(o->y, 64);
    o->evaluations = 0;
    for (int i = 0; i < 2; i++) {
        o->closest[i] = 0;
        o->closest_operand[i] = 0;
    }
}

static inline void exp_oracle_close(struct exp_oracle *o) {
    mpfr_clears(o->x, o->y, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

/* The operand a, which is no NaN. */
static inline void exp_load(mpfr_t to, uint32_t a) {
    int exp = (int)(a >> 23 & 0xff);
    uint32_t frac = a & 0x7fffff;
    if (exp == 0xff)
        mpfr_set_inf(to, 1);
    else
        mpfr_set_ui_2exp(to, exp == 0 ? frac : frac | 0x800000, exp == 0 ? -149 : exp - 150, MPFR_RNDN);
    mpfr_setsign(to, to, (int)(a >> 31), MPFR_RNDN);
}

/* The number n * 2^q, where n <= 2^24 and either n >= 2^23 or q = -149. */
static inline uint32_t exp_encode(uint64_t n, long q, bool down, uint32_t *flags) {
    if (n == 1 << 24) {
        n >>= 1;
        q++;
    }
    if (q > 104) {
        *flags |= KARAT_OF;
        return down ? 0x7f7fffff : 0x7f800000;
    }
    return n < 1 << 23 ? (uint32_t)n : (uint32_t)(q + 150) << 23 | ((uint32_t)n & 0x7fffff);
}

/* The result of rounding a value strictly between bits * 2^(exp - 64) and (bits + 1) * 2^(exp - 64), with
 * bits >= 2^63. */
static inline void exp_round(uint64_t bits, long exp, struct exp_outcomes *out) {
    /* With an unbounded exponent the lowest bit kept is 2^(exp - 24); in binary32 it is 2^-149 at least. */
    long q = exp - 24 < -149 ? -149 : exp - 24, cut = q - (exp - 64);
    uint64_t below = cut < 64 ? bits >> cut : 0;
    /* More than half an ulp above it? It is never exactly half, as the value is above bits. */
    bool above_half = cut <= 64 && (bits >> (cut - 1) & 1);
    bool above_half_unbounded = bits >> 39 & 1;
    for (unsigned rm = 0; rm < MODES; rm++) {
        bool down = rm == KARAT_RTZ || rm == KARAT_RDN, nearest = rm == KARAT_RNE || rm == KARAT_RMM;
        bool up = nearest ? above_half : !down;
        bool up_unbounded = nearest ? above_half_unbounded : !down;
        /* Tiny: below 2^-126 after rounding with an unbounded exponent. */
        bool becomes_normal = exp == -126 && (bits >> 40) + up_unbounded == 1 << 24;
        out->flags[rm] = KARAT_NX | (exp <= -126 && !becomes_normal ? KARAT_UF : 0);
        out->value[rm] = exp_encode(below + up, q, down, &out->flags[rm]);
    }
}

static inline void exp_expect_same(uint32_t value, uint32_t flags, struct exp_outcomes *out) {
    for (unsigned rm = 0; rm < MODES; rm++) {
        out->value[rm] = value;
        out->flags[rm] = flags;
    }
}

/* How close the result of operand a is to the nearest boundary; o->x is loaded. For the report only. */
static inline void exp_closeness(struct exp_oracle *o, uint32_t a) {
    int exp = (int)(a >> 23 & 0xff), range = exp >= 127 - 9;
    if (exp < 127 - 26)
        return;
    mpfr_t value, boundary;
    mpfr_init2(value, 300);
    mpfr_init2(boundary, 25);
    mpfr_exp(value, o->x, MPFR_RNDN);
    mpfr_set(boundary, value, MPFR_RNDN);
    mpfr_sub(boundary, value, boundary, MPFR_RNDN);
    mpfr_div(value, boundary, value, MPFR_RNDN);
    mpfr_abs(value, value, MPFR_RNDN);
    mpfr_log2(value, value, MPFR_RNDN);
    double distance = mpfr_get_d(value, MPFR_RNDN);
    if (distance < o->closest[range]) {
        o->closest[range] = distance;
        o->closest_operand[range] = a;
    }
    mpfr_clears(value, boundary, (mpfr_ptr)NULL);
}

static inline void exp_oracle(struct exp_oracle *o, uint32_t a, struct exp_outcomes *out) {
    if ((a & 0x7fffffff) > 0x7f800000) {
        exp_expect_same(0x7fc00000, a & 0x00400000 ? 0 : KARAT_NV, out);
        return;
    }
    exp_load(o->x, a);
    o->evaluations++;
    if (mpfr_exp(o->y, o->x, MPFR_RNDZ) == 0) {
        /* Exact: 0, 1 or infinity. */
        if (!mpfr_zero_p(o->y) && !mpfr_inf_p(o->y) && mpfr_cmp_ui(o->y, 1) != 0)
            abort();
        exp_expect_same(mpfr_zero_p(o->y) ? 0 : mpfr_inf_p(o->y) ? 0x7f800000 : 0x3f800000, 0, out);
    } else if (mpfr_zero_p(o->y)) {
        /* Between 0 and MPFR's least value: any value down there rounds like it. */
        exp_round(UINT64_C(1) << 63, -2001, out);
    } else {
        /* The significand, its leading one at the highest bit of the highest limb; 64 bits are one limb where
         * limbs have 64 bits. Above MPFR's largest value this is that value. */
        uint64_t bits;
        memcpy(&bits, mpfr_custom_get_significand(o->y), sizeof bits);
        long exp = mpfr_get_exp(o->y);
        exp_round(bits, exp, out);
        /* Boundaries are multiples of 2^39 (of more, where the result is subnormal). */
        uint64_t above = bits & ((UINT64_C(1) << 39) - 1), below = (UINT64_C(1) << 39) - above;
        if ((above < below ? above : below) < 1 << 20 && exp >= -149 && exp <= 128)
            exp_closeness(o, a);
    }
}

static inline void exp_ours(uint32_t a, struct exp_outcomes *out) {
    for (unsigned rm = 0; rm < MODES; rm++) {
        out->flags[rm] = 0;
        out->value[rm] = karat_f32_exp(a, rm, &out->flags[rm]);
    }
}

static inline bool exp_same(const struct exp_outcomes *a, const struct exp_outcomes *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

#endif
