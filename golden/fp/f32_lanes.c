/* binary32 arithmetic of four elements at a time by the host's, rounding to nearest even.
 *
 * Why results and flags are those of arith.h. SSE2 has binary32 and binary64 as IEEE 754 has them, where MXCSR says: to nearest even,
 * subnormal numbers as they are, no traps. An element is easy only where the result is finite, and normal unless it is exact. The only
 * flag that it can raise then is NX, which is found by exact arithmetic and not from the host's flags, so that an emulator of the host
 * that has none gives the same:
 *
 *   add   TwoSum: e below is the error of the sum, exactly, where no operation overflows. Where one does, or an operand is not finite,
 *         e is not finite either. Subnormal sums are exact.
 *   mul   The product of two significands of 24 bits is exact in binary64, whose exponents have room for it.
 *   div   The quotient is exact where its product with the divisor, exact in binary64, is the dividend.
 *   fma   The product is exact in binary64. The sum, with TwoSum's error, is rounded to odd there: cut off, and its last bit set where
 *         it is inexact. As 53 bits are at least 24 + 2, rounding that to binary32 is rounding the sum itself (S. Boldo, G. Melquiond:
 *         Emulation of a FMA and correctly rounded sums, 2008). Nothing overflows or underflows in binary64.
 *
 * Results with the lowest exponent of normal numbers are left out, since rounding may have made them so. An exact zero has its sign
 * from the host, too. */
#include "fp/f32_lanes.h"

#include "fp/f32.h"

#ifdef __SSE2__
#include <emmintrin.h>

enum { BLOCK = 4 };

/* Of a block: the results, and masks, by lane, of what is not easy and of what is inexact. */
typedef struct block {
    __m128 r, hard, inexact;
} block;

static inline __m128 lanes_of(uint32_t bits) {
    return _mm_castsi128_ps(_mm_set1_epi32((int)bits));
}

/* The lower or higher two lanes in binary64. */
static inline __m128d widen(__m128 a, int high) {
    return _mm_cvtps_pd(high ? _mm_movehl_ps(a, a) : a);
}

static inline __m128 narrow(__m128d low, __m128d high) {
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}

/* The masks of two lanes and two lanes. */
static inline __m128 masks(__m128d low, __m128d high) {
    return _mm_shuffle_ps(_mm_castpd_ps(low), _mm_castpd_ps(high), _MM_SHUFFLE(2, 0, 2, 0));
}

static inline __m128 differ(__m128 a, __m128d low, __m128d high) {
    return masks(_mm_cmpneq_pd(widen(a, 0), low), _mm_cmpneq_pd(widen(a, 1), high));
}

static inline __m128 are_zero(__m128d low, __m128d high) {
    return masks(_mm_cmpeq_pd(low, _mm_setzero_pd()), _mm_cmpeq_pd(high, _mm_setzero_pd()));
}

/* Not finite, or not above the lowest exponent of normal numbers. */
static inline __m128 out_of_range(__m128 r) {
    const __m128i magnitude = _mm_castps_si128(_mm_andnot_ps(lanes_of(KARAT_F32_SIGN), r));
    return _mm_castsi128_ps(_mm_or_si128(_mm_cmplt_epi32(magnitude, _mm_set1_epi32(0x01000000)),
                                         _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7f7fffff))));
}

static inline block add_block(__m128 a, __m128 b) {
    const __m128 r = _mm_add_ps(a, b), t = _mm_sub_ps(r, a), inf = lanes_of(KARAT_F32_INF);
    const __m128 e = _mm_add_ps(_mm_sub_ps(a, _mm_sub_ps(r, t)), _mm_sub_ps(b, t));
    const __m128i exponent = _mm_castps_si128(_mm_and_ps(e, inf));
    return (block){r, _mm_castsi128_ps(_mm_cmpeq_epi32(exponent, _mm_castps_si128(inf))),
                   _mm_cmpneq_ps(e, _mm_setzero_ps())};
}

static inline block mul_block(__m128 a, __m128 b) {
    const __m128d low = _mm_mul_pd(widen(a, 0), widen(b, 0)), high = _mm_mul_pd(widen(a, 1), widen(b, 1));
    const __m128 r = narrow(low, high);
    return (block){r, _mm_andnot_ps(are_zero(low, high), out_of_range(r)), differ(r, low, high)};
}

static inline block div_block(__m128 a, __m128 b) {
    const __m128 r = _mm_div_ps(a, b);
    return (block){r, out_of_range(r),
                   differ(a, _mm_mul_pd(widen(r, 0), widen(b, 0)), _mm_mul_pd(widen(r, 1), widen(b, 1)))};
}

