#include "litmus.h"

#include <stdlib.h>
#include <string.h>

/* One lane of an access: what an order is an order of. */
typedef struct node {
    uint8_t warp, op, lane;
    op_kind kind;
    uint8_t at, bytes, amo; /* Of all MAX_BYTE */
    uint32_t operand;
    bool must;      /* It must be in the order */
    bool knows_old; /* The value read is known; of a load in its own bytes */
    uint32_t old, mask, wrote, wrote_mask;
    uint64_t behind; /* Nodes that come before it */
    int lr;          /* SC: the node of its LR; -1: none */
} node;

enum { MAX_NODE = 40, SEARCHED = 100000, TABLE = 1 << 18 };

typedef struct judge_state {
    const play *p;
    const litmus *l;
    uint32_t issued[MAX_WARP][MAX_OP], answered[MAX_WARP][MAX_OP]; /* Event; NOT_YET */
    uint32_t result[MAX_WARP][MAX_OP];                             /* Event of its EV_RESULT */
    uint32_t wrote[MAX_WARP][MAX_OP];                              /* An AMO's or SC's EV_MEM */
} judge_state;

static const op *op_at(const litmus *l, uint32_t warp, uint32_t i) {
    return &l->warp[warp].at[i];
}

static bool same_group(const litmus *l, uint32_t a, uint32_t b) {
    return a / l->wg_size == b / l->wg_size;
}

/* By the warp's own order on that byte, or by a barrier. */
static bool plainly_before(const litmus *l, uint32_t aw, uint32_t ai, uint32_t bw, uint32_t bi) {
    if (aw == bw)
        return ai < bi;
    return same_group(l, aw, bw) && op_at(l, aw, ai)->barrier_phase < op_at(l, bw, bi)->barrier_phase;
}

static uint32_t bits_of(uint32_t bytes) {
    return bytes == 4 ? 0xffffffffu : (1u << 8 * bytes) - 1;
}

static uint8_t byte_of(uint32_t value, uint32_t i) {
    return (uint8_t)(value >> 8 * i);
}

static void begin_judge(judge_state *j, const play *p) {
    *j = (judge_state){.p = p, .l = p->l};
    for (uint32_t n = 0; n < MAX_WARP * MAX_OP; n++)
        j->issued[n / MAX_OP][n % MAX_OP] = j->answered[n / MAX_OP][n % MAX_OP] =
            j->result[n / MAX_OP][n % MAX_OP] = j->wrote[n / MAX_OP][n % MAX_OP] = NOT_YET;
    for (uint32_t n = 0; n < p->num; n++) {
        const event *e = &p->at[n];
        const op *o = op_at(p->l, e->warp, e->op);
        uint32_t *answered = &j->answered[e->warp][e->op];
        if (e->kind == EV_ISSUE)
            j->issued[e->warp][e->op] = n;
        if (e->kind == EV_RESULT)
            j->result[e->warp][e->op] = n;
        if (e->kind == EV_MEM && (o->kind == OP_AMO || o->kind == OP_SC))
            j->wrote[e->warp][e->op] = n;
        const bool answers = e->kind == EV_RESULT || (e->kind == EV_MEM && o->kind == OP_SC) ||
                             (e->kind == EV_MEM && o->kind == OP_AMO && p->l->tells_data);
        if (answers && *answered == NOT_YET)
            *answered = n;
    }
}

/* --- Orders of the accesses to one word --- */

typedef struct visited {
    uint64_t placed, broken;
    uint32_t value, round;
} visited;

static visited table[TABLE];
static uint32_t round_number;

typedef struct orders {
    node at[MAX_NODE];
    uint32_t num, steps;
    uint8_t base; /* Of the word */
    bool all;     /* Have to be in it, but for SCs */
    bool ends;    /* With a value: of these bits */
    uint32_t end, end_mask;
    bool gave_up;
} orders;

static bool met(orders *w, uint64_t placed, uint64_t broken, uint32_t value) {
    uint64_t h = (placed * 31 + broken) * UINT64_C(0x9e3779b97f4a7c15) + value;
    h *= UINT64_C(0xc2b2ae3d27d4eb4f);
    uint32_t i = (uint32_t)(h >> 40) % TABLE;
    for (; table[i].round == round_number; i = (i + 1) % TABLE)
        if (table[i].placed == placed && table[i].broken == broken && table[i].value == value)
            return true;
    table[i] = (visited){placed, broken, value, round_number};
    w->gave_up |= ++w->steps == SEARCHED;
    return false;
}

/* The node may come where the word holds that value; *next: what it holds then. */
static bool fits(const orders *w, const node *n, uint32_t value, bool broken, uint32_t *next) {
    const unsigned shift = 8u * (unsigned)(n->at - w->base);
    const uint32_t bits = bits_of(n->bytes);
    *next = value;
    if (n->knows_old && ((value >> shift ^ n->old) & n->mask))
        return false;
    if (n->kind == OP_LOAD || n->kind == OP_LR)
        return true;
    uint32_t written = n->operand;
    if (n->kind == OP_AMO)
        written = karat_amo_result(n->amo, value, n->operand);
    if (n->kind == OP_SC && broken)
        return false;
    *next = (value & ~(bits << shift)) | (written & bits) << shift;
    return !((written ^ n->wrote) & n->wrote_mask);
}

