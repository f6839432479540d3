/* The order of the program. */
#include "order.h"

#include <string.h>

#include "model.h"

static const char *const names[MCM_NUM_RULE] = {
#define RULE_ELSEWHERE(id, name, sentence, source) [MCM_##id] = name,
#define RULE(id, name, pairs, sentence, source)    RULE_ELSEWHERE(id, name, sentence, source)
#include "rules.def"
#undef RULE
#undef RULE_ELSEWHERE
};

const char *mcm_rule_name(mcm_rule rule) {
    return names[rule];
}

mcm_rule mcm_find_rule(const char *name) {
    mcm_rule rule = MCM_NUM_RULE;
    while (--rule > MCM_NO_RULE && strcmp(names[rule], name) != 0)
        ;
    return rule;
}

/* --- The rules, one predicate each: a comes before b --- */

enum pairs { BYTE, WARP, ANY }; /* Of moments: as in rules.def */

static inline bool by_PROGRAM(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    (void)m;
    return a->uid == b->uid && a->step < b->step;
}

static inline bool by_LANES(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    return a->step == b->step && a->part < b->part && m->core.ascending;
}

/* One of them is a FENCE, or one is between them. */
static inline bool by_FENCE(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    (void)m;
    if (a->fence || b->fence)
        return a->after & b->before;
    return (a->after & MCM_WRITES && a->step < b->fenced[0]) ||
           (a->after & MCM_READS && a->step < b->fenced[1]);
}

static inline bool by_ACQUIRE(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    (void)m;
    return a->acquires && b->before;
}

static inline bool by_RELEASE(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    (void)m;
    return b->releases && a->after;
}

static inline bool by_BARRIER(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    return a->barrier_phase < b->barrier_phase && a->uid / m->wg_size == b->uid / m->wg_size;
}

/* A warp's access was before a barrier that the warp had passed by that step: no cache keeps what it has
 * written from the host. */
static bool is_before_barrier(const karat_mcm *m, const mcm_moment *a, uint64_t step) {
    for (uint32_t i = 0; i < m->core.num_warp && m->core.coherent && mcm_has(m, MCM_BARRIER); i++) {
        const mcm_warp *w = &m->warps[i];
        if (w->live && w->uid == a->uid)
            return a->barrier_phase < w->released && w->released_step <= step;
    }
    return false;
}

/* While the kernel runs, what was issued before the host's access is performed before it or after, unless
 * a barrier says that it has been. An access issued after a write of the host finds it in memory, but for
 * a load that finds an older value in a cache. */
static inline bool by_HOST(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    if (a->step >= b->step)
        return false;
    if (b->uid == MCM_HOST_UID)
        return !b->barrier_phase || is_before_barrier(m, a, b->step);
    return a->uid == MCM_HOST_UID && (!a->barrier_phase || m->core.coherent || b->before != MCM_READS);
}

