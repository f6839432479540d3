/* Operations of binary64 on a block of elements at a time, by the host's arithmetic with a fused
 * multiply-add.
 *
 * Why results and flags are those of arith.h and misc.h. FMA and AVX2 have binary64 as IEEE 754 has it, where
 * MXCSR says: to nearest even, subnormal numbers as they are, no traps. Each operation has r, which is the
 * exact result X rounded so, and a number e with the sign of X - r, and 0 where that is. e says whether r is
 * exact, and the direction of the step of one that the other modes take. To nearest with ties away takes one
 * where X is half-way, which is where e is all of X - r, and r + 2e is a number of binary64 too. No flag
 * comes from the host's. Elements where one of the bounds below does not hold are left to the caller, so that
 * none of the others overflows or has UF.
 *
 * What is computed are integers times a power of two. A sum or difference of multiples of 2^-1074 is exact
 * where it is below 2^-1021 in magnitude, so gradual underflow is no matter in it: it is what it would be
 * without a lowest exponent.
 *
 *   add    TwoSum: e is X - r exactly. |r| is below 2^1023, so nothing overflows. A subnormal sum is exact.
 *   mul    e = fma(a, b, -r). With a = A * 2^i, b = B * 2^j, A and B below 2^53, |r| at least 2^-968: i + j
 *          is above -1075, so e, a multiple of 2^(i + j), is exact. It is 0 where a or b is.
 *   div    fma(-r, b, a) has the sign of X - r, or the other one where b is negative. |a| is at least 2^-960
 *          and r normal, so r * b = R * 2^k with R below 2^106 and |r * b| above 2^-961: a - r * b is a
 *          multiple of 2^k and k is above -1068. So it does not become 0 unless it is. |r| is at least
 *          2^-1021, so that X is not below 2^-1022. No X is half-way: it would have 54 bits, and its product
 *          with the significand of b, odd both, more than the 53 of a.
 *   sqrt   fma(-r, r, a), in the same way, with a positive and at least 2^-960. The square of a number of 54
 *          bits has more than 106.
 *   fma    S. Boldo, J.-M. Muller: Exact and approximated error of the FMA, 2011. With u1 + u2 = a * b as in
 *          mul, alpha1 + alpha2 = c + u2 and beta1 + beta2 = u1 + alpha1 by TwoSum, gamma = (beta1 - r) +
 *          beta2 is exact and gamma + alpha2 is X - r, which rounded is e. |u1| is at least 2^-968 or a or b
 *          is 0, so u2 is exact and all of them are multiples of 2^-1074; so is X, which is exact where it is
 *          below 2^-1021. |u1| and |c| are below 2^1021, so nothing overflows.
 *
 * An exact zero has its sign from the host, but is negative in mode RDN unless both terms are positive.
 *
 * To an integer, a number below 2^51 in magnitude is rounded by adding and subtracting 1.5 * 2^52; the step
 * is 1. From an integer, the upper and the lower 32 bits are exact, and the upper ones are 0 or above the
 * lower ones, so that Fast2Sum has the error of their sum. */
#include "fp/f64_round.h"

#include "fp/lanes_block.h"

#ifdef KARAT_HAS_LANES
typedef double vd __attribute__((vector_size(SIZE)));

/* The bits of 2^e. */
#define POWER(e) ((int64_t)(1023 + (e)) << 52)

INLINE vd fused(vd a, vd b, vd c) {
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

INLINE ve magnitude(vd a) {
    return (ve)a & ABS;
}

/* Where |a| is not from 2^low to below 2^high. */
INLINE ve outside(vd a, int low, int high) {
    return (magnitude(a) < POWER(low)) | (magnitude(a) >= POWER(high));
}

INLINE ve is_zero(ve a) {
    return (a & ABS) == 0;
}

typedef struct pair {
    vd sum, error;
} pair;

INLINE pair two_sum(vd a, vd b) {
    const vd s = a + b, t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

/* Rounds r with an error of the sign of e; tie is where e is all of the error. */
INLINE block finish(vd r, vd e, ve tie, unsigned rm) {
    block y = plain((ve)r, e != 0);
    if (rm == KARAT_RMM) {
        const vd twice = e + e;
        tie &= (r + twice) - r == twice;
    }
    y.r = step(y.r, y.r < 0, e<0, e> 0, tie, rm);
    return y;
}

INLINE block plain_sum(vd r, vd e, ve tie, ve signs, unsigned rm) {
    block y = finish(r, e, tie, rm);
    if (rm == KARAT_RDN)
        y.r |= is_zero(y.r) & ~y.nx & signs & SIGN;
    return y;
}

INLINE block add_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    const pair s = two_sum((vd)a, (vd)b);
    block y = plain_sum(s.sum, s.error, s.error != 0, a | b, rm);
    y.hard = bits_of(magnitude(s.sum) >= POWER(1023));
    return y;
}

INLINE block mul_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    const vd r = (vd)a * (vd)b, e = fused((vd)a, (vd)b, -r);
    block y = finish(r, e, e != 0, rm);
    const ve hard = outside(r, -968, 1023);
    if (any(hard))
        y.hard = bits_of(hard & ~(is_zero((ve)r) & (is_zero(a) | is_zero(b))));
    return y;
}