static bool can_order(orders *w, uint64_t placed, uint64_t broken, uint32_t value) {
    bool complete = true;
    for (uint32_t i = 0; i < w->num; i++)
        complete &= placed >> i & 1 || !(w->at[i].must || (w->all && w->at[i].kind != OP_SC));
    if (complete && !(w->ends && (value ^ w->end) & w->end_mask))
        return true;
    if (w->gave_up || met(w, placed, broken, value))
        return false;
    for (uint32_t i = 0; i < w->num; i++) {
        const node *n = &w->at[i];
        uint64_t wait = n->behind & ~placed, gone = 0;
        for (uint32_t k = 0; k < w->num; k++)
            if (wait >> k & 1 && w->at[k].kind == OP_SC && !w->at[k].must)
                gone |= UINT64_C(1) << k; /* It has failed then */
        if (placed >> i & 1 || wait & ~gone)
            continue;
        uint32_t next;
        const bool holds = n->lr >= 0 && placed >> n->lr & 1 && !(broken >> n->lr & 1);
        if (!fits(w, n, value, !holds, &next))
            continue;
        uint64_t breaks = broken;
        for (uint32_t k = 0; k < w->num; k++)
            if ((n->kind == OP_STORE || n->kind == OP_AMO || n->kind == OP_SC) && w->at[k].kind == OP_LR &&
                placed >> k & 1 && w->at[k].warp != n->warp)
                breaks |= UINT64_C(1) << k;
        if (can_order(w, placed | gone | UINT64_C(1) << i, breaks, next))
            return true;
    }
    return false;
}

static bool in_word(const op *o, uint32_t k, uint32_t base) {
    return o->at[k] / 4 == base / 4;
}

/* The LR whose reservation an SC takes: the warp's last, if it is of that word. -1: none. */
static int lr_of(const litmus *l, uint32_t warp, uint32_t sc) {
    for (uint32_t i = sc; i > 0; i--) {
        const op *o = op_at(l, warp, i - 1);
        if (o->kind == OP_SC)
            return -1;
        if (o->kind == OP_LR)
            return o->at[0] == op_at(l, warp, sc)->at[0] ? (int)i - 1 : -1;
    }
    return -1;
}

/* Which loads count: none, those of the byte at 'only' of one, or all. */
typedef struct loads {
    bool all;
    uint32_t warp, op, lane, only;
} loads;

static bool add_nodes(const judge_state *j, orders *w, uint32_t event_number, const loads *which) {
    for (uint32_t e = 0; e <= event_number; e++) { /* In order of issue */
        const event *ev = &j->p->at[e];
        const op *o = op_at(j->l, ev->warp, ev->op);
        if (ev->kind != EV_ISSUE || !op_accesses(o))
            continue;
        const uint32_t result = j->result[ev->warp][ev->op], wrote = j->wrote[ev->warp][ev->op];
        const bool returned = result <= event_number;
        for (uint32_t k = 0; k < o->num; k++) {
            if (!in_word(o, k, w->base))
                continue;
            node n = {.warp = ev->warp,
                      .op = ev->op,
                      .lane = (uint8_t)k,
                      .kind = o->kind,
                      .at = o->at[k],
                      .bytes = o->bytes,
                      .amo = o->amo,
                      .operand = o->value[k],
                      .mask = bits_of(o->bytes),
                      .lr = -1};
            if (o->kind == OP_LOAD) {
                const bool this_one = ev->warp == which->warp && ev->op == which->op && k == which->lane;
                if (!returned || !(which->all || this_one))
                    continue;
            }
            if (returned && o->kind != OP_SC) {
                n.must = n.knows_old = true;
                n.old = j->p->at[result].value[k];
            }
            if (o->kind == OP_LOAD && !which->all) {
                n.old = byte_of(n.old, which->only - n.at);
                n.at = (uint8_t)which->only;
                n.bytes = 1;
                n.mask = 0xff;
            }
            if (o->kind == OP_SC) {
                if (returned && j->p->at[result].value[0] != 0)
                    continue; /* It has failed */
                n.must = returned || wrote <= event_number;
            } else if (o->kind == OP_AMO && wrote <= event_number && j->l->tells_data) {
                n.must = true;
                n.wrote_mask = 0xffffffffu;
                n.wrote = j->p->at[wrote].value[0];
            }
            if (w->num == MAX_NODE)
                return false;
            w->at[w->num++] = n;
        }
    }
    return true;
}

/* An access that has answered comes before those issued later. loads: theirs, too. */
static bool answered_before(const judge_state *j, const node *a, const node *b, bool with_loads) {
    const uint32_t at = j->answered[a->warp][a->op];
    if ((a->kind == OP_LOAD || b->kind == OP_LOAD) && !with_loads)
        return false;
    return at < NOT_YET && at < j->issued[b->warp][b->op];
}

