/* Registers: which have a fixed use, which all instructions may use, which are drawn more often. */
#include "gen.h"

enum { GRANULE = 16 }; /* Devices round numbers of registers up, to a multiple of at most this */

/* --- Choice --- */

typedef struct pool {
    bool free[KARAT_NUM_V];
    uint32_t num;
} pool;

typedef enum parity { ANY, ODD, PAIR } parity;

/* Take a free register; 0: there is none. */
static uint32_t take_if(gen *g, pool *from, parity kind) {
    uint32_t fits[KARAT_NUM_V], num = 0;
    for (uint32_t i = 0; i < from->num; i++)
        if (from->free[i] && (kind != ODD || i % 2) &&
            (kind != PAIR || (i % 2 == 0 && i + 1 < from->num && from->free[i + 1])))
            fits[num++] = i;
    if (!num)
        return 0;
    const uint32_t reg = fits[draw_below(g, num)];
    from->free[reg] = false;
    if (kind == PAIR)
        from->free[reg + 1] = false;
    return reg;
}

static uint32_t take(gen *g, pool *from, parity kind) {
    const uint32_t reg = take_if(g, from, kind);
    if (!reg)
        prog_fail(g->p, "too few registers");
    return reg;
}

/* How many registers a warp has. */
static void choose_numbers(gen *g) {
    static const uint32_t numbers[] = {64, 96, 128, 160, 256, 256};
    g->num_x = (uint32_t)draw_between(g, 48, 64);
    do
        g->num_v =
            draw_chance(g, 50) ? numbers[draw_below(g, 6)] : (uint32_t)draw_between(g, 64, KARAT_NUM_V);
    while ((g->num_v + GRANULE - 1) / GRANULE * GRANULE > g->max_vgprs); /* Devices round them up */
}

static void take_scalars(gen *g, pool *x) {
    /* An even register before REGPAIR is the low half of an address: its upper half is kept 0. */
    g->address_pair = take(g, x, PAIR);
    for (uint32_t s = GLOBAL; s < PRIVATE; s++)
        if (g->warps == 1 && (s == NEIGHBOUR || s == LDS_NEIGHBOUR))
            g->base[s] = g->base[s == NEIGHBOUR ? GLOBAL : LDS];
        else if (s < SHARED_GLOBAL || g->params->races)
            g->base[s] = take(g, x, ODD);
    g->address = take(g, x, ODD);
    g->table_base = take(g, x, ODD);
    uint32_t *const others[] = {&g->stride,     &g->sink,       &g->mask_global, &g->mask_lds,
                                &g->counter[0], &g->counter[1], &g->counter[2],  &g->link[0],
                                &g->link[1],    &g->rpc,        &g->fold};
    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++)
        *others[i] = take(g, x, ANY);
}

static void take_vectors(gen *g, pool *v) {
    for (uint32_t i = 0; i < 3; i++) {
        g->vbase[i][0] = take(g, v, PAIR);
        g->vbase[i][1] = take(g, v, ODD);
    }
    for (uint32_t i = 0; i < 2; i++)
        g->index[i] = take(g, v, PAIR);
    g->zero = take(g, v, ANY);
    g->vfold = take(g, v, ANY);
    g->vtable = take(g, v, ANY);
    g->vmixed = take(g, v, ODD);
    for (uint32_t i = 0; i < 3; i++)
        g->vcounter[i] = take(g, v, ANY);
    if (wide_is_known(g)) {
        g->vlocal = take(g, v, PAIR);
        g->vwide = take(g, v, ANY);
    }
    if (g->groups > 1 && draw_chance(g, wide_is_known(g) ? 70 : 40))
        g->vbelow = take(g, v, PAIR);
}

