#include "gen.h"

void atomic_put(gen *g, const row_use *u, uint32_t base, bool pair) {
    values v = none();
    give_1(&v, u, base);
    emit(g, u, pair, v);
}

void kind_atomic(gen *g, const context *c) {
    const row_use *u = draw_chance(g, 30) ? ROW(g, lr_w) : draw_row_of(g, KARAT_UNIT_AMO);
    const bool pair = draw_chance(g, 15) && u->takes_prefix[PROG_REGPAIR];
    const space s = draw_chance(g, 50) ? GLOBAL : LDS;
    const int32_t half = (s == GLOBAL ? REGION : LDS_REGION) / 2;
    const uint32_t base = memory_address(g, s, -half, half - 8, 4, pair);
    atomic_put(g, u, base, pair);
    if (u->source[2] >= 0)
        return;
    for (uint32_t n = draw_below(g, 3); n--;) /* LR: mostly its SC, too */
        kind_plain(g, c);
    if (draw_chance(
            g, 35)) { /* an SC that fails: at another word, or at the same place of the neighbour's memory */
        emit_3(g, ROW(g, sub), g->stride, base, (int32_t)g->base[s]);
        emit_3(g, ROW(g, add), g->stride, g->stride,
               (int32_t)g->base[s == GLOBAL ? NEIGHBOUR : LDS_NEIGHBOUR]);
        atomic_put(g, ROW(g, sc_w), draw_chance(g, 50) ? g->stride : g->base[s], false);
        return;
    }
    for (uint32_t n = draw_chance(g, 80) ? 1 + draw_chance(g, 25) : 0; n--;) /* the second one must fail */
        atomic_put(g, ROW(g, sc_w), base, pair);
}

/* A vector store, often of some lanes only; the word at base is one of its elements, in any lane. */
static void store_around(gen *g, uint32_t base) {
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_MEM);
    while (!u->stores || u->source_v[1] || u->source_v[2] || u->source[2] >= 0 || u->offset >= 0);
    emit_3(g, ROW(g, addi), g->stride, base, -4 * (int32_t)draw_below(g, g->params->num_thread));
    values v = none();
    give_1(&v, u, g->stride);
    if (draw_chance(g, 60))
        give(&v, u->vm, 0);
    emit(g, u, false, v);
}

/* LR of a word of the warp's own; between two barriers the previous warp stores there or near it; then SC. */
void kind_reserve(gen *g, const context *c) {
    (void)c;
    const bool local = draw_chance(g, 50);
    const int32_t half = local ? LDS_REGION / 2 : 2048;
    const int32_t at = draw_multiple(g, LANES_BYTES - half, half - 3 * LANES_BYTES, 4);
    const uint32_t own = g->base[local ? LDS : GLOBAL], other = g->base[local ? LDS_NEIGHBOUR : NEIGHBOUR];
    emit_3(g, ROW(g, addi), g->address, own, at);
    atomic_put(g, ROW(g, lr_w), g->address, false);
    insn_barrier(g);
    emit_3(g, ROW(g, addi), g->address, other, at + (draw_chance(g, 50) ? 0 : 4 * draw_between(g, -2, 2)));
    if (draw_chance(g, 60))
        store_around(g, g->address);
    else
        atomic_put(g, draw_row_of(g, KARAT_UNIT_AMO), g->address, false);
    insn_barrier(g);
    emit_3(g, ROW(g, addi), g->address, own, at);
    atomic_put(g, ROW(g, sc_w), g->address, false);
}
