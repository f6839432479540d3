#include "gen.h"

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
    const uint32_t csr = draw_csr(g);
    insn_csr(g, draw_row_of(g, KARAT_UNIT_CSR), csr, PROG_NONE);
}

/* Writes one after the other, often of all warps at once; then reads, to see whether the host has taken them. */
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
