/* Vector configuration: what vl and vtype become (section 4.1). */
#include "exec.h"

/* Rows vsetvli, vsetivli, vsetvl: VLMAX = LMUL * num_thread for every SEW; e32 (v2.03: e8 and e16, too)
 * with m1 or m2, every other setting sets vill. */
SEMANTIC(vsetvl) {
    karat_warp *warp = e->warp;
    const karat_decoded *insn = e->insn;
    bool immediate = !(insn->plan & PLAN_X1), by_register = insn->plan & PLAN_X2;
    uint32_t vtype = by_register ? (uint32_t)e->x2 : (uint32_t)insn->imm[0];
    uint32_t lmul = vtype & 7;
    uint32_t old = warp->vl;
    if (!karat_vtype_is_legal(e->model, vtype)) {
        warp->vtype = KARAT_VTYPE_VILL;
        warp->vl = 0;
        warp->lmul = 1;
        warp->sew = KARAT_W32;
    } else {
        uint32_t vlmax = e->model->config.num_thread << lmul;
        uint32_t avl = (uint32_t)e->x1;
        if (!immediate && insn->rs1 == 0)
            avl = insn->rd != 0 ? vlmax : warp->vl;
        warp->vtype = vtype;
        warp->vl = avl < vlmax ? avl : vlmax;
        warp->lmul = (uint8_t)(1u << lmul);
        warp->sew = karat_vtype_sew(vtype);
    }
    karat_set_usual(warp);
    e->r[0] = warp->vl;
    e->commit->csr_written = 1;
    e->commit->csr = 0xc20;
    e->commit->csr_old = old;
    e->commit->csr_value = warp->vl;
}