static void add_edges(const judge_state *j, orders *w, bool strict) {
    for (uint32_t i = 0; i < w->num; i++) {
        node *b = &w->at[i];
        const op *bo = op_at(j->l, b->warp, b->op);
        for (uint32_t k = 0; k < w->num; k++) {
            const node *a = &w->at[k];
            const op *ao = op_at(j->l, a->warp, a->op);
            if (i == k)
                continue;
            bool ahead = answered_before(j, a, b, strict);
            const bool share = a->at < b->at + b->bytes && b->at < a->at + a->bytes;
            if (a->warp == b->warp && a->op == b->op)
                ahead |= j->l->ascending && a->kind == OP_STORE && a->lane < b->lane && (strict || share);
            else if (strict ? share || a->warp != b->warp : share && (op_writes(ao) || op_writes(bo)))
                ahead |= plainly_before(j->l, a->warp, a->op, b->warp, b->op);
            if (ahead)
                b->behind |= UINT64_C(1) << k;
        }
        const int lr = b->kind == OP_SC ? lr_of(j->l, b->warp, b->op) : -1;
        for (uint32_t k = 0; k < w->num && lr >= 0; k++)
            if (w->at[k].warp == b->warp && w->at[k].op == (uint32_t)lr)
                b->lr = (int)k;
    }
}

typedef enum answer { NONE, SOME, UNKNOWN } answer;

static answer find_order(const judge_state *j, uint32_t base, uint32_t event_number, const loads *which,
                         bool strict, const uint32_t *end, uint32_t end_mask) {
    orders w = {.base = (uint8_t)(base & ~3u), .all = end != NULL, .ends = end != NULL, .end_mask = end_mask};
    if (end)
        w.end = *end;
    if (!add_nodes(j, &w, event_number, which))
        return UNKNOWN;
    add_edges(j, &w, strict);
    round_number++;
    uint32_t value = 0;
    for (uint32_t b = 0; b < 4; b++)
        value |= (uint32_t)j->l->initial[w.base + b] << 8 * b;
    if (can_order(&w, 0, 0, value))
        return SOME;
    return w.gave_up ? UNKNOWN : NONE;
}

/* Whether there is an order of all accesses, loads included; end: what it leaves in the word, or NULL. */
static bool has_order(const judge_state *j, uint32_t place, uint32_t n, const uint32_t *end, judgement *v) {
    const loads all = {.all = true};
    const answer a = find_order(j, place, n, &all, true, end, 0xffffffffu);
    v->gave_up |= a == UNKNOWN;
    return a == SOME;
}

/* --- Where MEM's order is not known --- */

static bool has_atomic(const judge_state *j, uint32_t place, uint32_t event_number) {
    for (uint32_t e = 0; e <= event_number; e++) {
        const op *o = op_at(j->l, j->p->at[e].warp, j->p->at[e].op);
        if (j->p->at[e].kind == EV_ISSUE && op_is_atomic(o) && in_word(o, 0, place))
            return true;
    }
    return false;
}

/* A's lane is ordered before b's, both of which write a byte. */
static bool write_before(const litmus *l, uint32_t aw, uint32_t ai, uint32_t ak, uint32_t bw, uint32_t bi,
                         uint32_t bk) {
    if (aw == bw && ai == bi)
        return l->ascending && ak < bk;
    return plainly_before(l, aw, ai, bw, bi);
}

/* Whether an op's lane writes that byte, and was issued by then. */
static bool writes_byte(const judge_state *j, uint32_t w, uint32_t i, uint32_t k, uint32_t place,
                        uint32_t event_number) {
    const op *o = op_at(j->l, w, i);
    return op_accesses(o) && op_writes(o) && k < o->num && j->issued[w][i] <= event_number &&
           (uint32_t)(place - o->at[k]) < o->bytes;
}

/* Whether something hides a write from a load of that byte, or from the end (warp MAX_WARP). */
static bool is_hidden(const judge_state *j, uint32_t w, uint32_t i, uint32_t k, uint32_t place, uint32_t load,
                      uint32_t load_op, uint32_t event_number) {
    for (uint32_t x = 0; x < j->l->num_warp; x++)
        for (uint32_t y = 0; y < j->l->warp[x].num; y++)
            for (uint32_t z = 0; z < LANES; z++)
                if (writes_byte(j, x, y, z, place, event_number) && !(x == w && y == i && z == k) &&
                    (w == MAX_WARP || write_before(j->l, w, i, k, x, y, z)) &&
                    (load == MAX_WARP || plainly_before(j->l, x, y, load, load_op)))
                    return true;
    return false;
}

/* The rule for loads of one byte, of a word without atomics; load: MAX_WARP for memory at the end. */
static bool may_return(const judge_state *j, uint32_t load, uint32_t load_op, uint32_t place, uint8_t value,
                       uint32_t event_number) {
    if (j->l->initial[place] == value && !is_hidden(j, MAX_WARP, 0, 0, place, load, load_op, event_number))
        return true;
    for (uint32_t w = 0; w < j->l->num_warp; w++)
        for (uint32_t i = 0; i < j->l->warp[w].num; i++)
            for (uint32_t k = 0; k < LANES; k++) {
                const op *o = op_at(j->l, w, i);
                if (writes_byte(j, w, i, k, place, event_number) &&
                    byte_of(o->value[k], place - o->at[k]) == value &&
                    !(load != MAX_WARP && plainly_before(j->l, load, load_op, w, i)) &&
                    !is_hidden(j, w, i, k, place, load, load_op, event_number))
                    return true;
            }
    return false;
}

