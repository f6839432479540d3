#include "random/gen.h"

enum {
    FULL_LDS = 65536,  /* Bytes that devices have */
    FULL_VGPRS = 128,  /* Registers of a warp, where that many workgroups shall fit */
    LEAST_VGPRS = 64,  /* Registers that a warp needs */
    MOST_VGPRS = 1024, /* Registers of a workgroup, unless the parameters say */
    MOST_LDS = 24576,  /* Bytes of a workgroup whose warps' regions are further apart */
    SHORT = 800        /* Instructions of a program that may have many workgroups */
};

/* --- Parameters --- */

void random_defaults(random_params *params) {
    *params = (random_params){.length = 10000,
                              .num_thread = 32,
                              .max_warps = 8,
                              .vary = 60,
                              .weight = {
#define DO(name, weight, about) weight,
                                  RANDOM_KINDS(DO)
#undef DO
                              }};
    static const uint8_t units[] = {KARAT_UNIT_ALU,  KARAT_UNIT_MUL, KARAT_UNIT_DIV,   KARAT_UNIT_FP,
                                    KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_TENSOR};
    static const uint32_t weights[] = {20, 6, 3, 11, 2, 5, 2};
    for (uint32_t i = 0; i < sizeof units; i++)
        params->unit[units[i]] = weights[i];
}

const char *random_kind_name(uint32_t kind) {
    static const char *const names[] = {
#define DO(name, weight, about) #name,
        RANDOM_KINDS(DO)
#undef DO
    };
    return kind < RANDOM_NUM_KINDS ? names[kind] : NULL;
}

const char *random_kind_about(uint32_t kind) {
    static const char *const texts[] = {
#define DO(name, weight, about) about,
        RANDOM_KINDS(DO)
#undef DO
    };
    return kind < RANDOM_NUM_KINDS ? texts[kind] : NULL;
}

/* --- Weights --- */

/* A weight that is larger or smaller, or the same: kinds that are rare in most programs are frequent in
 * some. */
static uint32_t varied(gen *g, bool much, uint32_t weight) {
    static const uint32_t sixteenths[] = {1, 4, 16, 16, 32, 64, 128};
    return weight * sixteenths[draw_below(g, much ? 7 : 5)];
}

static void draw_weights(gen *g) {
    const random_params *params = g->params;
    const bool vary = draw_chance(g, params->vary);
    for (uint32_t kind = 0; kind < RANDOM_NUM_KINDS; kind++)
        g->weight[kind] = kind == RANDOM_matrix && !matrix_is_usable(g) ? 0
                          : vary ? varied(g, !block_is_region(kind), params->weight[kind])
                                 : 16 * params->weight[kind];
    for (uint32_t unit = 0; unit < KARAT_NUM_UNIT; unit++) {
        const bool usable = unit != KARAT_UNIT_TENSOR || (params->num_thread >= 4 && !g->threads);
        g->plain_weight[unit] = !usable ? 0
                                : vary  ? varied(g, true, params->unit[unit])
                                        : 16 * params->unit[unit];
        g->plain_sum += g->plain_weight[unit];
    }
}

/* All rows of the units in use have their turn, from seed to seed. */
static void choose_favourites(gen *g) {
    enum { STEP = 7919 }; /* A prime, so that neighbours in the table are not together */
    uint32_t num = 0;
    for (uint32_t unit = 0; unit < KARAT_NUM_UNIT; unit++)
        num += g->plain_weight[unit] ? g->table->units[unit].num : 0;
    for (uint32_t i = 0; i < FAVOURITES; i++) {
        const uint64_t turn = g->params->seed % num * FAVOURITES + i + g->params->num_thread;
        uint32_t at = (uint32_t)(turn * STEP % num), unit = 0;
        while (!g->plain_weight[unit] || at >= g->table->units[unit].num)
            at -= g->plain_weight[unit] ? g->table->units[unit].num : 0, unit++;
        g->favourite[i] = g->table->units[unit].at[at];
        while (g->favourite[i]->pairs || g->favourite[i]->single)
            g->favourite[i] = draw_row_of(g, unit);
    }
}

/* --- The launch --- */

