#include "gen.h"

#include "splitmix.h"

uint32_t draw_below(gen *g, uint32_t bound) {
    return bound ? karat_random_below(&g->r.state, bound) : 0;
}

bool draw_chance(gen *g, uint32_t percent) {
    return draw_below(g, 100) < percent;
}

int32_t draw_between(gen *g, int32_t low, int32_t high) {
    return low + (int32_t)draw_below(g, (uint32_t)(high - low) + 1);
}

uint32_t draw_bits(gen *g, uint32_t n) {
    return (uint32_t)(karat_random(&g->r.state) >> (64 - n));
}

int32_t draw_multiple(gen *g, int32_t low, int32_t high, int32_t size) {
    const int32_t first = low >= 0 ? (low + size - 1) / size : -(-low / size),
                  last = high >= 0 ? high / size : -((-high + size - 1) / size);
    return draw_between(g, first, last) * size;
}

int32_t draw_offset(gen *g, int32_t low, int32_t high, int32_t size) {
    const int32_t near_by = g->spot[draw_below(g, SPOTS)], spot = near_by + draw_multiple(g, 0, 7, size);
    return draw_chance(g, 50) && spot >= low && spot <= high ? spot : draw_multiple(g, low, high, size);
}

int32_t draw_apart(gen *g, uint32_t most) {
    uint32_t power = 1;
    while (power * 2 <= most && draw_chance(g, 70))
        power *= 2;
    return draw_chance(g, 60) ? (int32_t)power : draw_between(g, 0, (int32_t)most);
}

const row_use *draw_row(gen *g, row_list list) {
    return list.at[draw_below(g, list.num)];
}

const row_use *draw_row_of(gen *g, uint32_t unit) {
    const row_use *u;
    do
        u = draw_row(g, g->table->units[unit]);
    while (u->pairs /* random/wide.c has those */ || (u->single && g->lmul != 1));
    return u;
}

uint32_t draw_csr(gen *g) {
    uint32_t csr;
    do
        csr = draw_below(g, 4096);
    while (!karat_csr_name(csr));
    return csr;
}
