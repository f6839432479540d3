/* Vector integer instructions that Ventus keeps of V 1.0: each lane works on its own elements (section 4.1),
 * and the custom arithmetic (section 4.2.5). */
#include "exec.h"

ELEMENTS(vadd, s2 + s1)
ELEMENTS(vsub, s2 - s1)
ELEMENTS(vrsub, s1 - s2)
ELEMENTS(vminu, s2 < s1 ? s2 : s1)
ELEMENTS(vmin, (int32_t)s2 < (int32_t)s1 ? s2 : s1)
ELEMENTS(vmaxu, s2 > s1 ? s2 : s1)
ELEMENTS(vmax, (int32_t)s2 > (int32_t)s1 ? s2 : s1)
ELEMENTS(vand, s2 &s1)
ELEMENTS(vor, s2 | s1)
ELEMENTS(vxor, s2 ^ s1)
ELEMENTS(vsll, s2 << (s1 & 31))
ELEMENTS(vsrl, s2 >> (s1 & 31))
ELEMENTS(vsra, karat_sra(s2, s1 & 31))

ELEMENTS_M(vadc, s2 + s1 + m)
ELEMENTS_M(vsbc, s2 - s1 - m)
ELEMENTS_M(vmadc_carry, ((uint64_t)s2 + s1 + m) >> 32 & 1)
ELEMENTS_M(vmsbc_carry, (uint64_t)s2 < (uint64_t)s1 + m)
ELEMENTS(vmadc, ((uint64_t)s2 + s1) >> 32 & 1)
ELEMENTS(vmsbc, s2 < s1)

ELEMENTS(vmseq, s2 == s1)
ELEMENTS(vmsne, s2 != s1)
ELEMENTS(vmsltu, s2 < s1)
ELEMENTS(vmslt, (int32_t)s2 < (int32_t)s1)
ELEMENTS(vmsleu, s2 <= s1)
ELEMENTS(vmsle, (int32_t)s2 <= (int32_t)s1)
ELEMENTS(vmsgtu, s2 > s1)
ELEMENTS(vmsgt, (int32_t)s2 > (int32_t)s1)

ELEMENTS_M(vmerge, m ? s1 : s2)
ELEMENTS(vmv, s1)

ELEMENTS(vdivu, karat_divu(s2, s1))
ELEMENTS(vdiv, karat_div(s2, s1))
ELEMENTS(vremu, karat_remu(s2, s1))
ELEMENTS(vrem, karat_rem(s2, s1))
ELEMENTS(vmul, s2 *s1)
ELEMENTS(vmulhu, karat_mulhu(s2, s1))
ELEMENTS(vmulh, karat_mulh(s2, s1))
ELEMENTS(vmulhsu, karat_mulhsu(s2, s1))
ELEMENTS(vmadd, s1 *d + s2)
ELEMENTS(vnmsub, s2 - s1 * d)
ELEMENTS(vmacc, d + s1 * s2)
ELEMENTS(vnmsac, d - s1 * s2)

ELEMENTS(vmandn, s2 & ~s1)
ELEMENTS(vmand, s2 &s1)
ELEMENTS(vmor, s2 | s1)
ELEMENTS(vmxor, s2 ^ s1)
ELEMENTS(vmorn, s2 | ~s1)
ELEMENTS(vmnand, ~(s2 &s1))
ELEMENTS(vmnor, ~(s2 | s1))
ELEMENTS(vmxnor, ~(s2 ^ s1))

ELEMENTS(vid, i)

/* Every active lane writes rd; where they differ the program is undefined: the highest one's value is taken
 * (section 4.1). */
void karat_sem_vmv_x_s(karat_exec *e) {
    uint32_t lanes = (uint32_t)e->active;
    e->no_write = !lanes;
    uint32_t value = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (lanes >> i & 1)
            value = e->v2[i];
    for (uint32_t i = e->n; i-- > 0;)
        if (lanes >> i & 1 && e->v2[i] != value) {
            e->commit->warnings |= KARAT_WARN_LANES_DIFFER;
            e->commit->flagged = (karat_error){.kind = KARAT_ERR_LANES_DIFFER,
                                               .warp = e->warp_handle,
                                               .pc = e->commit->pc,
                                               .lane = (int32_t)i};
        }
    e->r[0] = value;
}

/* The immediate is unsigned; deviation vadd12-signed takes it as signed. */
static uint32_t imm12(const karat_exec *e) {
    uint32_t imm = e->x2;
    if (!(e->model->config.deviations & KARAT_DEV_VADD12_SIGNED) || imm < 0x800u)
        return imm;
    e->commit->deviated |= KARAT_DEV_VADD12_SIGNED;
    return imm - 0x1000u;
}

void karat_sem_vadd12(karat_exec *e) {
    uint32_t imm = imm12(e);
    for (uint32_t i = 0; i < e->n; i++)
        e->r[i] = e->v1[i] + imm;
}

void karat_sem_vsub12(karat_exec *e) {
    uint32_t imm = imm12(e);
    for (uint32_t i = 0; i < e->n; i++)
        e->r[i] = e->v1[i] - imm;
}
