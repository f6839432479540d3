/* CSRs: section 3.2 and decisions, "Registers, CSRs, launch". */
#include "core.h"

enum {
#define CSR(number, name, id) CSR_##id = number,
#define LANE_CSR              CSR
#include "../isa/csr.def"
#undef CSR
#undef LANE_CSR
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

bool karat_is_lane_csr(uint32_t csr) {
    return csr >= CSR_GID_X && csr <= CSR_LID_Z;
}

/* The metadata buffer's sizes and offsets, in words from its beginning (section 2.2). */
enum { KNL_GLOBAL_SIZE = 3, KNL_LOCAL_SIZE = 6, KNL_GLOBAL_OFFSET = 9, KNL_SIZES_END = 12 };

/* Read these words. The error where one is not mapped. */
static karat_error_kind read_sizes(const karat_model *model, const karat_warp *warp,
                                   uint32_t word[KNL_SIZES_END], karat_commit *commit) {
    for (uint32_t i = KNL_GLOBAL_SIZE; i < KNL_SIZES_END; i++) {
        const uint32_t addr = warp->csr[KARAT_CSR_KNL] + 4 * i;
        uint64_t phys;
        karat_page_fault fault = {.reason = KARAT_FAULT_NONE};
        const uint8_t *page =
            addr & 3 ? NULL : karat_warp_page(model, warp, addr, KARAT_USE_LOAD, &phys, &fault);
        if (!page) {
            commit->error.addr = addr;
            commit->fault = fault;
            return addr & 3 ? KARAT_ERR_MISALIGNED : fault.reason ? KARAT_ERR_PAGE : KARAT_ERR_UNMAPPED;
        }
        word[i] = karat_get(page + (addr & (KARAT_PAGE - 1)), 4);
    }
    return KARAT_ERR_NONE;
}

karat_error_kind karat_lane_csr_get(const karat_model *model, const karat_warp *warp, uint32_t csr,
                                    uint32_t value[], karat_commit *commit) {
    uint32_t word[KNL_SIZES_END];
    const karat_error_kind error = read_sizes(model, warp, word, commit);
    if (error)
        return error;
    const uint32_t *global = word + KNL_GLOBAL_SIZE, *offset = word + KNL_GLOBAL_OFFSET;
    uint32_t local[3];
    for (unsigned d = 0; d < 3; d++) /* Of a dimension that is not used it may be 0 */
        local[d] = word[KNL_LOCAL_SIZE + d] ? word[KNL_LOCAL_SIZE + d] : 1;
    for (uint32_t lane = 0; lane < model->config.num_thread; lane++) {
        const uint32_t thread = warp->csr[KARAT_CSR_WID] * warp->csr[KARAT_CSR_NUMT] + lane;
        const uint32_t lid[3] = {thread % local[0], thread / local[0] % local[1],
                                 thread / local[0] / local[1]};
        uint32_t gid[3]; /* Without the offsets */
        for (unsigned d = 0; d < 3; d++)
            gid[d] = warp->csr[KARAT_CSR_GDX + d] * local[d] + lid[d];
        if (csr >= CSR_LID_X)
            value[lane] = lid[csr - CSR_LID_X];
        else if (csr == CSR_GID)
            value[lane] = (gid[2] * global[1] + gid[1]) * global[0] + gid[0];
        else
            value[lane] = gid[csr - CSR_GID_X] + offset[csr - CSR_GID_X];
    }
    return KARAT_ERR_NONE;
}