static void judge_load(const judge_state *j, uint32_t n, judgement *v) {
    const event *e = &j->p->at[n];
    const op *o = op_at(j->l, e->warp, e->op);
    for (uint32_t k = 0; k < o->num; k++) {
        bool good = true, wrong = false;
        for (uint32_t b = 0; b < o->bytes; b++) {
            const uint32_t place = o->at[k] + b;
            const loads one = {false, e->warp, e->op, k, place};
            if (has_atomic(j, place, n)) {
                wrong |= find_order(j, place, n, &one, false, NULL, 0) == NONE;
            } else {
                const bool may = may_return(j, e->warp, e->op, place, byte_of(e->value[k], b), n);
                good &= may;
                wrong |= !may;
            }
        }
        if (good && has_atomic(j, o->at[k], n))
            good = has_order(j, o->at[k], n, NULL, v);
        if (!good && v->may == NOT_YET)
            v->may = n;
        if (wrong && v->must == NOT_YET)
            v->must = n;
    }
}

/* An atomic's answer. */
static void judge_atomic(const judge_state *j, uint32_t n, judgement *v) {
    const event *e = &j->p->at[n];
    const uint32_t at = op_at(j->l, e->warp, e->op)->at[0];
    const loads none = {.warp = MAX_WARP};
    if (v->may == NOT_YET && !has_order(j, at, n, NULL, v))
        v->may = n;
    if (v->must == NOT_YET && find_order(j, at, n, &none, false, NULL, 0) == NONE)
        v->must = n;
}

static void judge_left(const judge_state *j, uint32_t n, judgement *v) {
    const event *e = &j->p->at[n];
    const loads none = {.warp = MAX_WARP};
    for (uint32_t place = 0; place < AREA; place++) {
        const uint32_t word = e->value[place / 4];
        bool good, wrong;
        if (has_atomic(j, place, n)) {
            good = has_order(j, place, n, &word, v);
            wrong = find_order(j, place, n, &none, false, &word, 0xffu << 8 * (place % 4)) == NONE;
        } else {
            good = may_return(j, MAX_WARP, 0, place, byte_of(word, place % 4), n);
            wrong = !good;
        }
        if (!good && v->may == NOT_YET)
            v->may = n;
        if (wrong && v->must == NOT_YET)
            v->must = n;
    }
}

/* An SC says two things that cannot both be: it has failed, and MEM that it has stored; or the other way
 * round, at the end. */
static void judge_scs(const judge_state *j, uint32_t n, judgement *v) {
    for (uint32_t w = 0; w < j->l->num_warp; w++)
        for (uint32_t i = 0; i < j->l->warp[w].num; i++) {
            const op *o = op_at(j->l, w, i);
            const uint32_t result = j->result[w][i], wrote = j->wrote[w][i];
            if (o->kind != OP_SC || !o->reg || !j->l->tells || result > n)
                continue;
            const bool stored = j->p->at[result].value[0] == 0;
            const bool never = wrote == NOT_YET && stored;
            if (never && v->may > result)
                v->may = result;
            if (wrote <= n && !stored && v->may > n)
                v->may = n;
            if (((wrote <= n && !stored) || (never && j->p->at[n].kind == EV_LEFT)) && v->must == NOT_YET)
                v->must = n;
        }
}

static judgement judge_unordered(const judge_state *j) {
    judgement v = {.may = NOT_YET, .must = NOT_YET};
    for (uint32_t n = 0; n < j->p->num; n++) {
        const event *e = &j->p->at[n];
        const op *o = op_at(j->l, e->warp, e->op);
        bool wrong_data = false;
        for (uint32_t k = 0; k < o->num && e->kind == EV_MEM; k++)
            if (e->lanes >> k & 1 && (o->kind == OP_STORE || (o->kind == OP_SC && j->l->tells_data)))
                wrong_data |= ((e->value[k] ^ o->value[k]) & bits_of(o->bytes)) != 0;
        if (wrong_data) {
            v.may = v.may < n ? v.may : n;
            v.must = v.must < n ? v.must : n;
        }
        if (e->kind == EV_LEFT)
            judge_left(j, n, &v);
        else if (e->kind == EV_RESULT && o->kind == OP_LOAD)
            judge_load(j, n, &v);
        else if (op_is_atomic(o) && e->kind != EV_ISSUE)
            judge_atomic(j, n, &v);
        judge_scs(j, n, &v);
        if (v.must != NOT_YET)
            break;
    }
    return v;
}

/* --- In the order of performance --- */

typedef struct replay_state {
    judge_state j;
    uint32_t now;
    uint8_t mem[MAX_BYTE];
    uint32_t
        num_other[MAX_BYTE]; /* Values that other lanes of the last store, in its record, may have left */
    uint8_t other[MAX_BYTE][LANES];
    uint32_t performed[MAX_WARP][MAX_OP][LANES]; /* Event */
    uint32_t old[MAX_WARP][MAX_OP][LANES], wrote[MAX_WARP][MAX_OP][LANES];
    uint8_t num_seen[MAX_WARP][MAX_OP][LANES][4];
    uint8_t seen[MAX_WARP][MAX_OP][LANES][4][LANES]; /* Besides old */
    bool reserved[MAX_WARP];
    uint8_t word[MAX_WARP];
    /* The release of a word's value, and the accesses that it orders. */
    uint32_t num_release[MAX_BYTE / 4];
    uint8_t release[MAX_BYTE / 4][MAX_WARP * MAX_OP]; /* Warp * MAX_OP + op */
    bool before[MAX_WARP * MAX_OP][MAX_WARP * MAX_OP];
    bool flags; /* Of plain accesses count, too */
    /* Who has written a byte last, 1 + warp * MAX_OP + op, and who has read from whom. */
    uint8_t writer[MAX_BYTE];
    bool read_from[MAX_WARP * MAX_OP][MAX_WARP * MAX_OP];
} replay_state;

