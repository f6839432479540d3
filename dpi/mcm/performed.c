/* Accesses are performed: were they in time, and what does memory hold then? */
#include <string.h>

#include "model.h"

void mcm_reported(karat_mcm *m) {
    m->reported++;
}

void mcm_in_pieces(mcm_event *e, uint32_t k) {
    e->part[k].performed = 0;
}

/* All of e was performed: nobody waits for it any more. */
static void leave(karat_mcm *m, mcm_event *e) {
    mcm_event **link = &m->warps[e->warp].oldest;
    while (*link && *link != e)
        link = &(*link)->next;
    if (*link)
        *link = e->next;
    e->next = NULL;
}

/* Younger writes to a byte that an older one writes when it is performed. */
typedef struct overtaking {
    bool any;               /* Some younger write was performed already */
    bool lanes;             /* Some lane of the same store was performed already */
    bool pending;           /* Some younger write was not performed yet */
    uint64_t disorder;      /* Any: 1 + number of the newest one */
    const mcm_event *wrong; /* The write that was performed and is ordered after e; NULL: none */
    mcm_rule rule;
} overtaking;

/* Writes to a byte after part k of entry e, in the order of issue. */
static overtaking overtakers(const karat_mcm *m, const mcm_event *e, uint32_t k, mcm_place p) {
    const mcm_part *own = &e->part[k];
    const mcm_moment at = mcm_moment_of(e, own);
    overtaking found = {0};
    for (mcm_write y = {0}; mcm_next_write(m, &p, 1, &y) && y.part != own;) {
        const bool same = y.event == e;
        if (y.event->sc_failed)
            continue;
        found.pending |= !y.part->performed;
        if (!y.part->performed || (same && y.part->performed >= own->performed))
            continue;
        if (!found.any)
            found.disorder = y.number + 1;
        found.any = true;
        found.lanes |= same;
        if (y.event->at.uid == MCM_HOST_UID)
            continue;
        const mcm_moment later = mcm_moment_of(y.event, y.part);
        const mcm_rule rule = mcm_before(m, &at, &later);
        if (!rule)
            continue;
        found.rule = rule; /* In the end that of the oldest */
        found.wrong = y.event;
    }
    return found;
}

/* A write is performed. Where a younger one of the same byte was before it, the program may not have
 * ordered the two, and memory keeps this one's value. */
static bool check_overtaken(karat_mcm *m, const mcm_event *own, const mcm_event *e, uint32_t k,
                            mcm_violation *wrong, uint64_t *lane_races) {
    const mcm_part *a = &e->part[k];
    mcm_place p = mcm_place_of(m, own, a->addr);
    mcm_write newest = {0};
    if (mcm_next_write(m, &p, a->bytes, &newest) && newest.part == a)
        return true; /* Nobody has written to any of its bytes since */
    for (unsigned i = 0; i < a->bytes; i++, p.addr++) {
        const overtaking found = overtakers(m, e, k, p);
        m->log.disorder = found.disorder > m->log.disorder ? found.disorder : m->log.disorder;
        if (found.wrong) {
            *wrong = (mcm_violation){
                .rule = found.rule, .other = found.wrong, .overtaken = true, .lane = a->lane, .addr = p.addr};
            wrong->lanes = found.wrong == e;
            return false;
        }
        if (!found.any)
            continue;
        *lane_races += found.lanes && i == 0;
        const uint8_t byte = (uint8_t)(a->value >> 8 * i);
        if (!found.pending && !mcm_is_dead(m, own, &p))
            mcm_store(m, &p, &byte, 1);
    }
    return true;
}

/* Whether a load's value in that line is one alone, the image's, though writes to it were under way when
 * it was issued.
 *
 * It is where all these are plain stores of the load's own warp, issued before the load, and were
 * performed in the order of issue so far (log.disorder). Of each byte, let S be the last of them. The
 * image has held S's value since S was issued: nobody else has written there, and no older write was
 * performed after S, whose value the image would have taken. S may be returned: it was the last one that
 * was performed before the load, or it was not, and is forwarded. No other write may: it was performed
 * before S, or it is hidden by S, as PROGRAM orders them and the load. Where there is no S, all writes
 * were performed before the load was issued, and have left what the image holds. A store of the warp that
 * was issued after the load, and performed before it, is another matter: the load is wrong though it has
 * the image's value. So is a store of another warp, wherever it was issued. Whether the core performs the
 * warp's accesses in time is looked at apart from this (mcm_check_ahead(), check_overtaken()). */
