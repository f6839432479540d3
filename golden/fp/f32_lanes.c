/* binary32 operations on a block of elements at a time, by the host's arithmetic.
 *
 * Why results and flags are those of arith.h and misc.h. SSE2 and AVX2 have binary32 and binary64 as IEEE 754 has them, where MXCSR says:
 * to nearest even, subnormal numbers as they are, no traps. Sources are finite. Nothing overflows or underflows in binary64 here, and no
 * flag comes from the host's, so that an emulator of the host that has none gives the same.
 *
 * All but add first have a number x of binary64 that lies to the exact result X as X itself does to every number t of at most 25
 * significant bits: above, below, or equal. Such numbers are those of binary32, the points half-way between two of them, and the
 * bounds of overflow and underflow.
 *
 *   mul    x = X: the product of two significands of 24 bits.
 *   fma    The product is exact. The sum with TwoSum's error is rounded to odd: cut off, and the last bit set where it is inexact.
 *          53 bits are more than 25, so no t has that bit (S. Boldo, G. Melquiond: Emulation of a FMA and correctly rounded sums, 2008).
 *   div    x is a / b, rounded. With a = A * 2^i, b = B * 2^j, t = S * 2^k, A and B below 2^24 and S below 2^25, a - t * b is 0 or at least
 *          2^min(i, j + k) in magnitude. Near t that is at least 2^-49 of a, and so X is t or differs from it by 2^-50 of itself or more,
 *          where rounding moves it by 2^-53 of itself at most.
 *   sqrt   In the same way: a - t * t is 0 or at least 2^-50 of a, so the root is t or differs from it by some 2^-51 of itself.
 *   int    x = X.
 *
 * x rounded to binary32 by the host, to nearest even, is r; it is X so rounded, and exact where r = x. The other modes take a step of one
 * from r where it lies on the wrong side of x; as the bits of a magnitude are in its order, infinity included, the step is one in
 * integers. To nearest with ties away takes one where r was cut off and x is half-way, which is where 2x - r is a number of binary32 too.
 *
 *   OF     where |x| is 2^128 at least, or the result is infinite.
 *   UF     where the result is inexact and X, rounded as if there were no lowest exponent, is below 2^-126. It is rounded up to that from
 *          2^-126 - 2^-151 on to nearest, from above 2^-126 - 2^-150 on away from 0, and never towards 0.
 *
 *   add    r is the sum in binary32 and e its error, exactly (TwoSum); the sign of e is the direction of the step, and a tie is where
 *          r + 2e is a number of binary32. Subnormal sums are exact. Near overflow, the block is computed as a * 1 + b.
 *
 * An exact zero has its sign from the host, but is negative in mode RDN unless both terms are positive.
 *
 * To an integer, x is rounded by adding and subtracting 1.5 * 2^52, and the step is 1.0. What that does beyond 2^51 does not matter, since
 * the result is the bound. The lower half of the sum's fraction is the integer's word, of either sign. */
#include "fp/f32_lanes.h"

#include "fp/f32.h"

