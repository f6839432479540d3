/* Operations of binary16 on a block of elements at a time, by the host's arithmetic of binary32.
 *
 * Why results and flags are those of arith.h and misc.h: as in f32_lanes.c, with binary32 in the place of
 * binary64, and 12 bits in that of 25. Sources are finite. Nothing overflows, underflows or is subnormal in
 * binary32 here: all magnitudes but 0 are from 2^-48 to 2^40. Each operation has a number x of binary32 that
 * lies to the exact result X as X itself does to every number t of at most 12 significant bits, which are
 * those of binary16, the points half-way between two of them, and the bounds of overflow and underflow.
 *
 *   mul    x = X: the product of two significands of 11 bits.
 *   add,   The product is exact. The sum with TwoSum's error is rounded to odd. 24 bits are more than 12, so
 *          no t has that last bit.
 *   fma
 *   div    x is a / b, rounded. Rounding keeps order, so it is enough that x is not t where X is not. With a
 *          = A * 2^i, b = B * 2^j, t = S * 2^k, A and B below 2^11 and S from 2^11 to below 2^12: X - t is (a
 *          - t * b) / b, of which the dividend is 0 or at least 2^min(i, j + k) in magnitude. So X - t is 2^k
 *          / B at least, or 2^i / b, which is more than 2^-11 of X. Both are more than 2^(k - 12), where the
 *          numbers of binary32 next to t are no more than that far from it; x is t where X - t is half of
 *          that at most.
 *   sqrt   X - t is (a - t * t) / (X + t), of which the dividend is 0 or at least 2^min(i, 2k). X + t is
 *          below 2^(k + 13), so X - t is more than 2^(k - 13), or than 2^-12 of X. The numbers of binary32
 *          next to t are at most 2^(k - 12) away: x is not t.
 *   int    x = X.
 *
 * x is rounded to nearest even where |x| + c has its last bit at that of the result: c is 2^13 times the
 * power of two in |x|, or in the least normal number if that is more. The sum is in the binade of c, whose
 * last bit is 2^-23 of c, and that is the last bit of a number of binary16 of the magnitude of x. The
 * difference of the sum's bits to those of c is the significand, w its value, and it is exact where w = |x|.
 * The other modes take one step from it where it lies on the wrong side of x. A tie is where |x| - w is half
 * of a last bit.
 *
 *   OF     where |x| is 2^16 at least, or the result is infinite.
 *   UF     where the result is inexact and X, rounded as if there were no lowest exponent, is below 2^-14. It
 *          is rounded up to that from 2^-14 - 2^-26 on to nearest, from above 2^-14 - 2^-25 on away from 0,
 *          and never towards 0.
 *
 * An exact zero has its sign from the host, but is negative in mode RDN unless both terms are positive.
 *
 * To an integer, x is rounded by adding and subtracting 1.5 * 2^23; the step is 1. What that does to an
 * infinity or a NaN lies outside of all bounds. */
#include "fp/f16_round.h"

#include "fp/lanes_block.h"

#ifdef KARAT_HAS_LANES
typedef float vf __attribute__((vector_size(SIZE)));

/* The fields of binary32. */
enum { F32_INF = 0x7f800000, F32_LEAST = 113 << 23 /* 2^-14 */, F32_OVER = 143 << 23 /* 2^16 */ };

INLINE vf widen(ve key) {
#ifdef __F16C__
#ifdef WIDE_BLOCKS
    const __m256i words = _mm256_srli_epi32((__m256i)key, 16), pairs = _mm256_packus_epi32(words, words);
    return (vf)_mm256_cvtph_ps(
        _mm256_castsi256_si128(_mm256_permute4x64_epi64(pairs, _MM_SHUFFLE(3, 1, 2, 0))));
#else
    const __m128i words = _mm_srli_epi32((__m128i)key, 16);
    return (vf)_mm_cvtph_ps(_mm_packus_epi32(words, words));
#endif
#else
    /* A subnormal number is what its fraction adds to 2^-14; above all others the exponent is that of
     * infinity. */
    const ve magnitude = key & ABS, subnormal = magnitude < KEY(FP_HIDDEN), least = subnormal & F32_LEAST,
             above = (magnitude >= INF) & 112 << 23;
    const ve base = (magnitude >> 3) + (112 << 23) + (subnormal & 1 << 23) + above;
    return (vf)((ve)((vf)base - (vf)least) | (key & SIGN));
#endif
}

/* OF and UF of x rounded to y->r. */
INLINE void range_flags(block *y, ve x, unsigned rm) {
    const ve magnitude = x & ABS;
    /* The least magnitudes that are not below 2^-14 when rounded: 2^-14 - 2^-26, above 2^-14 - 2^-25, and
     * 2^-14. */
    const int32_t nearest = F32_LEAST - (1 << 12), away = F32_LEAST - (1 << 13) + 1;
    const bool to_nearest = rm == KARAT_RNE || rm == KARAT_RMM;
    const int32_t above = to_nearest ? nearest : rm == KARAT_RUP ? away : F32_LEAST;
    const int32_t below = to_nearest ? nearest : rm == KARAT_RDN ? away : F32_LEAST;
    y->uf = bits_of(y->nx & select(x >> 31, magnitude < below, magnitude < above));
    y->of = bits_of((magnitude >= F32_OVER) | ((y->r & FP_INF) == FP_INF));
}

