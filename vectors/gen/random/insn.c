#include "insn.h"

#include "draw.h"
#include "registers.h"

/* --- CSRs --- */

void insn_csr_read(gen *g, uint32_t reg, uint32_t csr) {
    values v = none();
    give(&v, g->row.csrrs->csr, (int32_t)csr);
    give_rd(&v, g->row.csrrs, reg);
    give_1(&v, g->row.csrrs, 0);
    emit(g, g->row.csrrs, false, v);
}

void insn_csr_set(gen *g, uint32_t csr, int32_t value) {
    values v = none();
    give_rd(&v, g->row.csrrwi, 0);
    give(&v, g->row.csrrwi->csr, (int32_t)csr);
    give_fixed(&v, g->row.csrrwi->wide, value);
    emit(g, g->row.csrrwi, false, v);
}

void insn_csr(gen *g, const row_use *u, uint32_t csr, int32_t source) {
    const bool fixed = csr_is_fixed(csr), swaps = row_swaps_csr(u), prints = csr == CSR_PRINT;
    const bool zero = fixed || csr == CSR_VSTART || (prints && !swaps);
    if (fixed && swaps)
        return;
    values v = none();
    give(&v, u->csr, (int32_t)csr);
    if (source != PROG_NONE)
        give_1(&v, u, (uint32_t)source);
    if (zero && u->source[1] >= 0)
        give_1(&v, u, 0);
    if (zero && u->wide >= 0)
        give_fixed(&v, u->wide, 0);
    /* The host's time of printing, and numbers that the dispatcher chooses: nothing may depend on them. */
    if (prints || csr == CSR_WGID || csr == CSR_LDS || csr == CSR_PDS)
        give_rd(&v, u, g->sink);
    emit(g, u, false, v);
    if (!zero && (csr == CSR_FRM || csr == CSR_FCSR)) /* a mode that exists */
        insn_csr_set(g, CSR_FRM, draw_between(g, 0, 4));
}

/* --- Scalar memory, jumps, barriers --- */

void insn_lw(gen *g, uint32_t reg, uint32_t base, int32_t offset) {
    values v = none();
    give_rd(&v, g->row.lw, reg);
    give_1(&v, g->row.lw, base);
    give(&v, g->row.lw->offset, offset);
    emit(g, g->row.lw, false, v);
}

void insn_sw(gen *g, uint32_t data, uint32_t base, int32_t offset) {
    values v = none();
    give_2(&v, g->row.sw, data);
    give_1(&v, g->row.sw, base);
    give(&v, g->row.sw->offset, offset);
    emit(g, g->row.sw, false, v);
}

int32_t insn_jal(gen *g, uint32_t rd) {
    values v = none();
    give_rd(&v, g->row.jal, rd);
    return emit_branch(g, g->row.jal, v);
}

void insn_jalr(gen *g, uint32_t rd, uint32_t base) {
    values v = none();
    give_rd(&v, g->row.jalr, rd);
    give_1(&v, g->row.jalr, base);
    give(&v, g->row.jalr->offset, 0);
    emit(g, g->row.jalr, false, v);
}

int32_t insn_branch_zero(gen *g, const row_use *u, uint32_t reg) {
    values v = none();
    give_1(&v, u, reg);
    give_2(&v, u, 0);
    return emit_branch(g, u, v);
}

void insn_barrier(gen *g) {
    static const int32_t scopes[] = {0, 2, 3};
    values v = none();
    const int32_t scope = scopes[draw_below(g, 3)];
    give_fixed(&v, 0, scope << 3 | (int32_t)draw_bits(g, 3));
    emit(g, g->row.barrier, false, v);
}

/* --- Vectors --- */

void insn_vector(gen *g, const row_use *u, uint32_t rd, uint32_t second, uint32_t first) {
    values v = none();
    give_rd(&v, u, rd);
    give_2(&v, u, second);
    give_1(&v, u, first);
    give(&v, u->vm, 1);
    emit(g, u, false, v);
}

void insn_vector_i(gen *g, const row_use *u, uint32_t rd, uint32_t source, int32_t value) {
    values v = none();
    give_rd(&v, u, rd);
    give_2(&v, u, source);
    give_fixed(&v, u->wide, value);
    give(&v, u->vm, 1);
    emit(g, u, false, v);
}

void insn_vmv_x(gen *g, uint32_t rd, uint32_t from) {
    values v = none();
    give_rd(&v, g->row.vmv_v_x, rd);
    give_1(&v, g->row.vmv_v_x, from);
    emit(g, g->row.vmv_v_x, false, v);
}

void insn_vzero(gen *g, uint32_t reg) {
    values v = none();
    const row_use *u = g->row.vmv_v_i;
    give_rd(&v, u, reg);
    give_fixed(&v, u->wide, 0);
    give(&v, u->vm, 1);
    emit(g, u, false, v);
}

void insn_vid(gen *g, uint32_t reg) {
    values v = none();
    give_rd(&v, g->row.vid_v, reg);
    give(&v, g->row.vid_v->vm, 1);
    emit(g, g->row.vid_v, false, v);
}

void insn_vlw12(gen *g, uint32_t reg, uint32_t base, int32_t offset) {
    values v = none();
    give_rd(&v, g->row.vlw12_v, reg);
    give(&v, g->row.vlw12_v->offset, offset);
    give_1(&v, g->row.vlw12_v, base);
    give(&v, g->row.vlw12_v->vm, 1);
    emit(g, g->row.vlw12_v, false, v);
}

void insn_vsw12(gen *g, uint32_t reg, uint32_t base, int32_t offset) {
    values v = none();
    give_2(&v, g->row.vsw12_v, reg);
    give(&v, g->row.vsw12_v->offset, offset);
    give_1(&v, g->row.vsw12_v, base);
    give(&v, g->row.vsw12_v->vm, 1);
    emit(g, g->row.vsw12_v, false, v);
}

void insn_addresses(gen *g, uint32_t reg, uint32_t lane, uint32_t start, int32_t apart) {
    emit_3(g, g->row.addi, g->stride, 0, 4 * apart);
    insn_vector(g, g->row.vmul_vx, reg, lane, g->stride);
    insn_vector(g, g->row.vadd_vx, reg, reg, start);
}

void insn_index(gen *g, bool all, uint32_t reg, uint32_t from) {
    if (!all)
        prog_li(g->p, g->address, 0xffff07fc);
    insn_vector(g, g->row.vand_vx, reg, from, all ? g->mask_global : g->address);
    if (all && g->index_above) {
        prog_li(g->p, g->address, g->index_above);
        insn_vector(g, g->row.vor_vx, reg, reg, g->address);
    }
}

void insn_below_index(gen *g, uint32_t reg) {
    if (!g->index_above)
        return;
    prog_li(g->p, g->sink, g->index_above);
    emit_3(g, g->row.sub, reg, reg, (int32_t)g->sink);
}

void insn_splat(gen *g, const row_use *u, uint32_t from) {
    const uint32_t reg = reg_vector(g, g->lmul == 2, false);
    insn_vmv_x(g, reg, from);
    values v = none();
    for (unsigned s = 1; s <= 3; s++)
        if (u->source_v[s])
            give(&v, u->source[s], (int32_t)reg);
    emit(g, u, false, v);
}
