#include "log.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

bool mcm_ring_create(mcm_ring *r, uint32_t room, uint32_t room_part) {
    r->mask = room - 1;
    r->room_part = room_part;
    r->event = calloc(room, sizeof *r->event);
    r->part = calloc((size_t)room * room_part, sizeof *r->part);
    return r->event && r->part;
}

void mcm_ring_destroy(mcm_ring *r) {
    free(r->event);
    free(r->part);
}

mcm_event *mcm_ring_add(mcm_ring *r, const mcm_event *e) {
    const uint64_t n = r->num++;
    mcm_event *to = mcm_ring_at(r, n);
    *to = *e;
    to->part = r->part + (n & r->mask) * r->room_part;
    memcpy(to->part, e->part, e->num * sizeof *e->part);
    if (r->num - r->first > r->mask + UINT64_C(1))
        r->first++;
    return to;
}

/* Where a load's value is one alone, and all has been performed, memory holds it. */
static bool is_told(const karat_mcm *m, const mcm_event *e) {
    return mcm_has_one_value(m) && mcm_ascending(m) && mcm_is_performed(e);
}

void mcm_log_evict(karat_mcm *m, uint64_t first) {
    mcm_ring *r = &m->log.writes;
    for (; r->first < first; r->first++)
        if (!is_told(m, mcm_ring_at(r, r->first)))
            mcm_summarise(m, mcm_ring_at(r, r->first));
}

void mcm_log_add(karat_mcm *m, mcm_event *e) {
    mcm_ring *r = &m->log.writes;
    if (r->num - r->first == r->mask + UINT64_C(1))
        mcm_log_evict(m, r->first + 1);
    mcm_ring_add(r, e);
    e->logged = r->num;
}

void mcm_set_value(karat_mcm *m, mcm_event *e, uint32_t k, uint32_t value) {
    mcm_event *entry = mcm_log_entry(m, e);
    e->part[k].value = value;
    if (entry)
        entry->part[k].value = value;
}

mcm_event *mcm_log_entry(const karat_mcm *m, const mcm_event *e) {
    const mcm_ring *r = &m->log.writes;
    return e->logged && e->logged - 1 >= r->first ? mcm_ring_at(r, e->logged - 1) : NULL;
}

bool mcm_reaches(const karat_mcm *m, const mcm_event *e, const mcm_place *p, uint32_t bytes) {
    return e->low < p->addr + bytes && p->addr < e->high && (!p->lds || p->lds == 1 + e->at.uid / m->wg_size);
}

bool mcm_touches(const karat_mcm *m, const mcm_event *e, const mcm_place *p, uint32_t bytes) {
    return mcm_reaches(m, e, p, bytes) && !e->gone;
}

bool mcm_may_fail(const mcm_event *e) {
    return e->kind == MCM_SC && !e->stored;
}

bool mcm_is_performed(const mcm_event *e) {
    for (uint32_t k = 0; k < e->num && !e->gone; k++)
        if (!e->part[k].performed)
            return false;
    return true;
}

uint64_t mcm_first_pending(karat_mcm *m) {
    mcm_log *l = &m->log;
    l->pending = l->pending < l->writes.first ? l->writes.first : l->pending;
    while (l->pending < l->writes.num && mcm_is_performed(mcm_ring_at(&l->writes, l->pending)))
        l->pending++;
    return l->pending;
}

uint32_t mcm_candidates(const karat_mcm *m, mcm_place p) {
    const mcm_ring *r = &m->log.writes;
    mcm_candidate *found = m->log.found;
    uint32_t num = 0;
    uint8_t before = 0;
    bool unwritten = true; /* the image holds what was there before */
    for (uint64_t n = r->num; n > r->first; n--) {
        const mcm_event *e = mcm_ring_at(r, n - 1);
        if (!mcm_reaches(m, e, &p, 1))
            continue;
        for (uint32_t k = e->num; k > 0; k--) {
            const mcm_part *a = &e->part[k - 1];
            if (!mcm_writes_byte(a, p.addr))
                continue;
            const unsigned shift = 8 * (unsigned)(p.addr - a->addr);
            before = (uint8_t)(a->old >> shift);
            unwritten = false;
            if (!e->gone)
                found[num++] = (mcm_candidate){e, a, (uint8_t)(a->value >> shift)};
        }
    }
    if (unwritten)
        mcm_load(m, &p, &before, 1);
    found[num++] = (mcm_candidate){NULL, NULL, before};
    return num;
}

uint32_t mcm_last_performed(const mcm_candidate *found, uint32_t num, uint64_t before) {
    uint32_t last = num - 1;
    for (uint32_t i = 0; i < num - 1; i++) {
        const uint64_t at = found[i].part->performed;
        if (at && at < before && (last == num - 1 || at > found[last].part->performed))
            last = i;
    }
    return last;
}
