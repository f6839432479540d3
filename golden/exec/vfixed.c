/* Fixed point on 32-bit elements (V 1.0, chapter 12): vxrm rounds, and vxsat remembers that a written element
 * saturated. */
#include "exec.h"

/* The rounding increment of v >> shift, by vxrm: to nearest with ties up, to nearest even, down, to odd. */
static uint32_t increment(uint64_t v, unsigned shift, unsigned vxrm) {
    if (shift == 0)
        return 0;
    uint64_t half = v >> (shift - 1) & 1, odd = v >> shift & 1;
    uint64_t below_half = v & ((1ull << (shift - 1)) - 1), lost = v & ((1ull << shift) - 1);
    switch (vxrm) {
    case 0: return (uint32_t)half;
    case 1: return half && (below_half || odd);
    case 2: return 0;
    default: return !odd && lost;
    }
}

static uint64_t shift_signed(uint64_t v, unsigned shift) {
    uint64_t sign = v >> 63 ? ~(~0ull >> shift) : 0;
    return v >> shift | sign;
}

static uint32_t round_unsigned(uint64_t v, unsigned shift, unsigned vxrm) {
    return (uint32_t)(v >> shift) + increment(v, shift, vxrm);
}

static uint32_t round_signed(uint64_t v, unsigned shift, unsigned vxrm) {
    return (uint32_t)shift_signed(v, shift) + increment(v, shift, vxrm);
}

static uint64_t sext(uint32_t v) {
    return (uint64_t)(int64_t)(int32_t)v;
}

static uint32_t clip(uint64_t v, bool *saturated) {
    if ((int64_t)v > INT32_MAX) {
        *saturated = true;
        return INT32_MAX;
    }
    if ((int64_t)v < INT32_MIN) {
        *saturated = true;
        return 0x80000000u;
    }
    return (uint32_t)v;
}

static uint32_t add_unsigned(uint32_t a, uint32_t b, bool *saturated) {
    uint64_t sum = (uint64_t)a + b;
    *saturated |= sum >> 32 != 0;
    return sum >> 32 ? 0xffffffffu : (uint32_t)sum;
}

static uint32_t sub_unsigned(uint32_t a, uint32_t b, bool *saturated) {
    *saturated |= a < b;
    return a < b ? 0 : a - b;
}

/* The product of two fractions: only -1 * -1 does not fit. */
static uint32_t multiply(uint32_t a, uint32_t b, unsigned vxrm, bool *saturated) {
    uint64_t product = sext(a) * sext(b);
    return clip(shift_signed(product, 31) + increment(product, 31, vxrm), saturated);
}

/* Elements that saturate: only active ones count. */
#define ELEMENTS_FIXED(name, expr)                                                                           \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        unsigned vxrm = e->warp->vxrm;                                                                       \
        bool saturated = false;                                                                              \
        (void)vxrm;                                                                                          \
        for (uint32_t i = 0; i < e->n; i++) {                                                                \
            uint32_t s1 = e->v1[i], s2 = e->v2[i];                                                           \
            if (e->active >> i & 1)                                                                          \
                e->r[i] = (expr);                                                                            \
        }                                                                                                    \
        e->commit->vxsat_raised |= saturated;                                                                \
    }

ELEMENTS_FIXED(vsaddu, add_unsigned(s2, s1, &saturated))
ELEMENTS_FIXED(vsadd, clip(sext(s2) + sext(s1), &saturated))
ELEMENTS_FIXED(vssubu, sub_unsigned(s2, s1, &saturated))
ELEMENTS_FIXED(vssub, clip(sext(s2) - sext(s1), &saturated))
ELEMENTS_FIXED(vaaddu, round_unsigned((uint64_t)s2 + s1, 1, vxrm))
ELEMENTS_FIXED(vaadd, round_signed(sext(s2) + sext(s1), 1, vxrm))
ELEMENTS_FIXED(vasubu, round_signed((uint64_t)s2 - s1, 1, vxrm))
ELEMENTS_FIXED(vasub, round_signed(sext(s2) - sext(s1), 1, vxrm))
ELEMENTS_FIXED(vsmul, multiply(s2, s1, vxrm, &saturated))
ELEMENTS_FIXED(vssrl, round_unsigned(s2, s1 & 31, vxrm))
ELEMENTS_FIXED(vssra, round_signed(sext(s2), s1 & 31, vxrm))
