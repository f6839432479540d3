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
    l->list = calloc(MCM_NUM_LOG, sizeof *l->list);
    l->run = malloc(parts * sizeof *l->run);
    return l->found && l->hiding && l->list && l->run && mcm_ring_create(&l->writes, MCM_NUM_LOG, room) &&
           (!reads || mcm_ring_create(&l->reads, MCM_NUM_READ, room));
}

void mcm_log_destroy(mcm_log *l) {
    mcm_ring_destroy(&l->writes);
    mcm_ring_destroy(&l->reads);
    free(l->found);
    free(l->hiding);
    free(l->list);
    free(l->run);
}

static bool is_performed(const mcm_event *e) {
    for (uint32_t k = 0; k < e->num && !e->sc_failed; k++)
        if (!e->part[k].performed)
            return false;
    return true;
}

/* Where a load's value is one alone, and all has been performed, memory holds it. */
static bool is_reported(const karat_mcm *m, const mcm_event *e) {
    return mcm_has_one_value(m) && mcm_ascending(m) && is_performed(e);
}

void mcm_log_evict(karat_mcm *m, uint64_t first) {
    mcm_ring *r = &m->log.writes;
    for (; r->first < first; r->first++)
        if (!is_reported(m, mcm_ring_at(r, r->first)))
            mcm_summarise(m, mcm_ring_at(r, r->first));
}

/* Whether e's accesses at that address are to that place: of device memory, or of that workgroup. */
static bool is_of_memory(const karat_mcm *m, const mcm_event *e, const mcm_place *p) {
    return !p->lds || p->lds == 1 + e->at.uid / m->wg_size;
}

static uint64_t line_of(uint64_t addr) {
    return addr / MCM_LINE;
}

static mcm_list *list_of(const karat_mcm *m, const mcm_place *p) {
    const mcm_place line = {.addr = line_of(p->addr) << 2, .lds = p->lds};
    return &m->log.list[mcm_hash(&line) % MCM_NUM_LOG];
}

/* Node k of event n in a list. */
static uint64_t run_number(uint64_t n, uint32_t k) {
    return 1 + n * MCM_MAX_PART + k;
}

static uint64_t entry_of(uint64_t run) {
    return (run - 1) / MCM_MAX_PART;
}

static mcm_run *run_at(const karat_mcm *m, uint64_t run) {
    const mcm_ring *r = &m->log.writes;
    return &m->log.run[(entry_of(run) & r->mask) * r->room_part + (run - 1) % MCM_MAX_PART];
}

static uint32_t word_bit(uint64_t addr) {
    return 1u << addr % MCM_LINE / 4;
}

/* The parts from that number on that follow one another in one line. */
static mcm_run run_from(const mcm_event *e, uint32_t first) {
    const mcm_part *a = &e->part[first], *const end = e->part + e->num;
    const uint64_t line = line_of(a->addr), step = a + 1 < end ? a[1].addr - a->addr : 0;
    uint32_t words = word_bit(a->addr);
    bool regular = step >= a->bytes && step < MCM_LINE;
    for (a++; a < end && line_of(a->addr) == line; a++) {
        words |= word_bit(a->addr);
        regular &= a->addr - a[-1].addr == step && a->bytes == a[-1].bytes;
    }
    return (mcm_run){.line = line,
                     .words = words,
                     .first = (uint8_t)first,
                     .last = (uint8_t)(a - e->part - 1),
                     .step = regular ? (uint8_t)step : 0};
}

/* Entry n is about to be the newest of that list. */
static void tag(mcm_list *l, const mcm_event *e, uint64_t n) {
    const bool plain = e->kind == MCM_STORE && !e->unreported;
    if (!plain)
        l->others = n + 1;
    else if (l->owner != e->at.uid)
        l->others = l->newest ? entry_of(l->newest) + 1 : 0;
    l->owner = e->at.uid;
    l->step = e->at.step;
}

/* The runs of entry n: one for each line where its parts follow one another, or come back to it while no
 * other line's run is in front of the list. So all parts of one word are in descending order along a list. */
static void enter_parts(karat_mcm *m, const mcm_event *e, uint64_t n) {
    mcm_run *before = NULL;
    for (uint32_t k = 0, num = 0; k < e->num;) {
        const mcm_run x = run_from(e, k);
        const mcm_place p = mcm_place_of(m, e, e->part[k].addr);
        mcm_list *l = list_of(m, &p);
        mcm_run *newest = l->newest && entry_of(l->newest) == n ? run_at(m, l->newest) : NULL;
        k = x.last + 1u;
        if (newest && newest->line == x.line) {
            newest->words |= x.words;
            newest->last = x.last;
            newest->step = 0;
            continue;
        }
        if (before)
            before->more = true;
        tag(l, e, n);
        before = run_at(m, run_number(n, num));
        *before = x;
        before->older = l->newest;
        l->newest = run_number(n, num++);
    }
}

