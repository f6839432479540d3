/* Vector integer instructions that Ventus keeps of V 1.0: each lane works on its own elements (section 4.1),
 * and the custom arithmetic (section 4.2.5). */
#include "exec.h"

ELEMENTS(vadd, s2 + s1)
ELEMENTS(vsub, s2 - s1)
ELEMENTS(vrsub, s1 - s2)
ELEMENTS(vminu, s2 < s1 ? s2 : s1)
ELEMENTS(vmin, (S)s2 < (S)s1 ? s2 : s1)
ELEMENTS(vmaxu, s2 > s1 ? s2 : s1)
ELEMENTS(vmax, (S)s2 > (S)s1 ? s2 : s1)
ELEMENTS(vand, s2 &s1)
ELEMENTS(vor, s2 | s1)
ELEMENTS(vxor, s2 ^ s1)
ELEMENTS(vsll, s2 << (s1 & (BITS - 1)))
ELEMENTS(vsrl, s2 >> (s1 & (BITS - 1)))
ELEMENTS(vsra, SRA(s2, s1 &(BITS - 1)))

ELEMENTS_M(vadc, s2 + s1 + m)
ELEMENTS_M(vsbc, s2 - s1 - m)
ELEMENTS_M(vmadc_carry, ((UW)s2 + s1 + m) >> BITS & 1)
ELEMENTS_M(vmsbc_carry, (UW)s2 < (UW)s1 + m)
ELEMENTS(vmadc, ((UW)s2 + s1) >> BITS & 1)
ELEMENTS(vmsbc, s2 < s1)

ELEMENTS(vmseq, s2 == s1)
ELEMENTS(vmsne, s2 != s1)
ELEMENTS(vmsltu, s2 < s1)
ELEMENTS(vmslt, (S)s2 < (S)s1)
ELEMENTS(vmsleu, s2 <= s1)
ELEMENTS(vmsle, (S)s2 <= (S)s1)
ELEMENTS(vmsgtu, s2 > s1)
ELEMENTS(vmsgt, (S)s2 > (S)s1)

ELEMENTS_M(vmerge, m ? s1 : s2)
ELEMENTS(vmv, s1)

ELEMENTS(vdivu, DIVU(s2, s1))
ELEMENTS(vdiv, DIV(s2, s1))
ELEMENTS(vremu, REMU(s2, s1))
ELEMENTS(vrem, REM(s2, s1))
ELEMENTS(vmul, s2 *s1)
ELEMENTS(vmulhu, MULHU(s2, s1))
ELEMENTS(vmulh, MULH(s2, s1))
ELEMENTS(vmulhsu, MULHSU(s2, s1))
ELEMENTS(vmadd, s1 *d + s2)
ELEMENTS(vnmsub, s2 - s1 * d)
ELEMENTS(vmacc, d + s1 * s2)
ELEMENTS(vnmsac, d - s1 * s2)

ELEMENTS_WORD(vmandn, s2 & ~s1)
ELEMENTS_WORD(vmand, s2 &s1)
ELEMENTS_WORD(vmor, s2 | s1)
ELEMENTS_WORD(vmxor, s2 ^ s1)
ELEMENTS_WORD(vmorn, s2 | ~s1)
ELEMENTS_WORD(vmnand, ~(s2 &s1))
ELEMENTS_WORD(vmnor, ~(s2 | s1))
ELEMENTS_WORD(vmxnor, ~(s2 ^ s1))

ELEMENTS(vid, i)

/* Widening (v2.03): (S)s1 and (S)s2 are signed sources of the width; one of twice the width needs no sign,
 * since the sum is cut. */
WIDENING(vwaddu, s2 + s1)
WIDENING(vwadd, (SW)(S)s2 + (S)s1)
WIDENING(vwsubu, s2 - s1)
WIDENING(vwsub, (SW)(S)s2 - (S)s1)
WIDENING_WV(vwaddu_wv, s2 + s1)
WIDENING_WV(vwadd_wv, s2 + s1)
WIDENING_WV(vwsubu_wv, s2 - s1)
WIDENING_WV(vwsub_wv, s2 - s1)
WIDENING_WX(vwaddu_wx, s2 + s1)
WIDENING_WX(vwadd_wx, s2 + (UW)(S)s1)
WIDENING_WX(vwsubu_wx, s2 - s1)
WIDENING_WX(vwsub_wx, s2 - (UW)(S)s1)
WIDENING(vwmulu, s2 *s1)
WIDENING(vwmul, (SW)(S)s2 *(S)s1)
WIDENING(vwmulsu, (SW)(S)s2 *(SW)s1)
WIDENING(vwmaccu, d + s1 * s2)
WIDENING(vwmacc, d + (UW)((SW)(S)s1 * (S)s2))
WIDENING(vwmaccsu, d + (UW)((SW)(S)s1 * (SW)s2))
WIDENING(vwmaccus, d + (UW)((SW)s1 * (SW)(S)s2))

/* The value of an active lane in rd. Where they differ the program is undefined: the highest one's is taken
 * (section 4.1). */
static void move_to_scalar(karat_exec *e, uint64_t (*element)(const karat_exec *e, uint32_t i)) {
    const uint32_t lanes = (uint32_t)e->active;
    e->no_write = !lanes;
    uint64_t value = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (lanes >> i & 1)
            value = element(e, i);
    for (uint32_t i = e->n; i-- > 0;)
        if (lanes >> i & 1 && element(e, i) != value) {
            e->commit->warnings |= KARAT_WARN_LANES_DIFFER;
            e->commit->flagged = (karat_error){.kind = KARAT_ERR_LANES_DIFFER,
                                               .warp = e->warp_handle,
                                               .pc = e->commit->pc,
                                               .lane = (int32_t)i};
        }
    karat_put64(e->r, e->stride, value);
}

#define MOVE_AT(name, bits, to)                                                                              \
    static uint64_t name##_element_##bits(const karat_exec *e, uint32_t i) {                                 \
        uint32_t r[2];                                                                                       \
        to##_##bits(r, 0, 1, GET_##bits(e->v2, i, e->stride));                                               \
        return bits == 64 ? r[0] | (uint64_t)r[bits / 64] << 32 : r[0];                                      \
    }                                                                                                        \
    static void name##_##bits(karat_exec *e) {                                                               \
        move_to_scalar(e, name##_element_##bits);                                                            \
    }
MOVE_AT(vmv_x_s, 8, PUT)
MOVE_AT(vmv_x_s, 16, PUT)
MOVE_AT(vmv_x_s, 32, PUT)
MOVE_AT(vmv_x_s, 64, PUT)
MOVE_AT(vfmv_f_s, 16, PUT_FP)
/* rd = the element, sign-extended from less than 32 bits, of an active lane: the highest one. */
KARAT_SEMANTIC(vmv_x_s, vmv_x_s_8, vmv_x_s_16, vmv_x_s_32, vmv_x_s_64)
/* rd = the element of an active lane, the highest one; binary16 has ones above it. */
KARAT_SEMANTIC(vfmv_f_s, NULL, vfmv_f_s_16, vmv_x_s_32, vmv_x_s_64)

/* Custom arithmetic (section 4.2.5): s2 is the immediate. */
ELEMENTS_PAIR(vadd12, s1 + (A)e->x2)
ELEMENTS_PAIR(vsub12, s1 - (A)e->x2)
