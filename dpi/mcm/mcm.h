/* The memory model by itself: which values may the accesses of warps that race return and leave?
 *
 *  1. The owner says what the core promises (mcm_core), and lends a memory image in which each access is
 *     performed at its issue (mcm_env). Nothing else is known here: no record, no instruction word, no
 *     report.
 *  2. Each instruction of a warp gets a moment, its place in the order of the program; FENCE and BARRIER
 *     say what they are. A memory access is an event. It is entered when it is issued, after the owner has
 *     performed it in the image.
 *  3. Events are performed later, in an order that the core reports (mcm_core.reports_order) or that is
 *     searched: answers of atomics are conditions on it.
 *  4. Queries: may this load return that byte, may this atomic have seen that value, may memory hold this
 *     byte at the end, do these two accesses race. The answer is ALLOWED, FORBIDDEN with the rules and the
 *     witnesses, or UNKNOWN with the reason. It is never FORBIDDEN where some order that the program
 *     allows gives that value.
 *  5. The order is made of the rules in rules.def and nothing else: mcm_before() gives the row that orders
 *     two moments.
 *
 * An order of all accesses that the program allows gives each byte of a load the value of the last write
 * before it. So a write that is ordered after the load, or that another write hides which is ordered
 * between the two, cannot be the one that the load returns; every other may be. Entries that the log no
 * longer holds, and edges that are not seen, only make more writes legal. */
#ifndef KARAT_MCM_H
#define KARAT_MCM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct karat_mcm karat_mcm;

enum {
    MCM_WRITES = 1, /* Kinds of accesses, as in the word of a FENCE */
    MCM_READS = 2,
    MCM_ALL = 3,
    MCM_MAX_PART = 128,    /* Parts (lane accesses) of an event */
    MCM_NUM_WITNESS = 4,   /* Writes that an answer names */
    MCM_NUM_CONSIDERED = 6 /* Accesses that it names */
};

typedef enum mcm_rule {
    MCM_NO_RULE,
#define RULE_ELSEWHERE(id, name, sentence, source) MCM_##id,
#define RULE(id, name, pairs, sentence, source)    MCM_##id,
#include "rules.def"
#undef RULE
#undef RULE_ELSEWHERE
    MCM_NUM_RULE
} mcm_rule;

const char *mcm_rule_name(mcm_rule rule); /* As reports print it */
mcm_rule mcm_find_rule(const char *name); /* MCM_NO_RULE: there is none of that name */

/* A place in the order of the program. */
typedef struct mcm_moment {
    uint32_t uid;           /* Of the warp in its kernel: workgroup * wg_size + warp; or MCM_HOST_UID */
    uint32_t barrier_phase; /* Barriers that the warp has passed; of the host: MCM_RACING or 0 */
    uint64_t step;          /* Number of the instruction, of all that were issued; 0: none */
    /* Kinds of accesses that it orders before itself, and after: of a FENCE those in its word, of an
     * access its own. */
    uint8_t before, after;
    bool fence;              /* No access, but a FENCE; or the host, whose accesses are in order */
    bool acquires, releases; /* An atomic with .aq, .rl */
    uint8_t part;            /* A lane of a store: its number among the parts */
    uint64_t fenced[2]; /* An access: the last FENCE that orders stores [0], loads [1] before it: its step */
} mcm_moment;

/* That of an access of these kinds. */
static inline mcm_moment mcm_access_at(uint32_t uid, uint32_t barrier_phase, uint64_t step, uint8_t kinds) {
    return (mcm_moment){
        .uid = uid, .barrier_phase = barrier_phase, .step = step, .before = kinds, .after = kinds};
}

/* The uid of the host. Its accesses while no warp has one under way are ordered with all before and after
 * them; else their barrier phase is MCM_RACING, and they are ordered like another warp's. */
#define MCM_HOST_UID UINT32_MAX
#define MCM_RACING   1

/* A place in memory. Each workgroup has local memory of its own. */
typedef struct mcm_place {
    uint64_t addr;
    uint32_t lds;   /* 0: device memory; else 1 + the workgroup's number in the grid */
    uint32_t group; /* Local memory: the owner's handle of the workgroup */
} mcm_place;