/* So many registers one after the other, the first even. */
static uint32_t take_run(gen *g, pool *from, uint32_t num) {
    for (uint32_t tries = 0; tries < 256; tries++) {
        const uint32_t reg = 2 * draw_below(g, from->num / 2 - num / 2 + 1);
        uint32_t fits = 0;
        while (reg && fits < num && from->free[reg + fits])
            fits++;
        for (uint32_t i = 0; fits == num && i < num; i++)
            from->free[reg + i] = false;
        if (fits == num)
            return reg;
    }
    prog_fail(g->p, "too few registers");
    return 0;
}

static void fill_x(gen *g, pool *x, uint32_t most) {
    while (g->num_pool_x + 1 < most) {
        /* The first is odd: there is always one that may stand before REGPAIR. */
        const bool pair = g->num_pool_x && draw_chance(g, 35);
        const uint32_t reg = take_if(g, x, !g->num_pool_x ? ODD : pair ? PAIR : ANY);
        if (!reg && !pair)
            break;
        if (reg)
            g->x[g->num_pool_x++] = reg;
        if (reg && pair)
            g->x[g->num_pool_x++] = reg + 1;
    }
}

/* Register r with used[r] is in the pool afterwards; the caller has set those that are in it anyway. */
static void fill_v(gen *g, pool *v, uint32_t pairs, uint32_t others, bool used[KARAT_NUM_V]) {
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t reg = take(g, v, PAIR);
        used[reg] = used[reg + 1] = true;
    }
    for (uint32_t i = 0; i < others; i++) { /* Numbers that differ in the extension alone */
        uint32_t reg;
        do
            reg = draw_below(g, g->num_v);
        while (!used[reg]);
        reg = (reg + 32 * (1 + draw_below(g, 7))) % KARAT_NUM_V;
        if (reg < g->num_v && v->free[reg])
            used[reg] = true;
    }
    for (uint32_t i = 0; i < KARAT_NUM_V && g->num_pool_v < MAX_V; i++)
        if (used[i])
            g->v[g->num_pool_v++] = i;
}

static void take_unwritten(gen *g, pool *v, const bool used[KARAT_NUM_V]) {
    for (uint32_t i = 0; i < g->num_v; i++)
        v->free[i] = v->free[i] && !used[i];
    g->unread = take_if(g, v, PAIR);
    for (uint32_t reg; g->num_unwritten < MOST_UNWRITTEN && (reg = take_if(g, v, PAIR)) != 0;)
        g->unwritten[g->num_unwritten++] = reg;
}

/* Registers of the pools that are used more often, and those for operands from the table. */
static void choose_hot(gen *g) {
    for (uint32_t i = 0; i < HOT_X; i++) {
        const bool after = i == HOT_X - 1 && reg_in_x(g, g->x_hot[i - 1] + 1);
        g->x_hot[i] = after ? g->x_hot[i - 1] + 1 : g->x[draw_below(g, g->num_pool_x)];
    }
    for (uint32_t i = 0; i < FRESH; i++) {
        g->fresh_x[i] = g->x[draw_below(g, g->num_pool_x)];
        g->fresh_v[i] = g->v[draw_below(g, g->num_pool_v)];
    }
    g->v_hot[0] = 0;
    for (uint32_t i = 1; i < HOT_V; i++)
        g->v_hot[i] = g->v[draw_below(g, g->num_pool_v)];
}

void reg_choose(gen *g) {
    choose_numbers(g);
    pool x = {.num = g->num_x}, v = {.num = g->num_v};
    for (uint32_t i = 1; i < x.num; i++)
        x.free[i] = true;
    for (uint32_t i = 2; i < v.num; i++)
        v.free[i] = true;
    if (wide_is_known(g)) {
        g->run_x = take_run(g, &x, 4);
        g->run_v = take_run(g, &v, 4);
        for (uint32_t i = 0; i < 4; i++)
            g->x[g->num_pool_x++] = g->run_x + i;
        g->index_above = draw_chance(g, 60) ? 0xc0000000u : 0;
        g->local_below = draw_chance(g, 50) ? WIDE_BELOW : 0;
    }
    if (matrix_is_usable(g))
        g->run_v = take_run(g, &v, KARAT_MATRIX_REGISTERS);
    take_scalars(g, &x);
    take_vectors(g, &v);
    /* A short program must not be mostly beginning and end. */
    const bool few = g->params->length < FEW_LENGTH || draw_chance(g, 50);
    const uint32_t most_x = (uint32_t)draw_between(g, 6, few ? MAX_X / 2 : MAX_X),
                   pairs = (uint32_t)draw_between(g, 3, few ? 5 : 10);
    bool used[KARAT_NUM_V] = {true, true};
    for (uint32_t i = 0; g->run_v && i < (wide_is_known(g) ? 4 : KARAT_MATRIX_REGISTERS); i++)
        used[g->run_v + i] = true;
    fill_x(g, &x, most_x);
    fill_v(g, &v, pairs, few ? 6 : 8, used);
    if (g->params->races && draw_chance(g, 40))
        take_unwritten(g, &v, used);
    choose_hot(g);
}

