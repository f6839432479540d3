#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Programs --- */

static const struct {
    const char *row;
    uint8_t funct5;
} amos[] = {{"amoadd_w", 0},  {"amoswap_w", 1}, {"amoxor_w", 4},  {"amoor_w", 8},
            {"amoand_w", 12}, {"amomin_w", 16}, {"amomaxu_w", 28}};

static void put_const(program *p, int32_t reg, uint32_t value) {
    put(p, "lui", reg, (int32_t)((value + 0x800) >> 12 & 0xfffff));
    put(p, "addi", reg, reg, (int32_t)(value << 20) >> 20);
}

/* A place for each lane from some byte on. Returns the pattern: shift of (lane & 1) or (lane >> 1) or
 * lane, see put_vector(). */
static void draw_places(op *o, rng *r, uint32_t base, uint32_t *kind, uint32_t *shift) {
    static const uint8_t log[] = {0, 0, 1, 0, 2};
    uint32_t room;
    do {
        *kind = o->vector ? rng_below(r, 4) : 0; /* All the same, lane & 1, lane >> 1, lane */
        *shift = log[o->bytes] + (*kind == 3 ? 0 : rng_below(r, 3u - log[o->bytes]));
        room = (*kind == 0 ? 0 : *kind == 3 ? 3u << *shift : 1u << *shift) + o->bytes;
    } while (room > AREA);
    uint32_t slots = (AREA - room) / o->bytes + 1, first = rng_below(r, slots) * o->bytes;
    if (rng_chance(r, 70))
        first = 0;
    for (uint32_t k = 0; k < o->num; k++) {
        const uint32_t step = *kind == 0 ? 0 : *kind == 1 ? k & 1 : *kind == 2 ? k >> 1 : k;
        o->at[k] = (uint8_t)(base + first + (step << *shift));
    }
}

static int32_t aqrl(const op *o) {
    return o->rl | o->aq << 1;
}

static void put_access(litmus *l, op *o, rng *r, uint32_t workgroup, uint32_t number, uint32_t again) {
    program *p = &l->code;
    const bool local = again < MAX_BYTE ? again >= AREA : rng_chance(r, op_is_atomic(o) ? 15 : 25);
    uint32_t kind, shift;
    const uint32_t base = local ? AREA * (1 + workgroup) : 0;
    o->num = o->vector ? LANES : 1;
    draw_places(o, r, base, &kind, &shift);
    if (again < MAX_BYTE)
        o->at[0] = (uint8_t)again;
    const uint32_t value = rng_chance(r, 85) ? rng_next(r) : rng_below(r, 3);
    const int32_t offset =
        op_is_atomic(o) ? 0 : 32 * (int32_t)rng_below(r, 4); /* Where .aq and .rl of atomics are */
    put(p, "addi", 23, local ? 21 : 20, (int32_t)(o->at[0] - base) - offset);
    put_const(p, 22, value);
    const uint8_t reg = (uint8_t)((o->vector ? 12 : 25) + number);
    if (o->vector) {
        put(p, "vmv_v_x", 8, 23);
        if (kind == 1)
            put(p, "vand_vi", 9, 1, 1, 1);
        if (kind == 2)
            put(p, "vsrl_vi", 9, 1, 1, 1);
        if (kind)
            put(p, "vsll_vi", 9, kind == 3 ? 1 : 9, (int32_t)shift, 1);
        if (kind)
            put(p, "vadd_vv", 8, 9, 8, 1);
        put_const(p, 24, 0x01020305);
        put_code(p, "vmul_vx 10 1 24 1; vadd_vx 10 10 22 1");
    }
    for (uint32_t k = 0; k < o->num; k++)
        o->value[k] = value + 0x01020305 * k;
    o->pc = HERE(p);
    static const char *const scalar_loads[][5] = {{"", "lbu", "lhu", "", "lw"}, {"", "lb", "lh", "", "lw"}};
    static const char *const vector_loads[][5] = {{"", "vlbu12_v", "vlhu12_v", "", "vlw12_v"},
                                                  {"", "vlb12_v", "vlh12_v", "", "vlw12_v"}};
    static const char *const stores[][5] = {{"", "sb", "sh", "", "sw"},
                                            {"", "vsb12_v", "vsh12_v", "", "vsw12_v"}};
    switch (o->kind) {
    case OP_LOAD:
        o->reg = reg;
        o->sign = rng_chance(r, 50);
        put(p, (o->vector ? vector_loads : scalar_loads)[o->sign][o->bytes], reg, offset, o->vector ? 8 : 23);
        return;
    case OP_STORE:
        put(p, stores[o->vector][o->bytes], o->vector ? 10 : 22, offset, o->vector ? 8 : 23);
        return;
    case OP_LR:
        o->reg = rng_chance(r, 90) ? reg : 0;
        put(p, "lr_w", o->reg, 23, aqrl(o));
        return;
    case OP_SC:
        o->reg = rng_chance(r, 80) ? reg : 0;
        put(p, "sc_w", o->reg, 22, 23, aqrl(o));
        return;
    default: break;
    }
    const uint32_t n = rng_below(r, sizeof amos / sizeof *amos);
    o->amo = amos[n].funct5;
    o->reg = rng_chance(r, 75) ? reg : 0;
    put(p, amos[n].row, o->reg, 22, 23, aqrl(o));
}