/* Warps, workgroups and threads; many: many workgroups of one warp. */
static void draw_launch(gen *g, uint32_t room, bool *many) {
    const random_params *params = g->params;
    const uint32_t fit = room / LEAST_VGPRS < params->max_warps ? room / LEAST_VGPRS : params->max_warps,
                   most = draw_chance(g, 55) && fit > 3 ? 3 : fit;
    *many =
        params->warps < 2 && params->length <= SHORT && draw_chance(g, params->length < FEW_LENGTH ? 15 : 6);
    g->warps = params->warps ? params->warps : *many ? 1 : 1 + draw_below(g, most);
    g->groups = params->workgroups   ? params->workgroups
                : *many              ? 16 + draw_below(g, 25)
                : draw_chance(g, 25) ? 1 + draw_below(g, g->warps > 2 ? 4 : 12)
                                     : 1 + draw_below(g, 1 + 6 / g->warps);
    if (params->races && !params->workgroups && g->groups == 1)
        g->groups += draw_chance(g, 60);
    /* The tensor unit would read lanes that a warp of fewer threads does not have. */
    uint32_t others = 0;
    for (uint32_t unit = 0; unit < KARAT_NUM_UNIT; unit++)
        others += unit == KARAT_UNIT_TENSOR ? 0 : params->unit[unit];
    g->threads = params->threads                 ? params->threads
                 : draw_chance(g, 85) || !others ? 0
                                                 : 1 + draw_below(g, params->num_thread);
    if (g->threads == params->num_thread)
        g->threads = 0;
}

/* Local memory and vector registers. */
static void draw_resources(gen *g, uint32_t room) {
    const random_params *params = g->params;
    g->lds_apart = LDS_REGION;
    if (draw_chance(g, 60) && g->warps * LDS_REGION < MOST_LDS)
        g->lds_apart += 4 * draw_below(g, (MOST_LDS / g->warps - LDS_REGION) / 4);
    const bool full = g->warps < 3 && draw_chance(g, 30);
    if (full) { /* Each workgroup has a little more than its share of the device, and there are as many as
                   shares */
        const uint32_t parts = g->warps == 1 && draw_chance(g, 50) ? 8 : 4;
        g->lds_apart = (FULL_LDS / parts + 8 * (1 + draw_below(g, 31))) / g->warps;
        if (!params->workgroups && g->groups < parts)
            g->groups = parts + draw_below(g, parts);
    } else if (draw_chance(g, 30))
        g->lds_apart = g->lds_apart / LDS_REGION * LDS_REGION;
    for (uint32_t i = 0; i < SPOTS; i++)
        g->spot[i] = draw_multiple(g, -240, 232, 8);
    g->max_vgprs = room / g->warps;
    if (!params->max_vgprs && g->max_vgprs < LEAST_VGPRS) /* More warps than MOST_VGPRS is for */
        g->max_vgprs = LEAST_VGPRS;
    if (full && g->max_vgprs > FULL_VGPRS)
        g->max_vgprs = FULL_VGPRS;
}

/* Work-items in one to three dimensions, of which the grid has a part of the last workgroup; every warp has
 * one. */
static void draw_items(gen *g) {
    struct prog_launch *l = &g->p->launch;
    const uint32_t threads = g->threads ? g->threads : g->params->num_thread,
                   least = (g->warps - 1) * threads;
    if (l->threads == 0)
        l->threads = threads; /* As many as the work-items are for */
    const uint32_t wide = threads > 1 && draw_chance(g, 50) ? 1 + draw_below(g, threads) : 0;
    const uint32_t items = least + 1 + draw_below(g, threads);
    /* Rows of at most a warp's threads begin in each warp but the last perhaps: those that the last one needs
     * are whole. */
    l->local[0] = wide ? wide : items;
    l->local[1] = wide ? (items + wide - 1) / wide : 1;
    l->local[2] = 1;
    if (l->local[0] * l->local[1] > g->warps * threads || (l->local[1] - 1) * l->local[0] < least) {
        l->local[0] = items;
        l->local[1] = 1;
    }
    const uint32_t row = l->local[0], least_row = l->local[1] > 1 ? 1 : least + 1;
    l->items[0] = (g->groups - 1) * row + least_row + draw_below(g, row - least_row + 1);
    if (l->local[1] > 1 && draw_chance(g, 50)) { /* Rows in layers are work-items of the same threads */
        l->local[2] = l->local[1] % 2 ? l->local[1] : 2;
        l->local[1] /= l->local[2];
    }
    l->items[1] = l->local[1];
    l->items[2] = l->local[2];
}

