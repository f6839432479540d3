/* Vector floating point: IEEE 754, canonical NaN, rounding by frm (decisions, "Vector results"); binary32, in
 * v2.03 binary16 with SEW 16 and binary64 by pair. */
#include "exec.h"

#include "fp/fp.h"
#include "fp/lanes.h"
#include "row_lanes.h"

/* Many elements at once (lanes.h): those that are left. a, b and c are the sources in the order of the
 * operation, any where it has fewer; signs are those that are negated. */
#define LANES_IN(mode, op, a, b, c, signs)                                                                   \
    left_of(KARAT_LANES((U)0, op)(a, b, c,                                                                   \
                                  KARAT_LANES_HOW(e->n, mode, BITS == 64 ? e->stride : 0) | (signs),         \
                                  e->active, e->r),                                                          \
            &flags)
#define LANES(op, a, b, c, signs) LANES_IN(rm, op, a, b, c, signs)
enum { NEG_A = KARAT_LANES_NEG_A, NEG_B = KARAT_LANES_NEG_B, NEG_C = KARAT_LANES_NEG_C };

static inline uint64_t left_of(karat_lanes done, uint32_t *flags) {
    *flags |= (uint32_t)done.flags;
    return done.left;
}

ELEMENTS_FP_LANES(vfadd, LANES(add, e->v2, e->v1, e->v2, 0), karat_fp(s2, add)(s2, s1, rm, &flags))
ELEMENTS_FP_LANES(vfsub, LANES(add, e->v2, e->v1, e->v2, NEG_B), karat_fp(s2, sub)(s2, s1, rm, &flags))
ELEMENTS_FP_LANES(vfmul, LANES(mul, e->v2, e->v1, e->v2, 0), karat_fp(s2, mul)(s2, s1, rm, &flags))
ELEMENTS_FP_LANES(vfdiv, LANES(div, e->v2, e->v1, e->v2, 0), karat_fp(s2, div)(s2, s1, rm, &flags))
ELEMENTS_FP_LANES(vfrsub, LANES(add, e->v1, e->v2, e->v1, NEG_B), karat_fp(s2, sub)(s1, s2, rm, &flags))
ELEMENTS_FP_LANES(vfrdiv, LANES(div, e->v1, e->v2, e->v1, 0), karat_fp(s2, div)(s1, s2, rm, &flags))
ELEMENTS_FP_LANES(vfmin, LANES(min, e->v2, e->v1, e->v2, 0), karat_fp(s2, min)(s2, s1, &flags))
ELEMENTS_FP_LANES(vfmax, LANES(max, e->v2, e->v1, e->v2, 0), karat_fp(s2, max)(s2, s1, &flags))
ELEMENTS_FP_LANES(vfsqrt, LANES(sqrt, e->v2, e->v2, e->v2, 0), karat_fp(s2, sqrt)(s2, rm, &flags))

ELEMENTS_FP_BITS(vfsgnj, karat_fp(s2, sgnj)(s2, s1))
ELEMENTS_FP_BITS(vfsgnjn, karat_fp(s2, sgnjn)(s2, s1))
ELEMENTS_FP_BITS(vfsgnjx, karat_fp(s2, sgnjx)(s2, s1))

ELEMENTS_FP_LANES(vfmadd, LANES(fma, e->v1, e->v3, e->v2, 0), karat_fp(s2, fma)(s1, d, s2, rm, &flags))
ELEMENTS_FP_LANES(vfnmadd, LANES(fma, e->v1, e->v3, e->v2, NEG_A | NEG_C),
                  karat_fp(s2, fma)(karat_fp_neg(s1), d, karat_fp_neg(s2), rm, &flags))
ELEMENTS_FP_LANES(vfmsub, LANES(fma, e->v1, e->v3, e->v2, NEG_C),
                  karat_fp(s2, fma)(s1, d, karat_fp_neg(s2), rm, &flags))
ELEMENTS_FP_LANES(vfnmsub, LANES(fma, e->v1, e->v3, e->v2, NEG_A),
                  karat_fp(s2, fma)(karat_fp_neg(s1), d, s2, rm, &flags))
ELEMENTS_FP_LANES(vfmacc, LANES(fma, e->v1, e->v2, e->v3, 0), karat_fp(s2, fma)(s1, s2, d, rm, &flags))
ELEMENTS_FP_LANES(vfnmacc, LANES(fma, e->v1, e->v2, e->v3, NEG_A | NEG_C),
                  karat_fp(s2, fma)(karat_fp_neg(s1), s2, karat_fp_neg(d), rm, &flags))
ELEMENTS_FP_LANES(vfmsac, LANES(fma, e->v1, e->v2, e->v3, NEG_C),
                  karat_fp(s2, fma)(s1, s2, karat_fp_neg(d), rm, &flags))
ELEMENTS_FP_LANES(vfnmsac, LANES(fma, e->v1, e->v2, e->v3, NEG_A),
                  karat_fp(s2, fma)(karat_fp_neg(s1), s2, d, rm, &flags))