static void draw_op(litmus *l, op *o, rng *r, uint32_t warp, uint32_t number, bool atomics) {
    uint32_t again = MAX_BYTE; /* The place of the LR before */
    const uint32_t n = rng_below(r, 10);
    o->kind = !atomics ? (n < 5 ? OP_LOAD : OP_STORE)
              : n < 3  ? OP_LOAD
              : n < 5  ? OP_STORE
              : n < 8  ? OP_AMO
              : n < 9  ? OP_LR
                       : OP_SC;
    const op *last = NULL;
    for (uint32_t i = 0; i + 1 < l->warp[warp].num; i++)
        if (op_accesses(&l->warp[warp].at[i]))
            last = &l->warp[warp].at[i];
    if (last && last->kind == OP_LR && rng_chance(r, 70)) {
        again = last->at[0];
        o->kind = OP_SC;
    }
    o->vector = o->kind <= OP_STORE && rng_chance(r, 35);
    o->bytes = (uint8_t)(o->kind <= OP_STORE ? 1 << rng_below(r, 3) : 4);
    o->aq = op_is_atomic(o) && rng_chance(r, 40);
    o->rl = op_is_atomic(o) && rng_chance(r, 40);
    put_access(l, o, r, warp / l->wg_size, number, again);
}

static op *next_op(litmus *l, uint32_t warp, op_kind kind, uint32_t barrier_phase) {
    op *o = &l->warp[warp].at[l->warp[warp].num++];
    *o = (op){.kind = kind, .barrier_phase = (uint8_t)barrier_phase, .pc = HERE(&l->code)};
    return o;
}

static void put_fence(litmus *l, uint32_t warp, rng *r, uint32_t barrier_phase) {
    op *o = next_op(l, warp, OP_FENCE, barrier_phase);
    o->before = o->behind = 3;
    if (rng_chance(r, 40)) {
        o->before = (uint8_t)(1 + rng_below(r, 3));
        o->behind = (uint8_t)(1 + rng_below(r, 3));
    }
    o->tso = rng_chance(r, 10);
    if (o->tso)
        o->before = o->behind = 3;
    put(&l->code, "fence", o->tso ? 8 : 0, o->before, o->behind, 0, 0);
}

