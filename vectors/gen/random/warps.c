/* Between warps: atomics, races on shared words, barriers and fences. */
#include "gen.h"

#include <string.h>

/* --- Atomics --- */

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
            g, 35)) { /* An SC that fails: at another word, or at the same place of the neighbour's memory */
        emit_3(g, ROW(g, sub), g->stride, base, (int32_t)g->base[s]);
        emit_3(g, ROW(g, add), g->stride, g->stride,
               (int32_t)g->base[s == GLOBAL ? NEIGHBOUR : LDS_NEIGHBOUR]);
        atomic_put(g, ROW(g, sc_w), draw_chance(g, 50) ? g->stride : g->base[s], false);
        return;
    }
    for (uint32_t n = draw_chance(g, 80) ? 1 + draw_chance(g, 25) : 0; n--;) /* The second one must fail */
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

/* --- Races: vector accesses --- */

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

/* Lanes at consecutive words, or all at one word, which the second register of a group accesses again. first:
 * from the first word on. */
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

/* Combine registers that no instruction has written into registers that nothing else reads. Their values are
 * known from their first use on. */
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

/* --- Races: scalar accesses --- */

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
    if (u->source[2] < 0 && draw_chance(g, 30)) /* Another warp may be between its LR and its SC */
        atomic_put(g, draw_row_of(g, KARAT_UNIT_AMO), base, false);
    if (draw_chance(g, 80)) /* Else there is an SC alone */
        atomic_put(g, u, base, false);
    if (u->source[2] >= 0)
        return;
    for (uint32_t n = draw_chance(g, 70) ? draw_below(g, 6) : 0; n--;) /* Meanwhile others may store to it */
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

/* --- Barriers and fences --- */

/* Scalar accesses one after the other, or any access. */
static void some_memory(gen *g, const context *c) {
    if (draw_chance(g, 30)) {
        kind_memory(g, c);
        return;
    }
    const space s = draw_chance(g, 80) ? GLOBAL : LDS;
    for (uint32_t n = 1 + draw_below(g, 3); n--;) {
        const row_use *u;
        do
            u = draw_row_of(g, KARAT_UNIT_MEM);
        while (u->source_v[1] || u->offset < 0 || (u->stores && !c->stores));
        memory_scalar(g, u, false, s, none());
    }
}

/* An instruction that orders memory, mostly with accesses before and after it. */
static void between_memory(gen *g, const row_use *u, values v, const context *c) {
    if (draw_chance(g, 80))
        some_memory(g, c);
    emit(g, u, false, v);
    if (draw_chance(g, 80))
        some_memory(g, c);
}

void kind_barrier(gen *g, const context *c) {
    between_memory(g, ROW(g, barrier), none(), c);
}

/* A row that orders memory for the warp alone; mostly it orders all of memory. */
void kind_sync(gen *g, const context *c) {
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_SYNC);
    while (u->info->owes);
    values v = none();
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const char *name = karat_operand_info(u->info->operands[i])->name;
        if ((strcmp(name, "pred") == 0 || strcmp(name, "succ") == 0) && draw_chance(g, 75))
            give(&v, (int8_t)i, 15);
        if (strcmp(name, "fm") == 0 && draw_chance(g, 75))
            give(&v, (int8_t)i, 0);
    }
    if (draw_chance(g, 30)) {
        between_memory(g, u, v, c);
        return;
    }
    for (uint32_t n = 1 + draw_below(g, 3); n--;)
        memory_scalar(g, ROW(g, lw), false, GLOBAL, none());
    emit(g, u, false, v);
    memory_scalar(g, draw_chance(g, 70) ? ROW(g, lw) : ROW(g, lb), false, GLOBAL, none());
}

/* Between two barriers nobody stores, and warps read their neighbours' results. */
void kind_neighbour(gen *g, const context *c) {
    context in = *c;
    in.stores = in.vset = false;
    in.loops = 2;
    in.arms = 3;
    if (draw_chance(g, 50))
        kind_memory(g, c);
    insn_barrier(g);
    block_fill(g, 2 + draw_below(g, 7), in);
    if (draw_chance(g, 50))
        kind_memory(g, &in);
    insn_barrier(g);
    if (draw_chance(g, 50))
        kind_memory(g, c);
}
