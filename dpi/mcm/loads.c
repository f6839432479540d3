/* Which value may a load, the host, or memory at the end have got? */
#include <string.h>

#include "model.h"

static bool is_searched(const karat_mcm *m, mcm_place p) {
    const mcm_word *w = mcm_find_word(m, p);
    return w && w->serial;
}

/* A reading of one byte. */
typedef struct reading {
    const mcm_moment *at;
    uint64_t performed; /* Report that performed it; 0: the order is not reported */
    const mcm_candidate *found;
    uint32_t num;  /* Entries of found */
    uint32_t last; /* The entry of found that was performed last before it, where the order is reported */
    const mcm_summary *summary;
    const mcm_word *word;   /* Of atomics; NULL: of none */
    const uint32_t *hiding; /* Entries of found that hide others from it */
    uint32_t num_hiding;
    /* In the coherence order: the first of those that are fixed there and ordered after it; UINT64_MAX:
     * none is. */
    uint64_t after;
} reading;

/* A write hides others from a reading that it is ordered before. A write performed before the last one was
 * performed in the program's order (performed.c), and hides none that is in question. */
static bool may_hide(const reading *r, const mcm_candidate *w) {
    return !mcm_may_fail(w->event) && !(w->part->performed && w->part->performed < r->performed);
}

/* Where many write to one word, each of them is compared with those that can refuse it, not with all. */
static reading reading_of(const karat_mcm *m, mcm_place p, const mcm_moment *at, uint64_t performed) {
    uint32_t *hiding = m->log.hiding;
    reading r = {
        .at = at, .performed = performed, .found = m->log.found, .hiding = hiding, .after = UINT64_MAX};
    r.num = mcm_candidates(m, p);
    r.summary = mcm_has_one_value(m) ? NULL : mcm_summary_of(m, p);
    r.word = mcm_find_word(m, p);
    r.last = mcm_last_performed(r.found, r.num, performed);
    for (uint32_t k = 0; k < r.num - 1; k++) {
        const mcm_candidate *w = &r.found[k];
        if (may_hide(&r, w) && mcm_before(m, &w->event->at, at))
            hiding[r.num_hiding++] = k;
        if (w->part->coherence && w->part->coherence < r.after && mcm_before(m, at, &w->event->at))
            r.after = w->part->coherence;
    }
    return r;
}

/* Which rule orders one write before another; ANSWERED: as the search has fixed. */
static mcm_rule is_older(const karat_mcm *m, const mcm_summary *summary, const mcm_candidate *a,
                         const mcm_candidate *b) {
    if (!a->event)
        return summary ? mcm_before(m, &summary->last, &b->event->at) : MCM_PROGRAM;
    if (a->part->coherence && a->event != b->event)
        return !b->part->coherence || a->part->coherence < b->part->coherence ? MCM_ANSWERED : MCM_NO_RULE;
    const mcm_moment x = mcm_moment_of(a->event, a->part), y = mcm_moment_of(b->event, b->part);
    return mcm_before(m, &x, &y);
}

/* A store of the load's own warp that is under way, as it may be forwarded. */
static bool may_forward(const reading *r, const mcm_candidate *w) {
    return w->event && !mcm_is_atomic(w->event) && w->event->at.uid == r->at->uid &&
           w->event->at.step < r->at->step && (!w->part->performed || w->part->performed > r->performed);
}

/* Why the reading cannot return that write. */
static mcm_witness judge(const karat_mcm *m, const reading *r, uint32_t i) {
    const mcm_candidate *w = &r->found[i], *last = &r->found[r->last];
    mcm_witness x = {.event = w->event, .part = w->part, .value = (uint8_t)w->value, .rule = MCM_PERFORMED};
    if (r->performed && w != last && !may_forward(r, w) &&
        (mcm_ascending(m) || w->event != last->event || w->part->performed != last->part->performed)) {
        x.why = w->part && !w->part->performed ? MCM_NOT_THERE_YET : MCM_NOT_THE_LAST;
        return x;
    }
    x.rule = w->event ? mcm_before(m, r->at, &w->event->at) : MCM_NO_RULE;
    if (x.rule) {
        x.why = MCM_AFTER_LOAD;
        return x;
    }
    if (w->event && w->part->coherence > r->after) {
        x.why = MCM_AFTER_LATER;
        x.rule = MCM_ANSWERED;
        return x;
    }
    for (uint32_t k = 0; k < r->num_hiding; k++) {
        x.older = is_older(m, r->summary, w, &r->found[r->hiding[k]]);
        if (!x.older)
            continue;
        x.why = MCM_HIDDEN;
        x.by = r->found[r->hiding[k]].event;
        x.rule = mcm_before(m, &x.by->at, r->at);
        return x;
    }
    return x;
}