/* The accesses of one warp. An SC follows its LR as often as not. */
static void draw_warp(litmus *l, uint32_t warp, rng *r, uint32_t barriers, bool atomics, uint32_t fences) {
    const uint32_t accesses = 1 + rng_below(r, 4);
    uint32_t barrier_phase = 0;
    for (uint32_t number = 0; number < accesses; number++) {
        while (barrier_phase < barriers && rng_chance(r, 40)) {
            next_op(l, warp, OP_BARRIER, barrier_phase++);
            put(&l->code, "barrier", 0);
        }
        if (l->warp[warp].num + accesses - number + barriers - barrier_phase + 2 <= MAX_OP &&
            rng_chance(r, fences))
            put_fence(l, warp, r, barrier_phase);
        op *o = next_op(l, warp, OP_LOAD, barrier_phase);
        draw_op(l, o, r, warp, number, atomics);
        if (o->reg && l->warp[warp].num + accesses - number + barriers - barrier_phase + 1 <= MAX_OP &&
            rng_chance(r, 40)) {
            op *use = next_op(l, warp, OP_USE, barrier_phase);
            use->source = (uint8_t)(l->warp[warp].num - 2);
            if (o->vector)
                put(&l->code, "vadd_vi", 11, o->reg, 3, 1);
            else
                put(&l->code, "addi", 24, o->reg, 3);
        }
    }
    for (; barrier_phase < barriers; barrier_phase++) {
        next_op(l, warp, OP_BARRIER, barrier_phase);
        put(&l->code, "barrier", 0);
    }
}

void litmus_draw(litmus *l, rng *r) {
    memset(l, 0, sizeof *l);
    static const uint8_t shapes[][2] = {{1, 2}, {1, 2}, {1, 3},
                                        {2, 1}, {3, 1}, {2, 2}}; /* Workgroups, warps of each */
    const uint8_t *shape = shapes[rng_below(r, sizeof shapes / sizeof *shapes)];
    l->wg_size = shape[1];
    l->num_warp = (uint32_t)shape[0] * shape[1];
    l->mem_order = (uint8_t)rng_below(r, 3);
    l->tells = l->mem_order == KARAT_ORDER_PERFORMED || rng_chance(r, 70);
    l->tells_data = rng_chance(r, 60);
    l->ascending = rng_chance(r, 60);
    l->options = core_default();
    l->options.workgroups = shape[0];
    l->options.wg_size = shape[1];
    l->options.audit_percent = 0;
    l->options.uncounted = true;
    l->options.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_CSR);
    if (!l->tells)
        l->options.gives &= ~(1u << KARAT_REC_MEM);
    const bool atomics = rng_chance(r, 60);
    const uint32_t fences = rng_chance(r, 50) ? 50 : 0;
    if (l->mem_order == KARAT_ORDER_PERFORMED && !l->ascending && atomics)
        l->tells_data =
            true; /* Else it is not known which lane was the last before an AMO, until that shows it */
    uint32_t barriers = 0;
    program *p = &l->code;
    put_prologue(p);
    put_const(p, 20, LITMUS_BASE);
    put(p, "csrrs", 21, 0x806, 0); /* Lds */
    put_code(p, "csrrs 5 0x808 0; mul 5 5 6; add 5 5 7");
    for (uint32_t warp = 0; warp < l->num_warp; warp++) {
        if (warp % l->wg_size == 0)
            barriers = l->wg_size > 1 && rng_chance(r, 50) ? 1 + rng_below(r, 2) : 0;
        put(p, "addi", 24, 0, (int32_t)warp);
        const uint32_t skip = p->num;
        put(p, "bne", 5, 24, 0);
        draw_warp(l, warp, r, barriers, atomics, fences);
        put0(p, "endprg");
        const uint32_t end = p->num;
        p->num = skip;
        put(p, "bne", 5, 24, 4 * ((int32_t)end - (int32_t)skip));
        p->num = end;
    }
    put0(p, "endprg");
}

void litmus_free(litmus *l) {
    stream_free(&l->head);
}

/* FENCE.TSO lets a load pass a store. */
static bool fence_orders(const op *o, uint32_t before, uint32_t behind) {
    return o->kind == OP_FENCE && o->before & before && o->behind & behind &&
           !(o->tso && before == 1 && behind == 2);
}

