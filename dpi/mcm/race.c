/* Do two accesses race?
 *
 * A scalar access to a word that atomics use counts as atomic: locks are let go by a store. Accesses to a
 * word that is a flag of plain accesses (flags.c) are synchronisation. Whether a word is one of these is
 * known at the kernel's end only, in whatever order the core came to them: so the owner keeps what scalar
 * accesses do, and what vector accesses do to a word that a release was stored to, and asks again then.
 *
 * Of a core that does not answer, nothing reports what a load or an atomic has returned where several
 * values are legal. The image goes on with its own. So what is looked for there is whether any warp may
 * have got, or may get, another value: two accesses of different warps to one byte, one of them a write,
 * that no rule orders. Of two writes, a read that is ordered after both may find either. The access that
 * is issued later finds the other: a write among those that the log holds, a read among the last ones. */
#include <string.h>

#include "model.h"

/* The first byte of part i of a that b accesses, too. False: none. */
static bool common_byte(const karat_mcm *m, const mcm_event *a, uint32_t i, const mcm_event *b,
                        mcm_place *byte) {
    const mcm_part *x = &a->part[i];
    *byte = mcm_place_of(m, a, x->addr);
    for (uint32_t k = 0; k < b->num; k++) {
        const mcm_part *y = &b->part[k];
        if (!mcm_overlap(x, y) || byte->lds != mcm_place_of(m, b, y->addr).lds)
            continue;
        byte->addr = x->addr > y->addr ? x->addr : y->addr;
        return true;
    }
    return false;
}

static bool have_common(const karat_mcm *m, const mcm_event *a, const mcm_event *b) {
    mcm_place byte;
    bool any = false;
    for (uint32_t i = 0; i < a->num && !any; i++)
        any = common_byte(m, a, i, b, &byte);
    return any;
}

static bool is_atomic(const karat_mcm *m, const mcm_event *e) {
    return e->num == 1 && mcm_find_word(m, mcm_place_of(m, e, e->part[0].addr));
}

/* The two have bytes in common, and nothing orders them. */
static bool races(const karat_mcm *m, const mcm_event *old, const mcm_event *e) {
    if (old->at.step <= m->order.horizon || old->at.uid == e->at.uid || old->low >= e->high ||
        e->low >= old->high || !(old->kind >= MCM_STORE || e->kind >= MCM_STORE) ||
        (is_atomic(m, old) && is_atomic(m, e)))
        return false;
    return have_common(m, e, old) && !mcm_before(m, &old->at, &e->at);
}

bool mcm_next_race(const karat_mcm *m, const mcm_event *e, mcm_race *race) {
    const mcm_ring *r = &m->race_history;
    const uint64_t kept = MCM_NUM_RACE_HISTORY - 1,
                   first = r->num - r->first > kept ? r->num - kept : r->first;
    if (!race->with)
        race->next = r->num;
    for (;; race->with = NULL) {
        if (!race->with) {
            if (race->next <= first)
                return false;
            const mcm_event *old = mcm_ring_at(r, --race->next);
            if (!races(m, old, e))
                continue;
            race->with = old;
            race->part = 0;
            race->scalar = old->num == 1 && e->num == 1;
        }
        while (race->part < race->with->num)
            if (common_byte(m, race->with, race->part++, e, &race->byte)) {
                race->flag = mcm_find_flag(m, race->byte) != NULL;
                return true;
            }
    }
}

void mcm_remember(karat_mcm *m, const mcm_event *e) {
    mcm_ring_add(&m->race_history, e);
}

mcm_sync mcm_synchronises(const karat_mcm *m, const mcm_place *word, bool scalar) {
    const mcm_flag *flag = mcm_find_flag(m, *word);
    return scalar && mcm_find_word(m, *word) ? MCM_ATOMIC_WORD
           : flag && flag->synchronises      ? MCM_FLAG
                                             : MCM_DATA;
}

/* --- A core that does not answer --- */

/* The two accesses, of which the first is the older one, have a byte in common and no order. */
static bool meet(const karat_mcm *m, const mcm_event *a, const mcm_event *b) {
    if (a->low >= b->high || b->low >= a->high || mcm_before(m, &a->at, &b->at))
        return false;
    if (a->is_private && b->is_private)
        return false; /* Of a warp that has gone, whose place another has got */
    return have_common(m, a, b);
}

/* Event e is an access, or a write of the host that the log holds as the entry own. */
void mcm_note_race(karat_mcm *m, const mcm_event *e, const mcm_event *own) {
    const mcm_ring *reads = &m->log.reads;
    if (m->raced || m->core.answers)
        return;
    for (uint32_t k = 0; k < e->num && !m->raced; k++) {
        const mcm_place p = mcm_place_of(m, e, e->part[k].addr);
        if (mcm_has(m, MCM_PROGRAM) && mcm_is_owned(m, &p, e, m->log.writes.first))
            continue; /* All of its own warp */
        for (mcm_write w = {0}; mcm_next_write(m, &p, e->part[k].bytes, &w);)
            m->raced |= w.event != own && meet(m, w.event, e);
    }
    for (uint64_t n = reads->first; n < reads->num && e->kind >= MCM_STORE; n++)
        m->raced |= meet(m, mcm_ring_at(reads, n), e);
    if (e->kind != MCM_STORE)
        mcm_ring_add(&m->log.reads, e);
}

bool mcm_raced(const karat_mcm *m) {
    return m->raced;
}
