/* Private to golden/fp: operations on a block of elements at a time, by the host's vectors. The arguments are
 * in f16_lanes.c, f32_lanes.c and f64_lanes.c.
 *
 * A template, see common.h. The file that includes it has chosen the format, and for each operation name has
 *
 *     static block name_block(const sources *x, uint32_t i, unsigned rm);
 *
 * the results of the block that begins with element i, from A, B and C; this header has those that do not
 * round, of min to class. The file ends with LANES(name), or LANES_UNROUNDED(name). KARAT_HAS_LANES is
 * defined where the host has the arithmetic. */
#include "fp/lanes.h"

#define LANES_FUNCTION(name) KARAT_LEVEL(KARAT(name))

#if defined __SSE2__ && (FP_BITS < 64 || (defined __AVX2__ && defined __FMA__))
#define KARAT_HAS_LANES
#include <immintrin.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Vectors have SIZE bytes and BLOCK elements, each of ELEMENT_BITS: a word, or two words for binary64. */
#if FP_BITS == 64
enum { BLOCK = 4, SIZE = 32, ELEMENT_BITS = 64 };
#elif defined __AVX2__ && defined KARAT_AT
#define WIDE_BLOCKS
enum { BLOCK = 8, SIZE = 32, ELEMENT_BITS = 32 };
#else
enum { BLOCK = 4, SIZE = 16, ELEMENT_BITS = 32 };
#endif
#if FP_BITS == 64
typedef int64_t element;
typedef uint64_t element_bits;
#else
typedef int32_t element;
typedef uint32_t element_bits;
#endif
typedef element ve __attribute__((vector_size(SIZE)));
typedef element_bits vu __attribute__((vector_size(SIZE)));

/* A source is a key: the number in the upper bits of an element, above zeros. */
#define KEY(x) ((element)((element_bits)(x) << (ELEMENT_BITS - FP_BITS)))
#define SIGN   KEY(FP_SIGN)
#define INF    KEY(FP_INF)
#define ABS    ((element) ~((element_bits)1 << (ELEMENT_BITS - 1)))

/* Of a block: the results and the mask of NX by element, and what is rare, as bits: what is not easy, and the
 * other flags. */
typedef struct block {
    ve r, nx;
    unsigned hard, uf, of, nv;
} block;

INLINE ve select(ve mask, ve yes, ve no) {
    return (mask & yes) | (~mask & no);
}

INLINE ve not_finite(ve key) {
    return (key & INF) == INF;
}

INLINE block plain(ve r, ve nx) {
    return (block){r, nx, 0, 0, 0, 0};
}

/* A bit for each element of a mask. */
INLINE unsigned bits_of(ve mask) {
#if FP_BITS == 64
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif defined WIDE_BLOCKS
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#else
    return (unsigned)_mm_movemask_ps((__m128)mask);
#endif
}

INLINE bool any(ve mask) {
    return __builtin_expect(bits_of(mask) != 0, 0);
}

/* An integer n that a number was rounded to, to nearest even, after the step that the mode wants: above and
 * below are where n lies so to the number, half_above and half_below where by a half. */
INLINE ve step_integer(ve n, ve negative, ve above, ve below, ve half_above, ve half_below, unsigned rm) {
    switch (rm) {
    case KARAT_RTZ: return n + (above & ~negative) - (below & negative);
    case KARAT_RDN: return n + above;
    case KARAT_RUP: return n - below;
    case KARAT_RMM: return n + (half_above & negative) - (half_below & ~negative);
    default: return n;
    }
}

/* One step of results r where the mode wants it: above and below are where r lies so to the exact result, tie
 * where that is half-way between r and the next number. negative is the sign, as a mask; r is of magnitudes,
 * with or without a sign above them. */
INLINE ve step(ve r, ve negative, ve above, ve below, ve tie, unsigned rm) {
    switch (rm) {
    case KARAT_RTZ: return r + select(negative, below, above);
    case KARAT_RDN: return r + ((above ^ negative) - negative);
    case KARAT_RUP: return r - ((below ^ negative) - negative);
    case KARAT_RMM: return r - (select(negative, above, below) & tie);
    default: return r;
    }
}

typedef struct sources {
    const uint32_t *a, *b, *c;
    uint32_t how, num;
} sources;