ELEMENTS_FP_INT_LANES(vmfeq, LANES(eq, e->v2, e->v1, e->v2, 0), karat_fp(s2, eq)(s2, s1, &flags))
ELEMENTS_FP_INT_LANES(vmfne, LANES(ne, e->v2, e->v1, e->v2, 0), !karat_fp(s2, eq)(s2, s1, &flags))
ELEMENTS_FP_INT_LANES(vmflt, LANES(lt, e->v2, e->v1, e->v2, 0), karat_fp(s2, lt)(s2, s1, &flags))
ELEMENTS_FP_INT_LANES(vmfle, LANES(le, e->v2, e->v1, e->v2, 0), karat_fp(s2, le)(s2, s1, &flags))
ELEMENTS_FP_INT_LANES(vmfgt, LANES(lt, e->v1, e->v2, e->v1, 0), karat_fp(s2, lt)(s1, s2, &flags))
ELEMENTS_FP_INT_LANES(vmfge, LANES(le, e->v1, e->v2, e->v1, 0), karat_fp(s2, le)(s1, s2, &flags))
ELEMENTS_FP_INT_LANES(vfclass, LANES(class, e->v2, e->v2, e->v2, 0), karat_fp(s2, class)(s2))

ELEMENTS_FP_INT_LANES(vfcvt_xu_f, LANES(to_u, e->v2, e->v2, e->v2, 0),
                      karat_fp(s2, to_int)(s2, BITS, false, rm, &flags))
ELEMENTS_FP_INT_LANES(vfcvt_x_f, LANES(to_i, e->v2, e->v2, e->v2, 0),
                      karat_fp(s2, to_int)(s2, BITS, true, rm, &flags))
ELEMENTS_FP_LANES(vfcvt_f_xu, LANES(from_u, e->v2, e->v2, e->v2, 0),
                  karat_fp(s2, from_int)(s2, false, rm, &flags))
ELEMENTS_FP_LANES(vfcvt_f_x, LANES(from_i, e->v2, e->v2, e->v2, 0),
                  karat_fp(s2, from_int)((uint64_t)(int64_t)(S)s2, true, rm, &flags))
ELEMENTS_FP_INT_LANES(vfcvt_rtz_xu_f, LANES_IN(KARAT_RTZ, to_u, e->v2, e->v2, e->v2, 0),
                      karat_fp(s2, to_int)(s2, BITS, false, KARAT_RTZ, &flags))
ELEMENTS_FP_INT_LANES(vfcvt_rtz_x_f, LANES_IN(KARAT_RTZ, to_i, e->v2, e->v2, e->v2, 0),
                      karat_fp(s2, to_int)(s2, BITS, true, KARAT_RTZ, &flags))
ELEMENTS_FP_BITS(vfmerge, e->v0[i] & 1 ? s1 : s2)
ELEMENTS_FP_BITS(vfmv, s1)
ELEMENTS_FP(vfrsqrt7, karat_fp(s2, rsqrt7)(s2, &flags))
ELEMENTS_FP(vfrec7, karat_fp(s2, rec7)(s2, rm, &flags))

/* vd[i] = fp_exp(s2, rm, &flags), binary32 whatever vtype says: a custom row. */
ELEMENTS_FP_AT(vfexp, 32, PUT_FP, karat_f32_exp(s2, rm, &flags))
KARAT_SEMANTIC(vfexp, NULL, NULL, vfexp_32, NULL)

/* Conversions between widths (v2.03): s2 has the type F of from bits, SF signed; the result has to bits and
 * the type R. */
#define CONVERT_AT(name, bits, from, to, put, expr)                                                          \
    static void name##_##bits(karat_exec *e) {                                                               \
        typedef uint##from##_t F;                                                                            \
        typedef int##from##_t SF;                                                                            \
        typedef uint##to##_t R;                                                                              \
        enum { TO = to };                                                                                    \
        unsigned rm = e->warp->frm;                                                                          \
        uint32_t flags = 0;                                                                                  \
        (void)rm, (void)(SF)0, (void)(R)TO;                                                                  \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            F s2 = GET_##from(e->v2, i, e->stride);                                                          \
            if (e->active >> i & 1)                                                                          \
                put##_##to(e->r, i, e->stride, expr);                                                        \
        }                                                                                                    \
        e->commit->flags_raised |= (uint8_t)flags;                                                           \
    }