void mcm_log_add(karat_mcm *m, mcm_event *e) {
    mcm_ring *r = &m->log.writes;
    if (r->num - r->first == r->mask + UINT64_C(1))
        mcm_log_evict(m, r->first + 1);
    const mcm_event *entry = mcm_ring_add(r, e);
    e->logged = r->num;
    enter_parts(m, entry, r->num - 1);
}

/* The highest part of a run, below that number, that has some of these bytes; NULL: none. */
static mcm_part *part_below(const mcm_run *x, const mcm_event *e, uint32_t below, const mcm_place *p,
                            uint32_t bytes) {
    uint32_t k = below < x->last + 1u ? below : x->last + 1u;
    if (x->step) { /* Those that begin in it, and the one before */
        const uint64_t first = e->part[x->first].addr, end = p->addr + bytes;
        const uint32_t room = end <= first ? 0 : (uint32_t)((end - 1 - first) / x->step) + 1;
        k = x->first + room < k ? x->first + room : k;
    }
    while (k-- > x->first) {
        mcm_part *a = &e->part[k];
        if (a->addr < p->addr + bytes && p->addr < a->addr + a->bytes)
            return a;
        if (x->step && a->addr + a->bytes <= p->addr)
            break;
    }
    return NULL;
}

bool mcm_next_write(const karat_mcm *m, const mcm_place *p, uint32_t bytes, mcm_write *w) {
    const mcm_ring *r = &m->log.writes;
    const uint64_t oldest = run_number(w->from > r->first ? w->from : r->first, 0), line = line_of(p->addr);
    const uint32_t word = word_bit(p->addr);
    uint32_t below = w->event ? (uint32_t)(w->part - w->event->part) : MCM_MAX_PART;
    for (uint64_t at = w->event ? w->run : list_of(m, p)->newest; at >= oldest; below = MCM_MAX_PART) {
        const mcm_run *x = run_at(m, at);
        if (x->line == line && x->words & word) {
            const uint64_t n = entry_of(at);
            mcm_event *e = mcm_ring_at(r, n);
            mcm_part *a = is_of_memory(m, e, p) ? part_below(x, e, below, p, bytes) : NULL;
            if (a) {
                *w = (mcm_write){e, a, n, at, w->from};
                return true;
            }
        }
        at = x->older;
    }
    return false;
}

bool mcm_is_owned(const karat_mcm *m, const mcm_place *p, const mcm_event *e, uint64_t from) {
    const mcm_list *l = list_of(m, p);
    return l->owner == e->at.uid && l->others <= from && l->step < e->at.step && mcm_ascending(m);
}

bool mcm_may_be_overlapped(const karat_mcm *m, uint64_t n) {
    const mcm_event *e = mcm_ring_at(&m->log.writes, n);
    for (uint32_t k = 0;; k++) {
        const mcm_run *x = run_at(m, run_number(n, k));
        const mcm_place p = mcm_place_of(m, e, e->part[x->first].addr);
        if (list_of(m, &p)->newest != run_number(n, k))
            return true;
        if (!x->more)
            return false;
    }
}

void mcm_set_value(karat_mcm *m, mcm_event *e, uint32_t k, uint32_t value) {
    mcm_event *entry = mcm_log_entry(m, e);
    e->part[k].value = value;
    if (!entry)
        return;
    entry->part[k].value = value;
    const mcm_place p = mcm_place_of(m, e, e->part[k].addr);
    mcm_list *l = list_of(m, &p);
    l->others = l->others > e->logged ? l->others : e->logged; /* The image had another */
}

mcm_event *mcm_log_entry(const karat_mcm *m, const mcm_event *e) {
    const mcm_ring *r = &m->log.writes;
    return e->logged && e->logged - 1 >= r->first ? mcm_ring_at(r, e->logged - 1) : NULL;
}

bool mcm_may_write(const karat_mcm *m, const mcm_event *e, const mcm_place *p, uint32_t bytes) {
    return e->low < p->addr + bytes && p->addr < e->high && is_of_memory(m, e, p) && !e->sc_failed;
}

bool mcm_may_fail(const mcm_event *e) {
    return e->kind == MCM_SC && !e->sc_succeeded;
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
        if (!w.event->sc_failed)
            found[num++] = (mcm_candidate){w.event, w.part, w.part->value >> shift & 0xff};
    }
    if (!w.event) /* The image holds what was there before */
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