static bool is_done(const replay_state *s, uint32_t w, uint32_t i) {
    const op *o = op_at(s->j.l, w, i);
    for (uint32_t k = 0; k < o->num; k++)
        if (s->performed[w][i][k] == NOT_YET)
            return false;
    return true;
}

/* Whether a release and an acquire, or barriers, put a before b. */
static bool is_before(const replay_state *s, uint32_t aw, uint32_t ai, uint32_t bw, uint32_t bi) {
    bool reached[MAX_WARP * MAX_OP] = {false};
    const litmus *l = s->j.l;
    reached[aw * MAX_OP + ai] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t x = 0; x < l->num_warp * MAX_OP; x++)
            for (uint32_t y = 0; y < l->num_warp * MAX_OP && reached[x]; y++) {
                const uint32_t xw = x / MAX_OP, xi = x % MAX_OP, yw = y / MAX_OP, yi = y % MAX_OP;
                if (reached[y] || yi >= l->warp[yw].num ||
                    !(s->before[x][y] || plainly_before(l, xw, xi, yw, yi)))
                    continue;
                more = reached[y] = true;
            }
    }
    return reached[bw * MAX_OP + bi];
}

static bool is_full_fence(const op *o) {
    return o->kind == OP_FENCE && o->before == 3 && o->behind == 3;
}

/* A lane has read what was released, and a FENCE after it, or .aq, puts that ahead of what follows. */
static void acquire(replay_state *s, uint32_t w, uint32_t i, uint32_t k) {
    const litmus *l = s->j.l;
    const op *o = op_at(l, w, i);
    uint32_t to = i;
    while (!o->aq && ++to < l->warp[w].num)
        if (is_full_fence(op_at(l, w, to)))
            break;
    if (to == l->warp[w].num)
        return;
    const uint32_t word = o->at[k] / 4;
    for (uint32_t n = 0; n < s->num_release[word]; n++)
        if (s->release[word][n] / MAX_OP != w)
            s->before[s->release[word][n]][w * MAX_OP + to] = true;
}

static void release(replay_state *s, uint32_t w, uint32_t i, uint32_t k) {
    const litmus *l = s->j.l;
    const op *o = op_at(l, w, i);
    uint32_t from = i;
    if (!o->rl)
        while (from-- > 0 && !is_full_fence(op_at(l, w, from)))
            ;
    if (from < l->warp[w].num)
        s->release[o->at[k] / 4][s->num_release[o->at[k] / 4]++] = (uint8_t)(w * MAX_OP + from);
}

/* Accesses that have to come first, and have not; *surely: something says so that is found at once. */
static bool is_early(const replay_state *s, uint32_t w, uint32_t i, bool *surely) {
    const litmus *l = s->j.l;
    bool early = false;
    *surely = false;
    for (uint32_t x = 0; x < l->num_warp; x++)
        for (uint32_t y = 0; y < l->warp[x].num && (x != w || y < i); y++) {
            const op *a = op_at(l, x, y);
            /* An SC without MEM has failed, sooner or later. */
            if (!op_accesses(a) || is_done(s, x, y) || (a->kind == OP_SC && s->j.wrote[x][y] == NOT_YET))
                continue;
            const bool barrier = same_group(l, x, w) && a->barrier_phase < op_at(l, w, i)->barrier_phase;
            early |= barrier || (x == w && litmus_ordered(l, w, y, i));
            *surely |= a->kind != OP_SC && (barrier || (x == w && litmus_demanded(l, w, y, i)));
        }
    return early;
}

/* A write to a byte that is ordered after this one has been performed. */
static bool is_overtaken(const replay_state *s, uint32_t w, uint32_t i, uint32_t k) {
    const litmus *l = s->j.l;
    const op *o = op_at(l, w, i);
    for (uint32_t x = 0; x < l->num_warp; x++)
        for (uint32_t y = 0; y < l->warp[x].num; y++) {
            const op *other = op_at(l, x, y);
            for (uint32_t z = 0; z < other->num; z++) {
                if (!op_accesses(other) || !op_writes(other) || s->performed[x][y][z] == NOT_YET ||
                    !lanes_share(o, k, other, z) || (x == w && y == i && z == k))
                    continue;
                if (x == w && y == i ? l->ascending && z > k && s->performed[x][y][z] < s->now
                                     : is_before(s, w, i, x, y))
                    return true;
            }
        }
    return false;
}

static void note(judgement *v, uint32_t n, bool may, bool must) {
    if ((may || must) && v->may == NOT_YET)
        v->may = n;
    if (must && v->must == NOT_YET)
        v->must = n;
}

static void put_bytes(replay_state *s, const event *e, const op *o, uint32_t k, uint32_t value) {
    for (uint32_t b = 0; b < o->bytes; b++) {
        const uint32_t place = o->at[k] + b;
        bool lanes = false; /* An earlier lane of this record has written it, too */
        for (uint32_t i = 0; i < k; i++)
            lanes |= e->lanes >> i & 1 && place - o->at[i] < o->bytes;
        if (!lanes || s->j.l->ascending)
            s->num_other[place] = 0;
        else
            s->other[place][s->num_other[place]++] = s->mem[place];
        s->mem[place] = byte_of(value, b);
    }
}