#define WIDEN_FROM_FLOAT(name, put, expr)                                                                    \
    CONVERT_AT(name, 16, 16, 32, put, expr)                                                                  \
    CONVERT_AT(name, 32, 32, 64, put, expr)                                                                  \
    KARAT_SEMANTIC(name, NULL, name##_16, name##_32, NULL)
#define WIDEN_FROM_INT(name, expr)                                                                           \
    CONVERT_AT(name, 8, 8, 16, PUT_FP, expr)                                                                 \
    CONVERT_AT(name, 16, 16, 32, PUT_FP, expr)                                                               \
    CONVERT_AT(name, 32, 32, 64, PUT_FP, expr)                                                               \
    KARAT_SEMANTIC(name, name##_8, name##_16, name##_32, NULL)
#define NARROW_TO_FLOAT(name, expr)                                                                          \
    CONVERT_AT(name, 16, 32, 16, PUT_FP, expr)                                                               \
    CONVERT_AT(name, 32, 64, 32, PUT_FP, expr)                                                               \
    KARAT_SEMANTIC(name, NULL, name##_16, name##_32, NULL)
#define NARROW_TO_INT(name, expr)                                                                            \
    CONVERT_AT(name, 8, 16, 8, PUT, expr)                                                                    \
    CONVERT_AT(name, 16, 32, 16, PUT, expr)                                                                  \
    CONVERT_AT(name, 32, 64, 32, PUT, expr)                                                                  \
    KARAT_SEMANTIC(name, name##_8, name##_16, name##_32, NULL)

WIDEN_FROM_FLOAT(vfwcvt_xu_f, PUT, karat_fp(s2, to_int)(s2, TO, false, rm, &flags))
WIDEN_FROM_FLOAT(vfwcvt_x_f, PUT, karat_fp(s2, to_int)(s2, TO, true, rm, &flags))
WIDEN_FROM_FLOAT(vfwcvt_rtz_xu_f, PUT, karat_fp(s2, to_int)(s2, TO, false, KARAT_RTZ, &flags))
WIDEN_FROM_FLOAT(vfwcvt_rtz_x_f, PUT, karat_fp(s2, to_int)(s2, TO, true, KARAT_RTZ, &flags))
WIDEN_FROM_FLOAT(vfwcvt_f_f, PUT_FP, karat_fp_widen(s2)(s2, rm, &flags))
WIDEN_FROM_INT(vfwcvt_f_xu, karat_fp((R)0, from_int)(s2, false, rm, &flags))
WIDEN_FROM_INT(vfwcvt_f_x, karat_fp((R)0, from_int)((uint64_t)(int64_t)(SF)s2, true, rm, &flags))
NARROW_TO_INT(vfncvt_xu_f, karat_fp(s2, to_int)(s2, TO, false, rm, &flags))
NARROW_TO_INT(vfncvt_x_f, karat_fp(s2, to_int)(s2, TO, true, rm, &flags))
NARROW_TO_INT(vfncvt_rtz_xu_f, karat_fp(s2, to_int)(s2, TO, false, KARAT_RTZ, &flags))
NARROW_TO_INT(vfncvt_rtz_x_f, karat_fp(s2, to_int)(s2, TO, true, KARAT_RTZ, &flags))
NARROW_TO_FLOAT(vfncvt_f_xu, karat_fp((R)0, from_int)(s2, false, rm, &flags))
NARROW_TO_FLOAT(vfncvt_f_x, karat_fp((R)0, from_int)((uint64_t)(int64_t)(SF)s2, true, rm, &flags))
NARROW_TO_FLOAT(vfncvt_f_f, karat_fp_narrow(s2)(s2, rm, &flags))
NARROW_TO_FLOAT(vfncvt_rod_f_f, karat_fp_narrow(s2)(s2, KARAT_ROD, &flags))

/* Sum of 2, 4 or 8 products as a balanced tree, every product and sum rounded. */
static uint32_t dot(const uint32_t *a, const uint32_t *b, uint32_t n, unsigned rm, uint32_t *flags) {
    if (n == 1)
        return karat_f32_mul(*a, *b, rm, flags);
    uint32_t low = dot(a, b, n / 2, rm, flags);
    return karat_f32_add(low, dot(a + n / 2, b + n / 2, n / 2, rm, flags), rm, flags);
}

/* A matrix product of M x N and N x K over one warp (decisions, "VFTTA"): M = K, and M * N = num_thread. */
SEMANTIC(vftta) {
    const uint32_t threads = e->model->config.num_thread;
    uint32_t rows = 1, flags = 0;
    while (4 * rows * rows <= threads)
        rows *= 2; /* 2^floor(log2(threads) / 2) */
    if (threads < KARAT_TENSOR_THREADS) {
        karat_set_illegal(e, KARAT_ILLEGAL_THREADS);
        return;
    }
    const uint32_t n = threads / rows;
    e->active &= (1ull << rows * rows) - 1; /* The lanes after the result keep their value */
    for (uint32_t i = 0; i < rows * rows; i++)
        if (e->active >> i & 1) {
            const uint32_t *a = e->v1 + i / rows * n, *b = e->v2 + i % rows * n;
            e->r[i] = karat_f32_add(e->v3[i], dot(a, b, n, e->warp->frm, &flags), e->warp->frm, &flags);
        }
    e->commit->flags_raised |= (uint8_t)flags;
}
