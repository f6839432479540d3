#include "evicted.h"

#include <string.h>

#include "model.h"

const mcm_summary *mcm_summary_of(const karat_mcm *m, mcm_place p) {
    const unsigned byte = p.addr & 3;
    p = mcm_word_at(p);
    const mcm_summary *w = mcm_table_find(&m->evicted.words, &p);
    return w && w->bytes >> byte & 1 ? w : NULL;
}

static void add_value(mcm_summary *w, unsigned byte, uint8_t value) {
    const uint8_t num = w->num_value[byte];
    if (num > MCM_NUM_VALUE || memchr(w->value[byte], value, num))
        return;
    if (num < MCM_NUM_VALUE)
        w->value[byte][num] = value;
    w->num_value[byte]++; /* One more than there is room for: any */
}

/* Bytes of a word of which a write comes after all that were evicted. Where only their places in the word
 * say so, that is of the same bytes alone: this does not order one warp's accesses to different bytes. */
static uint8_t bytes_in_turn(const karat_mcm *m, const mcm_summary *w, const mcm_event *e, const mcm_part *a,
                             uint8_t bytes) {
    if (mcm_has_one_value(m))
        return a->performed > w->place ? 15 : 0;
    if (a->coherence && w->place && a->coherence < w->place)
        return 0;
    if (mcm_before(m, &w->last, &e->at))
        return 15;
    return a->coherence && w->place ? bytes & w->by_last : 0;
}

/* A write to some bytes of a word leaves the log, before all that were issued after it. */
static void add_write(const karat_mcm *m, mcm_summary *w, const mcm_event *e, const mcm_part *a) {
    const uint8_t bytes = (uint8_t)(((1u << a->bytes) - 1) << (a->addr & 3));
    const bool ordered = mcm_reports_order(m), pending = ordered && !a->performed;
    const bool same = w->last.step == e->at.step; /* Another lane */
    if (e->at.uid == MCM_HOST_UID && !e->at.barrier_phase) {
        w->doubtful = (uint8_t)((same ? w->doubtful : w->bytes) & ~bytes);
    } else if (same) {
        if (!mcm_ascending(m))
            w->doubtful |= bytes & w->by_last;
    } else if (w->bytes) {
        const uint8_t in_turn = bytes_in_turn(m, w, e, a, bytes);
        if (w->earlier || mcm_has_one_value(m))
            w->doubtful &= (uint8_t)~bytes;
        w->doubtful |= (w->bytes | bytes) & ~in_turn;
    }
    if (pending || mcm_may_fail(e)) /* Whatever comes before it, and after it */
        w->doubtful |= bytes;
    const bool known = !e->unreported && !pending && (!mcm_is_atomic(e) || a->coherence || ordered);
    for (unsigned i = 0; i < a->bytes; i++) {
        const unsigned byte = (a->addr & 3) + i;
        add_value(w, byte, (uint8_t)(a->old >> 8 * i));
        add_value(w, byte, (uint8_t)(a->value >> 8 * i));
        if (!known)
            w->num_value[byte] = MCM_NUM_VALUE + 1;
    }
    w->bytes |= bytes;
    w->by_last = (uint8_t)(same ? w->by_last | bytes : bytes);
    w->last = e->at;
    w->earlier = false;
    const uint64_t place = pending ? UINT64_MAX : mcm_has_one_value(m) ? a->performed : a->coherence;
    if (!mcm_has_one_value(m) || place > w->place) /* Else the last is that of all */
        w->place = place;
}

void mcm_summarise(karat_mcm *m, const mcm_event *e) {
    mcm_evicted *x = &m->evicted;
    for (uint32_t k = 0; k < e->num && !e->sc_failed; k++) {
        mcm_place p = mcm_word_at(mcm_place_of(m, e, e->part[k].addr));
        p.group = 0;
        mcm_summary *w = mcm_table_enter(&x->words, &p);
        if (!w) {
            x->lost = true;
            return;
        }
        add_write(m, w, e, &e->part[k]);
    }
}

/* A write in the log is after all that are evicted of a byte, and before that moment. */
static bool is_hidden(const karat_mcm *m, const mcm_summary *w, bool doubtful, const mcm_place *p,
                      const mcm_moment *at) {
    for (mcm_write x = {0}; mcm_next_write(m, p, 1, &x);)
        if (!x.event->sc_failed && !mcm_may_fail(x.event) && mcm_before(m, &x.event->at, at) &&
            (w->earlier || (!doubtful && mcm_before(m, &w->last, &x.event->at))))
            return true;
    return false;
}

mcm_verdict mcm_may_be_evicted(const karat_mcm *m, mcm_place p, const mcm_moment *at, uint8_t value) {
    const mcm_summary *w = mcm_summary_of(m, p);
    if (m->evicted.lost)
        return MCM_UNKNOWN;
    const unsigned byte = p.addr & 3;
    const bool doubtful = w && w->doubtful >> byte & 1;
    if (!w || (!doubtful && (mcm_has_one_value(m) || mcm_before(m, &w->last, at))) ||
        is_hidden(m, w, doubtful, &p, at))
        return MCM_FORBIDDEN;
    if (w->num_value[byte] > MCM_NUM_VALUE)
        return MCM_UNKNOWN;
    return memchr(w->value[byte], value, w->num_value[byte]) ? MCM_ALLOWED : MCM_FORBIDDEN;
}

void mcm_evicted_kernel(karat_mcm *m, bool known) {
    mcm_evicted *x = &m->evicted;
    mcm_table old = x->words;
    x->words = (mcm_table){.size = old.size, .max = old.max};
    uint32_t i = 0;
    for (const mcm_summary *w; !known && (w = mcm_table_next(&old, &i));) {
        if (!w->doubtful || w->at.place.lds) /* Else it is known, or gone */
            continue;
        mcm_summary *kept = mcm_table_enter(&x->words, &w->at.place);
        if (!kept) {
            x->lost = true;
            break;
        }
        *kept = *w;
        kept->last = (mcm_moment){.uid = MCM_HOST_UID, .step = m->steps};
        kept->place = 0;
        kept->earlier = true;
    }
    mcm_table_clear(&old);
    x->lost &= !known;
}