typedef enum mcm_kind { MCM_LOAD, MCM_LR, MCM_STORE, MCM_AMO, MCM_SC } mcm_kind; /* The writes come last */

/* A lane's access. No part reaches beyond a word. */
typedef struct mcm_part {
    uint64_t addr;
    uint64_t performed;  /* Report that completed it (mcm_reported()); 0: none, or it came in pieces */
    uint64_t coherence;  /* Place in the coherence order of the word, where that is searched; 0: not fixed */
    uint32_t old, value; /* Before, in the owner's image; written or read */
    uint8_t bytes, lane;
} mcm_part;

/* The owner's name of an instruction: for reports, not looked at here. */
typedef struct mcm_name {
    uint32_t seq, pc, word, prefix;
    uint64_t cycle; /* Of its issue */
} mcm_name;

/* One access of a warp, or a write of the host. The owner fills in the first block before mcm_issue(), and
 * keeps the event and its parts until all of it was performed, and as long as it asks about it. It reads
 * the rest and writes none of it. */
typedef struct mcm_event {
    mcm_moment at;  /* From mcm_step() */
    uint32_t warp;  /* Index of its slot */
    uint32_t group; /* Handle of its workgroup, as in mcm_place */
    mcm_kind kind;
    uint8_t amo; /* funct5 of an AMO or SC */
    bool acquires, releases;
    bool unreported;      /* Some of what it writes is not known */
    bool is_private;      /* An access to the warp's own private memory */
    bool answers;         /* The core reports its result, as a register write */
    bool stores_in_image; /* An SC that succeeds there */
    uint32_t operand;
    uint32_t num; /* Parts; an SC that fails in the image has none, and part[0] says what it would write */
    mcm_name name;
    mcm_part *part;

    uint32_t epoch;       /* Launches of its slot before that of its warp */
    uint32_t num_fence;   /* FENCEs of its slot before it */
    uint64_t low, high;   /* All parts are in [low, high) */
    uint64_t reserved_by; /* Step of an SC's LR; 0: it has none */
    uint64_t logged;      /* 1 + number of its entry in the log; 0: none */
    uint64_t begun;       /* Number of the first report of it */
    uint64_t last_cycle;  /* Of the last report; 0: none has come */
    uint64_t open;        /* A load: the first entry of the log that was not performed at its issue */
    uint32_t raced;       /* Lanes where something may have been written from `open` on */
    uint64_t ahead; /* Step of the newest access of its warp, under way then, that a rule puts before it */
    struct mcm_event *next; /* The next one of its slot that is under way, in order of issue */
    bool searched;          /* An atomic of a word whose order is searched */
    bool write_reported;    /* An SC's success, or the value that an AMO has written */
    bool sc_failed;         /* An SC is known to have failed in the core */
    bool sc_succeeded;      /* An SC is known to have succeeded in the core */
} mcm_event;

/* The reservation of an LR. */
typedef struct mcm_reservation {
    uint64_t addr, step;
    uint64_t performed; /* Number of its report; 0: none has come */
    mcm_name name;      /* Of the LR */
} mcm_reservation;

/* The core's promises. */
typedef struct mcm_core {
    uint32_t num_warp;           /* Slots */
    uint32_t num_part;           /* Most parts of an event: lanes of a warp x words of a lane */
    bool reports;                /* Accesses are reported as they are performed */
    bool reports_order;          /* Accesses are reported in the order of performance */
    bool coherent;               /* No cache holds an older value */
    bool ascending;              /* Lanes of one store are performed in ascending order */
    bool answers;                /* Results of loads and atomics are reported */
    bool finds_races;            /* Races are looked for, and synchronisation by plain accesses */
    uint64_t lds_base, lds_size; /* The window of local memory */
} mcm_core;

/* The owner's side. */
typedef struct mcm_env {
    void *context;
    /* The memory image. Of local memory whose workgroup has ended nothing is asked. */
    void (*load)(void *context, const mcm_place *at, void *bytes, size_t size);
    void (*store)(void *context, const mcm_place *at, const void *bytes, size_t size);
    /* The value that an AMO of that funct5 writes. */
    uint32_t (*amo)(unsigned funct5, uint32_t value, uint32_t operand);
    /* Something whose value is not known may be stored at that byte, which e loads. */
    bool (*unreported)(void *context, const mcm_event *e, uint64_t addr);
} mcm_env;

