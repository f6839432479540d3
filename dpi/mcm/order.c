/* The order of the program. */
#include "order.h"

#include <string.h>

#include "model.h"

static const struct {
    const char *name, *sentence;
} rules[MCM_NUM_RULE] = {
#define RULE(id, name, sentence, source) [MCM_##id] = {name, sentence},
#include "rules.def"
#undef RULE
};

const char *mcm_rule_name(mcm_rule rule) {
    return rules[rule].name;
}

const char *mcm_rule_sentence(mcm_rule rule) {
    return rules[rule].sentence;
}

mcm_rule mcm_find_rule(const char *name) {
    mcm_rule rule = MCM_NUM_RULE;
    while (--rule > MCM_NO_RULE && strcmp(rules[rule].name, name) != 0)
        ;
    return rule;
}

/* --- Before --- */

static bool in_earlier_generation(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    return mcm_has(m, MCM_BARRIER) && a->uid / m->wg_size == b->uid / m->wg_size &&
           a->generation < b->generation;
}

/* A warp's access was before a barrier that the warp had passed by that step: no cache keeps what it has written from
 * the host. */
static bool is_before_barrier(const karat_mcm *m, const mcm_moment *a, uint64_t step) {
    for (uint32_t i = 0; i < m->core.num_warp && m->core.coherent && mcm_has(m, MCM_BARRIER); i++) {
        const mcm_warp *w = &m->warps[i];
        if (w->live && w->uid == a->uid)
            return a->generation < w->released && w->released_step <= step;
    }
    return false;
}

/* The host and a warp. While the kernel runs, what was issued before the host's access is performed before it or
 * after, unless a barrier says that it has been. An access issued after a write of the host finds it in memory, but for
 * a load that finds an older value in a cache. */
static bool is_around_host(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    if (b->uid == MCM_HOST_UID)
        return !b->generation || is_before_barrier(m, a, b->step);
    return !a->generation || m->core.coherent || b->before != MCM_READS;
}

static mcm_rule if_on(const karat_mcm *m, mcm_rule rule, bool orders) {
    return orders && mcm_has(m, rule) ? rule : MCM_NO_RULE;
}

/* By the two warps' own order and their barriers alone. */
static mcm_rule directly_before(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    if (a->uid == b->uid)
        return if_on(m, MCM_PROGRAM, a->step < b->step);
    if (a->uid == MCM_HOST_UID || b->uid == MCM_HOST_UID)
        return if_on(m, MCM_HOST, a->step < b->step && is_around_host(m, a, b));
    return if_on(m, MCM_BARRIER, in_earlier_generation(m, a, b));
}

/* One of the two is a release or an acquire: a FENCE is one of some accesses only. */
static bool is_ahead(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    if (a->uid == b->uid)
        return a->step == b->step || (a->step < b->step && a->after & b->before);
    return in_earlier_generation(m, a, b);
}

/* All that is ahead of a is ahead of b as well. */
static bool is_covered(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    return a->uid == b->uid && !(a->before & ~b->before) && is_ahead(m, a, b);
}

static bool same_moment(const mcm_moment *a, const mcm_moment *b) {
    return a->step == b->step && a->uid == b->uid && a->before == b->before && a->generation == b->generation;
}

/* 1 + number of the last edge to a warp, or to one that shares its place; 0: none. */
static uint64_t *last_edge(mcm_order *o, uint32_t uid) {
    return &o->last_edge[uid % MCM_NUM_LAST_EDGE];
}

/* The moments that the program orders before b: b, and then each release that is, and that none of the others covers. A release
 * that is before b's acquires, or before a barrier that b is after, takes all that is before it along. */
static const mcm_reach *reach_of(const karat_mcm *m, const mcm_moment *b) {
    mcm_order *o = (mcm_order *)&m->order; /* a cache */
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
        const bool alone = !at.generation; /* what other warps have acquired does not matter */
        /* The latest first: it covers most. */
        for (uint64_t n = alone ? *last_edge(o, at.uid) : o->num_edges, next; n > first; n = next) {
            const mcm_edge *e = &o->edges[(n - 1) % MCM_NUM_EDGE];
            next = alone ? e->next : n - 1;
            bool covered = !is_ahead(m, &e->to, &at);
            for (uint32_t k = 0; k < r->num && !covered; k++)
                covered = is_covered(m, &e->from, &r->at[k]);
            if (covered)
                continue;
            r->rule[r->num] = e->rule;
            r->at[r->num++] = e->from;
        }
    }
    return r;
}