static bool holds(const replay_state *s, uint32_t place, uint8_t value) {
    bool any = s->mem[place] == value;
    for (uint32_t i = 0; i < s->num_other[place]; i++)
        any |= s->other[place][i] == value;
    return any;
}

/* Whether an AMO that finds one of the bytes that may be there writes that; found: those below byte b. */
static bool may_write(const replay_state *s, const op *o, uint32_t b, uint32_t found, uint32_t written) {
    if (b == 4)
        return karat_amo_result(o->amo, found, o->value[0]) == written;
    const uint32_t place = o->at[0] + b;
    for (uint32_t i = 0; i <= s->num_other[place]; i++) {
        const uint8_t byte = i ? s->other[place][i - 1] : s->mem[place];
        if (may_write(s, o, b + 1, found | (uint32_t)byte << 8 * b, written))
            return true;
    }
    return false;
}

static void replay_lane(replay_state *s, const event *e, uint32_t k, judgement *v) {
    const litmus *l = s->j.l;
    const op *o = op_at(l, e->warp, e->op);
    uint32_t old = 0, others = 0;
    for (uint32_t b = 0; b < o->bytes; b++) {
        const uint32_t place = o->at[k] + b;
        old |= (uint32_t)s->mem[place] << 8 * b;
        others += s->num_other[place];
        s->num_seen[e->warp][e->op][k][b] = (uint8_t)s->num_other[place];
        memcpy(s->seen[e->warp][e->op][k][b], s->other[place], LANES);
        if (op_reads(o) && s->writer[place])
            s->read_from[s->writer[place] - 1][e->warp * MAX_OP + e->op] = true;
        if (op_writes(o))
            s->writer[place] = (uint8_t)(1 + e->warp * MAX_OP + e->op);
    }
    s->old[e->warp][e->op][k] = old;
    s->performed[e->warp][e->op][k] = s->now;
    if (o->kind == OP_LR) {
        s->reserved[e->warp] = true;
        s->word[e->warp] = o->at[0];
    }
    if (op_reads(o))
        acquire(s, e->warp, e->op, k);
    if (!op_writes(o))
        return;
    uint32_t value = o->kind == OP_AMO ? karat_amo_result(o->amo, old, o->value[k]) : o->value[k];
    const bool reported = o->kind == OP_STORE || l->tells_data;
    const bool wrong = reported && (value ^ e->value[k]) & bits_of(o->bytes);
    if (others && o->kind == OP_AMO && reported) { /* One of several; MEM reports which */
        value = e->value[k];
        note(v, s->now, false, !may_write(s, o, 0, 0, value));
    } else {
        note(v, s->now, false, wrong);
    }
    if (o->kind == OP_SC) {
        bool ours = s->reserved[e->warp] && s->word[e->warp] == o->at[0] && lr_of(l, e->warp, e->op) >= 0;
        note(v, s->now, false, !ours);
        s->reserved[e->warp] = false;
    }
    /* An SC that has failed in the model is entered only now. */
    const bool overtaken = is_overtaken(s, e->warp, e->op, k);
    note(v, s->now, overtaken, overtaken && o->kind != OP_SC);
    s->wrote[e->warp][e->op][k] = value;
    put_bytes(s, e, o, k, value);
    for (uint32_t w = 0; w < l->num_warp; w++)
        if (w != e->warp && s->word[w] / 4 == o->at[k] / 4)
            s->reserved[w] = false;
    if (o->kind == OP_STORE)
        s->num_release[o->at[k] / 4] = 0;
    if (s->flags || o->kind != OP_STORE || has_atomic(&s->j, o->at[k], s->now)) /* Else nobody is looking */
        release(s, e->warp, e->op, k);
}

/* Whether a load may have that byte from a store of its own warp that was not performed when the load was. */
static bool may_be_forwarded(const replay_state *s, uint32_t w, uint32_t i, uint32_t k, uint32_t place,
                             uint8_t value) {
    for (uint32_t y = i; y-- > 0;) {
        const op *o = op_at(s->j.l, w, y);
        for (uint32_t z = 0; z < o->num; z++)
            if (o->kind == OP_STORE && place - o->at[z] < o->bytes &&
                byte_of(o->value[z], place - o->at[z]) == value &&
                s->performed[w][y][z] > s->performed[w][i][k])
                return true;
    }
    return false;
}

static void replay_result(replay_state *s, const event *e, judgement *v) {
    const op *o = op_at(s->j.l, e->warp, e->op);
    if (o->kind == OP_SC) {
        const bool stored = s->j.wrote[e->warp][e->op] < s->now;
        note(v, s->now, stored != (e->value[0] == 0), stored && e->value[0]);
        return;
    }
    if (o->kind == OP_AMO && s->j.l->tells_data)
        note(v, s->now, false,
             karat_amo_result(o->amo, e->value[0], o->value[0]) != s->wrote[e->warp][e->op][0]);
    for (uint32_t k = 0; k < o->num; k++)
        for (uint32_t b = 0; b < o->bytes; b++) {
            const uint8_t value = byte_of(e->value[k], b);
            const uint32_t *old = &s->old[e->warp][e->op][k];
            bool same = byte_of(*old, b) == value;
            for (uint32_t i = 0; i < s->num_seen[e->warp][e->op][k][b]; i++)
                same |= s->seen[e->warp][e->op][k][b][i] == value;
            const bool own = o->kind != OP_AMO && may_be_forwarded(s, e->warp, e->op, k, o->at[k] + b, value);
            note(v, s->now, !same, !same && !own);
        }
}

