/* Warp slots and the workgroups in them (slot.c). */
#ifndef KARAT_CHECK_SLOT_H
#define KARAT_CHECK_SLOT_H

#include "flight.h"
#include "print.h"
#include "values.h"

#define NUM_HISTORY   64 /* Instructions of a warp that are remembered; a power of two */
#define NUM_FAILED_SC 8  /* SCs that have failed in the model alone, and that no WRITE reports */
#define NUM_COMPLETED 4  /* Instructions that are complete and can still be shown whole */

/* An instruction of a warp's past.  Its seq is its number since the launch, and with it its place in the
 * history. One is written for every step (issue.c): half a cache line. */
typedef struct past {
    uint32_t pc, word, prefix, mask;
    uint32_t write_mask, value0; /* Of the first register written; its value in its lowest written lane */
    uint16_t reg;                /* The first register written; a second one is the next */
    uint16_t read_matched;       /* As in flight */
    uint8_t cls, num_writes, num_reads;
    bool taken;   /* Some of its results are the core's */
    bool adopted; /* value0 is the core's */
} past;

/* A VBRANCH that has pushed an entry of the SIMT stack. */
typedef struct pusher {
    uint32_t seq, pc, word, prefix, mask;
    uint64_t cycle;
    bool shown; /* The core has shown that entry, and it was right */
} pusher;

typedef struct waiting_step waiting_step;

/* A warp slot of the core, and the warp in it.  Allocated once, by HELLO; a LAUNCH clears all but the end.
 * Each field is written by the handler of the record that it is of.  Cycles are of the core's clock. */
struct slot {
    uint32_t sm, index, handle; /* Handle: the model's warp */
    bool launched;              /* Ever */
    bool live;                  /* Launched, EXIT not seen */
    bool issued;                /* Since LAUNCH */
    bool at_barrier;            /* ARRIVE seen, RELEASE not */
    bool stray_arrival;         /* One came that was not expected, and was reported */
    bool excluded;              /* The warp is not compared any more (excluded.c) */
    bool follows;               /* The warp has loaded what an excluded warp may have stored */
    uint64_t follows_addr;      /* Address from which the warp has loaded that, with follows */
    uint32_t barrier_phase;     /* The phase of its workgroup's barrier that it waits for */
    uint32_t epoch, next_seq;
    uint32_t deepest;         /* Most entries of the SIMT stack so far, in the model */
    uint32_t workgroup, warp; /* Of the grid; within the workgroup */
    uint32_t wg;              /* Index in checker.groups = the model's workgroup handle */
    uint64_t last_event;      /* Cycle of the last record of something that this warp did */
    flight *oldest,
        *youngest; /* In order of issue; the youngest stays until the next ISSUE, complete or not */
    struct {
        bool given;
        uint8_t cls;
        uint16_t reg;
        uint32_t seq;
    } empty; /* Its last WRITE of no lane; not given: a WRITE has landed in that register since */
    struct {
        uint32_t pc, times;
        uint64_t since, stored;
    } sc_fails; /* Without need, at that place, and no SC has stored since (write.c) */
    karat_rec_launch launch;
    register_state regs[KARAT_NUM_X + KARAT_NUM_V]; /* See karat_register() */
    /* Written by wait_for_reads.c. */
    bool step_waits, forced; /* The step after next_seq waits for its READs; it is taken without them */
    bool data_waits;         /* The step waits for the READs of what it stores, and for no other */
    bool late;               /* MEMs of the step that waits have come */
    waiting_step
        *waiting; /* The step and the records after it; made when first needed, freed with the checker */
    prints prints;
    /* The model has stopped at its page fault, not shown by the core yet (page_faults.c); NULL: none. */
    struct flight *fault;
    uint32_t num_history; /* Instructions since the launch */

    /* A launch does not clear the fields from here on. */
    pusher pushed[KARAT_MAX_STACK]; /* The VBRANCH that pushed each entry of the SIMT stack */
    past history[NUM_HISTORY];
    uint32_t in_flight;                    /* From oldest to youngest */
    flight *completed[NUM_COMPLETED];      /* Complete, kept a while for AUDIT's reports */
    flight *failed_sc[NUM_FAILED_SC];      /* May have stored in the core: karat_bridge_may_store() */
    uint32_t num_completed, num_failed_sc; /* Ever */
};

/* A workgroup on an SM.  Allocated with the slots; written by launch.c and barrier.c. */
typedef struct group {
    bool open, excluded; /* Excluded: one of its warps is */
    uint32_t workgroup, sm;
    uint32_t warps; /* Warps that start */
    uint32_t launched, exited;
    uint32_t ended;                 /* Warps whose ENDPRG was issued */
    uint32_t barrier_phase;         /* Barriers at which all warps have been released */
    uint32_t arrived, arrived_next; /* Warps that have arrived in this barrier_phase, and in the next */
    uint32_t releasing;             /* Warps that are still to be released */
    bool wgid_given;
    uint32_t wgid, lds_csr, pds_csr;
    uint32_t lds_base, lds_size; /* Physical, bytes; size 0: not given */
} group;

/* A record of no warp that it can be of. NULL, after that failure. */
__attribute__((cold)) slot *karat_fail_stray(karat_checker *c, const slot *s, const karat_rec_header *h);
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
