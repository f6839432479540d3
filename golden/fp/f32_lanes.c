/* Operations of binary32 on a block of elements at a time, by the host's arithmetic.
 *
 * Why results and flags are those of arith.h and misc.h. SSE2 and AVX2 have binary32 and binary64 as IEEE 754
 * has them, where MXCSR says: to nearest even, subnormal numbers as they are, no traps. Sources are finite.
 * Nothing overflows or underflows in binary64 here, and no flag comes from the host's, so that an emulator of
 * the host that has none gives the same.
 *
 * All but add first have a number x of binary64 that lies to the exact result X as X itself does to every
 * number t of at most 25 significant bits: above, below, or equal. Such numbers are those of binary32, the
 * points half-way between two of them, and the bounds of overflow and underflow.
 *
 *   mul    x = X: the product of two significands of 24 bits.
 *   fma    The product is exact. The sum with TwoSum's error is rounded to odd: cut off, and the last bit set
 *          where it is inexact. 53 bits are more than 25, so no t has that bit (S. Boldo, G. Melquiond:
 *          Emulation of a FMA and correctly rounded sums, 2008).
 *   div    x is a / b, rounded. With a = A * 2^i, b = B * 2^j, t = S * 2^k, A and B below 2^24 and S below
 *          2^25, a - t * b is 0 or at least 2^min(i, j + k) in magnitude. Near t that is at least 2^-49 of a,
 *          and so X is t or differs from it by 2^-50 of itself or more, where rounding moves it by 2^-53 of
 *          itself at most.
 *   sqrt   In the same way: a - t * t is 0 or at least 2^-50 of a, so the root is t or differs from it by
 *          some 2^-51 of itself.
 *   int    x = X.
 *
 * x rounded to binary32 by the host, to nearest even, is r; it is X so rounded, and exact where r = x. The
 * other modes take a step of one from r where it lies on the wrong side of x; as the bits of a magnitude are
 * in its order, infinity included, the step is one in integers. To nearest with ties away takes one where r
 * was cut off and x is half-way, which is where 2x - r is a number of binary32 too.
 *
 *   OF     where |x| is 2^128 at least, or the result is infinite.
 *   UF     where the result is inexact and X, rounded as if there were no lowest exponent, is below 2^-126.
 *          It is rounded up to that from 2^-126 - 2^-151 on to nearest, from above 2^-126 - 2^-150 on away
 *          from 0, and never towards 0.
 *
 *   add    r is the sum in binary32 and e its error, exactly (TwoSum); the sign of e is the direction of the
 *          step, and a tie is where r + 2e is a number of binary32. Subnormal sums are exact. Near overflow,
 *          the block is computed as a * 1 + b.
 *
 * An exact zero has its sign from the host, but is negative in mode RDN unless both terms are positive.
 *
 * To an integer, x is rounded by adding and subtracting 1.5 * 2^52, and the step is 1.0. What that does
 * beyond 2^51 does not matter, since the result is the bound. The lower half of the sum's fraction is the
 * integer's word, of either sign. */
#include "fp/f32_round.h"

#include "fp/lanes_block.h"

#ifdef KARAT_HAS_LANES
/* Vectors of BLOCK elements; those of binary64 and of 64 bits are one half of them. */
#ifdef WIDE_BLOCKS
typedef __m256 vf;
typedef __m256d vd;
#else
typedef __m128 vf;
typedef __m128d vd;
#endif
typedef ve vi;
typedef int64_t vl __attribute__((vector_size(SIZE)));
typedef uint64_t vlu __attribute__((vector_size(SIZE)));

/* BLOCK numbers of binary64. */
typedef struct wide {
    vd half[2];
} wide;

