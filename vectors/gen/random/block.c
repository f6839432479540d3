/* Sequences: which kind of item may stand where, and how many fill a block. */
#include "gen.h"

enum {
    MOST_ARMS = 5,
    MOST_REGION = 300, /* Instructions that a branch leads over, about: twice as many words, of the 1,024 that
                          it reaches */
    LONG = 2000        /* Instructions of a long program */
};

static void (*const makers[RANDOM_NUM_KINDS])(gen *g, const context *c) = {
#define DO(name, weight, about) kind_##name,
    RANDOM_KINDS(DO)
#undef DO
};

/* In a long program not so early that most of it never runs. */
static bool may_leave(const gen *g) {
    return g->params->length < LONG || g->p->num / (g->num_leave + 1) >= g->params->length / (MOST_LEAVE + 1);
}

static bool may_stand(const gen *g, uint32_t kind, const context *c) {
    switch (kind) {
    case RANDOM_atomic:
    case RANDOM_sub_word: return c->stores;
    case RANDOM_race: return c->stores && g->params->races;
    case RANDOM_vset:
    case RANDOM_far:
    case RANDOM_vill: return c->vset;
    case RANDOM_diverge_loop: return c->vset && c->arms <= 1;
    case RANDOM_addresses: return g->lmul == 1;
    case RANDOM_skip:
    case RANDOM_part: return c->arms < MOST_ARMS;
    case RANDOM_diamond: return c->arms < 3;
    case RANDOM_loop: return c->loops < 2 && c->arms < 2;
    case RANDOM_call: return c->calls < 2;
    case RANDOM_edge: return !c->calls;
    case RANDOM_barrier: return c->uniform;
    case RANDOM_neighbour:
    case RANDOM_reserve: return c->uniform && c->stores;
    case RANDOM_matrix: return c->vset && !c->arms;
    case RANDOM_leave:
        return g->groups > 1 && c->uniform && c->stores && g->num_leave < MOST_LEAVE && may_leave(g);
    default: return true;
    }
}

bool block_is_region(uint32_t kind) {
    switch (kind) {
    case RANDOM_skip:
    case RANDOM_part:
    case RANDOM_call:
    case RANDOM_loop:
    case RANDOM_diamond:
    case RANDOM_diverge_loop:
    case RANDOM_neighbour: return true;
    default: return false;
    }
}

uint32_t block_weight(const gen *g, const context *c) {
    uint32_t sum = 0;
    for (uint32_t kind = 0; kind < RANDOM_NUM_KINDS; kind++)
        sum += may_stand(g, kind, c) ? g->weight[kind] : 0;
    return sum;
}

void block_item(gen *g, const context *c) {
    const uint32_t sum = block_weight(g, c);
    uint32_t at = draw_below(g, sum);
    for (uint32_t kind = 0; kind < RANDOM_NUM_KINDS && sum; kind++) {
        const uint32_t weight = may_stand(g, kind, c) ? g->weight[kind] : 0;
        if (at < weight) {
            makers[kind](g, c);
            return;
        }
        at -= weight;
    }
}

void block_fill(gen *g, uint32_t items, context c) {
    while (items-- && !g->p->failed && (!c.end || g->p->num < c.end))
        block_item(g, &c);
}

context block_inner(const gen *g, const context *c) {
    context in = *c;
    if (!in.arms++)
        in.end = g->p->num + MOST_REGION;
    in.uniform = false;
    return in;
}
