/* Words of atomics whose order is not reported: an order of the accesses to each that gives every value
 * which was returned is searched (serial.h). */
#include <string.h>

#include "model.h"

/* --- Issue --- */

static bool is_before(const void *model, const mcm_moment *a, const mcm_moment *b) {
    return mcm_before(model, a, b) != MCM_NO_RULE;
}

static bool is_in(const mcm_word *w, const mcm_part *a) {
    return a->addr - w->at.place.addr < 4; /* No access reaches beyond a word */
}

/* The log learns where accesses to that word stand, and what AMOs have written. */
static void note_fixed(karat_mcm *m, const mcm_word *w) {
    uint64_t logged;
    uint32_t value;
    while (mcm_serial_next_fixed(m->words.search, &logged, &value)) {
        mcm_event *e = mcm_log_entry(m, &(mcm_event){.logged = logged});
        if (!e)
            continue; /* A load, or evicted */
        m->log.num_coherence++;
        for (uint32_t k = 0; k < e->num; k++) {
            mcm_part *a = &e->part[k];
            if (!is_in(w, a))
                continue;
            a->coherence = m->log.num_coherence;
            if (mcm_is_atomic(e))
                a->value = value;
        }
    }
}

static bool enter(karat_mcm *m, mcm_word *w, const mcm_node *a) {
    if (!mcm_serial_issue(w->serial, m->words.search, a, is_before, m))
        return false;
    note_fixed(m, w);
    return true;
}

/* A lane's part in a store. */
static mcm_node store_part(const mcm_event *e, const mcm_part *a) {
    return (mcm_node){.kind = MCM_STORE,
                      .no_more_answers = true,
                      .mask = mcm_bits(a),
                      .operand = mcm_in_word(a, a->value, 0),
                      .at = mcm_moment_of(e, a),
                      .name = e->name,
                      .logged = e->logged};
}

/* Lanes of a store write to one byte of that word. */
static bool lanes_meet(const mcm_event *e, const mcm_word *w) {
    uint32_t seen = 0;
    for (uint32_t k = 0; k < e->num; k++) {
        const uint32_t bits = is_in(w, &e->part[k]) ? mcm_bits(&e->part[k]) : 0;
        if (seen & bits)
            return true;
        seen |= bits;
    }
    return false;
}

/* All that the kernel's warps will issue comes after that write. */
static bool is_past(const karat_mcm *m, const mcm_moment *at) {
    for (uint32_t i = 0; i < m->core.num_warp; i++) {
        const mcm_warp *w = &m->warps[i];
        const mcm_moment now = mcm_access_at(w->uid, w->barriers, m->steps + 1, MCM_ALL);
        if (w->live && !mcm_before(m, at, &now))
            return false;
    }
    return m->num_launched == m->num_warps;
}

/* The log's first entry from which on the writes to that word may have been performed in another order
 * than that of issue, or after what is still to be issued. *many: some older ones were not looked at. */
static uint64_t first_unordered(const karat_mcm *m, const mcm_word *w, bool *many) {
    enum { LOOKED_AT = MCM_SEARCH_MAX / 2 };
    const mcm_ring *r = &m->log.writes;
    const mcm_event *newer[LOOKED_AT];
    uint32_t num = 0;
    uint64_t first = r->num, n = r->num;
    for (; n > r->first && num < LOOKED_AT; n--) {
        const mcm_event *e = mcm_ring_at(r, n - 1);
        if (!mcm_may_write(m, e, &w->at.place, 4))
            continue;
        bool ordered = is_past(m, &e->at) && (mcm_ascending(m) || !lanes_meet(e, w));
        for (uint32_t i = 0; i < num && ordered; i++)
            ordered = mcm_before(m, &e->at, &newer[i]->at);
        if (!ordered)
            first = n - 1;
        newer[num++] = e;
    }
    *many = num == LOOKED_AT;
    return first;
}

/* Evicted writes to that word may have been performed in another order than that of issue, or after
 * others. */
static bool may_be_unordered(const karat_mcm *m, mcm_place p) {
    const mcm_ring *r = &m->log.writes;
    const mcm_place word = p;
    bool any = m->evicted.lost;
    for (uint32_t b = 0; b < 4; b++, p.addr++) {
        const mcm_summary *old = mcm_summary_of(m, p);
        if (!old)
            continue;
        any |= old->doubtful >> b & 1 || !is_past(m, &old->last);
        for (uint64_t n = r->first; n < r->num; n++)
            any |= mcm_may_write(m, mcm_ring_at(r, n), &word, 4) &&
                   !mcm_before(m, &old->last, &mcm_ring_at(r, n)->at);
    }
    return any;
}

