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

bool mcm_log_create(mcm_log *l, uint32_t room, bool reads) {
    const size_t parts = (size_t)MCM_NUM_LOG * room;
    l->found = malloc((parts + 1) * sizeof *l->found);
    l->hiding = malloc(parts * sizeof *l->hiding);
    l->newest = calloc(MCM_NUM_LOG, sizeof *l->newest);
    l->older = malloc(parts * sizeof *l->older);
    return l->found && l->hiding && l->newest && l->older && mcm_ring_create(&l->writes, MCM_NUM_LOG, room) &&
           (!reads || mcm_ring_create(&l->reads, MCM_NUM_READ, room));
}

void mcm_log_destroy(mcm_log *l) {
    mcm_ring_destroy(&l->writes);
    mcm_ring_destroy(&l->reads);
    free(l->found);
    free(l->hiding);
    free(l->newest);
    free(l->older);
}

static bool is_performed(const mcm_event *e) {
    for (uint32_t k = 0; k < e->num && !e->gone; k++)
        if (!e->part[k].performed)
            return false;
    return true;
}

/* Where a load's value is one alone, and all has been performed, memory holds it. */
static bool is_told(const karat_mcm *m, const mcm_event *e) {
    return mcm_has_one_value(m) && mcm_ascending(m) && is_performed(e);
}

void mcm_log_evict(karat_mcm *m, uint64_t first) {
    mcm_ring *r = &m->log.writes;
    for (; r->first < first; r->first++)
        if (!is_told(m, mcm_ring_at(r, r->first)))
            mcm_summarise(m, mcm_ring_at(r, r->first));
}

/* What e accesses at that address is at that place. */
static bool is_of_memory(const karat_mcm *m, const mcm_event *e, const mcm_place *p) {
    return !p->lds || p->lds == 1 + e->at.uid / m->wg_size;
}

void mcm_log_add(karat_mcm *m, mcm_event *e) {
    mcm_ring *r = &m->log.writes;
    if (r->num - r->first == r->mask + UINT64_C(1))
        mcm_log_evict(m, r->first + 1);
    const mcm_event *entry = mcm_ring_add(r, e);
    e->logged = r->num;
    uint64_t *older = m->log.older + (entry->part - r->part);
    for (uint32_t k = 0; k < e->num; k++) {
        const mcm_place p = mcm_place_of(m, e, e->part[k].addr);
        uint64_t *newest = mcm_list_of(m, &p);
        older[k] = *newest;
        *newest = mcm_part_number(r->num - 1, k);
    }
}

bool mcm_next_write(const karat_mcm *m, const mcm_place *p, uint32_t bytes, mcm_write *w) {
    const mcm_ring *r = &m->log.writes;
    uint64_t at = w->event ? w->older : *mcm_list_of(m, p), older;
    for (; at >= mcm_part_number(r->first, 0); at = older) {
        const uint64_t n = (at - 1) / MCM_MAX_PART;
        mcm_event *e = mcm_ring_at(r, n);
        mcm_part *a = &e->part[(at - 1) % MCM_MAX_PART];
        older = m->log.older[a - r->part];
        if (a->addr < p->addr + bytes && p->addr < a->addr + a->bytes && is_of_memory(m, e, p)) {
            *w = (mcm_write){e, a, n, older};
            return true;
        }
    }
    return false;
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

bool mcm_touches(const karat_mcm *m, const mcm_event *e, const mcm_place *p, uint32_t bytes) {
    return e->low < p->addr + bytes && p->addr < e->high && is_of_memory(m, e, p) && !e->gone;
}

bool mcm_may_fail(const mcm_event *e) {
    return e->kind == MCM_SC && !e->stored;
}

uint64_t mcm_first_pending(karat_mcm *m) {
    mcm_log *l = &m->log;
    l->pending = l->pending < l->writes.first ? l->writes.first : l->pending;
    while (l->pending < l->writes.num && is_performed(mcm_ring_at(&l->writes, l->pending)))
        l->pending++;
    return l->pending;
}

uint32_t mcm_candidates(const karat_mcm *m, mcm_place p) {
    mcm_candidate *found = m->log.found;
    uint32_t num = 0;
    uint8_t before = 0;
    mcm_write w = {0};
    while (mcm_next_write(m, &p, 1, &w)) {
        const unsigned shift = 8 * (unsigned)(p.addr - w.part->addr);
        before = (uint8_t)(w.part->old >> shift);
        if (!w.event->gone)
            found[num++] = (mcm_candidate){w.event, w.part, w.part->value >> shift & 0xff};
    }
    if (!w.event) /* the image holds what was there before */
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