karat_mcm *mcm_create(const mcm_core *core, const mcm_env *env); /* NULL: out of memory. Copies both. */
void mcm_destroy(karat_mcm *m);

/* For tests: without that rule from now on (before the first event). */
void mcm_switch_off(karat_mcm *m, mcm_rule rule);

/* --- Events --- */

/* A kernel of num_warps warps, wg_size a workgroup, begins. known: memory at the end of the one before is
 * the image's. */
void mcm_kernel(karat_mcm *m, uint32_t wg_size, uint64_t num_warps, bool known);
/* The warp of that uid begins in that slot. */
void mcm_launch(karat_mcm *m, uint32_t warp, uint32_t uid);
/* The warp in that slot has ended. */
void mcm_end(karat_mcm *m, uint32_t warp);
/* Nothing of the warp in that slot is reported any more: others do not wait for it. */
void mcm_ignore_warp(karat_mcm *m, uint32_t warp);

/* An instruction is issued: its moment. Then what it is, where it is one of these. */
mcm_moment mcm_step(karat_mcm *m, uint32_t warp);
void mcm_barrier(karat_mcm *m, uint32_t warp);
/* *At becomes a fence's. total: FENCE, not FENCE.TSO. before, after: MCM_READS, MCM_WRITES. */
void mcm_fence(karat_mcm *m, uint32_t warp, mcm_moment *at, uint8_t before, uint8_t after, bool total,
               uint32_t pc);
bool mcm_issue(karat_mcm *m, mcm_event *e);     /* False: out of memory */
void mcm_released(karat_mcm *m, uint32_t warp); /* From a barrier, as the core reports */

/* A report of performed accesses has come: the events that it completes follow. */
void mcm_reported(karat_mcm *m);

/* An access that came too early or too late. */
typedef struct mcm_violation {
    mcm_rule rule;          /* MCM_NO_RULE: none */
    const mcm_event *other; /* The access that the rule puts before this one, and that is not performed yet */
    bool overtaken;         /* The rule puts `other` after this one, and `other` was performed already */
    bool lanes;             /* A higher lane of the same store was performed already */
    uint32_t lane;          /* Overtaken: the lane of this one */
    uint64_t addr;          /* Overtaken: the byte */
    uint32_t fence_pc;      /* With has_fence: pc of the FENCE that orders the two */
    bool has_fence;         /* A FENCE orders the two, and is still known */
    bool no_memory;         /* Memory is short, and nothing else is said */
} mcm_violation;

/* Some of an event's parts: bit k of set is part first + k. */
typedef struct mcm_parts {
    uint32_t first;
    uint64_t set;
} mcm_parts;

/* Parts of e are performed; done: all of e's are. Returns whether nothing is wrong. *lane_races: parts
 * where lanes of one store have met in another than ascending order. */
bool mcm_performed(karat_mcm *m, mcm_event *e, mcm_parts parts, bool done, uint64_t cycle,
                   mcm_violation *wrong, uint64_t *lane_races);
void mcm_in_pieces(mcm_event *e, uint32_t k); /* Part k was performed at several times */
/* Byte number byte of part k of e, a write, is not what the image has stored: value is the whole part's
 * now. */
void mcm_adopt_byte(karat_mcm *m, mcm_event *e, uint32_t k, uint32_t byte, uint32_t value);

/* The host writes, before the owner does so in the image. running: accesses of warps may be under way.
 * Reads that race with it are noted for mcm_raced(). */
void mcm_host_write(karat_mcm *m, uint64_t addr, const uint8_t *bytes, uint32_t size, bool running,
                    uint64_t cycle);
/* The host begins to read, for a warp that has asked for it at that moment (NULL: it is not known when). */
mcm_moment mcm_host_reads(karat_mcm *m, const mcm_moment *asked, bool running);

/* --- Answers --- */