/* The word's value before e, and before the stores whose order is not known. */
static uint32_t value_before(const karat_mcm *m, const mcm_event *e, const mcm_word *w, uint64_t first) {
    uint32_t value = e->part[0].old;
    if (!e->num || e->kind == MCM_LR)
        mcm_load(m, &w->at.place, &value, 4); /* Else e is performed in the image already */
    for (mcm_write x = {0}; mcm_next_write(m, &w->at.place, 4, &x) && x.number >= first;)
        if (!x.event->sc_failed)
            value = mcm_in_word(x.part, x.part->old, value);
    return value;
}

bool mcm_searched_begin(karat_mcm *m, const mcm_event *e, mcm_word *w) {
    const mcm_ring *r = &m->log.writes;
    bool many;
    const uint64_t first = first_unordered(m, w, &many);
    if (!m->words.search)
        m->words.search = mcm_search_create(m->env.amo, m->off);
    w->serial = mcm_serial_create(value_before(m, e, w, first));
    if (!m->words.search || !w->serial)
        return false;
    w->serial->guessed = many || may_be_unordered(m, w->at.place);
    for (uint64_t n = r->first; n < r->num; n++) {
        mcm_event *old = mcm_ring_at(r, n);
        if (!mcm_may_write(m, old, &w->at.place, 4))
            continue;
        m->log.num_coherence++;
        for (uint32_t k = 0; k < old->num; k++) {
            mcm_part *a = &old->part[k];
            if (!is_in(w, a))
                continue;
            if (n < first) {
                a->coherence = m->log.num_coherence;
                continue;
            }
            mcm_node part = store_part(old, a);
            part.logged = n + 1;
            if (!enter(m, w, &part))
                return false;
        }
    }
    return true;
}

bool mcm_searched_atomic(karat_mcm *m, mcm_event *e, mcm_word *w) {
    const bool load = e->kind == MCM_LR;
    const mcm_node a = {.kind = e->kind,
                        .amo = e->amo,
                        .operand = e->operand,
                        .reserved_by = e->reserved_by,
                        .stores_in_image = e->stores_in_image,
                        .no_more_answers = !e->answers && (load || !m->core.reports),
                        .at = e->at,
                        .name = e->name,
                        .logged = e->logged};
    if (a.kind == MCM_SC && !a.reserved_by && mcm_has(m, MCM_RESERVATION))
        return true;                  /* It cannot store */
    w->serial->lost |= e->unreported; /* Its operand is not known yet */
    e->searched = true;
    return enter(m, w, &a);
}

bool mcm_searched_store(karat_mcm *m, const mcm_event *e) {
    for (uint32_t k = 0; k < e->num; k++) {
        mcm_word *w = mcm_find_word(m, mcm_place_of(m, e, e->part[k].addr));
        if (!w)
            continue;
        const mcm_node part = store_part(e, &e->part[k]);
        w->serial->lost |= e->unreported;
        if (!enter(m, w, &part))
            return false;
    }
    return true;
}

void mcm_searched_host(karat_mcm *m, mcm_word *w, const mcm_event *e, const uint8_t *bytes, uint64_t addr,
                       uint32_t size) {
    mcm_node part = {.kind = MCM_STORE,
                     .no_more_answers = true,
                     .at = e->at,
                     .name = e->name,
                     .logged = m->log.writes.num};
    for (uint32_t b = 0; b < 4; b++)
        if (w->at.place.addr + b - addr < size) {
            part.mask |= 0xffu << 8 * b;
            part.operand |= (uint32_t)bytes[w->at.place.addr + b - addr] << 8 * b;
        }
    w->value = (w->value & ~part.mask) | part.operand;
    if (w->serial && !enter(m, w, &part))
        w->serial->lost = true;
}

/* --- Answers --- */

mcm_word *mcm_searched_word(const karat_mcm *m, const mcm_event *e) {
    return e->searched ? mcm_word_of(m, e, mcm_place_of(m, e, e->part[0].addr)) : NULL;
}

bool mcm_is_searched(const karat_mcm *m, const mcm_event *e) {
    return mcm_searched_word(m, e) != NULL;
}

bool mcm_is_open(const mcm_word *w, const mcm_event *e) {
    return w && w->serial && e && mcm_serial_find(w->serial, &e->at);
}

/* Accesses may be missing: that one is not there says nothing. */
static bool is_doubtful(const mcm_word *w) {
    return w->serial->guessed || w->serial->lost;
}

/* The image follows the order that was found. */
static void follow(karat_mcm *m, const mcm_word *w) {
    note_fixed(m, w);
    mcm_set_word(m, &w->at.place, mcm_serial_final(w->serial, m->words.search));
}

/* The accesses that were considered, for a report. */
static void list(const mcm_word *w, mcm_atomic *x) {
    x->word = w->at.place.addr;
    x->before = w->serial->value;
    x->num_considered = w->serial->num;
    for (uint32_t i = 0; i < w->serial->num && i < MCM_NUM_CONSIDERED; i++) {
        const mcm_node *a = &w->serial->at[i];
        x->considered[i] = (mcm_considered){.uid = a->at.uid,
                                            .name = a->name,
                                            .has_old = a->knows_old,
                                            .has_value = a->knows == 0xffffffffu,
                                            .old = a->old,
                                            .value = a->value};
    }
}