/* a * b + c rounded to odd. */
static inline __m128d fma_to_odd(__m128d a, __m128d b, __m128d c) {
    const __m128d p = _mm_mul_pd(a, b), s = _mm_add_pd(p, c), t = _mm_sub_pd(s, p);
    const __m128d e = _mm_add_pd(_mm_sub_pd(p, _mm_sub_pd(s, t)), _mm_sub_pd(c, t));
    const __m128i inexact = _mm_castpd_si128(_mm_cmpneq_pd(e, _mm_setzero_pd()));
    const __m128i above =
        _mm_srli_epi64(_mm_castpd_si128(_mm_xor_pd(e, s)), 63); /* s was rounded away from 0 */
    const __m128i cut = _mm_sub_epi64(_mm_castpd_si128(s), _mm_and_si128(above, inexact));
    return _mm_castsi128_pd(_mm_or_si128(cut, _mm_srli_epi64(inexact, 63)));
}

static inline block fma_block(__m128 a, __m128 b, __m128 c) {
    const __m128d low = fma_to_odd(widen(a, 0), widen(b, 0), widen(c, 0));
    const __m128d high = fma_to_odd(widen(a, 1), widen(b, 1), widen(c, 1));
    const __m128 r = narrow(low, high);
    return (block){r, _mm_andnot_ps(are_zero(low, high), out_of_range(r)), differ(r, low, high)};
}

/* The lanes of element i on, with changed signs; elements at or beyond num are 0. */
static inline __m128 take(const uint32_t *v, uint32_t i, uint32_t num, uint32_t sign) {
    uint32_t some[BLOCK] = {0};
    if (num < BLOCK) {
        for (uint32_t k = 0; k < num; k++)
            some[k] = v[k];
        v = some;
    }
    return _mm_xor_ps(_mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)(v + i))),
                      lanes_of(sign));
}

/* Whether the arithmetic is the default one: nearest even, no flush to zero, no traps. */
static inline int is_default(unsigned csr) {
    return (csr & ~0x3fu) == 0x1f80;
}

/* The loop of a function above. The host's flags stay as they were. */
#define IN_BLOCKS(block_of_i)                                                                                \
    const unsigned csr = _mm_getcsr();                                                                       \
    uint64_t hard = 0, inexact = 0;                                                                          \
    if (!is_default(csr))                                                                                    \
        return active;                                                                                       \
    for (uint32_t i = 0; i < num; i += BLOCK) {                                                              \
        const block x = block_of_i;                                                                          \
        _mm_storeu_si128((__m128i *)(void *)(r + i), _mm_castps_si128(x.r));                                 \
        hard |= (uint64_t)(unsigned)_mm_movemask_ps(x.hard) << i;                                            \
        inexact |= (uint64_t)(unsigned)_mm_movemask_ps(x.inexact) << i;                                      \
    }                                                                                                        \
    _mm_setcsr(csr);                                                                                         \
    *flags |= inexact & active & ~hard ? KARAT_NX : 0;                                                       \
    return hard & active;
#else
#define IN_BLOCKS(block_of_i)                                                                                \
    (void)num, (void)r, (void)flags;                                                                         \
    return active;
#endif

uint64_t karat_f32_lanes_add(const uint32_t *a, const uint32_t *b, uint32_t b_sign, uint32_t num,
                             uint64_t active, uint32_t *r, uint32_t *flags) {
    (void)a, (void)b, (void)b_sign;
    IN_BLOCKS(add_block(take(a, i, num, 0), take(b, i, num, b_sign)))
}

uint64_t karat_f32_lanes_mul(const uint32_t *a, const uint32_t *b, uint32_t num, uint64_t active, uint32_t *r,
                             uint32_t *flags) {
    (void)a, (void)b;
    IN_BLOCKS(mul_block(take(a, i, num, 0), take(b, i, num, 0)))
}

uint64_t karat_f32_lanes_div(const uint32_t *a, const uint32_t *b, uint32_t num, uint64_t active, uint32_t *r,
                             uint32_t *flags) {
    (void)a, (void)b;
    IN_BLOCKS(div_block(take(a, i, num, 0), take(b, i, num, 0)))
}

uint64_t karat_f32_lanes_fma(const uint32_t *a, uint32_t a_sign, const uint32_t *b, const uint32_t *c,
                             uint32_t c_sign, uint32_t num, uint64_t active, uint32_t *r, uint32_t *flags) {
    (void)a, (void)a_sign, (void)b, (void)c, (void)c_sign;
    IN_BLOCKS(fma_block(take(a, i, num, a_sign), take(b, i, num, 0), take(c, i, num, c_sign)))
}
