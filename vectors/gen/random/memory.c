/* Loads and stores of all forms: their addresses, in which space, and bursts of them. */
#include "gen.h"

/* --- Accesses by form --- */

/* An address for each lane, from a vector register. */
static void lane_memory(gen *g, const row_use *u, bool pair, values v) {
    static const int32_t low[] = {-2048, -256, -1024}, high[] = {2032, 248, 1016};
    const uint32_t which = u->private ? 2 : draw_below(g, 2);
    give_1(&v, u,
           which == LDS && draw_chance(g, 20)                      ? g->vmixed
           : u->private && pair && g->vbelow && draw_chance(g, 50) ? g->vbelow
                                                                   : g->vbase[which][draw_below(g, 2)]);
    give(&v, u->offset, draw_offset(g, low[which], high[which], u->bytes));
    emit(g, u, pair, v);
}

uint32_t memory_address(gen *g, space s, int32_t low, int32_t high, int32_t size, bool pair) {
    const uint32_t reg = pair && draw_chance(g, 60) ? g->address_pair : g->address;
    emit_3(g, ROW(g, addi), reg, g->base[s],
           draw_offset(g, low < -2048 ? -2048 : low, high > 2047 ? 2047 : high, size));
    return reg;
}

static bool is_lds(space s) {
    return s == LDS || s == LDS_NEIGHBOUR || s == SHARED_LDS;
}

bool memory_has_stride(const row_use *u) {
    return u->offset < 0 && !u->source_v[1] && u->source[2] >= 0 && !u->source_v[2];
}

void memory_scalar(gen *g, const row_use *u, bool pair, space s, values v) {
    const int32_t half = is_lds(s) ? LDS_REGION / 2 : 2048;
    int32_t offset = draw_offset(g, -half, half - 8, u->bytes);
    uint32_t base = g->base[s]; /* An odd number: 32 bits, also after REGPAIR */
    if (pair && draw_chance(g, 60)) {
        base = memory_address(g, s, -256, 240, 4, true);
        offset = draw_multiple(g, -256, 240, u->bytes);
    }
    give_1(&v, u, base);
    give(&v, u->offset, offset);
    emit(g, u, pair, v);
}

/* A vector of consecutive elements, or with a stride, or with indices. */
static void element_memory(gen *g, const row_use *u, bool pair, space s, values v) {
    const bool lds = is_lds(s);
    const int32_t half = (lds ? LDS_REGION : REGION) / 2, lanes = 32 * (int32_t)(u->own ? g->lmul : 1),
                  size = u->bytes, width = pair && size == 4 ? 8 : size;
    int32_t low = -half, high = half - lanes * width;
    if (memory_has_stride(u)) {
        const int32_t widest = lds ? 4 : 28, stride = draw_multiple(g, -widest, widest, size);
        emit_3(g, ROW(g, addi), g->stride, 0, stride);
        give_2(&v, u, g->stride);
        low = -half + (stride < 0 ? -stride : 0) * (lanes - 1);
        high = half - 8 - (stride > 0 ? stride : 0) * (lanes - 1);
    } else if (u->source[2] >= 0 && u->index_bytes) {
        if (lds && u->index_bytes != 1)
            return;
        give_2(&v, u, g->index[u->index_bytes < 4]);
        high = half - 8 - (u->index_bytes == 1 ? 252 : 0x7fc);
    }
    const uint32_t base = memory_address(g, s, low, high, size, pair);
    if (u->index_bytes == 4)
        insn_below_index(g, base);
    give_1(&v, u, base);
    emit(g, u, pair, v);
}

/* --- Any access --- */

/* A pair of registers to store; the result for its upper half is under way. */
static void give_late_pair(gen *g, const row_use *store, values *v) {
    const uint32_t source = store->source[3] >= 0 ? 3 : 2;
    const bool is_v = store->source_v[source];
    uint32_t pairs[MAX_X + MAX_V], num = 0;
    for (uint32_t i = 0; i < (is_v ? g->num_pool_v : g->num_pool_x); i++) {
        const uint32_t low = (is_v ? g->v : g->x)[i];
        if (low % 2 == 0 && (is_v ? reg_in_v : reg_in_x)(g, low + 1))
            pairs[num++] = low;
    }
    const row_use *u = NULL;
    for (uint32_t tries = 0; tries < 16 && (!u || u->dest < 0 || u->dest_x == is_v || row_is_splat(u));
         tries++)
        u = draw_row_of(g, plain_any_unit(g));
    if (!num || g->lmul != 1 || u->dest < 0 || u->dest_x == is_v || row_is_splat(u))
        return;
    const uint32_t low = pairs[draw_below(g, num)];
    values result = none();
    give_rd(&result, u, low + 1);
    emit(g, u, false, result);
    give(v, store->source[source], (int32_t)low);
}