bool litmus_ordered(const litmus *l, uint32_t warp, uint32_t y, uint32_t x) {
    const op *ops = l->warp[warp].at, *a = &ops[y], *b = &ops[x];
    const bool reserve = (a->kind == OP_LR || a->kind == OP_SC) && (b->kind == OP_LR || b->kind == OP_SC);
    return ops_share(a, b) || reserve || litmus_demanded(l, warp, y, x);
}

bool litmus_demanded(const litmus *l, uint32_t warp, uint32_t y, uint32_t x) {
    const op *ops = l->warp[warp].at, *a = &ops[y], *b = &ops[x];
    if (a->aq || b->rl)
        return true;
    const uint32_t as = op_reads(a) * 2u | op_writes(a), bs = op_reads(b) * 2u | op_writes(b);
    for (uint32_t i = y + 1; i < x; i++)
        if (ops[i].kind == OP_BARRIER || fence_orders(&ops[i], as, bs))
            return true;
    return false;
}

/* --- The core --- */

typedef struct core_op {
    bool issued, returned, stored, decided;
    uint32_t performed, reported; /* Lanes */
    uint32_t old[LANES], model[LANES], written;
} core_op;

typedef struct core {
    const litmus *l;
    play *p;
    rng *r;
    wrong what;
    uint32_t when; /* So many opportunities to go */
    karat_model *model;
    uint64_t cycle;
    uint32_t next[MAX_WARP], seq[MAX_WARP];
    bool ended[MAX_WARP], waits[MAX_WARP], reserved[MAX_WARP];
    uint8_t word[MAX_WARP]; /* That is reserved: its first byte */
    uint8_t mem[MAX_BYTE], issued_mem[MAX_BYTE];
    uint32_t past[64], num_past; /* Values that words have held */
    core_op op[MAX_WARP][MAX_OP];
} core;

static bool performs(const core *c) {
    return c->l->mem_order == KARAT_ORDER_PERFORMED;
}

static uint32_t all_lanes(const op *o) {
    return (1u << o->num) - 1;
}

static uint32_t get(const uint8_t *mem, uint32_t at, uint32_t bytes) {
    uint32_t value = 0;
    for (uint32_t b = 0; b < bytes; b++)
        value |= (uint32_t)mem[at + b] << 8 * b;
    return value;
}

static void set(uint8_t *mem, uint32_t at, uint32_t bytes, uint32_t value) {
    for (uint32_t b = 0; b < bytes; b++)
        mem[at + b] = (uint8_t)(value >> 8 * b);
}

static bool go_wrong(core *c, wrong what) {
    if (c->what != what || c->when-- != 0)
        return false;
    c->p->changed = true;
    return true;
}

static event *add_event(core *c, event_kind kind, uint32_t warp, uint32_t i) {
    if (c->p->num == MAX_EVENT)
        abort();
    event *e = &c->p->at[c->p->num++];
    memset(e, 0, sizeof *e);
    e->kind = kind;
    e->warp = (uint8_t)warp;
    e->op = (uint8_t)i;
    e->record = c->p->s.num;
    return e;
}

/* Issue up to the next op of that warp, or its end. */
static void issue(core *c, uint32_t warp) {
    const bool end = c->next[warp] == c->l->warp[warp].num;
    const uint32_t i = c->next[warp];
    const op *o = &c->l->warp[warp].at[i];
    for (;;) {
        karat_commit m;
        if (karat_step(c->model, warp, &m) != KARAT_OK)
            abort();
        if (!end && m.pc == o->pc) {
            add_event(c, EV_ISSUE, warp, i);
            c->p->seq[warp][i] = c->seq[warp];
        }
        const uint32_t first = warp / c->l->wg_size * c->l->wg_size;
        say_step(&c->p->s, &c->cycle, warp, c->seq[warp]++, &m,
                 ((UINT64_C(1) << c->l->wg_size) - 1) << first);
        c->waits[warp] = m.barrier != 0;
        if (m.barrier == 2)
            for (uint32_t k = 0; k < c->l->wg_size; k++)
                c->waits[first + k] = false;
        c->ended[warp] = m.ended;
        if (m.ended || (!end && m.pc == o->pc))
            break;
    }
    if (end)
        return;
    c->next[warp]++;
    core_op *x = &c->op[warp][i];
    x->issued = true;
    for (uint32_t k = 0; k < o->num; k++) { /* Without atomics: the model's */
        x->model[k] = get(c->issued_mem, o->at[k], o->bytes);
        if (o->kind == OP_STORE)
            set(c->issued_mem, o->at[k], o->bytes, o->value[k]);
    }
}