typedef enum mcm_verdict { MCM_ALLOWED, MCM_FORBIDDEN, MCM_UNKNOWN } mcm_verdict;

/* Why a byte cannot come from a write. */
typedef enum mcm_refusal {
    MCM_LEGAL,
    MCM_NOT_THERE_YET, /* The write was performed after the load */
    MCM_NOT_THE_LAST,  /* Another write was performed between this one and the load */
    MCM_AFTER_LOAD,    /* The write is ordered after the load */
    MCM_AFTER_LATER,   /* The write is ordered after an access that is ordered after the load */
    MCM_HIDDEN         /* Another write is ordered between this one and the load */
} mcm_refusal;

typedef enum mcm_reason {
    MCM_KNOWN,
    MCM_TOO_MANY,   /* Accesses of several warps to one word: the search has given up */
    MCM_UNREPORTED, /* A write whose value no report has */
    MCM_EVICTED     /* Writes that it may have come from are not remembered */
} mcm_reason;

/* A write that a byte may come from. */
typedef struct mcm_witness {
    const mcm_event *event; /* NULL: what was there before all that are remembered */
    const mcm_part *part;
    uint8_t value;
    mcm_refusal why;
    mcm_rule rule;       /* The rule by which it is refused */
    mcm_rule older;      /* MCM_HIDDEN: the rule that orders it before the write that hides it */
    const mcm_event *by; /* MCM_HIDDEN: the write that hides it */
} mcm_witness;

typedef struct mcm_answer {
    mcm_verdict is;
    mcm_reason reason; /* UNKNOWN */
    bool lanes;        /* ALLOWED by the order of the lanes of one store alone */
    bool alone;        /* FORBIDDEN, and no other access is there: no order to speak of */
    uint64_t addr;     /* A load: the byte, and what it may be */
    uint8_t value;
    uint32_t num_unknown; /* A load: bytes that are UNKNOWN, and not the image's */
    uint32_t num;         /* Witnesses, the newest first */
    mcm_witness witness[MCM_NUM_WITNESS];
} mcm_answer;

/* Lanes of a load that may be wrong though they are the image's: that is one of several orders, or not the
 * core's. */
uint32_t mcm_doubtful(const karat_mcm *m, const mcm_event *load);
/* May part k of that load have returned that value? UNKNOWN says so of a byte that is not the image's
 * alone. *lanes: the last byte that was judged is ALLOWED by the lanes of one store in another than
 * ascending order alone. */
mcm_answer mcm_loaded(karat_mcm *m, const mcm_event *load, uint32_t k, uint32_t value, bool *lanes);
/* May memory hold that byte when the kernel has ended? */
mcm_answer mcm_left(karat_mcm *m, uint64_t addr, uint8_t value);
/* No order of the accesses to an atomic's word leaves it there, though it is the image's. */
bool mcm_never_left(const karat_mcm *m, uint64_t addr, uint8_t value);
/* May the host have read that byte at that moment? */
mcm_answer mcm_host_read(karat_mcm *m, const mcm_moment *now, uint64_t addr, uint8_t value);
/* Whether a load or atomic, not yet answered, may return something else than the image's value. */
bool mcm_may_differ(const karat_mcm *m, const mcm_event *e);

/* --- Atomics --- */

/* An access to a word whose order was searched. */
typedef struct mcm_considered {
    uint32_t uid;
    mcm_name name;
    bool has_old, has_value;
    uint32_t old, value; /* With has_old: returned; with has_value: written */
} mcm_considered;

/* The values of an atomic after an answer: the owner's results follow it. */
typedef struct mcm_atomic {
    mcm_answer answer;
    uint32_t old, value; /* Found, written */
    /* FORBIDDEN: the word, its value before all accesses that were considered, and these. */
    uint64_t word;
    uint32_t before, num_considered;
    mcm_considered considered[MCM_NUM_CONSIDERED];
} mcm_atomic;

/* An AMO is performed in the order that is reported: it finds the word as performed. old: what it has
 * found so far; data (where has_data): what it has written. answer.lanes: it has found the lanes of a
 * store in another than ascending order. */
