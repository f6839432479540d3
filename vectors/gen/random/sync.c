/* Barriers and fences. */
#include "gen.h"

#include <string.h>

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