/* Lanes of an op that may be performed now, one after the other. */
static bool may_perform(const core *c, uint32_t warp, uint32_t i, uint32_t lane) {
    const op *o = &c->l->warp[warp].at[i];
    for (uint32_t y = 0; y < i; y++) {
        const op *older = &c->l->warp[warp].at[y];
        if (op_accesses(older) && c->op[warp][y].performed != all_lanes(older) &&
            litmus_ordered(c->l, warp, y, i))
            return false;
    }
    const uint32_t first = warp / c->l->wg_size * c->l->wg_size;
    for (uint32_t w = first; w < first + c->l->wg_size; w++)
        for (uint32_t y = 0; y < c->l->warp[w].num; y++) {
            const op *other = &c->l->warp[w].at[y];
            if (w != warp && op_accesses(other) && other->barrier_phase < o->barrier_phase &&
                c->op[w][y].performed != all_lanes(other))
                return false;
        }
    for (uint32_t k = 0; k < lane && c->l->ascending; k++)
        if (!(c->op[warp][i].performed >> k & 1) && o->kind == OP_STORE)
            return false;
    return true;
}

static void break_reservations(core *c, uint32_t warp, const op *o, uint32_t k) {
    for (uint32_t w = 0; w < c->l->num_warp; w++)
        if (w != warp && c->reserved[w] && c->word[w] / 4 == o->at[k] / 4)
            c->reserved[w] = false;
}

static void perform_lane(core *c, uint32_t warp, uint32_t i, uint32_t k) {
    const op *o = &c->l->warp[warp].at[i];
    core_op *x = &c->op[warp][i];
    x->performed |= 1u << k;
    x->old[k] = get(c->mem, o->at[k], o->bytes);
    uint32_t value = o->value[k];
    switch (o->kind) {
    case OP_LOAD: return;
    case OP_LR:
        c->reserved[warp] = true;
        c->word[warp] = o->at[0];
        return;
    case OP_SC:
        x->stored = c->reserved[warp] && c->word[warp] == o->at[0] && !rng_chance(c->r, 15);
        if (!x->stored && go_wrong(c, WRONG_SC))
            x->stored = true;
        c->reserved[warp] = false;
        if (!x->stored)
            return;
        break;
    case OP_AMO: value = karat_amo_result(o->amo, x->old[0], value); break;
    default: break;
    }
    x->written = value;
    set(c->mem, o->at[k], o->bytes, value);
    break_reservations(c, warp, o, k);
    if (c->num_past < 64)
        c->past[c->num_past++] = get(c->mem, o->at[k] & ~3u, 4);
}