/* The search has answered, and may have given up; after: what the word then holds. */
static mcm_atomic conclude(karat_mcm *m, mcm_word *w, mcm_verdict found, uint32_t after) {
    mcm_atomic x = {.answer = {.is = found, .alone = w->serial->num == 1}};
    if (found == MCM_FORBIDDEN) {
        list(w, &x);
        return x;
    }
    if (found == MCM_UNKNOWN) {
        x.answer.reason = MCM_TOO_MANY;
        mcm_serial_restart(w->serial, after);
    }
    follow(m, w);
    return x;
}

mcm_atomic mcm_returned(karat_mcm *m, mcm_event *e, uint32_t value, bool final) {
    mcm_word *w = mcm_searched_word(m, e);
    mcm_node *a = mcm_serial_find(w->serial, &e->at);
    const mcm_verdict found =
        a ? mcm_serial_returned(w->serial, m->words.search, a, value, final) : MCM_UNKNOWN;
    const uint32_t after = e->kind == MCM_LR ? value : m->env.amo(e->amo, value, e->operand);
    mcm_atomic x = conclude(m, w, found, after);
    if (found == MCM_FORBIDDEN)
        return x;
    x.old = value;
    x.value = after;
    if (e->kind != MCM_LR)
        mcm_set_value(m, e, 0, after);
    return x;
}

mcm_atomic mcm_amo_wrote(karat_mcm *m, mcm_event *e, bool has_data, uint32_t data, uint32_t bits,
                         bool final) {
    mcm_word *w = mcm_searched_word(m, e);
    mcm_node *a = mcm_serial_find(w->serial, &e->at);
    mcm_atomic none = {.answer = {.is = MCM_ALLOWED}, .value = e->part[0].value};
    const bool last = bits == 0xffffffffu && final;
    if (!bits || (!a && !is_doubtful(w)))
        return none;
    if (!has_data) {
        if (a)
            a->no_more_answers |= last;
        return none;
    }
    const uint32_t after = (e->part[0].value & ~bits) | (data & bits);
    const mcm_verdict found =
        a ? mcm_serial_wrote(w->serial, m->words.search, a, data, bits, last) : MCM_UNKNOWN;
    mcm_atomic x = conclude(m, w, found, after);
    x.value = after;
    if (found != MCM_FORBIDDEN)
        mcm_set_value(m, e, 0, after);
    return x;
}

mcm_sc_answer mcm_searched_sc(karat_mcm *m, mcm_event *e, mcm_word *w, mcm_atomic *found) {
    mcm_node *a = mcm_serial_find(w->serial, &e->at);
    if (e->write_reported)
        return MCM_SC_STORES;
    e->write_reported = true;
    if (!a && !is_doubtful(w))
        return MCM_SC_BROKEN;
    const mcm_verdict is =
        a ? mcm_serial_wrote(w->serial, m->words.search, a, e->operand, 0xffffffffu, true) : MCM_UNKNOWN;
    *found = conclude(m, w, is, e->operand);
    return is == MCM_FORBIDDEN ? MCM_SC_NO_ORDER : MCM_SC_STORES;
}

mcm_atomic mcm_sc_answered_failed(karat_mcm *m, mcm_event *e) {
    const mcm_word *w = mcm_searched_word(m, e);
    mcm_node *a = w ? mcm_serial_find(w->serial, &e->at) : NULL;
    mcm_atomic x = {.answer = {.is = MCM_ALLOWED}};
    if (a && mcm_serial_failed(w->serial, m->words.search, a) == MCM_FORBIDDEN) {
        x.answer.is = MCM_FORBIDDEN;
        list(w, &x);
    }
    return x;
}

void mcm_searched_failed(karat_mcm *m, const mcm_event *e, mcm_word *w) {
    mcm_node *a = mcm_serial_find(w->serial, &e->at);
    if (a)
        mcm_serial_failed(w->serial, m->words.search, a);
    follow(m, w);
}

mcm_verdict mcm_searched_loaded(const karat_mcm *m, const mcm_word *w, const mcm_moment *at, uint64_t addr,
                                uint8_t value) {
    const unsigned shift = 8 * (unsigned)(addr & 3);
    return mcm_serial_loaded(w->serial, m->words.search, at, 0xffu << shift, (uint32_t)value << shift,
                             is_before, m);
}

mcm_verdict mcm_searched_left(const karat_mcm *m, const mcm_word *w, uint64_t addr, uint8_t value) {
    const unsigned shift = 8 * (unsigned)(addr & 3);
    return mcm_serial_left(w->serial, m->words.search, 0xffu << shift, (uint32_t)value << shift);
}