#ifdef __SSE2__
#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Vectors of BLOCK elements; those of binary64 and of 64 bits are one half of them. */
#if defined __AVX2__ && defined KARAT_AT
#define WIDE_BLOCKS
enum { BLOCK = 8, SIZE = 32 };
typedef __m256 vf;
typedef __m256d vd;
#else
enum { BLOCK = 4, SIZE = 16 };
typedef __m128 vf;
typedef __m128d vd;
#endif
typedef int32_t vi __attribute__((vector_size(SIZE)));
typedef int64_t vl __attribute__((vector_size(SIZE)));
typedef uint64_t vu __attribute__((vector_size(SIZE)));

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
INLINE unsigned bits_of(vi mask) {
    return (unsigned)_mm256_movemask_ps((__m256)mask);
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
INLINE unsigned bits_of(vi mask) {
    return (unsigned)_mm_movemask_ps((__m128)mask);
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

/* Of a block: the results and the mask of NX by element, and what is rare, as bits: what is not easy, and the other flags. */
typedef struct block {
    vi r, nx;
    unsigned hard, uf, of, nv;
} block;

enum { INF = 0x7f800000, ABS = 0x7fffffff };
#define SIGN ((int32_t)KARAT_F32_SIGN)

INLINE vi select(vi mask, vi yes, vi no) {
    return (mask & yes) | (~mask & no);
}

INLINE vi not_finite(vi a) {
    return (a & INF) == INF;
}

INLINE vd all(double x) {
    return x - (vd){0};
}

INLINE block plain(vi r, vi nx) {
    return (block){r, nx, 0, 0, 0, 0};
}

/* One step of results r where the mode wants it: above and below are where r lies so to the exact result, tie where that is half-way
 * between r and the next number. */
INLINE vi step(vi r, vi above, vi below, vi tie, unsigned rm) {
    const vi negative = r >> 31;
    switch (rm) {
    case KARAT_RTZ: return r + select(negative, below, above);
    case KARAT_RDN: return r + ((above ^ negative) - negative);
    case KARAT_RUP: return r - ((below ^ negative) - negative);
    case KARAT_RMM: return r - (select(negative, above, below) & tie);
    default: return r;
    }
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

/* x, which lies to each number of 25 bits as the exact result does, rounded. Where an element is hard, x is not finite or is exact. */
INLINE block finish(wide x, vi hard, unsigned rm) {
    const vf r = narrow(x);
    const wide w = widen(r);
    block y = plain((vi)r, MASK(w.half[H] != x.half[H]));
    if (rm == KARAT_RMM) {
        const wide next = WIDE(x.half[H] + (x.half[H] - w.half[H])), same = widen(narrow(next));
        y.r = step(y.r, MASK(w.half[H] > x.half[H]), MASK(w.half[H] < x.half[H]),
                   MASK(next.half[H] == same.half[H]), rm);
    } else if (rm != KARAT_RNE) {
        y.r = step(y.r, MASK(w.half[H] > x.half[H]), MASK(w.half[H] < x.half[H]), y.nx, rm);
    }
    const vi magnitude = (vi)r & ABS;
    if (__builtin_expect(bits_of(((magnitude <= 0x00800000) & y.nx) | (magnitude >= 0x7f7fffff)) != 0, 0)) {
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

typedef struct sources {
    const uint32_t *a, *b, *c;
    uint32_t how, num;
} sources;

/* The elements of a block from i on, in a vector. Where there are fewer, the first one stands for the missing ones. */
INLINE vi take(const uint32_t *v, bool negate, uint32_t i, uint32_t num) {
    vi a;
    if (num >= BLOCK)
        memcpy(&a, v + i, sizeof a);
    else
        for (uint32_t k = 0; k < BLOCK; k++)
            a[k] = (int32_t)v[k < num ? k : 0];
    return a ^ (int32_t)((uint32_t)negate << 31);
}
#define A take(x->a, x->how &KARAT_LANES_NEG_A, i, x->num)
#define B take(x->b, x->how &KARAT_LANES_NEG_B, i, x->num)
#define C take(x->c, x->how &KARAT_LANES_NEG_C, i, x->num)

INLINE block product_sum(vi a, vi b, vi c, unsigned rm) {
    const wide u = widen((vf)a), v = widen((vf)b), w = widen((vf)c);
    wide s;
    for (int h = 0; h < 2; h++) {
        const vd p = u.half[h] * v.half[h], z = w.half[h], sum = p + z, t = sum - p;
        const vd e = (p - (sum - t)) + (z - t);
        const vu inexact = (vu)(e != 0), away = ((vu)e ^ (vu)sum) >> 63;
        s.half[h] = (vd)(((vu)sum - (away & inexact)) | inexact >> 63); /* to odd */
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
    if (__builtin_expect(bits_of(((vi)r & ABS) >= 0x7f000000) != 0, 0))
        return product_sum(a, (vi){0} + 0x3f800000, b, rm);
    block y = plain((vi)r, e != 0);
    vi tie = y.nx;
    if (rm == KARAT_RMM) {
        const vf twice = e + e;
        tie &= (r + twice) - r == twice;
    }
    y.r = step(y.r, e<0, e> 0, tie, rm);
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

/* Magnitudes in order, -0 just below +0. */
INLINE vi order(vi a) {
    return a ^ (a >> 31 & ABS);
}

INLINE block of_two(vi r, vi a, vi b) {
    block y = plain(r, (vi){0});
    y.hard = bits_of(((a & ABS) > INF) | ((b & ABS) > INF));
    return y;
}

INLINE block min_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    (void)rm;
    return of_two(select(order(a) < order(b), a, b), a, b);
}

INLINE block max_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    (void)rm;
    return of_two(select(order(a) > order(b), a, b), a, b);
}

INLINE block eq_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    (void)rm;
    return of_two(((a == b) | (((a | b) & ABS) == 0)) & 1, a, b);
}

INLINE block ne_block(const sources *x, uint32_t i, unsigned rm) {
    block y = eq_block(x, i, rm);
    y.r ^= 1;
    return y;
}

INLINE block lt_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    (void)rm;
    return of_two((order(a) < order(b)) & (((a | b) & ABS) != 0) & 1, a, b);
}

INLINE block le_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, b = B;
    (void)rm;
    return of_two(((order(a) <= order(b)) | (((a | b) & ABS) == 0)) & 1, a, b);
}

INLINE block class_block(const sources *x, uint32_t i, unsigned rm) {
    const vi a = A, magnitude = a & ABS;
    const vi zero = magnitude == 0, inf = magnitude == INF, nan = magnitude > INF,
             subnormal = (magnitude < 0x00800000) & ~zero, normal = ~(zero | inf | nan | subnormal);
    (void)rm;
    const vi positive = (zero & 1 << 4) | (subnormal & 1 << 5) | (normal & 1 << 6) | (inf & 1 << 7);
    const vi negative = (zero & 1 << 3) | (subnormal & 1 << 2) | (normal & 1 << 1) | (inf & 1 << 0);
    const vi quiet = (a & 0x00400000) != 0;
    return plain(select(nan, select(quiet, (vi){0} + (1 << 9), (vi){0} + (1 << 8)),
                        select(a >> 31, negative, positive)),
                 (vi){0});
}

INLINE vd clip(vd a, double low, double high) {
    const vl over = a > high, under = a < low;
    return (vd)((over & (vl)all(high)) | (under & (vl)all(low)) | (~(over | under) & (vl)a));
}

/* a rounded to an integer from low to high. */
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
    if (__builtin_expect(bits_of(outside) != 0, 0)) {
        y.hard = bits_of(not_finite(a));
        y.nv = bits_of(outside);
        y.nx &= ~outside;
        out = WIDE(clip(out.half[H], low, high));
    }
    y.r = low_words((vl)(out.half[0] + magic), (vl)(out.half[1] + magic));
    return y;
}

INLINE block to_i32_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, -0x1p31, 0x1p31 - 1, rm);
}