/* The keys of a block from element i on. Where there are fewer, the first one stands for the missing ones. */
INLINE ve take(const sources *x, const uint32_t *v, uint32_t negate, uint32_t i) {
    const element sign = (element)((element_bits)((x->how & negate) != 0) << (ELEMENT_BITS - 1));
    ve a;
#if FP_BITS == 64
    const uint32_t *high = v + KARAT_LANES_STRIDE(x->how);
    if (x->num >= BLOCK) {
        const __m128i l = _mm_loadu_si128((const __m128i *)(v + i)),
                      h = _mm_loadu_si128((const __m128i *)(high + i));
        a = (ve)_mm256_set_m128i(_mm_unpackhi_epi32(l, h), _mm_unpacklo_epi32(l, h));
    } else {
        for (uint32_t k = 0; k < BLOCK; k++)
            a[k] = (element)(v[k < x->num ? k : 0] | (uint64_t)high[k < x->num ? k : 0] << 32);
    }
    return a ^ sign;
#else
    if (x->num >= BLOCK)
        memcpy(&a, v + i, sizeof a);
    else
        for (uint32_t k = 0; k < BLOCK; k++)
            a[k] = (element)v[k < x->num ? k : 0];
    return a << (ELEMENT_BITS - FP_BITS) ^ sign;
#endif
}
#define A take(x, x->a, KARAT_LANES_NEG_A, i)
#define B take(x, x->b, KARAT_LANES_NEG_B, i)
#define C take(x, x->c, KARAT_LANES_NEG_C, i)

/* Element k of a block, and all of a block that has BLOCK of them. */
INLINE void put(uint32_t *r, const sources *x, ve of, uint32_t k) {
    r[k] = (uint32_t)of[k];
#if FP_BITS == 64
    r[k + KARAT_LANES_STRIDE(x->how)] = (uint32_t)(of[k] >> 32);
#else
    (void)x;
#endif
}

INLINE void put_all(uint32_t *r, const sources *x, ve of) {
#if FP_BITS == 64
    const __m128 l = (__m128)_mm256_castsi256_si128((__m256i)of),
                 h = (__m128)_mm256_extracti128_si256((__m256i)of, 1);
    _mm_storeu_ps((float *)r, _mm_shuffle_ps(l, h, _MM_SHUFFLE(2, 0, 2, 0)));
    _mm_storeu_ps((float *)(r + KARAT_LANES_STRIDE(x->how)), _mm_shuffle_ps(l, h, _MM_SHUFFLE(3, 1, 3, 1)));
#else
    (void)x;
    memcpy(r, &of, sizeof of);
#endif
}

/* Numbers as results, of keys. */
INLINE ve numbers(ve keys) {
#if FP_BITS == 16
    return keys >> 16 | -0x10000;
#else
    return keys;
#endif
}

/* Magnitudes in order, -0 just below +0. */
INLINE ve order(ve a) {
    return a ^ (a >> (ELEMENT_BITS - 1) & ABS);
}

INLINE block of_two(ve r, ve a, ve b) {
    block y = plain(r, (ve){0});
    y.hard = bits_of(((a & ABS) > INF) | ((b & ABS) > INF));
    return y;
}

INLINE block min_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    (void)rm;
    return of_two(numbers(select(order(a) < order(b), a, b)), a, b);
}

INLINE block max_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    (void)rm;
    return of_two(numbers(select(order(a) > order(b), a, b)), a, b);
}

INLINE block eq_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    (void)rm;
    return of_two(((a == b) | (((a | b) & ABS) == 0)) & 1, a, b);
}

INLINE block ne_block(const sources *x, uint32_t i, unsigned rm) {
    block y = eq_block(x, i, rm);
    y.r ^= 1;
    return y;
}

INLINE block lt_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    (void)rm;
    return of_two((order(a) < order(b)) & (((a | b) & ABS) != 0) & 1, a, b);
}

INLINE block le_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, b = B;
    (void)rm;
    return of_two(((order(a) <= order(b)) | (((a | b) & ABS) == 0)) & 1, a, b);
}

INLINE block class_block(const sources *x, uint32_t i, unsigned rm) {
    const ve a = A, magnitude = a & ABS;
    const ve zero = magnitude == 0, inf = magnitude == INF, nan = magnitude > INF,
             subnormal = (magnitude < KEY(FP_HIDDEN)) & ~zero, normal = ~(zero | inf | nan | subnormal);
    (void)rm;
    const ve positive = (zero & 1 << 4) | (subnormal & 1 << 5) | (normal & 1 << 6) | (inf & 1 << 7);
    const ve negative = (zero & 1 << 3) | (subnormal & 1 << 2) | (normal & 1 << 1) | (inf & 1 << 0);
    const ve quiet = (a & KEY(FP_QUIET)) != 0;
    return plain(select(nan, select(quiet, (ve){0} + (1 << 9), (ve){0} + (1 << 8)),
                        select(a >> (ELEMENT_BITS - 1), negative, positive)),
                 (ve){0});
}

/* MXCSR of the default mode: nearest even, no flush to zero, no traps. Below are the flags. */
enum { DEFAULT_MODE = 0x1f80, HOST_FLAGS = 0x3f };