mcm_rule mcm_before(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b) {
    const mcm_rule rule = directly_before(m, a, b);
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

void mcm_freeze(karat_mcm *m, uint32_t warp) {
    m->warps[warp].frozen = true;
    m->num_frozen++;
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
    mcm_released(m, warp); /* it could not issue otherwise */
    return (mcm_moment){w->uid, w->barriers, m->steps, MCM_READS, MCM_READS};
}

/* Accesses of the warp up to now come before those to come: of these kinds before those of these. */
static void put_ahead(mcm_warp *w, uint64_t step, uint8_t before, uint8_t after) {
    for (unsigned of = MCM_WRITES; of <= MCM_READS; of++)
        for (unsigned to = MCM_WRITES; to <= MCM_READS; to++)
            if (before & of && after & to)
                w->ahead[of - 1][to - 1] = step;
}

void mcm_barrier(karat_mcm *m, uint32_t warp, const mcm_moment *at) {
    m->warps[warp].barriers++;
    if (mcm_has(m, MCM_BARRIER))
        put_ahead(&m->warps[warp], at->step, MCM_ALL, MCM_ALL);
}

void mcm_fence(karat_mcm *m, uint32_t warp, mcm_moment *at, uint8_t before, uint8_t after, bool total,
               uint32_t pc) {
    mcm_warp *w = &m->warps[warp];
    at->before = before;
    at->after = after;
    if (!mcm_has(m, MCM_FENCE))
        return;
    w->fence[w->num_fence++ % MCM_NUM_FENCE] = (mcm_fence_at){*at, pc, total};
    /* FENCE.TSO: a load may pass a store. */
    put_ahead(w, at->step, before & (total ? MCM_ALL : MCM_READS), after);
    put_ahead(w, at->step, before & MCM_WRITES, after & MCM_WRITES);
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
    mcm_moment here = e->at;
    here.after = MCM_ALL; /* of an LR, too */
    for (uint32_t i = 0; i < num; i++) {
        bool done = e->acquires || release[i].uid == e->at.uid;
        if (e->acquires)
            add_edge(m, &release[i], &here, MCM_ACQUIRE);
        for (uint32_t n = e->num_fence; n < w->num_fence && !done; n++) {
            const mcm_fence_at *fence = mcm_fence_of(m, e, n);
            if (!fence || !(fence->at.before & MCM_READS))
                continue;
            add_edge(m, &release[i], &fence->at, MCM_FENCE);
            done = fence->at.after == MCM_ALL;
        }
        for (uint32_t k = 0; k < MCM_NUM_ACQUIRED && k < w->num_acquired; k++)
            done |= w->acquired[k].step == release[i].step; /* of another lane of e, say */
        if (done || !mcm_is_present(m, e))
            continue;
        if (w->num_acquired >= MCM_NUM_ACQUIRED)
            m->order.horizon = m->steps;
        w->acquired[w->num_acquired++ % MCM_NUM_ACQUIRED] = release[i];
    }
}

void mcm_set_ahead(karat_mcm *m, mcm_event *e) {
    mcm_warp *w = &m->warps[e->warp];
    for (unsigned of = 0; of < 2; of++) {
        const uint64_t write = e->at.before & MCM_WRITES ? w->ahead[of][0] : 0;
        const uint64_t read = e->at.before & MCM_READS ? w->ahead[of][1] : 0;
        e->ahead[of] = write > read ? write : read;
    }
    e->acquires &= mcm_has(m, MCM_ACQUIRE);
    e->releases &= mcm_has(m, MCM_RELEASE);
    e->ahead_acquires = w->ahead_acquires;
    if (e->acquires)
        w->ahead_acquires = e->at.step;
}

/* --- Performed too early --- */

/* Which rule puts g, the older, before e of the same warp; NO_RULE: none does. */
static mcm_rule puts_before(const mcm_event *g, const mcm_event *e) {
    if (e->releases)
        return MCM_RELEASE;
    if (g->acquires)
        return MCM_ACQUIRE;
    const bool ahead = (g->at.after & MCM_WRITES && g->at.step <= e->ahead[0]) ||
                       (g->at.after & MCM_READS && g->at.step <= e->ahead[1]);
    return !ahead ? MCM_NO_RULE : g->at.generation < e->at.generation ? MCM_BARRIER : MCM_FENCE;
}

/* The FENCE between the two that orders them, the last one; NULL: none does, or it is not remembered. */
static const mcm_fence_at *fence_between(const karat_mcm *m, const mcm_event *g, const mcm_event *e) {
    for (uint32_t n = e->num_fence; n > g->num_fence; n--) {
        const mcm_fence_at *fence = mcm_fence_of(m, e, n - 1);
        const bool passes = fence && !fence->total && g->at.after == MCM_WRITES && e->at.before == MCM_READS;
        if (fence && !passes && g->at.after & fence->at.before && fence->at.after & e->at.before)
            return fence;
    }
    return NULL;
}

static bool fail_early(const karat_mcm *m, const mcm_event *g, const mcm_event *e, mcm_rule rule,
                       mcm_violation *wrong) {
    const mcm_fence_at *fence = g->warp == e->warp ? fence_between(m, g, e) : NULL;
    *wrong = (mcm_violation){.rule = fence ? MCM_FENCE : g->acquires ? MCM_ACQUIRE : rule, .other = g};
    wrong->has_fence = fence != NULL;
    wrong->fence_pc = fence ? fence->pc : 0;
    return false;
}

/* The other warps of its workgroup, and BARRIER. */
static bool check_workgroup(karat_mcm *m, const mcm_event *e, mcm_violation *wrong) {
    mcm_warp *own = mcm_is_present(m, e) ? &m->warps[e->warp] : NULL; /* else another is there by now */
    if (own && own->quiet >= e->at.generation)
        return true;
    for (uint32_t i = 0; i < m->core.num_warp; i++)
        for (const mcm_event *g = m->warps[i].frozen ? NULL : m->warps[i].oldest; g; g = g->next)
            if (in_earlier_generation(m, &g->at, &e->at)) {
                *wrong = (mcm_violation){.rule = MCM_BARRIER, .other = g};
                return false;
            }
    if (own)
        own->quiet = e->at.generation;
    return true;
}

bool mcm_check_ahead(karat_mcm *m, const mcm_event *e, mcm_violation *wrong) {
    uint64_t limit = e->ahead[0] > e->ahead[1] ? e->ahead[0] : e->ahead[1];
    limit = e->releases ? e->at.step : limit > e->ahead_acquires ? limit : e->ahead_acquires;
    for (const mcm_event *g = m->warps[e->warp].oldest; g && g != e && g->at.step <= limit; g = g->next) {
        const mcm_rule rule = g->epoch == e->epoch ? puts_before(g, e) : MCM_NO_RULE;
        if (rule)
            return fail_early(m, g, e, rule, wrong);
    }
    return check_workgroup(m, e, wrong);
}

/* --- Kernels and the host --- */

void mcm_order_kernel(karat_mcm *m) {
    m->order.num_edges = 0;
    memset(m->order.last_edge, 0, sizeof m->order.last_edge);
}

mcm_moment mcm_host_moment(karat_mcm *m, bool running) {
    return (mcm_moment){.uid = MCM_HOST_UID,
                        .generation = running ? MCM_RACING : 0,
                        .step = ++m->steps,
                        .before = MCM_ALL,
                        .after = MCM_ALL};
}

mcm_moment mcm_host_reads(karat_mcm *m, const mcm_moment *asked, bool running) {
    const mcm_moment now = mcm_host_moment(m, running);
    if (!asked)
        return now;
    mcm_moment from = *asked;
    from.before = MCM_WRITES;
    from.after = MCM_ALL;
    add_edge(m, &from, &now, MCM_HOST);
    return now;
}