INLINE block to_u32_block(const sources *x, uint32_t i, unsigned rm) {
    return to_integer(A, 0, 0x1p32 - 1, rm);
}

INLINE block from_i32_block(const sources *x, uint32_t i, unsigned rm) {
    return finish(from_integers(A), (vi){0}, rm);
}

INLINE block from_u32_block(const sources *x, uint32_t i, unsigned rm) {
    const wide v = from_integers(A ^ SIGN);
    return finish(WIDE(v.half[H] + 0x1p31), (vi){0}, rm);
}

/* Whether the arithmetic is the default one: nearest even, no flush to zero, no traps. */
INLINE int is_default(unsigned csr) {
    return (csr & ~0x3fu) == 0x1f80;
}

typedef block in_a_block(const sources *x, uint32_t i, unsigned rm);

/* All blocks of num elements. The host's flags stay as they were. */
INLINE karat_lanes in_blocks(in_a_block *of, sources x, unsigned rm, uint64_t active, uint32_t *r) {
    const unsigned csr = _mm_getcsr();
    uint64_t hard = 0, nx = 0, uf = 0, overflow = 0, nv = 0;
    if (!is_default(csr))
        return (karat_lanes){active, 0};
    for (uint32_t i = 0; i < x.num; i += BLOCK) {
        const block y = of(&x, i, rm);
        nx |= (uint64_t)bits_of(y.nx) << i;
        hard |= (uint64_t)y.hard << i;
        uf |= (uint64_t)y.uf << i;
        overflow |= (uint64_t)y.of << i;
        nv |= (uint64_t)y.nv << i;
        if (x.num >= BLOCK && !y.hard)
            memcpy(r + i, &y.r, sizeof y.r);
        else
            for (uint32_t k = 0; k < BLOCK && k < x.num; k++)
                if (!(y.hard >> k & 1))
                    r[i + k] = (uint32_t)y.r[k];
    }
    _mm_setcsr(csr);
    const uint64_t easy = active & ~hard;
    return (karat_lanes){active & hard, (nx & easy ? KARAT_NX : 0) | (uf & easy ? KARAT_UF : 0) |
                                            (overflow & easy ? KARAT_OF : 0) | (nv & easy ? KARAT_NV : 0)};
}

