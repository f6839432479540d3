/* Single instructions: of the arithmetic units, of CSRs, printing, vl and vtype, vector addresses. */
#include "gen.h"

/* --- Arithmetic, CSRs, printing --- */

uint32_t plain_unit(gen *g) {
    uint32_t at = draw_below(g, g->plain_sum), unit = 0;
    while (at >= g->plain_weight[unit])
        at -= g->plain_weight[unit++];
    return unit;
}

uint32_t plain_any_unit(gen *g) {
    uint32_t unit = plain_unit(g);
    while (draw_chance(g, 50)) {
        unit = draw_below(g, KARAT_NUM_UNIT);
        if (g->plain_weight[unit])
            break;
        unit = plain_unit(g);
    }
    return unit;
}

void kind_plain(gen *g, const context *c) {
    (void)c;
    if (wide_is_known(g) && draw_chance(g, 75)) {
        wide_plain(g);
        return;
    }
    const row_use *u =
        draw_chance(g, 15) ? g->favourite[draw_below(g, FAVOURITES)] : draw_row_of(g, plain_unit(g));
    if (row_is_splat(u))
        insn_splat(g, u, reg_scalar(g, false));
    else
        emit_any(g, u);
}

void kind_splat(gen *g, const context *c) {
    (void)c;
    insn_splat(g, ROW(g, vmv_x_s), reg_scalar(g, false));
}

void kind_csr(gen *g, const context *c) {
    (void)c;
    uint32_t csr = draw_csr(g);
    const row_use *u = draw_row_of(g, KARAT_UNIT_CSR);
    if (!u->dest_x && draw_chance(g, 70))
        csr = (uint32_t)draw_between(g, CSR_GID_X, CSR_LID_Z);
    insn_csr(g, u, csr, PROG_NONE);
}

/* Writes one after the other, often of all warps at once; then reads, to see whether the host has taken
 * them. */
void kind_print(gen *g, const context *c) {
    if (c->uniform && draw_chance(g, 40))
        insn_barrier(g);
    for (uint32_t n = 1 + draw_below(g, 6); n--;)
        if (draw_chance(g, 60))
            insn_csr_set(g, CSR_PRINT, draw_between(g, 1, 31));
        else
            insn_csr(g, draw_row_of(g, KARAT_UNIT_CSR), CSR_PRINT, PROG_NONE);
    for (uint32_t n = draw_chance(g, 40) ? 1 + draw_below(g, 8) : 0; n--;) {
        kind_plain(g, c);
        if (draw_chance(g, 30))
            insn_csr(g, ROW(g, csrrs), CSR_PRINT, 0);
    }
}

/* --- vl, vtype, vector addresses --- */

void vset_put(gen *g, const row_use *u, uint32_t vtype, bool full) {
    values v = none();
    if (u->avl >= 0 && full)
        u = ROW(g, vsetvli); /* An immediate length has five bits, or eleven after REGEXTI: 31 may be fewer
                                than all elements */
    give(&v, u->vtype, (int32_t)vtype);
    if (u->avl >= 0)
        give(&v, u->avl, (int32_t)draw_bits(g, 5));
    if (u->source[1] >= 0 && (full || draw_chance(g, 60))) {
        static const int32_t all[] = {64, 65, 2047, -1};
        emit_3(g, ROW(g, addi), g->address, 0, full ? all[draw_below(g, 4)] : draw_between(g, 0, 40));
        give_1(&v, u, g->address);
    }
    if (u->source[2] >= 0) {
        emit_3(g, ROW(g, addi), g->stride, 0, (int32_t)vtype);
        give_2(&v, u, g->stride);
    }
    emit(g, u, false, v);
}

void vset_lmul(gen *g, uint32_t lmul, bool full) {
    const uint32_t vtype = 2u << 3 | (lmul - 1) | draw_bits(g, 2) << 6;
    vset_put(g, draw_row_of(g, KARAT_UNIT_CONFIG), vtype, full);
    g->lmul = lmul;
}

void kind_vset(gen *g, const context *c) {
    if (wide_is_known(g) && draw_chance(g, 60)) {
        wide_section(g, c);
        return;
    }
    const uint32_t lmul = 1 + (draw_below(g, 3) == 0);
    vset_lmul(g, lmul, draw_chance(g, lmul == 2 ? 60 : 40));
    if (lmul == 2 && draw_chance(g, 20)) /* Numbers that no load returns */
        insn_vid(g, reg_vector(g, true, false));
}

/* An unsupported setting: vl = 0; then instructions that do not depend on vtype. */
void kind_vill(gen *g, const context *c) {
    (void)c;
    const uint32_t lmul = g->lmul;
    uint32_t vtype = draw_below(g, 66);
    vtype = vtype == 64 ? 0x100 : vtype == 65 ? 0x3ff : vtype == 0x10 || vtype == 0x11 ? 0x12 : vtype;
    const bool full = draw_chance(g, 50);
    vset_put(g, draw_row_of(g, KARAT_UNIT_CONFIG), vtype, full);
    for (uint32_t n = draw_below(g, 5); n--;) {
        static const uint8_t units[] = {KARAT_UNIT_ALU, KARAT_UNIT_MUL, KARAT_UNIT_DIV};
        const row_use *u = draw_row_of(g, units[draw_below(g, 3)]);
        if (!u->own)
            emit_any(g, u);
    }
    vset_lmul(g, lmul, draw_chance(g, 50));
}

/* Addresses of GLOBAL, of LDS or of private memory (2), made of the bits of any register. */
static void renew_addresses(gen *g, uint32_t which) {
    const uint32_t mask = which == GLOBAL ? g->mask_global : g->mask_lds, reg = g->vbase[which][1];
    insn_vector(g, ROW(g, vand_vx), reg, reg_vector(g, false, false), mask);
    if (which == 2) {
        insn_put(g, ROW(g, vadd12_vi), reg, reg, 0, 1024);
        return;
    }
    uint32_t start = g->base[GLOBAL];
    if (which == LDS) {
        emit_3(g, ROW(g, addi), g->address, g->base[LDS], -256);
        start = g->address;
    }
    insn_vector(g, ROW(g, vadd_vx), reg, reg, start);
}

void kind_addresses(gen *g, const context *c) {
    (void)c;
    const uint32_t which =
        draw_below(g, 6); /* 3: indices; from 4 on: some lanes in one memory, others in the other */
    if (which < 3) {
        renew_addresses(g, which);
        return;
    }
    if (which == 3) {
        const bool all = draw_chance(g, 50);
        insn_index(g, all, g->index[!all], reg_vector(g, false, false));
        return;
    }
    const uint32_t global = g->vbase[GLOBAL][draw_below(g, 2)];
    insn_vector(g, ROW(g, vmerge_vvm), g->vmixed, global, g->vbase[LDS][draw_below(g, 2)]);
}