/* --- Use --- */

bool reg_in_v(const gen *g, uint32_t reg) {
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        if (g->v[i] == reg)
            return true;
    return false;
}

bool reg_in_x(const gen *g, uint32_t reg) {
    for (uint32_t i = 0; i < g->num_pool_x; i++)
        if (g->x[i] == reg)
            return true;
    return false;
}

uint32_t reg_scalar(gen *g, bool pair) {
    if (pair && g->last_x % 2 && reg_in_x(g, g->last_x - 1) && draw_chance(g, 40))
        return g->last_x - 1;
    for (;;) {
        const uint32_t reg = !pair && draw_chance(g, 6)        ? 0
                             : g->last_x && draw_chance(g, 22) ? g->last_x
                             : draw_chance(g, 60)              ? g->x_hot[draw_below(g, 6)]
                                                               : g->x[draw_below(g, g->num_pool_x)];
        if (!pair || reg % 2 || reg_in_x(g, reg + 1))
            return reg;
    }
}

uint32_t reg_vector(gen *g, bool group, bool pair) {
    if (pair && g->last_v % 2 && reg_in_v(g, g->last_v - 1) && draw_chance(g, 40))
        return g->last_v - 1;
    for (uint32_t tries = 0; tries < 64; tries++) {
        const uint32_t reg = draw_chance(g, 22)   ? g->last_v
                             : draw_chance(g, 60) ? g->v_hot[draw_below(g, 8)]
                                                  : g->v[draw_below(g, g->num_pool_v)];
        if (group ? reg % 2 == 0 && reg_in_v(g, reg + 1) : !pair || reg % 2 || reg_in_v(g, reg + 1))
            return reg;
    }
    return group ? 0 : 1;
}

uint32_t reg_same_low(const gen *g, uint32_t reg, uint32_t list[KARAT_NUM_V / 32]) {
    uint32_t num = 0;
    for (uint32_t i = 0; i < g->num_pool_v; i++)
        if ((g->v[i] & 31) == (reg & 31))
            list[num++] = g->v[i];
    return num;
}

uint32_t reg_run(gen *g, uint32_t num) {
    for (uint32_t tries = 0; tries < 16; tries++) {
        const uint32_t last = draw_chance(g, 30) ? g->last_v : g->v[draw_below(g, g->num_pool_v)],
                       reg = last - draw_below(g, last < num ? last + 1 : num);
        uint32_t in = 0;
        while (in < num && reg_in_v(g, reg + in))
            in++;
        if (in == num)
            return reg;
    }
    return g->run_v + draw_below(g, KARAT_MATRIX_REGISTERS - num + 1);
}

uint32_t reg_twin(gen *g, uint32_t reg) {
    uint32_t list[KARAT_NUM_V / 32];
    const uint32_t num = reg_same_low(g, reg, list);
    return num ? list[draw_below(g, num)] : reg;
}

bool reg_fits(const gen *g, const row_use *u, bool is_v, uint32_t reg) {
    return !is_v || !u->grouped || g->lmul == 1 || (reg % 2 == 0 && reg_in_v(g, reg + 1));
}
