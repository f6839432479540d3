#include "gen.h"

/* --- Vector accesses --- */

/* Lanes at any of the shared words. */
static void race_lanes(gen *g, space s) {
    const uint32_t reg = reg_vector(g, g->lmul == 2, false);
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_MEM);
    while (!u->index_bytes || (!u->stores && draw_chance(g, 50)));
    prog_li(g->p, g->address, SHARED - 4);
    insn_vector(g, ROW(g, vand_vx), reg, reg_vector(g, g->lmul == 2, false), g->address);
    values v = none();
    give_1(&v, u, g->base[s]);
    give_2(&v, u, reg);
    emit(g, u, false, v);
}

/* Lanes at consecutive words, or all at one word, which the second register of a group accesses again. first: from the first word
 * on. */
static void race_stride(gen *g, space s, bool first) {
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_MEM);
    while (!memory_has_stride(u) || (u->stores && draw_chance(g, 50)));
    const int32_t size = u->bytes, lanes = (int32_t)(g->params->num_thread * g->lmul),
                  widest = lanes > 1 ? (SHARED - size) / (lanes - 1) : 4,
                  stride = draw_chance(g, 60) ? 0 : draw_multiple(g, 0, widest, size);
    emit_3(g, ROW(g, addi), g->stride, 0, stride);
    emit_3(g, ROW(g, addi), g->address, g->base[s],
           first                ? 0
           : draw_chance(g, 50) ? draw_multiple(g, 0, 4, size)
                                : draw_multiple(g, 0, SHARED - size - stride * (lanes - 1), size));
    values v = none();
    give_1(&v, u, g->address);
    give_2(&v, u, g->stride);
    emit(g, u, false, v);
}

/* Combine registers that no instruction has written into registers that nothing else reads. Their values are known from their first use
 * on. */
static void use_unwritten(gen *g) {
    const uint32_t reg = g->unwritten[g->next_unwritten++ % g->num_unwritten];
    values v = none();
    give_rd(&v, ROW(g, vxor_vv), g->unread);
    give_1(&v, ROW(g, vxor_vv), reg);
    give_2(&v, ROW(g, vxor_vv), draw_chance(g, 50) ? reg : reg_vector(g, g->lmul == 2, false));
    emit(g, ROW(g, vxor_vv), false, v);
}

void race_reservations(gen *g, space s) {
    emit_3(g, ROW(g, addi), g->address, g->base[s], 0);
    for (uint32_t n = 3 + draw_below(g, 8); n--;) {
        atomic_put(g, ROW(g, lr_w), g->address, false);
        for (uint32_t i = 1 + draw_below(g, 3); i--;)
            atomic_put(g, ROW(g, sc_w), g->address, false);
    }
}

/* Loads of groups; other warps' atomics may come between the first register and the second. */
static void race_groups(gen *g, space s, const context *c) {
    const uint32_t lmul = g->lmul;
    if (c->vset)
        vset_lmul(g, 2, true);
    if (c->uniform && draw_chance(g, 50))
        insn_barrier(g);
    for (uint32_t n = 2 + draw_below(g, 5); n--;) {
        atomic_put(g, draw_row_of(g, KARAT_UNIT_AMO), g->base[s], false);
        if (draw_chance(g, 80))
            race_stride(g, s, draw_chance(g, 75));
        if (g->num_unwritten && draw_chance(g, 70))
            use_unwritten(g);
    }
    if (c->vset)
        vset_lmul(g, lmul, draw_chance(g, 50));
}

/* --- Scalar accesses --- */

static void race_scalar(gen *g, space s) {
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_MEM);
    while (u->source_v[1] || u->offset < 0);
    values v = none();
    give_1(&v, u, g->base[s]);
    give(&v, u->offset, draw_multiple(g, 0, SHARED - 8, u->bytes));
    emit(g, u, false, v);
}

/* An AMO, or LR and SC; at two of the words more than at others. */
static void race_atomic(gen *g, space s, const context *c) {
    const row_use *u = draw_chance(g, 40) ? ROW(g, lr_w) : draw_row_of(g, KARAT_UNIT_AMO);
    emit_3(g, ROW(g, addi), g->address, g->base[s],
           draw_chance(g, 50) ? draw_multiple(g, 0, 4, 4) : draw_multiple(g, 0, SHARED - 4, 4));
    const uint32_t base = g->address;
    if (u->source[2] < 0 && draw_chance(g, 30)) /* another warp may be between its LR and its SC */
        atomic_put(g, draw_row_of(g, KARAT_UNIT_AMO), base, false);
    if (draw_chance(g, 80)) /* else SC alone */
        atomic_put(g, u, base, false);
    if (u->source[2] >= 0)
        return;
    for (uint32_t n = draw_chance(g, 70) ? draw_below(g, 6) : 0; n--;) /* meanwhile others may store to it */
        kind_plain(g, c);
    for (uint32_t n = draw_chance(g, 90) ? 1 + draw_chance(g, 40) : 0; n--;)
        atomic_put(g, ROW(g, sc_w), base, false);
}

void kind_race(gen *g, const context *c) {
    const space s = draw_chance(g, 50) ? SHARED_GLOBAL : SHARED_LDS;
    if (draw_chance(g, 12)) {
        race_groups(g, s, c);
        return;
    }
    if (g->num_unwritten && draw_chance(g, 10))
        use_unwritten(g);
    if (draw_chance(g, 20))
        race_lanes(g, s);
    else if (draw_chance(g, 15))
        race_stride(g, s, false);
    else if (draw_chance(g, 10))
        race_reservations(g, s);
    else if (draw_chance(g, 25))
        race_scalar(g, s);
    else
        race_atomic(g, s, c);
}