INLINE bool is_default_mode(void) {
    return (_mm_getcsr() & ~(unsigned)HOST_FLAGS) == DEFAULT_MODE;
}

/* An operation in the default mode, where the caller has another one: his mode and flags are as before. */
static __attribute__((cold, noinline)) karat_lanes by_default(karat_lanes_function *of, const uint32_t *a,
                                                              const uint32_t *b, const uint32_t *c,
                                                              uint32_t how, uint64_t active, uint32_t *r) {
    const unsigned csr = _mm_getcsr();
    _mm_setcsr(DEFAULT_MODE);
    const karat_lanes done = of(a, b, c, how, active, r);
    _mm_setcsr(csr);
    return done;
}

typedef block in_a_block(const sources *x, uint32_t i, unsigned rm);

/* All blocks of num elements. The host's flags may be raised, as by any function of C: to put them back would
 * take longer than all else. */
INLINE karat_lanes in_blocks(in_a_block *of, sources x, unsigned rm, uint64_t active, uint32_t *r) {
    uint64_t hard = 0, nx = 0, uf = 0, overflow = 0, nv = 0;
    for (uint32_t i = 0; i < x.num; i += BLOCK) {
        const block y = of(&x, i, rm);
        nx |= (uint64_t)bits_of(y.nx) << i;
        hard |= (uint64_t)y.hard << i;
        uf |= (uint64_t)y.uf << i;
        overflow |= (uint64_t)y.of << i;
        nv |= (uint64_t)y.nv << i;
        if (x.num >= BLOCK && !y.hard)
            put_all(r + i, &x, y.r);
        else
            for (uint32_t k = 0; k < BLOCK && k < x.num; k++)
                if (!(y.hard >> k & 1))
                    put(r + i, &x, y.r, k);
    }
    const uint64_t easy = active & ~hard;
    return (karat_lanes){active & hard, (nx & easy ? KARAT_NX : 0) | (uf & easy ? KARAT_UF : 0) |
                                            (overflow & easy ? KARAT_OF : 0) | (nv & easy ? KARAT_NV : 0)};
}

/* Blocks of 8: what is smaller is left to the level below, whose blocks have 4. */
#ifdef WIDE_BLOCKS
#define LANES_BELOW(name)       LANES_BELOW_PASTE(KARAT(lanes_##name))
#define LANES_BELOW_PASTE(name) KARAT_LEVEL_NAME(name, v2)
#define FEW(name)                                                                                            \
    karat_lanes_function LANES_BELOW(name);                                                                  \
    INLINE karat_lanes few_##name(sources x, uint64_t active, uint32_t *r) {                                 \
        return LANES_BELOW(name)(x.a, x.b, x.c, x.how, active, r);                                           \
    }
#else
#define FEW(name)                                                                                            \
    INLINE karat_lanes few_##name(sources x, uint64_t active, uint32_t *r) {                                 \
        return in_blocks(name##_block, x, KARAT_LANES_RM(x.how), active, r);                                 \
    }
#endif
/* Whole blocks to nearest even, the usual case, have code of their own; so has an operation that does not
 * round. */
#define LANES_IN(name, rounds)                                                                               \
    FEW(name)                                                                                                \
    karat_lanes LANES_FUNCTION(lanes_##name)(const uint32_t *a, const uint32_t *b, const uint32_t *c,        \
                                             uint32_t how, uint64_t active, uint32_t *r) {                   \
        sources x = {a, b, c, how, KARAT_LANES_NUM(how)};                                                    \
        if (rounds && !is_default_mode())                                                                    \
            return by_default(LANES_FUNCTION(lanes_##name), a, b, c, how, active, r);                        \
        if (x.num < BLOCK)                                                                                   \
            return few_##name(x, active, r);                                                                 \
        x.num &= -BLOCK;                                                                                     \
        if (x.num < BLOCK)                                                                                   \
            __builtin_unreachable(); /* So no block has to ask */                                            \
        if (rounds && KARAT_LANES_RM(how) != KARAT_RNE)                                                      \
            return in_blocks(name##_block, x, KARAT_LANES_RM(how), active, r);                               \
        return in_blocks(name##_block, x, KARAT_RNE, active, r);                                             \
    }
#else
#define LANES_IN(name, rounds)                                                                               \
    karat_lanes LANES_FUNCTION(lanes_##name)(const uint32_t *a, const uint32_t *b, const uint32_t *c,        \
                                             uint32_t how, uint64_t active, uint32_t *r) {                   \
        (void)a, (void)b, (void)c, (void)how, (void)r;                                                       \
        return (karat_lanes){active, 0};                                                                     \
    }
#endif
#define LANES(name)           LANES_IN(name, 1)
#define LANES_UNROUNDED(name) LANES_IN(name, 0)