/* A pair is one of registers, where the row allows it. */
static void put_memory(gen *g, const row_use *u, bool pair, const context *c) {
    if (u->stores && !c->stores)
        return;
    pair = pair && u->takes_prefix[PROG_REGPAIR] && !(u->own && g->lmul == 2 && u->bytes == 4);
    values v = none();
    if (u->stores && pair && u->bytes == 4 && draw_chance(g, 40))
        give_late_pair(g, u, &v);
    if (u->source_v[1]) {
        lane_memory(g, u, pair, v);
        return;
    }
    space s = draw_chance(g, 67) ? GLOBAL : LDS;
    if (!c->stores && c->uniform && draw_chance(g, 70))
        s = draw_chance(g, 50) ? NEIGHBOUR : LDS_NEIGHBOUR;
    if (u->offset >= 0)
        memory_scalar(g, u, pair, s, v);
    else
        element_memory(g, u, pair, s, v);
}

/* --- Kinds --- */

void kind_memory(gen *g, const context *c) {
    if (wide_is_known(g) && draw_chance(g, 60)) {
        wide_memory(g, c);
        return;
    }
    const bool pair = draw_chance(g, 35);
    put_memory(g, draw_row_of(g, KARAT_UNIT_MEM), pair, c);
}

/* Consecutive accesses, by one row or by two. */
void kind_burst(gen *g, const context *c) {
    const row_use *rows[2];
    const bool pair = draw_chance(g, 50);
    for (uint32_t i = 0; i < 2; i++)
        do
            rows[i] = draw_row_of(g, KARAT_UNIT_MEM);
        while ((rows[i]->stores && !c->stores) ||
               (pair && (rows[i]->bytes != 4 || !rows[i]->takes_prefix[PROG_REGPAIR])));
    for (uint32_t n = 2 + draw_below(g, 5); n--;)
        put_memory(g, rows[draw_below(g, 2)], pair, c);
}

/* Two elements in different memories: a stride of hundreds of megabytes. */
void kind_far(gen *g, const context *c) {
    const uint32_t lmul = g->lmul;
    const row_use *u;
    do
        u = draw_row_of(g, KARAT_UNIT_MEM);
    while (!memory_has_stride(u) || (u->stores && !c->stores));
    emit_3(g, ROW(g, addi), g->address, 0, draw_between(g, 1, 2));
    insn_put(g, ROW(g, vsetvli), reg_scalar(g, false), g->address, 0, 2 << 3);
    g->lmul = 1;
    const bool down = draw_chance(g, 50);
    const space from = down ? GLOBAL : LDS, to = down ? LDS : GLOBAL;
    memory_address(g, from, -128, 120, u->bytes, false);
    emit_3(g, ROW(g, sub), g->stride, g->base[to], (int32_t)g->base[from]);
    emit_3(g, ROW(g, addi), g->stride, g->stride, draw_multiple(g, -256, 256, u->bytes));
    values v = none();
    give_1(&v, u, g->address);
    give_2(&v, u, g->stride);
    emit(g, u, false, v);
    vset_lmul(g, lmul, draw_chance(g, 60));
}

/* A byte or half of each lane's word of local memory; then bytes and halves of these words, by the same lanes
 * or by those that the other addresses name. */
void kind_sub_word(gen *g, const context *c) {
    (void)c;
    const row_use *const store = draw_chance(g, 50) ? ROW(g, vsb12_v) : ROW(g, vsh12_v);
    const row_use *const loads[] = {ROW(g, vlb12_v), ROW(g, vlbu12_v), ROW(g, vlh12_v), ROW(g, vlhu12_v)};
    const int32_t word = draw_multiple(g, -256, 240, 4);
    for (uint32_t n = 2 + draw_below(g, 4), stored = 0; n--; stored = 1) {
        const row_use *const u = stored ? loads[draw_below(g, 4)] : store;
        values v = none();
        give_1(&v, u, g->vbase[LDS][draw_below(g, 2)]);
        give_fixed(&v, u->offset, word + draw_multiple(g, 0, 3, u->bytes));
        give(&v, u->vm, 1);
        emit(g, u, false, v);
    }
}
