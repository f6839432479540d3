/* Warp slots and the workgroups in them (slot.c). */
#ifndef KARAT_CHECK_SLOT_H
#define KARAT_CHECK_SLOT_H

#include "flight.h"
#include "print.h"
#include "values.h"

#define NUM_HISTORY   64 /* instructions of a warp that are remembered; a power of two */
#define NUM_FAILED_SC 8  /* SCs that have failed in the model alone, and that no WRITE reports */
#define NUM_SETTLED   4  /* instructions that owe nothing more and can still be shown whole */

/* An instruction of a warp's past.  Its seq is its number since the launch, and with it its place in the history.
 * One is written for every step (issue.c): half a cache line. */
typedef struct past {
    uint32_t pc, word, prefix, mask;
    uint32_t write_mask, value0; /* of the first register written; its value in its lowest written lane */
    uint16_t reg;                /* that register; a second one is the next */
    uint16_t read_alike;         /* as in flight */
    uint8_t cls, num_writes, num_reads;
    bool taken; /* some of its results are the core's */
} past;

/* A VBRANCH that has pushed an entry of the SIMT stack. */
typedef struct pusher {
    uint32_t seq, pc, word, prefix, mask;
    uint64_t cycle;
    bool shown; /* the core has shown that entry, and it was right */
} pusher;

typedef struct held held;

/* A warp slot of the core, and the warp in it.  Allocated once, by HELLO; a LAUNCH clears all but the end.  Each field is written by
 * the handler of the record that it is of.  Cycles are of the core's clock. */
struct slot {
    uint32_t sm, index, handle; /* handle: the model's warp */
    bool launched;              /* ever */
    bool live;                  /* launched, EXIT not seen */
    bool issued;                /* since LAUNCH */
    bool at_barrier;            /* ARRIVE seen, RELEASE not */
    bool stray_arrival;         /* one came that was not owed, and was reported */
    bool frozen, follows;       /* see freeze.c; it has loaded what a frozen warp may have stored, */
    uint64_t follows_addr;      /* there */
    uint32_t generation;        /* of its workgroup's barrier that it waits at */
    uint32_t epoch, next_seq;
    uint32_t deepest;          /* its SIMT stack so far, in the model */
    uint32_t workgroup, warp;  /* of the grid; within the workgroup */
    uint32_t wg;               /* index in checker.groups = the model's workgroup handle */
    uint64_t last_event;       /* cycle of the last record of something that this warp did */
    flight *oldest, *youngest; /* in order of issue; the youngest stays until the next ISSUE, paid or not */
    struct {
        bool given;
        uint8_t cls;
        uint16_t reg;
        uint32_t seq;
    } empty; /* its last WRITE of no lane; not given: a WRITE has landed in that register since */
    struct {
        uint32_t pc, times;
        uint64_t since, stored;
    } sc_fails; /* without need, at that place, and no SC has stored since (write.c) */
    karat_rec_launch launch;
    register_state regs[KARAT_NUM_X + KARAT_NUM_V]; /* see karat_register() */
    /* Written by held.c. */
    bool holding, forced; /* the step after next_seq waits for its READs; it is taken without them */
    bool holds_data;      /* and only for those of what it stores */
    bool late;            /* MEMs of it have come */
    struct held *held;    /* what it waits with; made when first needed, freed with the checker */
    prints prints;
    struct flight *
        fault; /* the model has stopped at its page fault, which the core has not reported (faults.c); NULL: none */
    uint32_t num_history; /* ever */

    /* A launch does not clear the fields from here on. */
    pusher pushed[KARAT_MAX_STACK]; /* who pushed each entry of the SIMT stack */
    past history[NUM_HISTORY];
    uint32_t in_flight;                  /* from oldest to youngest */
    flight *settled[NUM_SETTLED];        /* owe nothing more, kept a while for AUDIT's reports */
    flight *failed_sc[NUM_FAILED_SC];    /* may have stored in the core: karat_shared_may_store() */
    uint32_t num_settled, num_failed_sc; /* ever */
};

/* A workgroup on an SM.  Allocated with the slots; written by launch.c and barrier.c. */
typedef struct group {
    bool open, frozen; /* frozen: one of its warps is */
    uint32_t workgroup, sm;
    uint32_t warps; /* that start */
    uint32_t launched, exited;
    uint32_t ended;      /* warps whose ENDPRG was issued */
    uint32_t generation; /* of the barrier: counts those at which all have been released */
    uint32_t arrived, arrived_next, releasing; /* of this generation, of the next, still to be released */
    bool wgid_given;
    uint32_t wgid, lds_csr, pds_csr;
    uint32_t lds_base, lds_size; /* physical, bytes; size 0: not given */
} group;

/* The slot that a record names; NULL: the core has no such slot. */
slot *karat_slot_at(const karat_checker *c, const karat_rec_header *h);
/* The slot of a record, or NULL after a failure: slot number out of range, never launched, or another epoch.
 */
slot *karat_slot_of(karat_checker *c, const karat_rec_header *h);
/* True after a failure: the core has no such slot. */
bool karat_check_slot(karat_checker *c, const karat_rec_header *h);

static inline register_state *karat_register(slot *s, unsigned cls, unsigned reg) {
    return &s->regs[(cls == KARAT_CLASS_X ? 0 : KARAT_NUM_X) + reg];
}

static inline const register_state *karat_register_const(const slot *s, unsigned cls, unsigned reg) {
    return karat_register((slot *)s, cls, reg);
}

/* The history's entry of an instruction; NULL: none. */
static inline const past *karat_past(const slot *s, uint32_t seq) {
    return seq < s->num_history && s->num_history - seq <= NUM_HISTORY ? &s->history[seq % NUM_HISTORY]
                                                                       : NULL;
}

#endif
