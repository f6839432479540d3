#include "gen.h"

int32_t insn_put(gen *g, const row_use *u, uint32_t rd, uint32_t first, uint32_t second, int32_t imm) {
    values v = none();
    give_rd(&v, u, rd);
    give_1(&v, u, first);
    give_2(&v, u, second);
    give(&v, u->vm, 1);
    for (uint32_t i = 0; i < u->info->num_operands; i++)
        if (karat_operand_info(u->info->operands[i])->role == KARAT_ROLE_IMM)
            give_fixed(&v, (int8_t)i, imm);
    return emit(g, u, false, v);
}

void insn_csr_set(gen *g, uint32_t csr, int32_t value) {
    values v = none();
    give_rd(&v, ROW(g, csrrwi), 0);
    give(&v, ROW(g, csrrwi)->csr, (int32_t)csr);
    give_fixed(&v, ROW(g, csrrwi)->wide, value);
    emit(g, ROW(g, csrrwi), false, v);
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

void insn_barrier(gen *g) {
    static const int32_t scopes[] = {0, 2, 3};
    const int32_t scope = scopes[draw_below(g, 3)];
    insn_put(g, ROW(g, barrier), 0, 0, 0, scope << 3 | (int32_t)draw_bits(g, 3));
}

void insn_addresses(gen *g, uint32_t reg, uint32_t lane, uint32_t start, int32_t apart) {
    emit_3(g, ROW(g, addi), g->stride, 0, 4 * apart);
    insn_vector(g, ROW(g, vmul_vx), reg, lane, g->stride);
    insn_vector(g, ROW(g, vadd_vx), reg, reg, start);
}

void insn_index(gen *g, bool all, uint32_t reg, uint32_t from) {
    if (!all)
        prog_li(g->p, g->address, 0xffff07fc);
    insn_vector(g, ROW(g, vand_vx), reg, from, all ? g->mask_global : g->address);
    if (all && g->index_above) {
        prog_li(g->p, g->address, g->index_above);
        insn_vector(g, ROW(g, vor_vx), reg, reg, g->address);
    }
}

void insn_below_index(gen *g, uint32_t reg) {
    if (!g->index_above)
        return;
    prog_li(g->p, g->sink, g->index_above);
    emit_3(g, ROW(g, sub), reg, reg, (int32_t)g->sink);
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