static bool is_legal(const karat_mcm *m, const reading *r, uint32_t i) {
    return judge(m, r, i).why == MCM_LEGAL;
}

/* Another lane of the same store writes that byte as well. */
static bool is_of_lanes(const reading *r, uint32_t i) {
    for (uint32_t k = 0; k < r->num; k++)
        if (k != i && r->found[k].event == r->found[i].event) /* One alone has none */
            return true;
    return false;
}

/* A write of that value which the log holds and no search has open is legal. */
static bool is_in_log(const karat_mcm *m, const reading *r, uint8_t value, mcm_answer *x) {
    for (uint32_t i = 0; i < r->num; i++) {
        if (r->found[i].value != value || mcm_is_open(r->word, r->found[i].event) || !is_legal(m, r, i))
            continue;
        x->lanes = !mcm_ascending(m) && is_of_lanes(r, i);
        x->is = MCM_ALLOWED;
        return true;
    }
    return false;
}

/* A write whose value is not known may be the one. */
static bool may_be_unreported(const karat_mcm *m, const reading *r) {
    for (uint32_t i = 0; i < r->num - 1; i++)
        if (r->found[i].event->unreported && is_legal(m, r, i))
            return true;
    return false;
}

static void name_witnesses(const karat_mcm *m, const reading *r, mcm_answer *x) {
    for (uint32_t i = 0; i < r->num && i < MCM_NUM_WITNESS && r->num > 1; i++)
        x->witness[x->num++] = judge(m, r, i);
}

/* The search's answer for a word of atomics. A write fixed in the coherence order that is ordered after
 * the reading comes before all open ones: then the reading got none of these. */
static mcm_verdict by_search(const karat_mcm *m, const reading *r, uint64_t addr, uint8_t value) {
    return r->word && r->word->serial && r->after == UINT64_MAX
               ? mcm_searched_loaded(m, r->word, r->at, addr, value)
               : MCM_FORBIDDEN;
}

static mcm_answer answer(mcm_verdict is, mcm_reason unknown) {
    return (mcm_answer){.is = is, .reason = is == MCM_UNKNOWN ? unknown : MCM_KNOWN};
}

/* One byte, by the writes that the log and the search hold. models: it is the image's. */
static mcm_answer by_log(const karat_mcm *m, const mcm_event *e, mcm_place p, uint64_t performed,
                         uint8_t value, bool models, bool *lanes) {
    const reading r = reading_of(m, p, &e->at, mcm_has_one_value(m) ? performed : 0);
    mcm_answer x = {.is = MCM_ALLOWED};
    if (models && r.num == 1 && !(r.word && r.word->serial))
        return x; /* Nobody else writes there; and memory may have gone with its workgroup */
    if (is_in_log(m, &r, value, &x)) {
        *lanes = x.lanes;
        return x;
    }
    x = answer(by_search(m, &r, p.addr, value), MCM_TOO_MANY);
    if (x.is == MCM_FORBIDDEN && r.num > 1 && m->env.unreported(m->env.context, e, p.addr) &&
        may_be_unreported(m, &r))
        x = answer(MCM_UNKNOWN, MCM_UNREPORTED);
    if (x.is != MCM_FORBIDDEN)
        *lanes = false;
    else
        name_witnesses(m, &r, &x);
    return x;
}

mcm_answer mcm_found_byte(const karat_mcm *m, const mcm_event *e, mcm_place p, uint8_t value, bool *lanes) {
    return by_log(m, e, p, e->part[0].performed, value, false, lanes);
}

/* The value may come from an evicted write. */
static mcm_answer by_summary(const karat_mcm *m, const mcm_event *e, mcm_place p, uint32_t lane,
                             uint8_t value, const mcm_answer *by_log) {
    const bool left = mcm_has_one_value(m) && m->log.writes.first > e->open && e->raced >> lane & 1;
    const mcm_verdict found = left ? MCM_UNKNOWN : mcm_may_be_evicted(m, p, &e->at, value);
    return found == MCM_FORBIDDEN ? *by_log : answer(found, MCM_EVICTED);
}