mcm_atomic mcm_amo_performed(karat_mcm *m, mcm_event *e, uint32_t old, bool has_data, uint32_t data);
/* An atomic of a word whose order is searched; not where its workgroup has ended. */
bool mcm_is_searched(const karat_mcm *m, const mcm_event *e);
/* Such an AMO has written data in these bits. With final, its result has come already. */
mcm_atomic mcm_amo_wrote(karat_mcm *m, mcm_event *e, bool has_data, uint32_t data, uint32_t bits, bool final);
/* An AMO or LR of such a word has returned value. final: no more reports of it will come. */
mcm_atomic mcm_returned(karat_mcm *m, mcm_event *e, uint32_t value, bool final);
/* An AMO has returned value, and not old, where the order is reported: lanes of a store before it leave
 * that in another than ascending order. *written: by it, where it is not FORBIDDEN. */
mcm_answer mcm_amo_found(karat_mcm *m, mcm_event *e, uint32_t old, uint32_t value, uint32_t *written);

typedef enum mcm_sc_answer {
    MCM_SC_STORES,
    MCM_SC_NO_RESERVATION, /* The warp has none on that word */
    MCM_SC_BROKEN,         /* The word has been written since its LR */
    MCM_SC_DEAD,           /* The workgroup has ended: nothing depends on the SC */
    MCM_SC_NO_ORDER        /* No order of the word's accesses lets it store: found says of which */
} mcm_sc_answer;
/* May an SC store, by its reservation? */
mcm_sc_answer mcm_sc_may_store(const karat_mcm *m, const mcm_event *e);
/* It reports that it has, and may. Where it has failed in the image it stores there after all, as part 0
 * says. STORES: found->answer may be UNKNOWN. NO_ORDER: found says of which accesses. BROKEN: the search
 * knows that it is. */
mcm_sc_answer mcm_sc_stored(karat_mcm *m, mcm_event *e, mcm_atomic *found);
/* An SC of a searched word returns that it has failed. FORBIDDEN: the other accesses have no order without
 * it. */
mcm_atomic mcm_sc_answered_failed(karat_mcm *m, mcm_event *e);
/* An SC that stores in the image has failed in the core: its write is taken back. */
void mcm_sc_failed(karat_mcm *m, mcm_event *e);

/* Who has written the word of an SC since its LR. */
typedef struct mcm_since {
    const mcm_reservation *lr;   /* The SC's reservation; NULL: not known, or it has none */
    const mcm_reservation *last; /* The warp's last LR where the SC has no reservation; else NULL */
    bool other_word;             /* The warp's last LR was of another word */
    const mcm_event *first;      /* The first write since the LR; NULL: none is remembered */
    uint32_t num;                /* Writes since the LR */
    mcm_rule rule;               /* The rule by which the SC may not store then */
} mcm_since;
mcm_since mcm_written_since(const karat_mcm *m, const mcm_event *sc);

/* --- Races --- */

/* Two accesses of different warps to one byte, one of which writes, that no rule orders and that are not
 * both atomic. */
typedef struct mcm_race {
    const mcm_event *with; /* The older one */
    mcm_place byte;        /* The first that both access */
    bool scalar;           /* The two are accesses of one lane */
    bool flag;             /* A release was ever stored to the word: it may be a flag */
    uint64_t next;         /* Where the search goes on */
    uint32_t part;
} mcm_race;

/* The next race of e, all of which has been performed, with an access before it; *race: zero before the
 * first call. */
bool mcm_next_race(const karat_mcm *m, const mcm_event *e, mcm_race *race);
/* Event e has been looked at: it is remembered from now on. */
void mcm_remember(karat_mcm *m, const mcm_event *e);
typedef enum mcm_sync { MCM_DATA, MCM_ATOMIC_WORD, MCM_FLAG } mcm_sync;
/* The use of that word, as known so far: scalar accesses to a word that atomics use are no race. */
mcm_sync mcm_synchronises(const karat_mcm *m, const mcm_place *word, bool scalar);
/* A core that does not answer: a load or atomic may have returned another value than the image's. Of this
 * kernel, or of an earlier one whose memory at the end was not known. */
bool mcm_raced(const karat_mcm *m);
#endif