#ifdef WIDE_BLOCKS
INLINE wide widen(vf a) {
    return (wide){{_mm256_cvtps_pd(_mm256_castps256_ps128(a)), _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))}};
}
INLINE vf narrow(wide a) {
    return _mm256_set_m128(_mm256_cvtpd_ps(a.half[1]), _mm256_cvtpd_ps(a.half[0]));
}
INLINE wide from_integers(vi a) {
    return (wide){{_mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)a)),
                   _mm256_cvtepi32_pd(_mm256_extracti128_si256((__m256i)a, 1))}};
}
/* The lower 32 bits of each element. */
INLINE vi low_words(vl low, vl high) {
    const __m256 halves = _mm256_shuffle_ps((__m256)low, (__m256)high, _MM_SHUFFLE(2, 0, 2, 0));
    return (vi)_mm256_permute4x64_epi64((__m256i)halves, _MM_SHUFFLE(3, 1, 2, 0));
}
INLINE vd root(vd a) {
    return _mm256_sqrt_pd(a);
}
#else
INLINE wide widen(vf a) {
    return (wide){{_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))}};
}
INLINE vf narrow(wide a) {
    return _mm_movelh_ps(_mm_cvtpd_ps(a.half[0]), _mm_cvtpd_ps(a.half[1]));
}
INLINE wide from_integers(vi a) {
    return (wide){{_mm_cvtepi32_pd((__m128i)a),
                   _mm_cvtepi32_pd(_mm_shuffle_epi32((__m128i)a, _MM_SHUFFLE(3, 2, 3, 2)))}};
}
INLINE vi low_words(vl low, vl high) {
    return (vi)_mm_shuffle_ps((__m128)low, (__m128)high, _MM_SHUFFLE(2, 0, 2, 0));
}
INLINE vd root(vd a) {
    return _mm_sqrt_pd(a);
}
#endif

/* An expression of H, 0 and 1, for both halves: numbers of binary64, or a mask. */
#define AT_HALF(h, expr)                                                                                     \
    __extension__({                                                                                          \
        enum { H = h };                                                                                      \
        expr;                                                                                                \
    })
#define WIDE(expr) ((wide){{AT_HALF(0, expr), AT_HALF(1, expr)}})
#define MASK(expr) low_words((vl)AT_HALF(0, expr), (vl)AT_HALF(1, expr))

INLINE vd all(double x) {
    return x - (vd){0};
}

/* OF and UF of x rounded to y->r. */
INLINE void range_flags(block *y, wide x, unsigned rm) {
    const double nearest = 0x1p-126 - 0x1p-151, away = 0x1p-126 - 0x1p-150 + 0x1p-179, never = 0x1p-126;
    const bool to_nearest = rm == KARAT_RNE || rm == KARAT_RMM;
    const double above = to_nearest ? nearest : rm == KARAT_RUP ? away : never;
    const double below = to_nearest ? nearest : rm == KARAT_RDN ? away : never;
    y->uf = bits_of(y->nx & MASK((x.half[H] < above) & (x.half[H] > -below)));
    y->of = bits_of(MASK((x.half[H] >= 0x1p128) | (x.half[H] <= -0x1p128)) | ((y->r & ABS) == INF));
}

/* Rounds x, which lies to each number of 25 bits as the exact result does. Where an element is hard, x is not
 * finite or is exact. */
INLINE block finish(wide x, vi hard, unsigned rm) {
    const vf r = narrow(x);
    const wide w = widen(r);
    block y = plain((vi)r, MASK(w.half[H] != x.half[H]));
    if (rm == KARAT_RMM) {
        const wide next = WIDE(x.half[H] + (x.half[H] - w.half[H])), same = widen(narrow(next));
        y.r = step(y.r, y.r >> 31, MASK(w.half[H] > x.half[H]), MASK(w.half[H] < x.half[H]),
                   MASK(next.half[H] == same.half[H]), rm);
    } else if (rm != KARAT_RNE) {
        y.r = step(y.r, y.r >> 31, MASK(w.half[H] > x.half[H]), MASK(w.half[H] < x.half[H]), y.nx, rm);
    }
    const vi magnitude = (vi)r & ABS;
    if (any(((magnitude <= 0x00800000) & y.nx) | (magnitude >= 0x7f7fffff))) {
        y.hard = bits_of(hard);
        range_flags(&y, x, rm);
    }
    return y;
}

/* An exact zero of a sum whose terms have these signs. */
INLINE void sign_zero(block *y, vi signs, unsigned rm) {
    if (rm == KARAT_RDN)
        y->r |= (((y->r & ABS) == 0) & ~y->nx) & signs & SIGN;
}