static replay_state *begin_replay(const judge_state *j) {
    replay_state *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->j = *j;
    memcpy(s->mem, j->l->initial, MAX_BYTE);
    for (uint32_t n = 0; n < MAX_WARP * MAX_OP * LANES; n++)
        s->performed[n / LANES / MAX_OP][n / LANES % MAX_OP][n % LANES] = NOT_YET;
    return s;
}

static judgement judge_performed(const judge_state *j) {
    judgement v = {.may = NOT_YET, .must = NOT_YET};
    replay_state *s = begin_replay(j);
    for (; s->now < j->p->num && v.must == NOT_YET; s->now++) {
        const event *e = &j->p->at[s->now];
        const op *o = op_at(j->l, e->warp, e->op);
        if (e->kind == EV_MEM) {
            bool surely;
            const bool early = is_early(s, e->warp, e->op, &surely);
            note(&v, s->now, early, surely);
            for (uint32_t k = 0; k < o->num; k++)
                if (e->lanes >> k & 1)
                    replay_lane(s, e, k, &v);
        }
        if (e->kind == EV_RESULT)
            replay_result(s, e, &v);
        for (uint32_t place = 0; place < AREA && e->kind == EV_LEFT; place++)
            note(&v, s->now, false, !holds(s, place, byte_of(e->value[place / 4], place % 4)));
        if (e->kind == EV_LEFT)
            judge_scs(j, s->now, &v);
    }
    free(s);
    return v;
}

/* --- Races as errors --- */

/* Whether anything puts a before b: FENCEs, .aq and .rl as the ISA has them, barriers, and who reads what
 * whom has written. */
static bool may_be_before(const replay_state *s, uint32_t a, uint32_t b) {
    bool reached[MAX_WARP * MAX_OP] = {false};
    const litmus *l = s->j.l;
    reached[a] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t x = 0; x < l->num_warp * MAX_OP; x++)
            for (uint32_t y = 0; y < l->num_warp * MAX_OP && reached[x]; y++) {
                const uint32_t xw = x / MAX_OP, xi = x % MAX_OP, yw = y / MAX_OP, yi = y % MAX_OP;
                if (reached[y] || yi >= l->warp[yw].num || !op_accesses(op_at(l, yw, yi)))
                    continue;
                more |= reached[y] = xw == yw ? xi < yi && litmus_ordered(l, xw, xi, yi)
                                              : s->read_from[x][y] || plainly_before(l, xw, xi, yw, yi);
            }
    }
    return reached[b];
}

/* An access is atomic, or a scalar one to a word that atomics use. */
static bool counts_as_atomic(const replay_state *s, const op *o) {
    return op_is_atomic(o) || (!o->vector && has_atomic(&s->j, o->at[0], s->j.p->num - 1));
}

static bool touches_word(const op *o, uint32_t word) {
    for (uint32_t k = 0; k < o->num && op_accesses(o); k++)
        if (o->at[k] / 4 == word)
            return true;
    return false;
}

/* Whether a FENCE from one of these accesses on to, or up to one of, those lies before op i of that warp,
 * or after it. */
static bool has_fence(const litmus *l, uint32_t warp, uint32_t i, bool behind, uint32_t before_set,
                      uint32_t behind_set) {
    for (uint32_t n = 0; n < l->warp[warp].num; n++) {
        const op *o = op_at(l, warp, n);
        if (o->kind == OP_FENCE && (behind ? n > i : n < i) && o->before & before_set &&
            o->behind & behind_set)
            return true;
    }
    return false;
}

/* Whether some op of a warp that is not that one writes the word and may release something. */
static bool may_release(const litmus *l, uint32_t word, uint32_t not_by) {
    for (uint32_t w = 0; w < l->num_warp; w++)
        for (uint32_t i = 0; i < l->warp[w].num; i++) {
            const op *o = op_at(l, w, i);
            if (w != not_by && touches_word(o, word) && op_writes(o) &&
                (o->rl || has_fence(l, w, i, false, 3, 1)))
                return true;
        }
    return false;
}

/* Whether some warp may acquire what another one has released with that word. */
static bool may_synchronise(const litmus *l, uint32_t word) {
    for (uint32_t w = 0; w < l->num_warp; w++)
        for (uint32_t i = 0; i < l->warp[w].num; i++) {
            const op *o = op_at(l, w, i);
            if (touches_word(o, word) && op_reads(o) && (o->aq || has_fence(l, w, i, true, 2, 3)) &&
                may_release(l, word, w))
                return true;
        }
    return false;
}

/* Whether they have a byte in common in a word that is no flag; now: that nobody can take for one when
 * they meet. */
static bool share_data(const litmus *l, const op *a, const op *b, bool now) {
    for (uint32_t i = 0; i < a->num; i++)
        for (uint32_t k = 0; k < b->num; k++) {
            const uint32_t word = a->at[i] / 4;
            if (lanes_share(a, i, b, k) && !(now ? may_release(l, word, MAX_WARP) : may_synchronise(l, word)))
                return true;
        }
    return false;
}