/* The first rule about such pairs that orders these; MCM_NO_RULE: none does. */
static inline mcm_rule first_rule(const karat_mcm *m, enum pairs asked, const mcm_moment *a,
                                  const mcm_moment *b) {
#define RULE_ELSEWHERE(id, name, sentence, source)
#define RULE(id, name, pairs, sentence, source)                                                              \
    if (asked == pairs && by_##id(m, a, b) && mcm_has(m, MCM_##id))                                          \
        return MCM_##id;
#include "rules.def"
    return MCM_NO_RULE;
}

static inline mcm_rule rule_of_any(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    const bool in_turn = a->uid == b->uid && a->step < b->step;
    const mcm_rule rule = in_turn ? first_rule(m, WARP, a, b) : MCM_NO_RULE;
    return rule ? rule : first_rule(m, ANY, a, b);
}

/* --- Before --- */

/* One of the two is a release or an acquire. */
static bool is_ahead(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    return (a->uid == b->uid && a->step == b->step) || rule_of_any(m, a, b);
}

/* All that is ahead of a is ahead of b as well, or b is the access that is asked about, which comes after
 * it anyway. */
static bool is_covered(const mcm_moment *a, const mcm_moment *b) {
    return a->uid == b->uid && a->step <= b->step && !(a->before & ~b->before);
}

static bool same_moment(const mcm_moment *a, const mcm_moment *b) {
    return a->step == b->step && a->uid == b->uid && a->before == b->before &&
           a->barrier_phase == b->barrier_phase;
}

/* 1 + number of the last edge to a warp, or to one that shares its place; 0: none. */
static uint64_t *last_edge(mcm_order *o, uint32_t uid) {
    return &o->last_edge[uid % MCM_NUM_LAST_EDGE];
}

/* The moments that the program orders before b: b, and then each release that is, and that none of the
 * others covers. A release that is before b's acquires, or before a barrier that b is after, takes all
 * that is before it along. */
static const mcm_reach *reach_of(const karat_mcm *m, const mcm_moment *b) {
    mcm_order *o = (mcm_order *)&m->order; /* A cache */
    for (uint32_t i = 0; i < MCM_NUM_REACH; i++)
        if (o->reach[i].num_edges == o->num_edges && same_moment(&o->reach[i].at[0], b))
            return &o->reach[i];
    mcm_reach *r = &o->reach[o->next_reach++ % MCM_NUM_REACH];
    const uint64_t first = o->num_edges < MCM_NUM_EDGE ? 0 : o->num_edges - MCM_NUM_EDGE;
    r->num_edges = o->num_edges;
    r->num = 0;
    r->at[r->num++] = *b;
    for (uint32_t done = 0; done < r->num; done++) {
        const mcm_moment at = r->at[done];
        const bool alone = !at.barrier_phase; /* Acquires of other warps do not matter */
        /* The latest first: it covers most. */
        for (uint64_t n = alone ? *last_edge(o, at.uid) : o->num_edges, next; n > first; n = next) {
            const mcm_edge *e = &o->edges[(n - 1) % MCM_NUM_EDGE];
            next = alone ? e->next : n - 1;
            bool covered = !is_ahead(m, &e->to, &at);
            for (uint32_t k = 0; k < r->num && !covered; k++)
                covered = is_covered(&e->from, &r->at[k]);
            if (covered)
                continue;
            r->rule[r->num] = e->rule;
            r->at[r->num++] = e->from;
        }
    }
    return r;
}

mcm_rule mcm_before(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    mcm_rule rule = first_rule(m, BYTE, a, b);
    rule = rule ? rule : rule_of_any(m, a, b);
    if (rule || !m->order.num_edges)
        return rule;
    const mcm_reach *r = reach_of(m, b);
    for (uint32_t i = 1; i < r->num; i++)
        if (is_ahead(m, a, &r->at[i]))
            return r->rule[i];
    return MCM_NO_RULE;
}

static void add_edge(karat_mcm *m, const mcm_moment *from, const mcm_moment *to, mcm_rule rule) {
    mcm_order *o = &m->order;
    if (from->uid == to->uid)
        return;
    if (o->num_edges >= MCM_NUM_EDGE)
        o->horizon = o->edges[o->num_edges % MCM_NUM_EDGE].to.step;
    uint64_t *last = last_edge(o, to->uid);
    o->edges[o->num_edges % MCM_NUM_EDGE] = (mcm_edge){*from, *to, rule, *last};
    *last = ++o->num_edges;
}

/* --- Warps --- */

void mcm_launch(karat_mcm *m, uint32_t warp, uint32_t uid) {
    mcm_warp *w = &m->warps[warp];
    *w = (mcm_warp){.epoch = w->epoch + 1, .oldest = w->oldest, .uid = uid, .live = true};
    m->num_launched++;
}

void mcm_end(karat_mcm *m, uint32_t warp) {
    m->warps[warp].live = false;
}

void mcm_ignore_warp(karat_mcm *m, uint32_t warp) {
    m->warps[warp].ignored = true;
    m->num_ignored++;
}

void mcm_released(karat_mcm *m, uint32_t warp) {
    mcm_warp *w = &m->warps[warp];
    if (w->released == w->barriers)
        return;
    w->released = w->barriers;
    w->released_step = m->steps;
}

mcm_moment mcm_step(karat_mcm *m, uint32_t warp) {
    const mcm_warp *w = &m->warps[warp];
    m->steps++;
    mcm_released(m, warp); /* It could not issue otherwise */
    return mcm_access_at(w->uid, w->barriers, m->steps, MCM_READS);
}

void mcm_barrier(karat_mcm *m, uint32_t warp) {
    m->warps[warp].barriers++;
}

void mcm_fence(karat_mcm *m, uint32_t warp, mcm_moment *at, uint8_t before, uint8_t after, bool total,
               uint32_t pc) {
    mcm_warp *w = &m->warps[warp];
    at->before = before;
    at->after = after;
    at->fence = true;
    if (!mcm_has(m, MCM_FENCE))
        return;
    w->fence[w->num_fence++ % MCM_NUM_FENCE] = (mcm_fence_at){*at, pc, total};
    for (unsigned of = MCM_WRITES; of <= MCM_READS; of++)
        for (unsigned to = MCM_WRITES; to <= MCM_READS; to++)
            if (before & of && after & to && (total || of == MCM_READS || to == MCM_WRITES))
                w->fenced[of - 1][to - 1] = at->step; /* FENCE.TSO: a load may pass a store */
    if (!(before & MCM_READS))
        return;
    mcm_flags_fence(m, w->uid);
    for (uint32_t i = 0; i < MCM_NUM_ACQUIRED && i < w->num_acquired; i++)
        add_edge(m, &w->acquired[i], at, MCM_FENCE);
    if (after == MCM_ALL)
        w->num_acquired = 0;
}

const mcm_fence_at *mcm_fence_of(const karat_mcm *m, const mcm_event *e, uint32_t number) {
    const mcm_warp *w = &m->warps[e->warp];
    const mcm_fence_at *fence = &w->fence[number % MCM_NUM_FENCE];
    if (w->num_fence - number > MCM_NUM_FENCE) {
        ((karat_mcm *)m)->order.horizon = m->steps;
        return NULL;
    }
    return fence->at.uid == e->at.uid ? fence : NULL;
}

void mcm_acquire(karat_mcm *m, const mcm_event *e, const mcm_moment *release, uint32_t num) {
    mcm_warp *w = &m->warps[e->warp];
    for (uint32_t i = 0; i < num; i++) {
        bool done = e->acquires || release[i].uid == e->at.uid;
        if (e->acquires)
            add_edge(m, &release[i], &e->at, MCM_ACQUIRE);
        for (uint32_t n = e->num_fence; n < w->num_fence && !done; n++) {
            const mcm_fence_at *fence = mcm_fence_of(m, e, n);
            if (!fence || !(fence->at.before & MCM_READS))
                continue;
            add_edge(m, &release[i], &fence->at, MCM_FENCE);
            done = fence->at.after == MCM_ALL;
        }
        for (uint32_t k = 0; k < MCM_NUM_ACQUIRED && k < w->num_acquired; k++)
            done |= w->acquired[k].step == release[i].step; /* Of another lane of e, say */
        if (done || !mcm_is_present(m, e))
            continue;
        if (w->num_acquired >= MCM_NUM_ACQUIRED)
            m->order.horizon = m->steps;
        w->acquired[w->num_acquired++ % MCM_NUM_ACQUIRED] = release[i];
    }
}

void mcm_set_rules(const karat_mcm *m, mcm_event *e) {
    const mcm_warp *w = &m->warps[e->warp];
    mcm_moment *at = &e->at;
    at->before = at->after = e->kind <= MCM_LR ? MCM_READS : e->kind == MCM_STORE ? MCM_WRITES : MCM_ALL;
    at->acquires = e->acquires &= mcm_has(m, MCM_ACQUIRE);
    at->releases = e->releases &= mcm_has(m, MCM_RELEASE);
    for (unsigned of = 0; of < 2; of++) {
        const uint64_t write = at->before & MCM_WRITES ? w->fenced[of][0] : 0;
        const uint64_t read = at->before & MCM_READS ? w->fenced[of][1] : 0;
        at->fenced[of] = write > read ? write : read;
    }
    e->ahead = 0;
    for (const mcm_event *g = mcm_reports_order(m) ? w->oldest : NULL; g; g = g->next)
        if (g->epoch == e->epoch && rule_of_any(m, &g->at, &e->at))
            e->ahead = g->at.step;
}

/* --- Performed too early --- */

/* The FENCE between the two that orders them, the last one; NULL: it is not remembered. */
static const mcm_fence_at *fence_between(const karat_mcm *m, const mcm_event *g, const mcm_event *e) {
    for (uint32_t n = e->num_fence; n > g->num_fence; n--) {
        const mcm_fence_at *fence = mcm_fence_of(m, e, n - 1);
        const bool passes = fence && !fence->total && g->at.after == MCM_WRITES && e->at.before == MCM_READS;
        if (fence && !passes && by_FENCE(m, &g->at, &fence->at) && by_FENCE(m, &fence->at, &e->at))
            return fence;
    }
    return NULL;
}

/* The other warps of its workgroup, and BARRIER. */
static bool check_workgroup(karat_mcm *m, const mcm_event *e, mcm_violation *wrong) {
    mcm_warp *own = mcm_is_present(m, e) ? &m->warps[e->warp] : NULL; /* Else another is there by now */
    if (own && own->performed_phases >= e->at.barrier_phase)
        return true;
    for (uint32_t i = 0; i < m->core.num_warp; i++)
        for (const mcm_event *g = m->warps[i].ignored ? NULL : m->warps[i].oldest; g; g = g->next)
            if ((wrong->rule = first_rule(m, ANY, &g->at, &e->at))) {
                wrong->other = g;
                return false;
            }
    if (own)
        own->performed_phases = e->at.barrier_phase;
    return true;
}

bool mcm_check_ahead(karat_mcm *m, const mcm_event *e, mcm_violation *wrong) {
    for (const mcm_event *g = m->warps[e->warp].oldest; g && g != e && g->at.step <= e->ahead; g = g->next) {
        const mcm_rule rule = g->epoch == e->epoch ? rule_of_any(m, &g->at, &e->at) : MCM_NO_RULE;
        if (!rule)
            continue;
        const mcm_fence_at *fence = rule == MCM_FENCE ? fence_between(m, g, e) : NULL;
        *wrong =
            (mcm_violation){.rule = rule, .other = g, .has_fence = fence, .fence_pc = fence ? fence->pc : 0};
        return false;
    }
    return check_workgroup(m, e, wrong);
}

/* --- Kernels and the host --- */

void mcm_order_kernel(karat_mcm *m) {
    m->order.num_edges = 0;
    memset(m->order.last_edge, 0, sizeof m->order.last_edge);
}

mcm_moment mcm_host_moment(karat_mcm *m, bool running) {
    mcm_moment now = mcm_access_at(MCM_HOST_UID, running ? MCM_RACING : 0, ++m->steps, MCM_ALL);
    now.fence = true;
    return now;
}

mcm_moment mcm_host_reads(karat_mcm *m, const mcm_moment *asked, bool running) {
    const mcm_moment now = mcm_host_moment(m, running);
    if (!asked)
        return now;
    mcm_moment from = *asked;
    from.before = MCM_WRITES;
    from.after = MCM_ALL;
    from.fence = true;
    add_edge(m, &from, &now, MCM_HOST);
    return now;
}