/* A MEM record of those lanes. */
static void tell(core *c, uint32_t warp, uint32_t i, uint32_t lanes) {
    const op *o = &c->l->warp[warp].at[i];
    core_op *x = &c->op[warp][i];
    x->reported |= lanes;
    if (o->kind == OP_SC && !x->stored)
        return;
    event *e = add_event(c, EV_MEM, warp, i);
    record r = make_record(warp, KARAT_REC_MEM, c->p->seq[warp][i]);
    r.mem.op = o->kind == OP_STORE                      ? KARAT_MEM_STORE
               : o->kind == OP_LOAD || o->kind == OP_LR ? KARAT_MEM_LOAD
                                                        : KARAT_MEM_AMO;
    r.mem.mask = e->lanes = lanes;
    r.mem.no_data = r.mem.op == KARAT_MEM_AMO && !c->l->tells_data;
    for (uint32_t k = 0; k < o->num; k++) {
        if (!(lanes >> k & 1))
            continue;
        karat_warp_view view;
        karat_view(c->model, warp, &view);
        const uint32_t base = o->at[k] < AREA ? LITMUS_BASE : view.x[21];
        r.mem.addr[k] = base + o->at[k] % AREA;
        r.mem.bytes[k / 2] |= (uint8_t)(((1u << o->bytes) - 1) << k % 2 * 4);
        if (r.mem.op != KARAT_MEM_LOAD && !r.mem.no_data) {
            e->value[k] = op_is_atomic(o) ? x->written : o->value[k];
            if (go_wrong(c, WRONG_DATA))
                e->value[k] ^= rng_chance(c->r, 50) && c->num_past
                                   ? e->value[k] ^ c->past[rng_below(c->r, c->num_past)]
                                   : 1u << rng_below(c->r, 8u * o->bytes);
            r.mem.data[k] = e->value[k];
        }
    }
    say(&c->p->s, &c->cycle, &r);
}

/* Some value that the result might have been, or could never be. */
static uint32_t other_value(core *c, const op *o, uint32_t k, uint32_t value) {
    if (o->kind == OP_SC)
        return !value;
    if (o->kind == OP_AMO || o->kind == OP_LR)
        return rng_chance(c->r, 70) && c->num_past ? c->past[rng_below(c->r, c->num_past)] : value + 1;
    const uint32_t b = rng_below(c->r, o->bytes), place = o->at[k] + b;
    uint8_t byte = rng_chance(c->r, 50) ? c->l->initial[place] : (uint8_t)rng_next(c->r);
    if (rng_chance(c->r, 20))
        return value ^ 1u << rng_below(c->r, 8u * o->bytes);
    for (uint32_t n = 0; n < 8; n++) { /* Some write's, if there is one */
        const uint32_t w = rng_below(c->r, c->l->num_warp), i = rng_below(c->r, c->l->warp[w].num);
        const op *y = &c->l->warp[w].at[i];
        const uint32_t lane = rng_below(c->r, y->num);
        if (op_accesses(y) && op_writes(y) && place - y->at[lane] < y->bytes) {
            const uint32_t written = y->kind == OP_AMO ? c->op[w][i].written : y->value[lane];
            byte = (uint8_t)(written >> 8 * (place - y->at[lane]));
            break;
        }
    }
    return (value & ~(0xffu << 8 * b)) | (uint32_t)byte << 8 * b;
}

static uint32_t extend(const op *o, uint32_t value) {
    const unsigned unused = 32 - 8u * o->bytes;
    return o->kind == OP_LOAD && o->sign ? (uint32_t)((int32_t)(value << unused) >> unused) : value;
}

static void give_result(core *c, uint32_t warp, uint32_t i) {
    const op *o = &c->l->warp[warp].at[i];
    core_op *x = &c->op[warp][i];
    x->returned = true;
    event *e = add_event(c, EV_RESULT, warp, i);
    record r = make_record(warp, KARAT_REC_WRITE, c->p->seq[warp][i]);
    r.write.cls = o->vector ? KARAT_V : KARAT_X;
    r.write.regno = o->reg;
    r.write.mask = e->lanes = all_lanes(o);
    bool other = false;
    for (uint32_t k = 0; k < o->num; k++) {
        e->value[k] = o->kind == OP_SC ? !x->stored : x->old[k];
        if (go_wrong(c, WRONG_RESULT))
            e->value[k] = other_value(c, o, k, e->value[k]);
        other |= o->kind == OP_LOAD && e->value[k] != x->model[k];
        r.write.data[k] = extend(o, e->value[k]);
    }
    c->p->racing += other;
    say(&c->p->s, &c->cycle, &r);
    karat_adopt(c->model, warp, o->vector ? KARAT_CLASS_V : KARAT_CLASS_X, o->reg, r.write.mask,
                r.write.data);
}