/* Rounds x, which lies to each number of 12 bits as the exact result does. Where an element is hard, x is not
 * finite or is exact. */
INLINE block finish(vf x, ve hard, unsigned rm) {
    const ve negative = (ve)x >> 31, magnitude = (ve)x & ABS, binade = magnitude & F32_INF;
    const vu unit = (vu)select(binade > F32_LEAST, binade, (ve){0} + F32_LEAST) + (13u << 23);
    const vf sum = (vf)magnitude + (vf)unit, w = sum - (vf)unit;
    const vu significand = (vu)sum - unit;
    ve away = w > (vf)magnitude, inside = w < (vf)magnitude;
    block y = plain((ve)(significand + (unit >> 13) - (126u << 10)), away | inside);
    const bool rare = any((magnitude >= F32_OVER - (1 << 13)) | (y.nx & (magnitude < F32_LEAST)));
    if (rare) {
        const ve over = magnitude >= F32_OVER;
        y.r = select(over, (ve){0} + (int32_t)FP_INF, y.r);
        y.nx |= over;
        away |= over;
        inside &= ~over;
    }
    if (rm != KARAT_RNE) {
        ve tie = y.nx;
        if (rm == KARAT_RMM) {
            const vf lost = (vf)magnitude - w;
            tie = (ve)((vu)(lost + lost) == unit - (23u << 23));
        }
        y.r = step(y.r, negative, select(negative, inside, away), select(negative, away, inside), tie, rm);
    }
    if (rare) {
        y.hard = bits_of(hard);
        range_flags(&y, (ve)x, rm);
    }
    y.r |= ((ve)x >> 16 & (int32_t)FP_SIGN) | -0x10000;
    return y;
}

/* An exact zero of a sum whose terms have these signs. */
INLINE void sign_zero(block *y, ve signs, unsigned rm) {
    if (rm == KARAT_RDN)
        y->r |= ((y->r & (int32_t)(FP_SIGN - 1)) == 0) & ~y->nx & (signs >> 16 & (int32_t)FP_SIGN);
}

/* Rounds p + z to odd. */
INLINE vf sum_to_odd(vf p, vf z) {
    const vf sum = p + z, t = sum - p, e = (p - (sum - t)) + (z - t);
    const ve inexact = e != 0, away = ((ve)e ^ (ve)sum) >> 31;
    return (vf)(((ve)sum + (away & inexact)) | (inexact & 1));
}

INLINE block fma_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B, c = C;
    block y =
        finish(sum_to_odd(widen(a) * widen(b), widen(c)), not_finite(a) | not_finite(b) | not_finite(c), rm);
    sign_zero(&y, (a ^ b) | c, rm);
    return y;
}

INLINE block add_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    block y = finish(sum_to_odd(widen(a), widen(b)), not_finite(a) | not_finite(b), rm);
    sign_zero(&y, a | b, rm);
    return y;
}

INLINE block mul_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    return finish(widen(a) * widen(b), not_finite(a) | not_finite(b), rm);
}

INLINE block div_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    return finish(widen(a) / widen(b), not_finite(a) | not_finite(b) | ((b & ABS) == 0), rm);
}

INLINE vf root(vf a) {
#ifdef WIDE_BLOCKS
    return (vf)_mm256_sqrt_ps((__m256)a);
#else
    return (vf)_mm_sqrt_ps((__m128)a);
#endif
}

INLINE block sqrt_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A;
    return finish(root(widen(a)), not_finite(a) | (a < 0), rm);
}

/* A rounded to an integer from low to high. */
INLINE block to_integer(ve a, int32_t low, int32_t high, unsigned rm) {
    const vf magic = (vf){0} + 0x1.8p23f, v = widen(a), shifted = v + magic, y = shifted - magic;
    const ve above = y > v, below = y < v, negative = (ve)v >> 31;
    const ve n =
        step_integer((ve)((vu)shifted - (vu)magic), negative, above, below, y - v == 0.5f, v - y == 0.5f, rm);
    block z = plain(n, above | below);
    const ve over = n > high, under = n < low;
    if (any(over | under)) {
        z.hard = bits_of(not_finite(a));
        z.nv = bits_of(over | under);
        z.nx &= ~(over | under);
        z.r = select(over, (ve){0} + high, select(under, (ve){0} + low, n));
    }
    z.r = z.r << 16 >> 16;
    return z;
}

INLINE block to_i_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, INT16_MIN, INT16_MAX, rm);
}

INLINE block to_u_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, 0, UINT16_MAX, rm);
}

INLINE block from_i_block(const sources *x, uint32_t i, unsigned rm) {
    return finish(__builtin_convertvector(A >> 16, vf), (ve){0}, rm);
}

INLINE block from_u_block(const sources *x, uint32_t i, unsigned rm) {
    return finish(__builtin_convertvector((ve)((vu)A >> 16), vf), (ve){0}, rm);
}
#endif

KARAT_LANES_ROUNDED(LANES)
KARAT_LANES_UNROUNDED(LANES_UNROUNDED)
