/* Fixed point (V 1.0, chapter 12): vxrm rounds, and vxsat remembers that a written element saturated. */
#include "exec.h"

/* Rounding and saturation in a signed type with room for the sum, and for the signed product, of two
 * elements. */
#define FIXED(suffix, T)                                                                                     \
    /* Shifts v >> shift with vxrm's increment: to nearest with ties up, to nearest even, down, to odd. */   \
    static T round_##suffix(T v, unsigned shift, unsigned vxrm) {                                            \
        if (shift == 0)                                                                                      \
            return v;                                                                                        \
        const bool half = v >> (shift - 1) & 1, odd = v >> shift & 1;                                        \
        const bool below_half = v & (((T)1 << (shift - 1)) - 1);                                             \
        switch (vxrm) {                                                                                      \
        case 0: return (v >> shift) + half;                                                                  \
        case 1: return (v >> shift) + (half && (below_half || odd));                                         \
        case 2: return v >> shift;                                                                           \
        default: return (v >> shift) + (!odd && (half || below_half));                                       \
        }                                                                                                    \
    }                                                                                                        \
    static T clip_##suffix(T v, T min, T max, bool *saturated) {                                             \
        *saturated |= v < min || v > max;                                                                    \
        return v < min ? min : v > max ? max : v;                                                            \
    }
FIXED(i64, int64_t)
FIXED(i128, karat_i128)

/* The functions for the type of v. */
#define ROUND(v, shift)   _Generic((v), int64_t : round_i64, karat_i128 : round_i128)(v, shift, vxrm)
#define CLIP(v, min, max) _Generic((v), int64_t : clip_i64, karat_i128 : clip_i128)(v, min, max, &saturated)
#define ONE(v)            ((__typeof__(v))1)
#define CLIP_SIGNED(v)    CLIP(v, -(ONE(v) << (BITS - 1)), (ONE(v) << (BITS - 1)) - 1)
#define CLIP_UNSIGNED(v)  CLIP(v, 0, (ONE(v) << BITS) - 1)

/* Only active elements saturate. u1 and u2 are the sources as unsigned numbers, i1 and i2 as signed ones, in
 * that type. */
#define FIXED_AT(name, bits, T, expr)                                                                        \
    static void name##_##bits(karat_exec *e) {                                                               \
        TYPES(bits)                                                                                          \
        const unsigned vxrm = e->warp->vxrm;                                                                 \
        bool saturated = false;                                                                              \
        (void)vxrm;                                                                                          \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            const A s1 = GET_##bits(e->v1, i, e->stride), s2 = GET_##bits(e->v2, i, e->stride);              \
            const T u1 = (T)s1, u2 = (T)s2, i1 = (S)s1, i2 = (S)s2;                                          \
            (void)u1, (void)u2, (void)i1, (void)i2;                                                          \
            if (e->active >> i & 1)                                                                          \
                PUT_##bits(e->r, i, e->stride, expr);                                                        \
        }                                                                                                    \
        e->commit->vxsat_raised |= saturated;                                                                \
    }
#define ELEMENTS_FIXED(name, expr)                                                                           \
    FIXED_AT(name, 8, int64_t, expr)                                                                         \
    FIXED_AT(name, 16, int64_t, expr)                                                                        \
    FIXED_AT(name, 32, int64_t, expr)                                                                        \
    FIXED_AT(name, 64, karat_i128, expr)                                                                     \
    KARAT_SEMANTIC(name, name##_8, name##_16, name##_32, name##_64)

ELEMENTS_FIXED(vsaddu, CLIP_UNSIGNED(u2 + u1))
ELEMENTS_FIXED(vsadd, CLIP_SIGNED(i2 + i1))
ELEMENTS_FIXED(vssubu, CLIP_UNSIGNED(u2 - u1))
ELEMENTS_FIXED(vssub, CLIP_SIGNED(i2 - i1))
ELEMENTS_FIXED(vaaddu, ROUND(u2 + u1, 1))
ELEMENTS_FIXED(vaadd, ROUND(i2 + i1, 1))
ELEMENTS_FIXED(vasubu, ROUND(u2 - u1, 1))
ELEMENTS_FIXED(vasub, ROUND(i2 - i1, 1))
ELEMENTS_FIXED(vsmul, CLIP_SIGNED(ROUND(i2 *i1, BITS - 1)))
ELEMENTS_FIXED(vssrl, ROUND(u2, s1 &(BITS - 1)))
ELEMENTS_FIXED(vssra, ROUND(i2, s1 &(BITS - 1)))