static mcm_answer loaded_byte(const karat_mcm *m, const mcm_event *e, uint32_t k, mcm_place p, uint8_t value,
                              bool models, bool *lanes) {
    const mcm_part *a = &e->part[k];
    mcm_answer x = by_log(m, e, p, a->performed, value, models, lanes);
    /* Where the lane loads the same in another part (a group's other register, with a stride of 0), the
     * reports do not say which of the two they are of. */
    for (uint32_t i = 0; i < e->num && x.is == MCM_FORBIDDEN; i++) {
        if (i == k || e->part[i].lane != a->lane || !mcm_overlap(&e->part[i], a) ||
            e->part[i].performed == a->performed)
            continue;
        const mcm_answer other = by_log(m, e, p, e->part[i].performed, value, models, lanes);
        x = other.is == MCM_FORBIDDEN ? x : other;
    }
    if (x.is == MCM_FORBIDDEN)
        x = by_summary(m, e, p, a->lane, value, &x);
    return x;
}

enum { NUM_RECENT = 16 };

/* The writes to part k of that load, the newest first, down to the last one performed before it, and to
 * those that are still under way. All older ones were performed before that last one (log.disorder): the
 * load cannot have got them, and they hide nothing. False: there are many, or one is of some of the bytes
 * only, or the last one is not known. */
static bool read_recent(karat_mcm *m, const mcm_event *e, uint32_t k, mcm_candidate *found, uint32_t *hiding,
                        reading *r) {
    const mcm_part *a = &e->part[k];
    const mcm_place p = mcm_place_of(m, e, a->addr);
    const uint64_t pending = mcm_first_pending(m);
    bool has_last = false;
    *r = (reading){
        .at = &e->at, .performed = a->performed, .found = found, .hiding = hiding, .after = UINT64_MAX};
    for (mcm_write w = {0}; mcm_next_write(m, &p, a->bytes, &w) && (!has_last || w.number >= pending);) {
        const mcm_candidate *x = &found[r->num];
        const uint64_t before = a->addr - w.part->addr;
        if (w.event->sc_failed)
            continue;
        if (r->num == NUM_RECENT || before >= w.part->bytes || a->bytes > w.part->bytes - before ||
            w.part->coherence)
            return false;
        found[r->num] =
            (mcm_candidate){w.event, w.part, w.part->value >> 8 * before & mcm_low_bytes(a->bytes)};
        if (!has_last && w.part->performed && w.part->performed < a->performed) {
            if (w.number < m->log.disorder)
                return false;
            has_last = true;
            r->last = r->num;
        }
        if (may_hide(r, x) && mcm_before(m, &w.event->at, &e->at))
            hiding[r->num_hiding++] = r->num;
        r->num++;
    }
    return has_last;
}

/* One of the recent writes gives the load that value: what the log says of each byte, at once. */
static bool is_recent(karat_mcm *m, const mcm_event *e, uint32_t k, uint32_t value) {
    const mcm_part *a = &e->part[k];
    mcm_candidate found[NUM_RECENT];
    uint32_t hiding[NUM_RECENT];
    reading r;
    if (!mcm_has_one_value(m) || !mcm_ascending(m) || !a->performed ||
        mcm_find_word(m, mcm_place_of(m, e, a->addr)) || !read_recent(m, e, k, found, hiding, &r))
        return false;
    for (uint32_t i = 0; i < r.num; i++)
        if (found[i].value == value && is_legal(m, &r, i))
            return true;
    return false;
}

mcm_answer mcm_loaded(karat_mcm *m, const mcm_event *e, uint32_t k, uint32_t value, bool *lanes) {
    const mcm_part *a = &e->part[k];
    const bool doubtful = mcm_has_one_value(m) && a->performed && mcm_doubtful(m, e) >> a->lane & 1;
    mcm_answer all = {.is = MCM_ALLOWED};
    if ((doubtful || value != a->value) && is_recent(m, e, k, value)) {
        *lanes = false;
        return all;
    }
    for (unsigned b = 0; b < a->bytes; b++) {
        const mcm_place p = mcm_place_of(m, e, a->addr + b);
        const bool models = !((value ^ a->value) >> 8 * b & 0xff);
        if (models && !doubtful && !is_searched(m, p))
            continue;
        mcm_answer x = loaded_byte(m, e, k, p, (uint8_t)(value >> 8 * b), models, lanes);
        x.addr = p.addr;
        x.value = (uint8_t)(value >> 8 * b);
        const bool unknown = x.is == MCM_UNKNOWN && !models;
        if (unknown && !all.num_unknown)
            all.reason = x.reason;
        all.num_unknown += unknown;
        if (x.is == MCM_FORBIDDEN) {
            x.num_unknown = all.num_unknown;
            x.reason = all.reason;
            return x;
        }
    }
    all.is = all.num_unknown ? MCM_UNKNOWN : MCM_ALLOWED;
    return all;
}

