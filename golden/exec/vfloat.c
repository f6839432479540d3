/* Vector single precision: IEEE 754 binary32, canonical NaN, rounding by frm (decisions, "Vector results").
 */
#include "exec.h"

#include "../fp/f32.h"

#define NEG(a) ((a) ^ KARAT_F32_SIGN)

ELEMENTS_FP(vfadd, karat_f32_add(s2, s1, rm, &flags))
ELEMENTS_FP(vfsub, karat_f32_sub(s2, s1, rm, &flags))
ELEMENTS_FP(vfmul, karat_f32_mul(s2, s1, rm, &flags))
ELEMENTS_FP(vfdiv, karat_f32_div(s2, s1, rm, &flags))
ELEMENTS_FP(vfrsub, karat_f32_sub(s1, s2, rm, &flags))
ELEMENTS_FP(vfrdiv, karat_f32_div(s1, s2, rm, &flags))
ELEMENTS_FP(vfmin, karat_f32_min(s2, s1, &flags))
ELEMENTS_FP(vfmax, karat_f32_max(s2, s1, &flags))
ELEMENTS_FP(vfsqrt, karat_f32_sqrt(s2, rm, &flags))

ELEMENTS(vfsgnj, karat_f32_sgnj(s2, s1))
ELEMENTS(vfsgnjn, karat_f32_sgnjn(s2, s1))
ELEMENTS(vfsgnjx, karat_f32_sgnjx(s2, s1))

ELEMENTS_FP(vfmadd, karat_f32_fma(s1, d, s2, rm, &flags))
ELEMENTS_FP(vfnmadd, karat_f32_fma(NEG(s1), d, NEG(s2), rm, &flags))
ELEMENTS_FP(vfmsub, karat_f32_fma(s1, d, NEG(s2), rm, &flags))
ELEMENTS_FP(vfnmsub, karat_f32_fma(NEG(s1), d, s2, rm, &flags))
ELEMENTS_FP(vfmacc, karat_f32_fma(s1, s2, d, rm, &flags))
ELEMENTS_FP(vfnmacc, karat_f32_fma(NEG(s1), s2, NEG(d), rm, &flags))
ELEMENTS_FP(vfmsac, karat_f32_fma(s1, s2, NEG(d), rm, &flags))
ELEMENTS_FP(vfnmsac, karat_f32_fma(NEG(s1), s2, d, rm, &flags))

ELEMENTS_FP(vmfeq, karat_f32_eq(s2, s1, &flags))
ELEMENTS_FP(vmfne, !karat_f32_eq(s2, s1, &flags))
ELEMENTS_FP(vmflt, karat_f32_lt(s2, s1, &flags))
ELEMENTS_FP(vmfle, karat_f32_le(s2, s1, &flags))
ELEMENTS_FP(vmfgt, karat_f32_lt(s1, s2, &flags))
ELEMENTS_FP(vmfge, karat_f32_le(s1, s2, &flags))
ELEMENTS(vfclass, karat_f32_class(s2))

ELEMENTS_FP(vfcvt_xu_f, karat_f32_to_u32(s2, rm, &flags))
ELEMENTS_FP(vfcvt_x_f, (uint32_t)karat_f32_to_i32(s2, rm, &flags))
ELEMENTS_FP(vfcvt_f_xu, karat_f32_from_u32(s2, rm, &flags))
ELEMENTS_FP(vfcvt_f_x, karat_f32_from_i32((int32_t)s2, rm, &flags))
ELEMENTS_FP(vfcvt_rtz_xu_f, karat_f32_to_u32(s2, KARAT_RTZ, &flags))
ELEMENTS_FP(vfcvt_rtz_x_f, (uint32_t)karat_f32_to_i32(s2, KARAT_RTZ, &flags))
ELEMENTS_FP(vfrsqrt7, karat_f32_rsqrt7(s2, &flags))
ELEMENTS_FP(vfrec7, karat_f32_rec7(s2, rm, &flags))
ELEMENTS_FP(vfexp, karat_f32_exp(s2, rm, &flags))

/* Sum of 2, 4 or 8 products as a balanced tree, every product and sum rounded. */
static uint32_t dot(const uint32_t *a, const uint32_t *b, uint32_t n, unsigned rm, uint32_t *flags) {
    if (n == 1)
        return karat_f32_mul(*a, *b, rm, flags);
    uint32_t low = dot(a, b, n / 2, rm, flags);
    return karat_f32_add(low, dot(a + n / 2, b + n / 2, n / 2, rm, flags), rm, flags);
}

/* A matrix product of M x N and N x K over one warp (decisions, "VFTTA"): M = K, and M * N = num_thread. */
void karat_sem_vftta(karat_exec *e) {
    const uint32_t threads = e->model->config.num_thread;
    uint32_t rows = 1, flags = 0;
    while (4 * rows * rows <= threads)
        rows *= 2; /* 2^floor(log2(threads) / 2) */
    if (threads < 4) {
        e->error = KARAT_ERR_ILLEGAL;
        return;
    }
    const uint32_t n = threads / rows;
    e->active &= (1ull << rows * rows) - 1; /* the lanes after the result keep their value */
    for (uint32_t i = 0; i < rows * rows; i++)
        if (e->active >> i & 1) {
            const uint32_t *a = e->v1 + i / rows * n, *b = e->v2 + i % rows * n;
            e->r[i] = karat_f32_add(e->v3[i], dot(a, b, n, e->warp->frm, &flags), e->warp->frm, &flags);
        }
    e->commit->flags_raised |= (uint8_t)flags;
}