INLINE block div_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    const vd r = (vd)a / (vd)b, rest = fused(-r, (vd)b, (vd)a);
    block y = finish(r, (vd)((ve)rest ^ (b & SIGN)), (ve){0}, rm);
    const ve hard = outside(r, -1021, 1023) | (magnitude((vd)a) < POWER(-960));
    if (any(hard))
        y.hard = bits_of(hard & ~(is_zero(a) & ~is_zero(b) & ~not_finite(b)));
    return y;
}

INLINE block sqrt_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A;
    const vd r = (vd)_mm256_sqrt_pd((__m256d)a);
    block y = finish(r, fused(-r, r, (vd)a), (ve){0}, rm);
    const ve hard = (a < POWER(-960)) | (a >= INF);
    if (any(hard))
        y.hard = bits_of(hard & ~is_zero(a));
    return y;
}

INLINE block fma_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B, c = C;
    const vd r = fused((vd)a, (vd)b, (vd)c), u1 = (vd)a * (vd)b, u2 = fused((vd)a, (vd)b, -u1);
    const pair alpha = two_sum((vd)c, u2), beta = two_sum(u1, alpha.sum);
    const vd gamma = (beta.sum - r) + beta.error;
    const pair e = two_sum(gamma, alpha.error);
    block y = plain_sum(r, e.sum, e.error == 0, (a ^ b) | c, rm);
    const ve hard = outside(u1, -968, 1021), far = magnitude((vd)c) >= POWER(1021);
    if (any(hard | far))
        y.hard = bits_of(far | (hard & ~(is_zero((ve)u1) & (is_zero(a) | is_zero(b)))));
    return y;
}

/* A rounded to an integer; one below low is hard. */
INLINE block to_integer(ve a, int64_t low, unsigned rm) {
    const vd magic = (vd){0} + 0x1.8p52, v = (vd)a, shifted = v + magic, y = shifted - magic;
    const ve above = y > v, below = y < v, negative = a < 0;
    const ve n =
        step_integer((ve)((vu)shifted - (vu)magic), negative, above, below, y - v == 0.5, v - y == 0.5, rm);
    block z = plain(n, above | below);
    z.hard = bits_of((magnitude(v) >= POWER(51)) | (n < low));
    return z;
}

INLINE block to_i_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, INT64_MIN, rm);
}

INLINE block to_u_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, 0, rm);
}

/* High * 2^32 + the lower 32 bits of a. */
INLINE block from_halves(vd high, ve a, unsigned rm) {
    const vd low = (vd)((a & UINT32_MAX) | POWER(52)) - 0x1p52;
    const vd r = high + low, e = low - (r - high);
    return finish(r, e, e != 0, rm);
}

/* The upper 32 bits in the place of the last ones of a number whose last bit is 2^32. */
INLINE block from_i_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A;
    const vu upper = ((vu)a ^ (uint64_t)SIGN) >> 32;
    return from_halves((vd)(ve)(upper | (uint64_t)POWER(84)) - (0x1p84 + 0x1p63), a, rm);
}

INLINE block from_u_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A;
    return from_halves((vd)(ve)((vu)a >> 32 | (uint64_t)POWER(84)) - 0x1p84, a, rm);
}
#endif

KARAT_LANES_ROUNDED(LANES)
KARAT_LANES_UNROUNDED(LANES_UNROUNDED)
