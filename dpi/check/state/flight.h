/* Instructions in flight (flight.c): issued, and something of them still pending. */
#ifndef KARAT_CHECK_FLIGHT_H
#define KARAT_CHECK_FLIGHT_H

#include "failure.h"
#include "bridge.h"
#include "values.h"

/* An instruction in flight: its step in the model, and the records that are pending of it.  Memory: blocks
 * of the checker's, recycled by a free list; flight.c alone links them.  Written by the handlers of the
 * records that complete it.  Masks are of lanes, cycles of the core's clock. */
struct flight {
    struct flight *next; /* Younger, of the same slot; or next free one */
    uint32_t epoch, seq, workgroup, warp;
    uint64_t cycle; /* Of its ISSUE */

    /* From here to commit: cleared where the warp's comparison ends with the instruction's ISSUE. */
    uint32_t pending_write[KARAT_MAX_WRITE]; /* Lanes not written yet */
    uint32_t overtaken[KARAT_MAX_WRITE]; /* Pending lanes that a younger instruction has written already */
    uint32_t mem_bytes;                  /* (access, byte) pairs not performed yet */
    uint64_t mem_cycle;                  /* Of its last MEM record */
    bool pending_simt, pending_csr, pending_arrive, pending_exit;
    bool shaped;      /* The commit's memory part holds base, stride, bytes and lanes, though it was spread */
    bool gave_vtype;  /* A vset*: the second CSR that it writes has come */
    bool adopted_mem; /* Stored bytes were taken from the core */
    bool kept_mem;    /* Accesses were wrong, and the comparison of the warp went on */
    uint32_t read_matched; /* Bit i: the core's READ of commit.read[i] came and was equal */
    uint32_t vtype;        /* After the instruction */

    /* Values that no record has reported (values.c, ulp.c). */
    uint32_t unknown_old[KARAT_MAX_WRITE]; /* Lanes whose values.old[] no record has reported yet */
    uint32_t
        approximate[KARAT_MAX_WRITE]; /* Lanes where the core's number, within its bound, is not known yet */
    bool approximated;                /* A READ has reported one that is not the model's */
    uint32_t unknown_read[KARAT_MAX_READ]; /* Lanes of that operand that no record had reported */
    /* Its results: unreported in lanes with an operand that no record has reported: they are adopted from
     * the core; unwritten where the warp never wrote that operand. */
    knowledge result;
    /* A store: lanes of its data, by register of the group, pair or consecutive ones, known only within the
     * bound of a row. */
    uint32_t ulp_lanes[KARAT_MAX_WRITE];
    int32_t ulp_row[KARAT_MAX_WRITE];
    uint32_t ulp_reg[KARAT_MAX_WRITE];

    /* A load or atomic (use_before_write.c): pending lanes that a younger instruction has used with the
     * model's value, or as its READ reported it. */
    uint32_t used[KARAT_MAX_WRITE], reported[KARAT_MAX_WRITE];
    bool changed;        /* Used, and then its result became another */
    bool read_as_failed; /* An SC: a READ has reported that it failed, without need */
    bool reordered;      /* An atomic: its values are not those of the order of issue */
    mcm_event
        event; /* The memory model's: written by bridge.c alone; its moment is that of any instruction */

    karat_commit commit; /* The model's step; values that were taken from the core are entered, in values */
    karat_commit_values values;
    uint8_t mem_left[KARAT_MAX_ACCESS]; /* Per access: its bytes not performed yet */
    mcm_part part[KARAT_MAX_ACCESS];    /* Of its event */
};

/* Of a step that begins with a record of that cycle. NULL: out of memory. */
flight *karat_flight_new(karat_checker *c, const slot *s, uint32_t seq, uint64_t cycle);
/* Gives back a new flight that was not used. */
void karat_flight_drop(karat_checker *c, flight *f);
void karat_flight_blocks_free(karat_checker *c);
flight *karat_flight_find(const slot *s, uint32_t epoch, uint32_t seq);
/* Those that have just completed, too. */
flight *karat_flight_recent(const slot *s, uint32_t epoch, uint32_t seq);
/* Issued now: the youngest of its slot. */
void karat_flight_enter(slot *s, flight *f);
/* Give it back where nothing of it is pending any more. */
void karat_flight_complete(karat_checker *c, slot *s, flight *f);
/* A flight that was complete is under way again. */
void karat_flight_revive(slot *s, flight *f);
bool karat_flight_is_pending(const flight *f);
bool karat_flight_expects_write(const flight *f);
/* The first thing that is pending of it, in words, and as a failure kind. */
failure_kind karat_flight_first_pending(const flight *f, char *text, size_t size);
/* The failure that something of it is pending at all; the text begins with that format. */
__attribute__((format(printf, 5, 6))) bool
karat_fail_missing(karat_checker *c, const slot *s, const flight *f, bool may_go_on, const char *format, ...);
/* Its memory accesses that have not been performed, in words; there are some. */
void karat_flight_memory(const flight *f, char *text, size_t size);

/* Which write of a step is of that register; num_writes: none. */
static inline uint32_t karat_find_write(const karat_commit *m, unsigned cls, unsigned reg) {
    uint32_t i = 0;
    while (i < m->num_writes && (m->write[i].cls != cls || m->write[i].reg != reg))
        i++;
    return i;
}

/* The oldest flight from there on that writes that register, and which of its writes; NULL: none. */
static inline flight *karat_next_writer(flight *from, unsigned cls, unsigned reg, uint32_t *i) {
    while (from && (*i = karat_find_write(&from->commit, cls, reg)) == from->commit.num_writes)
        from = from->next;
    return from;
}

#endif