mcm_answer mcm_left(karat_mcm *m, uint64_t addr, uint8_t value) {
    const mcm_place p = {.addr = addr};
    const mcm_moment end = {.uid = MCM_HOST_UID, .step = UINT64_MAX};
    const reading r = reading_of(m, p, &end, mcm_reports_order(m) ? UINT64_MAX : 0);
    mcm_answer x = {.is = MCM_FORBIDDEN};
    if (r.word && r.word->serial)
        x = answer(mcm_searched_left(m, r.word, addr, value), MCM_TOO_MANY);
    else
        is_in_log(m, &r, value, &x);
    if (x.is != MCM_FORBIDDEN)
        return x;
    x = answer(mcm_may_be_evicted(m, p, &end, value), MCM_EVICTED);
    if (x.is == MCM_FORBIDDEN)
        name_witnesses(m, &r, &x);
    return x;
}

mcm_answer mcm_host_read(karat_mcm *m, const mcm_moment *now, uint64_t addr, uint8_t value) {
    const mcm_place p = {.addr = addr};
    const reading r = reading_of(m, p, now, mcm_reports_order(m) ? UINT64_MAX : 0);
    mcm_answer x = {.is = MCM_FORBIDDEN};
    if (is_in_log(m, &r, value, &x))
        return x;
    bool may_be_unreported_now = false;
    for (uint32_t i = 0; i < r.num; i++)
        may_be_unreported_now |= r.found[i].event && r.found[i].event->unreported &&
                                 !mcm_is_open(r.word, r.found[i].event) && is_legal(m, &r, i);
    x.is = by_search(m, &r, addr, value);
    if (x.is == MCM_FORBIDDEN)
        x.is = mcm_may_be_evicted(m, p, now, value);
    if (x.is == MCM_FORBIDDEN && may_be_unreported_now)
        x.is = MCM_UNKNOWN;
    if (x.is == MCM_FORBIDDEN)
        name_witnesses(m, &r, &x);
    return x;
}

bool mcm_never_left(const karat_mcm *m, uint64_t addr, uint8_t value) {
    const mcm_word *w = mcm_find_word(m, (mcm_place){.addr = addr});
    return w && w->serial && mcm_searched_left(m, w, addr, value) == MCM_FORBIDDEN;
}

uint32_t mcm_doubtful(const karat_mcm *m, const mcm_event *e) {
    uint32_t lanes = 0;
    if (e->kind > MCM_LR || e->searched)
        return 0;
    const bool ordered = mcm_reports_order(m);
    if (ordered ? !e->raced || m->num_ignored || m->log.writes.first > e->open : !m->words.table.used)
        return 0;
    for (uint32_t k = 0; k < e->num; k++)
        if (ordered ? e->part[k].performed != 0 : is_searched(m, mcm_place_of(m, e, e->part[k].addr)))
            lanes |= 1u << e->part[k].lane;
    return ordered ? lanes & e->raced : lanes;
}

/* A load of that warp may get something else of that write than what the image has: others have written
 * it, an SC may have failed, lanes may be in any order. */
static bool is_uncertain(const karat_mcm *m, const mcm_event *w, uint32_t uid, const mcm_part *a) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->num; i++)
        lanes += mcm_overlap(&w->part[i], a);
    return w->at.uid != uid || w->kind == MCM_SC || (lanes > 1 && !mcm_ascending(m));
}

bool mcm_may_differ(const karat_mcm *m, const mcm_event *e) {
    if (e->kind == MCM_SC)
        return true; /* It may fail without need */
    for (uint32_t k = 0; k < e->num; k++) {
        const mcm_place p = mcm_place_of(m, e, e->part[k].addr);
        if (mcm_summary_of(m, p))
            return true;
        if (mcm_is_owned(m, &p, e, m->log.writes.first))
            continue;
        for (mcm_write w = {0}; mcm_next_write(m, &p, e->part[k].bytes, &w);)
            if (is_uncertain(m, w.event, e->at.uid, &e->part[k]))
                return true;
    }
    return false;
}
