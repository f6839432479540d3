/* CSRs: section 3.2 and decisions, "Registers, CSRs, launch". */
#include "core.h"

enum {
#define CSR(number, name, id) CSR_##id = number,
#include "../isa/csr.def"
#undef CSR
};

/* With deviation machine-csrs, as a core has it that knows machine mode alone. */
enum { MSTATUS_KEPT = 1 << 3 | 1 << 7, MSTATUS_MPP = 3 << 11 };

bool karat_csr_get(const karat_model *model, const karat_warp *warp, uint32_t csr, uint32_t *value) {
    const bool hardwired = model->config.deviations & KARAT_DEV_MACHINE_CSRS;
    switch (csr) {
    case CSR_FFLAGS: *value = warp->fflags; return true;
    case CSR_FRM: *value = warp->frm; return true;
    case CSR_FCSR: *value = (uint32_t)warp->frm << 5 | warp->fflags; return true;
    case CSR_VSTART: *value = 0; return true;
    case CSR_VXSAT: *value = warp->vxsat; return true;
    case CSR_VXRM: *value = warp->vxrm; return true;
    case CSR_VCSR: *value = (uint32_t)warp->vxrm << 1 | warp->vxsat; return true;
    case CSR_VL: *value = warp->vl; return true;
    case CSR_VTYPE: *value = warp->vtype; return true;
    case CSR_VLENB: *value = 4 * model->config.num_thread; return true;
    case CSR_MSTATUS:
        *value = hardwired ? (warp->mstatus & MSTATUS_KEPT) | MSTATUS_MPP : warp->mstatus;
        return true;
    case CSR_MTVEC: *value = hardwired ? 0 : warp->mtvec; return true;
    case CSR_MSCRATCH: *value = warp->mscratch; return true;
    default:
        if (csr - KARAT_CSR_BASE >= KARAT_NUM_CUSTOM_CSR)
            return false;
        *value = warp->csr[csr - KARAT_CSR_BASE];
        return true;
    }
}

uint32_t karat_csr_deviates(const karat_model *model, const karat_warp *warp, uint32_t csr) {
    uint32_t value;
    if ((csr != CSR_MSTATUS && csr != CSR_MTVEC) || !karat_csr_get(model, warp, csr, &value))
        return 0;
    return value != (csr == CSR_MSTATUS ? warp->mstatus : warp->mtvec) ? KARAT_DEV_MACHINE_CSRS : 0;
}

bool karat_csr_set(karat_warp *warp, uint32_t csr, uint32_t value) {
    switch (csr) {
    case CSR_FFLAGS: warp->fflags = value & 31; return true;
    case CSR_FRM:
        warp->frm = value & 7;
        karat_set_usual(warp);
        return true;
    case CSR_FCSR:
        warp->fflags = value & 31;
        warp->frm = value >> 5 & 7;
        karat_set_usual(warp);
        return true;
    case CSR_VSTART: return value == 0; /* It is always 0 */
    case CSR_VXSAT: warp->vxsat = value & 1; return true;
    case CSR_VXRM: warp->vxrm = value & 3; return true;
    case CSR_VCSR:
        warp->vxsat = value & 1;
        warp->vxrm = value >> 1 & 3;
        return true;
    case CSR_MSTATUS: warp->mstatus = value; return true;
    case CSR_MTVEC: warp->mtvec = value; return true;
    case CSR_MSCRATCH: warp->mscratch = value; return true;
    case CSR_PRINT: warp->csr[KARAT_CSR_PRINT] = value; return true;
    case CSR_RPC: warp->csr[KARAT_CSR_RPC] = value; return true;
    default: return false; /* Read-only, or no CSR at all */
    }
}