INLINE block product_sum(vi a, vi b, vi c, unsigned rm) {
    const wide u = widen((vf)a), v = widen((vf)b), w = widen((vf)c);
    wide s;
    for (int h = 0; h < 2; h++) {
        const vd p = u.half[h] * v.half[h], z = w.half[h], sum = p + z, t = sum - p;
        const vd e = (p - (sum - t)) + (z - t);
        const vlu inexact = (vlu)(e != 0), away = ((vlu)e ^ (vlu)sum) >> 63;
        s.half[h] = (vd)(((vlu)sum - (away & inexact)) | inexact >> 63); /* To odd */
    }
    block y = finish(s, not_finite(a) | not_finite(b) | not_finite(c), rm);
    sign_zero(&y, (a ^ b) | c, rm);
    return y;
}

INLINE block fma_block(const sources *x, uint32_t i, unsigned rm) {
    return product_sum(A, B, C, rm);
}

INLINE block add_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    const vf u = (vf)a, v = (vf)b, r = u + v, t = r - u, e = (u - (r - t)) + (v - t);
    if (any(((vi)r & ABS) >= 0x7f000000))
        return product_sum(a, (vi){0} + 0x3f800000, b, rm);
    block y = plain((vi)r, e != 0);
    vi tie = y.nx;
    if (rm == KARAT_RMM) {
        const vf twice = e + e;
        tie &= (r + twice) - r == twice;
    }
    y.r = step(y.r, y.r >> 31, e<0, e> 0, tie, rm);
    sign_zero(&y, a | b, rm);
    return y;
}

INLINE block mul_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    const wide u = widen((vf)a), v = widen((vf)b);
    return finish(WIDE(u.half[H] * v.half[H]), not_finite(a) | not_finite(b), rm);
}

INLINE block div_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    const wide u = widen((vf)a), v = widen((vf)b);
    return finish(WIDE(u.half[H] / v.half[H]), not_finite(a) | not_finite(b) | ((b & ABS) == 0), rm);
}

INLINE block sqrt_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A;
    const wide u = widen((vf)a);
    return finish(WIDE(root(u.half[H])), not_finite(a) | (a < 0), rm);
}

INLINE vd clip(vd a, double low, double high) {
    const vl over = a > high, under = a < low;
    return (vd)((over & (vl)all(high)) | (under & (vl)all(low)) | (~(over | under) & (vl)a));
}

/* A rounded to an integer from low to high. */
INLINE block to_integer(vi a, double low, double high, unsigned rm) {
    const double magic = 0x1.8p52;
    const wide u = widen((vf)a);
    wide out;
    for (int h = 0; h < 2; h++) {
        const vd v = u.half[h];
        vd y = (v + magic) - magic;
        const vl one = (vl)all(1.0), above = y > v, below = y < v, negative = v < 0;
        if (rm == KARAT_RTZ)
            y = y - (vd)(one & above & ~negative) + (vd)(one & below & negative);
        else if (rm == KARAT_RDN)
            y = y - (vd)(one & above);
        else if (rm == KARAT_RUP)
            y = y + (vd)(one & below);
        else if (rm == KARAT_RMM)
            y = y + (vd)(one & (vl)(v - y == 0.5) & ~negative) - (vd)(one & (vl)(y - v == 0.5) & negative);
        out.half[h] = y;
    }
    block y = plain((vi){0}, MASK(u.half[H] != out.half[H]));
    const vi outside = MASK(~((out.half[H] >= low) & (out.half[H] <= high)));
    if (any(outside)) {
        y.hard = bits_of(not_finite(a));
        y.nv = bits_of(outside);
        y.nx &= ~outside;
        out = WIDE(clip(out.half[H], low, high));
    }
    y.r = low_words((vl)(out.half[0] + magic), (vl)(out.half[1] + magic));
    return y;
}

INLINE block to_i_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, -0x1p31, 0x1p31 - 1, rm);
}

INLINE block to_u_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, 0, 0x1p32 - 1, rm);
}

INLINE block from_i_block(const sources *x, uint32_t i, unsigned rm) {
    return finish(from_integers(A), (vi){0}, rm);
}

INLINE block from_u_block(const sources *x, uint32_t i, unsigned rm) {
    const wide v = from_integers(A ^ SIGN);
    return finish(WIDE(v.half[H] + 0x1p31), (vi){0}, rm);
}

#endif

KARAT_LANES_ROUNDED(LANES)
KARAT_LANES_UNROUNDED(LANES_UNROUNDED)