static bool is_own(const karat_mcm *m, const mcm_event *e, const mcm_place *p) {
    return mcm_has(m, MCM_PROGRAM) && m->log.disorder <= e->open && mcm_is_owned(m, p, e, e->open);
}

/* Parts of a load are performed: where a write may be to the same bytes that was not performed when the
 * load was issued, the load's value need not be the image's. */
static void note_raced(const karat_mcm *m, mcm_event *e, mcm_parts parts) {
    uint64_t line = UINT64_MAX; /* Of the part before */
    bool own = false;
    if (e->open < m->log.writes.first)
        e->raced = UINT32_MAX; /* Who knows */
    if (e->open == m->log.writes.num)
        return;
    for (; parts.set; mcm_drop_part(&parts)) {
        const mcm_part *a = &e->part[mcm_next_part(parts)];
        if (own && line == a->addr / MCM_LINE)
            continue;
        const mcm_place p = mcm_place_of(m, e, a->addr);
        if (line != a->addr / MCM_LINE)
            own = is_own(m, e, &p);
        line = a->addr / MCM_LINE;
        mcm_write newest = {.from = e->open};
        if (!own && mcm_next_write(m, &p, a->bytes, &newest))
            e->raced |= 1u << a->lane;
    }
}

static void mark(const karat_mcm *m, mcm_event *e, mcm_parts parts, uint64_t cycle) {
    for (mcm_parts p = parts; p.set; mcm_drop_part(&p))
        e->part[mcm_next_part(p)].performed = m->reported;
    if (!e->begun)
        e->begun = m->reported;
    e->last_cycle = cycle;
}

/* Where the order is reported. */
static bool in_order(karat_mcm *m, mcm_event *e, mcm_event *entry, mcm_parts parts, mcm_violation *wrong,
                     uint64_t *lane_races) {
    if (e->kind <= MCM_LR && mcm_has_one_value(m))
        note_raced(m, e, parts);
    if (!mcm_check_ahead(m, e, wrong))
        return false;
    const bool overtaken =
        entry && (e->begun != m->reported /* In several pieces */ || mcm_may_be_overlapped(m, e->logged - 1));
    for (mcm_parts p = parts; overtaken && p.set; mcm_drop_part(&p))
        if (!check_overtaken(m, e, entry, mcm_next_part(p), wrong, lane_races))
            return false;
    for (mcm_parts p = parts; m->words.table.used && p.set; mcm_drop_part(&p))
        mcm_perform_word(m, e, &e->part[mcm_next_part(p)]);
    wrong->no_memory = !mcm_flags_performed(m, e, parts);
    return !wrong->no_memory;
}

bool mcm_performed(karat_mcm *m, mcm_event *e, mcm_parts parts, bool done, uint64_t cycle,
                   mcm_violation *wrong, uint64_t *lane_races) {
    mcm_event *entry = mcm_log_entry(m, e);
    mark(m, e, parts, cycle);
    if (entry)
        mark(m, entry, parts, cycle);
    *wrong = (mcm_violation){.rule = MCM_NO_RULE};
    const bool right = !mcm_reports_order(m) || in_order(m, e, entry, parts, wrong, lane_races);
    if (!right)
        m->log.disorder = m->log.writes.num; /* Not all was looked at */
    if (done)
        leave(m, e);
    return right;
}

/* A higher part of that store, or a write that was issued after it, stores to a byte of its part k. */
static bool is_overwritten(const karat_mcm *m, const mcm_event *e, uint32_t k, mcm_place p) {
    for (uint32_t higher = k + 1; higher < e->num; higher++)
        if (mcm_writes_byte(&e->part[higher], p.addr))
            return true;
    const mcm_event *own = mcm_log_entry(m, e);
    for (mcm_write y = {0}; mcm_next_write(m, &p, 1, &y) && y.event != own;)
        if (!y.event->sc_failed)
            return true;
    return false;
}

void mcm_adopt_byte(karat_mcm *m, mcm_event *e, uint32_t k, uint32_t byte, uint32_t value) {
    mcm_set_value(m, e, k, value);
    const mcm_place p = mcm_place_of(m, e, e->part[k].addr + byte);
    const uint8_t now = (uint8_t)(value >> 8 * byte);
    if (!mcm_is_dead(m, e, &p) && !is_overwritten(m, e, k, p))
        mcm_store(m, &p, &now, 1);
}
