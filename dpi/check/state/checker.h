/* Private state of the checker. */
#ifndef KARAT_CHECK_CHECKER_H
#define KARAT_CHECK_CHECKER_H

#include "check.h"
#include "failure.h"
#include "flight.h"
#include "port.h"
#include "scalars.h"
#include "bridge.h"
#include "slot.h"
#include "values.h"
#include "warp_places.h"

/* Records and events since HELLO; written by whoever handles them. */
typedef struct checker_counts {
    uint64_t warps, instructions, x, v, x0, empty, simt, mem, csr, read, audit, arrive, release, exits,
        adopted, unordered, reordered, lane_race, sc_failed, unjudged, undefined, lanes_differ, lds_unwritten,
        skipped_prefix, lds_beyond, pds_beyond, records, deep, deviations, ulp;
    uint64_t deviated[KARAT_NUM_DEVIATION]; /* Steps under each deviation */
} checker_counts;

/* Parts that records of a provided kind leave out, and that were not compared: named in the verdict. */
#define KARAT_GAPS(DO)                                                                                       \
    DO(MEM_ORDER, "mem-order")       /* MEM comes in another order than that of performance */               \
    DO(AMO_DATA, "amo-data")         /* The value that an AMO wrote */                                       \
    DO(SEQ, "seq")                   /* The instruction that a WRITE or MEM is of */                         \
    DO(PREFIX, "prefix")             /* The prefix of an instruction */                                      \
    DO(SPACE, "space")               /* The address space of an access */                                    \
    DO(TOP, "top")                   /* The SIMT stack's top entry */                                        \
    DO(LAUNCH_CSR, "launch-csr")     /* Some CSRs at launch */                                               \
    DO(RANGES, "ranges")             /* The registers and local memory that a warp has */                    \
    DO(FINAL_MEMORY, "final-memory") /* Memory at the end */
enum {
#define DO(gap, word) GAP_##gap,
    KARAT_GAPS(DO)
#undef DO
        NUM_GAP
};

/* A REGION since the last KERNEL.  Written by regions.c; base and size are in bytes, whole pages. */
typedef struct region {
    uint64_t base, size, hash;
    bool hash_valid;
} region;

enum { MAX_SPARSE_PAGES = 16, NUM_SPARSE = 4 };

/* Contents of few pages that are not 0, and their hash. Memory of a kernel is like that, and hashed over
 * and over. */
typedef struct sparse {
    uint64_t size, hash;
    uint32_t num;
    uint64_t page[MAX_SPARSE_PAGES]; /* Offsets */
    uint8_t bytes[MAX_SPARSE_PAGES][4096];
} sparse;

typedef struct sparse_hashes {
    sparse *known[NUM_SPARSE], *next; /* Next: room for one that is looked for; NULL: not used yet */
    uint32_t num;                     /* Ever */
} sparse_hashes;

/* Of a kernel: what its ASID stands for. */
typedef struct address_space {
    uint32_t kernel, asid;
    uint64_t ptbr;
} address_space;
enum { NUM_SPACES = 16 /* Of the last kernels, by kernel.index */ };

/* One stream's.  It owns all that it points to, except what its configuration names;
 * karat_checker_destroy() frees it. */
struct karat_checker {
    karat_check_config config;
    karat_verdict verdict;
    bool done; /* The verdict is final */
    bool hello_seen, kernel_seen;
    karat_rec_hello hello;
    uint32_t gives; /* As hello.gives, with the kinds that stand for each other: MEM for ACCESS */
    uint32_t usual; /* Kinds of which a record may come now if it is well-formed, and no more is asked */
    karat_model *model;
    uint64_t cycle, last_event; /* Of the last record; of the last launch or end of a warp */
    checker_counts counts;
    uint32_t gaps;        /* GAP_*: bits */
    bool has_results;     /* Some instruction had a result: a register, memory, a CSR, the SIMT stack */
    bool memory_compared; /* After some instruction */

    /* The kernel that runs (kernel.c, launch.c, barrier.c). */
    karat_rec_kernel kernel;
    karat_kernel kernel_desc; /* That kernel, for karat_kernel_launch() */
    uint8_t *started;         /* (workgroup, warp) pairs launched, of this kernel */
    uint64_t num_started, num_exited, num_expected;
    uint32_t num_slots, num_groups;
    slot *slots;
    group *groups;
    flight *free_flights;        /* Of flight.c */
    struct flight_block *blocks; /* Where they are allocated (flight.c) */