/* One thing that can happen to op i of that warp, if any does. */
static bool go_on(core *c, uint32_t warp, uint32_t i) {
    const op *o = &c->l->warp[warp].at[i];
    core_op *x = &c->op[warp][i];
    if (!x->issued || !op_accesses(o))
        return false;
    const uint32_t all = all_lanes(o);
    const bool early = c->l->tells && !performs(c) && o->kind != OP_AMO && o->kind != OP_SC;
    if (early && x->reported != all && rng_chance(c->r, 50)) {
        uint32_t lanes = (all & ~x->reported) & (rng_chance(c->r, 70) ? all : rng_next(c->r));
        if (lanes)
            tell(c, warp, i, lanes);
        return lanes != 0;
    }
    if (x->performed != all) {
        uint32_t now = 0;
        const uint32_t some = rng_chance(c->r, 70) ? all : rng_next(c->r);
        const uint32_t first = c->l->ascending ? 0 : rng_below(c->r, o->num);
        for (uint32_t n = 0; n < o->num; n++) {
            const uint32_t k = (first + n) % o->num;
            const bool ignore = c->what == WRONG_ORDER;
            if (!(x->performed >> k & 1) && some >> k & 1 && (ignore || may_perform(c, warp, i, k))) {
                perform_lane(c, warp, i, k);
                now |= 1u << k;
            }
        }
        if (now && performs(c))
            tell(c, warp, i, now);
        return now != 0;
    }
    if (!performs(c) && c->l->tells && x->reported != all && (early || rng_chance(c->r, 50))) {
        tell(c, warp, i, all & ~x->reported);
        return true;
    }
    if (o->reg && !x->returned) {
        give_result(c, warp, i);
        return true;
    }
    return false;
}

static bool can_issue(const core *c, uint32_t warp) {
    if (c->ended[warp] || c->waits[warp])
        return false;
    const op *o = &c->l->warp[warp].at[c->next[warp]];
    return c->next[warp] == c->l->warp[warp].num || o->kind != OP_USE || c->op[warp][o->source].returned;
}

/* Whether there is anything left to be done. */
static bool is_done(const core *c) {
    for (uint32_t w = 0; w < c->l->num_warp; w++) {
        if (!c->ended[w])
            return false;
        for (uint32_t i = 0; i < c->l->warp[w].num; i++) {
            const op *o = &c->l->warp[w].at[i];
            const core_op *x = &c->op[w][i];
            if (op_accesses(o) && (x->performed != all_lanes(o) || (o->reg && !x->returned) ||
                                   (c->l->tells && x->reported != all_lanes(o))))
                return false;
        }
    }
    return true;
}

static void finish(core *c) {
    record r = make_record(0, KARAT_REC_CONTENTS, 0);
    r.contents.addr = LITMUS_BASE;
    r.contents.length = AREA;
    memcpy(r.contents.data, c->mem, AREA);
    if (c->what == WRONG_LEFT) {
        const uint32_t at = rng_below(c->r, AREA);
        const op byte = {.kind = OP_LOAD, .bytes = 1, .num = 1, .at = {(uint8_t)at}};
        r.contents.data[at] = (uint8_t)other_value(c, &byte, 0, r.contents.data[at]);
        c->p->changed = true;
    }
    c->p->racing += memcmp(r.contents.data, c->issued_mem, AREA) != 0;
    event *e = add_event(c, EV_LEFT, 0, 0);
    memcpy(e->value, r.contents.data, AREA);
    say(&c->p->s, &c->cycle, &r);
    r = make_record(0, KARAT_REC_BYE, 0);
    r.bye.reason = KARAT_BYE_DONE;
    say(&c->p->s, &c->cycle, &r);
}

