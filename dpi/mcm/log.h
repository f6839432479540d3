/* The writes that are remembered, in order of issue, and the last reads. */
#ifndef KARAT_MCM_LOG_H
#define KARAT_MCM_LOG_H

#include "mcm.h"

enum {
    MCM_NUM_LOG = 4096,         /* Writes that are remembered */
    MCM_LINE = 128,             /* Bytes of a line: a word of each lane of a wide warp */
    MCM_NUM_READ = 1024,        /* Reads that are remembered, of a core that does not answer (race.c) */
    MCM_NUM_RACE_HISTORY = 4096 /* Accesses that races are looked for among */
};

/* A write that a byte may come from; event NULL: what was there before all that are remembered. */
typedef struct mcm_candidate {
    const mcm_event *event;
    const mcm_part *part;
    uint32_t value; /* A byte's, or that of all the bytes that were asked for */
} mcm_candidate;

/* All of an entry that lies in one line of memory: a run of the index. Most writes have one or two,
 * whatever their lanes. */
typedef struct mcm_run {
    uint64_t older;      /* Number of the next older run of its list: see run_number() */
    uint64_t line;       /* Address / MCM_LINE */
    uint32_t words;      /* Words that it writes: bit i: word i of the line */
    uint8_t first, last; /* Its parts in the line are among these */
    uint8_t step; /* Not 0: parts first to last are all in the line, at this distance in bytes, apart */
    bool more;    /* The entry has another run, the next one */
} mcm_run;

/* A list of the index: of all runs whose line has that hash, the newest first. It ends with 0, or at a run
 * of an entry that was evicted. And who has written there lately: entries from number others on are plain
 * stores of one warp, whose values the image has held since they were issued. The tag of that warp is
 * dropped as soon as another warp or the host writes; or an atomic, whose write may be another than the
 * image's; or a store whose data is not known, or turns out to be other than the image's. */
typedef struct mcm_list {
    uint64_t newest, others;
    uint64_t step; /* Of the last entry */
    uint32_t owner;
} mcm_list;

/* A ring of events with their parts. */
typedef struct mcm_ring {
    mcm_event *event;
    mcm_part *part;
    uint32_t room_part;  /* Of each event */
    uint32_t mask;       /* Room for events, a power of two, less 1 */
    uint64_t first, num; /* Numbers of the events that it holds: first .. num - 1 */
} mcm_ring;

typedef struct mcm_log {
    mcm_ring writes, reads;
    mcm_list *list; /* MCM_NUM_LOG: the index of the writes by the lines of memory that they are in */
    mcm_run *run;   /* Of each entry, in order of their first parts; there is room for as many as for parts */
    uint64_t pending;       /* All writes before this one have been performed */
    uint64_t disorder;      /* No older write was performed after one of these: from this number on */
    uint64_t num_coherence; /* Places of coherence orders that are taken, see mcm_part */
    mcm_candidate *found;   /* Room for all parts of the log: scratch memory of one query */
    uint32_t *hiding;       /* Scratch memory as well */
} mcm_log;

bool mcm_ring_create(mcm_ring *r, uint32_t room, uint32_t room_part);
void mcm_ring_destroy(mcm_ring *r);
/* Event number n, which the ring holds. */
static inline mcm_event *mcm_ring_at(const mcm_ring *r, uint64_t n) {
    return &r->event[n & r->mask];
}
/* A copy of e, with its parts: the newest. The oldest is overwritten where there is no room. */
mcm_event *mcm_ring_add(mcm_ring *r, const mcm_event *e);

/* There is room for so many parts of each event. With reads, reads are remembered, too. False: out of
 * memory. */
bool mcm_log_create(mcm_log *l, uint32_t room, bool reads);
void mcm_log_destroy(mcm_log *l);
/* Event e is a write: it is remembered from now on. */
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
    uint64_t number; /* Of the entry */
    uint64_t run;    /* Where the search goes on: with older parts of that run */
    uint64_t from;   /* Entries before that number are not looked at */
} mcm_write;
/* The next part that writes, or wrote, to these bytes of one word, the newest first; *w: zero but for from
 * before the first call. False: there is no more, and *w is as before. */
bool mcm_next_write(const karat_mcm *m, const mcm_place *p, uint32_t bytes, mcm_write *w);
/* Entries from that number on that have bytes of that line are plain stores of e's warp, all issued before
 * e, and the lanes of one have an order: see mcm_list. */
bool mcm_is_owned(const karat_mcm *m, const mcm_place *p, const mcm_event *e, uint64_t from);
/* Some younger write may have bytes of that entry. */
bool mcm_may_be_overlapped(const karat_mcm *m, uint64_t number);
/* The extent of an entry has some of these bytes, and it still writes. */
bool mcm_may_write(const karat_mcm *m, const mcm_event *e, const mcm_place *p, uint32_t bytes);
/* An SC that is not known to succeed hides nothing. */
bool mcm_may_fail(const mcm_event *e);
/* Number of the first write that may not have been performed. */
uint64_t mcm_first_pending(karat_mcm *m);
/* The writes to a byte, the newest first, then what was there before: their number, and they are in
 * log.found. */
uint32_t mcm_candidates(const karat_mcm *m, mcm_place p);
/* The one of them that was performed last before that report. */
uint32_t mcm_last_performed(const mcm_candidate *found, uint32_t num, uint64_t before);
#endif