    /* Memory that REGIONs have mapped, and the first contents of LDS (regions.c). */
    region *regions;
    uint32_t num_regions;
    sparse_hashes sparse;
    uint64_t num_pages; /* Of 4096 bytes, mapped by REGIONs so far */
    /* First contents of the LDS of the next kernel's workgroups; once it runs, of its own. */
    karat_buffer *locals;
    uint8_t (*local_bytes)[sizeof((karat_rec_host *)0)->data];
    uint32_t num_locals;
    karat_rec_paging paging; /* Valid with paging_seen: of the next kernel; else of the one that runs */
    bool paging_seen;
    karat_rec_items items; /* Valid with items_seen; all 0 for a kernel without one */
    bool items_seen;
    address_space spaces[NUM_SPACES];
    struct tlb_log *tlbs;    /* Entries of the core's TLBs (tlb.c); NULL: no record has come */
    uint32_t num_faulting;   /* Slots whose page fault the core has not shown yet (page_faults.c) */
    bool stored_after_fault; /* A warp has stored after its page fault */

    /* Knowledge of values (values.c, ulp.c, wait_for_reads.c). */
    uint32_t *ulp; /* Bound by row */
    undefined_use undefined[NUM_UNDEFINED_USE];
    uint32_t num_undefined;
    knowledge operand[KARAT_MAX_READ]; /* Operands of the step being taken */
    bool any_unwritten;                /* Some operand has lanes that were never written */
    uint32_t num_waiting_steps;        /* Slots that hold a step */
    uint32_t waits_for;                /* Reads (bits) that hold the step */
    /* MEMs have come while a step waited whose MEMs had come, and memory was not known since. */
    bool mem_passed_wait;
    bool unreported_stored;     /* Something that no record had reported was stored, ever */
    uint8_t *unreported_memory; /* Bytes that hold what no record has reported (excluded.c); NULL: none */
    karat_scalars *scalars;     /* Where scalar registers of other paths are errors; else NULL */
    uint64_t sc_stored;         /* SCs that have stored, as their results show */

    /* Memory that warps share (bridge.c). */
    int fence_row;
    karat_mcm *mcm;
    possible_race *possible_races; /* Room for NUM_POSSIBLE_RACES, where races are errors; else NULL */
    uint32_t num_possible_races;
    char unjudged[240]; /* The first result that could not be judged */

    /* Failures (failure.c, excluded.c, defects.c). */
    failure failure;
    karat_places places; /* Of the live warps, where the failure is of all */
    uint32_t num_failed, num_excluded, num_further;
    const void *whole;        /* The ACCESS or PAIR that is being compared in parts; NULL: none */
    further_failure *further; /* Room for config.max_failures */
    uint8_t *tainted_memory;  /* See excluded.c */
    uint64_t num_mismatches, defects_lost;
    uint64_t *known; /* Mismatches of each bug of config.known */
    uint32_t num_defects;
    defect *defects; /* NUM_DEFECT, with keep_going; else NULL */
    /* The first failure's report, where its warp has gone on since; else NULL. */
    char *first_text;
    struct json_t *first_json;
};

/* The slot that a record names; NULL: the core has no such slot. */
static inline slot *karat_slot_at(const karat_checker *c, const karat_rec_header *h) {
    return h->sm < c->hello.num_sm && h->slot < c->hello.num_warp
               ? &c->slots[h->sm * c->hello.num_warp + h->slot]
               : NULL;
}

/* Whether an address is in the window of local memory. */
static inline bool karat_is_lds(const karat_checker *c, uint64_t addr) {
    return addr - c->config.model.lds_base < c->config.model.lds_size;
}

static inline uint32_t karat_all_lanes(const karat_checker *c) {
    return 0xffffffffu >> (32 - c->hello.num_thread);
}

/* HELLO says that the core provides records of that kind: MEM as well where ACCESSes take their place,
 * WRITE where PAIRs do. */
static inline bool karat_gives(const karat_checker *c, unsigned kind) {
    return c->gives >> kind & 1;
}

/* After a mismatch the comparison may go on with the core's value: of any, or of a known bug. */
static inline bool karat_takes_values(const karat_checker *c) {
    return c->config.keep_going || c->config.num_known;
}

/* A record leaves that part out, or does not. */
static inline void karat_note_gap(karat_checker *c, unsigned gap, bool is_one) {
    c->gaps |= (uint32_t)is_one << gap;
}

/* The warp has had more entries on its SIMT stack than the core's has room for. */
static inline bool karat_overflowed(const karat_checker *c, const slot *s) {
    return c->hello.stack_depth && s->deepest > c->hello.stack_depth;
}

/* Addresses are virtual. */
static inline bool karat_translates(const karat_checker *c) {
    return c->hello.props & KARAT_PROP_SV39;
}

#endif