static void set_launch(gen *g) {
    const random_params *params = g->params;
    /* With few registers, and sometimes else, the launch states how many there are. */
    const bool limit = g->max_vgprs < KARAT_NUM_V ||
                       (params->max_vgprs && params->max_vgprs < RANDOM_ANY_VGPRS && draw_chance(g, 50));
    g->p->launch = (struct prog_launch){.grid = {g->groups, 1, 1},
                                        .warps = g->warps,
                                        .threads = g->threads,
                                        .knl = layout_table(g) + TABLE,
                                        .lds = g->warps * g->lds_apart + (params->races ? SHARED : 0),
                                        .pds = g->vbelow ? 2 * PDS : PDS,
                                        .sgprs = limit ? g->num_x : 0,
                                        .vgprs = limit ? g->num_v : 0};
    if (params->partial)
        draw_items(g);
    if (ROW(g, csrr_v)->info)
        layout_sizes(g);
}

/* --- The program --- */

static void end_program(gen *g) {
    end_signature(g);
    end_warp(g);
}

/* The end, or an ENDPRG alone, may stand before everything else: the last fetches of a warp that ends are
 * then where the next one begins. Returns the end's place where it does, else PROG_NONE. early: workgroups
 * may end with their first instructions. */
static int32_t put_first(gen *g, bool early) {
    const bool end_first = !early && draw_chance(g, 30),
               endprg_first = early || (!end_first && draw_chance(g, 30));
    g->endprg = PROG_NONE;
    if (!end_first && !endprg_first)
        return PROG_NONE;
    const int32_t to_main = early ? flow_leave_at_once(g) : insn_jal(g, 0), at = (int32_t)g->p->num;
    if (end_first)
        end_program(g);
    else
        emit_any(g, ROW(g, endprg));
    emit_lead_here(g, to_main);
    if (endprg_first)
        g->endprg = at;
    return end_first ? at : PROG_NONE;
}

static void fill(gen *g) {
    const context top = {.uniform = true, .vset = true, .stores = true};
    prog *p = g->p;
    if (!block_weight(g, &top))
        prog_fail(p, "the weights leave no kind of instruction for a program");
    while (!p->failed && p->num < g->params->length + g->dead) {
        const uint32_t num = p->num;
        block_item(g, &top);
        if (p->num == num && !block_weight(g, &top))
            prog_fail(p, "the weights leave no kind of instruction to continue with");
        if (draw_chance(g, 10))
            end_fold_some(g);
    }
}

static void make(gen *g, bool many) {
    const random_params *params = g->params;
    int32_t end_at = put_first(g, draw_chance(g, many || params->length < FEW_LENGTH ? 40 : 10));
    begin_program(g);
    if (params->races && g->weight[RANDOM_race] &&
        draw_chance(g, 50)) /* While the first workgroups all run */
        race_reservations(g, SHARED_GLOBAL);
    fill(g);
    if (end_at != PROG_NONE)
        prog_lead(g->p, insn_far_jump(g, 0), end_at);
    else {
        end_at = (int32_t)g->p->num;
        end_program(g);
    }
    for (uint32_t i = 0; i < g->num_leave; i++)
        prog_lead(g->p, g->leave[i], end_at);
    set_launch(g);
}

bool random_make(const row_table *table, const random_params *params, prog *p) {
    const uint32_t room = params->max_vgprs ? params->max_vgprs : MOST_VGPRS;
    gen g = {.params = params, .table = table, .p = p, .lmul = 1, .sew = KARAT_W32};
    bool many;
    g.r.state = params->seed * UINT64_C(0xd1342543de82ef95) + params->num_thread;
    prog_init(p, table->profile);
    draw_launch(&g, room, &many);
    draw_resources(&g, room);
    draw_weights(&g);
    if (!g.plain_sum)
        prog_fail(p, "the weights leave no unit to use");
    if (g.max_vgprs < LEAST_VGPRS)
        prog_fail(p, "%u vector registers for a warp: expected %u or more", (unsigned)g.max_vgprs,
                  (unsigned)LEAST_VGPRS);
    if (p->failed)
        return false;
    choose_favourites(&g);
    reg_choose(&g);
    layout_make(&g);
    if (!p->failed)
        flow_make_edge(&g);
    make(&g, many);
    return !p->failed;
}