static void find_races(const replay_state *s, uint32_t y, const uint8_t *done, uint32_t num, bool late,
                       races *found) {
    const litmus *l = s->j.l;
    const op *b = op_at(l, y / MAX_OP, y % MAX_OP);
    for (uint32_t n = num; n > 0; n--) {
        const uint32_t x = done[n - 1];
        const op *a = op_at(l, x / MAX_OP, x % MAX_OP);
        if (x / MAX_OP == y / MAX_OP || !(op_writes(a) || op_writes(b)) || !ops_share(a, b) ||
            (counts_as_atomic(s, a) && counts_as_atomic(s, b)) || (!a->vector && !b->vector && !late) ||
            is_before(s, x / MAX_OP, x % MAX_OP, y / MAX_OP, y % MAX_OP))
            continue;
        found->with[found->num++] = (uint8_t)x;
        if (!may_be_before(s, x, y) && share_data(l, a, b, !late) && found->num_sure++ == 0)
            found->sure = (uint8_t)x;
    }
}

uint32_t litmus_races(const play *p, uint32_t from, bool late, races *found) {
    judge_state j;
    begin_judge(&j, p);
    replay_state *s = begin_replay(&j);
    judgement unused = {.may = NOT_YET, .must = NOT_YET};
    uint8_t done[MAX_WARP * MAX_OP];
    uint32_t num = 0;
    *found = (races){0};
    s->flags = true;
    for (; s->now < p->num && !found->num; s->now++) {
        const event *e = &p->at[s->now];
        const op *o = op_at(p->l, e->warp, e->op);
        if (e->kind != EV_MEM)
            continue;
        for (uint32_t k = 0; k < o->num; k++)
            if (e->lanes >> k & 1)
                replay_lane(s, e, k, &unused);
        if (!is_done(s, e->warp, e->op))
            continue;
        if (s->now >= from)
            find_races(s, e->warp * MAX_OP + e->op, done, num, late, found);
        done[num++] = (uint8_t)(e->warp * MAX_OP + e->op);
    }
    const uint32_t at = found->num ? s->now - 1 : NOT_YET;
    free(s);
    return at;
}

/* --- The checker's state during a run --- */

struct course {
    replay_state s;
};

course *litmus_replay(const play *p) {
    judge_state j;
    begin_judge(&j, p);
    return (course *)begin_replay(&j); /* Its first member */
}

void litmus_replay_event(course *r) {
    replay_state *s = &r->s;
    const event *e = &s->j.p->at[s->now];
    judgement unused = {.may = NOT_YET, .must = NOT_YET};
    for (uint32_t k = 0; k < op_at(s->j.l, e->warp, e->op)->num && e->kind == EV_MEM; k++)
        if (e->lanes >> k & 1)
            replay_lane(s, e, k, &unused);
    s->now++;
}

uint32_t litmus_replay_word(const course *r, uint32_t base) {
    uint32_t value = 0;
    for (uint32_t b = 0; b < 4; b++)
        value |= (uint32_t)r->s.mem[base + b] << 8 * b;
    return value;
}

bool litmus_replay_pending(const course *r, uint32_t base, uint32_t *value) {
    const replay_state *s = &r->s;
    *value = litmus_replay_word(r, base);
    for (uint32_t n = 0; n < s->now; n++) {
        const event *e = &s->j.p->at[n];
        const op *o = op_at(s->j.l, e->warp, e->op);
        for (uint32_t k = 0; k < o->num && e->kind == EV_ISSUE && op_accesses(o) && op_writes(o); k++) {
            if (!in_word(o, k, base) || s->performed[e->warp][e->op][k] != NOT_YET)
                continue;
            if (o->kind == OP_SC && s->j.result[e->warp][e->op] < s->now)
                continue; /* It has failed */
            if (o->kind == OP_SC)
                return false;
            const unsigned shift = 8u * (o->at[k] & 3u);
            const uint32_t bits = bits_of(o->bytes) << shift;
            if (o->kind == OP_AMO)
                *value = karat_amo_result(o->amo, *value, o->value[k]);
            else
                *value = (*value & ~bits) | (o->value[k] << shift & bits);
        }
    }
    return true;
}

void litmus_replay_order(const course *r, order_of_ops before) {
    const litmus *l = r->s.j.l;
    memset(before, 0, sizeof(order_of_ops));
    for (uint32_t x = 0; x < l->num_warp * MAX_OP; x++)
        for (uint32_t y = 0; y < l->num_warp * MAX_OP; y++)
            before[x][y] =
                x % MAX_OP < l->warp[x / MAX_OP].num && y % MAX_OP < l->warp[y / MAX_OP].num &&
                (r->s.before[x][y] || plainly_before(l, x / MAX_OP, x % MAX_OP, y / MAX_OP, y % MAX_OP));
    for (uint32_t k = 0; k < l->num_warp * MAX_OP; k++)
        for (uint32_t x = 0; x < l->num_warp * MAX_OP; x++)
            for (uint32_t y = 0; y < l->num_warp * MAX_OP && before[x][k]; y++)
                before[x][y] |= before[k][y];
}

judgement litmus_judge(const play *p) {
    judge_state j;
    begin_judge(&j, p);
    return p->l->mem_order == KARAT_ORDER_PERFORMED ? judge_performed(&j) : judge_unordered(&j);
}