/* Blocks of 8: what is smaller is left to the level below, whose blocks have 4. */
#ifdef WIDE_BLOCKS
#define FEW(name)                                                                                            \
    karat_lanes_function karat_f32_lanes_##name##_v2;                                                        \
    INLINE karat_lanes few_##name(sources x, uint64_t active, uint32_t *r) {                                 \
        return karat_f32_lanes_##name##_v2(x.a, x.b, x.c, x.how, active, r);                                 \
    }
#else
#define FEW(name)                                                                                            \
    INLINE karat_lanes few_##name(sources x, uint64_t active, uint32_t *r) {                                 \
        return in_blocks(name##_block, x, KARAT_LANES_RM(x.how), active, r);                                 \
    }
#endif
/* Whole blocks to nearest even, the usual case, have code of their own; so has an operation that does not round. */
#define LANES_IN(name, rounds)                                                                               \
    FEW(name)                                                                                                \
    karat_lanes KARAT_LEVEL(karat_f32_lanes_##name)(const uint32_t *a, const uint32_t *b, const uint32_t *c, \
                                                    uint32_t how, uint64_t active, uint32_t *r) {            \
        sources x = {a, b, c, how, KARAT_LANES_NUM(how)};                                                    \
        if (x.num < BLOCK)                                                                                   \
            return few_##name(x, active, r);                                                                 \
        x.num &= -BLOCK;                                                                                     \
        if (rounds && KARAT_LANES_RM(how) != KARAT_RNE)                                                      \
            return in_blocks(name##_block, x, KARAT_LANES_RM(how), active, r);                               \
        return in_blocks(name##_block, x, KARAT_RNE, active, r);                                             \
    }
#else
#define LANES_IN(name, rounds)                                                                               \
    karat_lanes KARAT_LEVEL(karat_f32_lanes_##name)(const uint32_t *a, const uint32_t *b, const uint32_t *c, \
                                                    uint32_t how, uint64_t active, uint32_t *r) {            \
        (void)a, (void)b, (void)c, (void)how, (void)r;                                                       \
        return (karat_lanes){active, 0};                                                                     \
    }
#endif
#define LANES(name)           LANES_IN(name, 1)
#define LANES_UNROUNDED(name) LANES_IN(name, 0)

LANES(add)
LANES(mul)
LANES(div)
LANES(sqrt)
LANES(fma)
LANES_UNROUNDED(min)
LANES_UNROUNDED(max)
LANES_UNROUNDED(eq)
LANES_UNROUNDED(ne)
LANES_UNROUNDED(lt)
LANES_UNROUNDED(le)
LANES_UNROUNDED(class)
LANES(to_i32)
LANES(to_u32)
LANES(from_i32)
LANES(from_u32)