/* The host has written the area before the kernel. */
static void fill_memory(core *c) {
    stream *s = &c->p->s;
    size_t i = 0;
    for (; s->at[i].h.kind != KARAT_REC_KERNEL; i++)
        if (s->at[i].h.kind == KARAT_REC_REGION)
            s->at[i].region.hash_valid = 0;
    record r = make_record(0, KARAT_REC_HOST, 0);
    r.h.cycle = s->at[i].h.cycle;
    r.host.addr = LITMUS_BASE;
    r.host.length = AREA;
    memcpy(r.host.data, c->mem, AREA);
    stream_insert(s, i, &r);
    karat_write(c->model, LITMUS_BASE, c->mem, AREA);
}

void litmus_play(litmus *l, play *p, rng *r, wrong what) {
    memset(p, 0, sizeof *p);
    p->l = l;
    core *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->l = l;
    c->p = p;
    c->r = r;
    c->what = what;
    c->when = rng_below(r, 6);
    c->model = l->head.num ? say_again(&p->s, &c->cycle, &l->head, &l->options)
                           : say_launches(&p->s, &c->cycle, &l->head, &l->code, &l->options);
    p->s.at[0].hello.mem_order = l->mem_order;
    p->s.at[0].hello.props =
        KARAT_PROP_FLUSHED | KARAT_PROP_COHERENT | (l->ascending ? KARAT_PROP_ASCENDING : 0);
    for (uint32_t b = 0; b < AREA; b++)
        c->mem[b] = (uint8_t)rng_next(r);
    fill_memory(c);
    memcpy(l->initial, c->mem, MAX_BYTE);
    memcpy(c->issued_mem, c->mem, MAX_BYTE);
    for (uint32_t w = 0; w < 2; w++)
        c->past[c->num_past++] = get(c->mem, 4 * w, 4);
    const uint32_t eager = 20 + rng_below(r, 70); /* Percent: to issue rather than go on */
    while (!is_done(c)) {
        const uint32_t warp = rng_below(r, l->num_warp);
        if (rng_chance(r, eager) && can_issue(c, warp))
            issue(c, warp);
        else if (l->warp[warp].num)
            go_on(c, warp, rng_below(r, l->warp[warp].num));
    }
    finish(c);
    karat_destroy(c->model);
    free(c);
}

/* --- For whoever looks at one that fails --- */

void litmus_show(const play *p) {
    static const char *const names[] = {"load", "store", "amo", "lr", "sc", "fence", "barrier", "use"};
    static const char *const events[] = {"issue", "mem", "result", "left"};
    const litmus *l = p->l;
    printf("%u warps, %u a workgroup, memory order %u%s%s%s\n", l->num_warp, l->wg_size, l->mem_order,
           l->tells ? ", tells" : "", l->tells_data ? " data" : "", l->ascending ? ", ascending" : "");
    for (uint32_t n = 0; n < p->num; n++) {
        const event *e = &p->at[n];
        const op *o = &l->warp[e->warp].at[e->op];
        printf("%3u record %zu: ", n, e->record);
        if (e->kind == EV_LEFT) {
            printf("left %08x %08x\n", e->value[0], e->value[1]);
            continue;
        }
        printf("warp %u op %u seq %u %s %s", e->warp, e->op, p->seq[e->warp][e->op], names[o->kind],
               events[e->kind]);
        if (o->kind == OP_FENCE)
            printf(" %u %u", o->before, o->behind);
        if (op_is_atomic(o))
            printf(" amo %u%s%s%s", o->amo, o->aq ? " aq" : "", o->rl ? " rl" : "",
                   o->reg ? "" : " no register");
        for (uint32_t k = 0; k < o->num && op_accesses(o); k++)
            if (e->kind == EV_ISSUE || e->lanes >> k & 1) {
                printf("  [%u+%u]", o->at[k], o->bytes);
                if (e->kind == EV_ISSUE && op_writes(o))
                    printf(" %08x", o->value[k]);
                if (e->kind != EV_ISSUE)
                    printf(" %08x", e->value[k]);
            }
        printf("\n");
    }
    for (uint32_t at = 0; at < AREA; at += 4)
        printf("at first [%u] %08x\n", at, get(l->initial, at, 4));
}
