/* The writes that are remembered, in order of issue, and the last reads. */
#ifndef KARAT_MCM_LOG_H
#define KARAT_MCM_LOG_H

#include "mcm.h"

enum {
    MCM_NUM_LOG = 4096,  /* writes that are remembered */
    MCM_NUM_READ = 1024, /* reads that are, of a core that does not answer (race.c) */
    MCM_NUM_SEEN = 4096  /* accesses that races are looked for among */
};

/* A write that a byte may come from; event NULL: what was there before all that are remembered. */
typedef struct mcm_candidate {
    const mcm_event *event;
    const mcm_part *part;
    uint32_t value; /* a byte's, or that of all the bytes that were asked for */
} mcm_candidate;

/* A ring of events with their parts. */
typedef struct mcm_ring {
    mcm_event *event;
    mcm_part *part;
    uint32_t room_part;  /* of each event */
    uint32_t mask;       /* room for events, a power of two, less 1 */
    uint64_t first, num; /* numbers of the events that it holds: first .. num - 1 */
} mcm_ring;

typedef struct mcm_log {
    mcm_ring writes, reads;
    /* An index of the writes' parts by their words: lists, the newest part first, one for each hash of a place. A
     * list ends with 0, or at a part whose event has been evicted. */
    uint64_t *newest, *older; /* older: by part of the ring */
    uint64_t pending;         /* all writes before this one have been performed */
    uint64_t disorder;        /* no older write was performed after one of these: from this number on */
    uint64_t settled;         /* accesses, see mcm_part */
    mcm_candidate *found;     /* room for all parts of the log: scratch memory of one query */
    uint32_t *hiding;         /* the same */
} mcm_log;

bool mcm_ring_create(mcm_ring *r, uint32_t room, uint32_t room_part);
void mcm_ring_destroy(mcm_ring *r);
/* Event number n, which the ring holds. */
static inline mcm_event *mcm_ring_at(const mcm_ring *r, uint64_t n) {
    return &r->event[n & r->mask];
}
/* A copy of e, with its parts: the newest. The oldest is overwritten where there is no room. */
mcm_event *mcm_ring_add(mcm_ring *r, const mcm_event *e);

/* room: for so many parts of each event. reads: reads are remembered, too. False: out of memory. */
bool mcm_log_create(mcm_log *l, uint32_t room, bool reads);
void mcm_log_destroy(mcm_log *l);
/* e is a write: it is remembered from now on. */
void mcm_log_add(karat_mcm *m, mcm_event *e);
/* Evict the writes before that number. */
void mcm_log_evict(karat_mcm *m, uint64_t first);
/* Part k of e, a write, has written that value. */
void mcm_set_value(karat_mcm *m, mcm_event *e, uint32_t k, uint32_t value);
/* The entry of e; NULL: it has none, or none any more. */
mcm_event *mcm_log_entry(const karat_mcm *m, const mcm_event *e);
/* A part of an entry. */
typedef struct mcm_write {
    mcm_event *event;
    mcm_part *part;
    uint64_t number; /* of the entry */
    uint64_t older;  /* where the search goes on */
} mcm_write;
/* The next part that writes, or wrote, to these bytes of one word, the newest first; *w: zero before the first call. False:
 * there is no more, and *w is as before. */
bool mcm_next_write(const karat_mcm *m, const mcm_place *p, uint32_t bytes, mcm_write *w);
/* The extent of an entry has some of these bytes, and it still writes. */
bool mcm_touches(const karat_mcm *m, const mcm_event *e, const mcm_place *p, uint32_t bytes);
/* An SC that has not said that it stores hides nothing. */
bool mcm_may_fail(const mcm_event *e);
/* Number of the first write that may not have been performed. */
uint64_t mcm_first_pending(karat_mcm *m);
/* The writes to a byte, the newest first, then what was there before: their number, and they are in log.found. */
uint32_t mcm_candidates(const karat_mcm *m, mcm_place p);
/* The one of them that was performed last before that report. */
uint32_t mcm_last_performed(const mcm_candidate *found, uint32_t num, uint64_t before);
#endif
