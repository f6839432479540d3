/* Private state of the checker. */
#ifndef KARAT_CHECK_STATE_H
#define KARAT_CHECK_STATE_H

#include "check.h"
#include "signature.h"
#include "port.h"
#include "scalars.h"
#include "where.h"

#define NUM_HISTORY   64 /* instructions of a warp that are remembered; a power of two */
#define NUM_FAILED_SC 8  /* SCs that have failed in the model alone, and that no WRITE tells of */
#define NUM_SETTLED   4  /* instructions that owe nothing more and can still be shown whole */

/* What went wrong.  The names are what reports print. */
#define FAILURES(DO)                                                                                         \
    DO(STREAM, "bad record stream")                                                                          \
    DO(NO_MEMORY, "not enough memory")                                                                       \
    DO(LAUNCH, "wrong launch")                                                                               \
    DO(STRAY, "record of a warp that is not there")                                                          \
    DO(ISSUE_PC, "wrong pc issued")                                                                          \
    DO(ISSUE_WORD, "wrong instruction word issued")                                                          \
    DO(ISSUE_PREFIX, "wrong prefix")                                                                         \
    DO(ISSUE_MASK, "wrong thread mask at issue")                                                             \
    DO(ISSUE_SEQ, "issue out of sequence")                                                                   \
    DO(ISSUE_ENDED, "issue by a warp that has ended")                                                        \
    DO(ISSUE_BARRIER, "issue by a warp that waits at a barrier")                                             \
    DO(READ, "wrong operand read")                                                                           \
    DO(WRITE_VALUE, "wrong value written")                                                                   \
    DO(WRITE_REGISTER, "wrong register written")                                                             \
    DO(WRITE_LANES, "wrong lanes written")                                                                   \
    DO(WRITE_UNEXPECTED, "write that no instruction owes")                                                   \
    DO(WRITE_DUPLICATE, "lanes written twice")                                                               \
    DO(WRITE_ORDER, "older write landed on a newer one")                                                     \
    DO(WRITE_MISSING, "register write missing")                                                              \
    DO(AUDIT, "wrong register file contents")                                                                \
    DO(SIMT, "wrong SIMT outcome")                                                                           \
    DO(SIMT_UNEXPECTED, "SIMT outcome that no instruction owes")                                             \
    DO(SIMT_MISSING, "SIMT outcome missing")                                                                 \
    DO(CSR, "wrong CSR value")                                                                               \
    DO(CSR_UNEXPECTED, "CSR write that no instruction owes")                                                 \
    DO(CSR_MISSING, "CSR write missing")                                                                     \
    DO(PRINT, "wrong text printed")                                                                          \
    DO(PRINT_UNEXPECTED, "print that no instruction asked for")                                              \
    DO(PRINT_MISSING, "print missing")                                                                       \
    DO(MEM_DATA, "wrong data stored")                                                                        \
    DO(MEM_ADDRESS, "wrong memory address")                                                                  \
    DO(MEM_LANES, "memory access by a wrong lane")                                                           \
    DO(MEM_SPACE, "wrong address space")                                                                     \
    DO(MEM_ORDER, "memory access performed out of order")                                                    \
    DO(MEM_DUPLICATE, "memory access performed twice")                                                       \
    DO(MEM_UNEXPECTED, "memory access that no instruction owes")                                             \
    DO(MEM_MISSING, "memory access missing")                                                                 \
    DO(BARRIER_EARLY, "barrier released before all warps arrived")                                           \
    DO(BARRIER_UNEXPECTED, "barrier event that no instruction owes")                                         \
    DO(BARRIER_MISSING, "barrier event missing")                                                             \
    DO(EXIT_UNEXPECTED, "warp declared ended before its ENDPRG")                                             \
    DO(EXIT_MISSING, "end of the warp missing")                                                              \
    DO(MEMORY, "device memory differs")                                                                      \
    DO(PROGRAM, "undefined or forbidden by the ISA")                                                         \
    DO(UNDEFINED, "control or address depends on a register never written")                                  \
    DO(BENCH, "error found by the test bench")                                                               \
    DO(HANG, "no progress")                                                                                  \
    DO(INCOMPLETE, "ended early")

typedef enum failure_kind {
    FAIL_NONE,
#define DO(id, text) FAIL_##id,
    FAILURES(DO)
#undef DO
        FAIL_KINDS
} failure_kind;

/* A place in the program order of a warp. */
typedef struct karat_moment {
    uint32_t uid;        /* of the warp in its kernel: workgroup * wg_size + warp */
    uint32_t generation; /* barriers that the warp has passed */
    uint64_t step;       /* number of the instruction, of all that were issued; 0: none */
    /* Accesses (KARAT_READS, KARAT_WRITES): what a FENCE orders; of others, twice what it is. */
    uint8_t before, behind;
} karat_moment;
enum { KARAT_WRITES = 1, KARAT_READS = 2 }; /* as in the word of a FENCE */

/* What an LR has reserved. */
typedef struct karat_reservation {
    uint64_t addr;
    uint32_t seq;
    uint64_t performed;   /* number of its MEM record */
    uint64_t step, cycle; /* of its ISSUE */
} karat_reservation;
#define KARAT_NUM_RESERVATION 4

/* A warp's FENCEs, the last of them. */
typedef struct karat_fence {
    karat_moment at;
    uint32_t pc;
    bool total; /* fm is 0: no access before it may pass one behind it */
} karat_fence;
#define KARAT_NUM_FENCE 8

typedef struct karat_order karat_order;
typedef struct karat_races karat_races;
typedef struct karat_flags karat_flags;
typedef struct karat_logged karat_logged;
#define KARAT_NUM_ACQUIRED 16

/* An instruction in flight: what it did in the model, and what the core still owes for it. */
typedef struct flight {
    struct flight *next; /* younger, of the same slot; or next free one */
    uint32_t epoch, seq, workgroup, warp;
    uint64_t cycle;                       /* of its ISSUE */
    uint32_t owes_write[KARAT_MAX_WRITE]; /* lanes not written yet */
    uint32_t overtaken[KARAT_MAX_WRITE];  /* of those, lanes that a younger instruction has written already */
    uint32_t unknown_old[KARAT_MAX_WRITE]; /* lanes whose commit.write[].old nobody has told yet */
    uint32_t
        approximate[KARAT_MAX_WRITE]; /* lanes where the core's number, within its bound, is not known yet */
    bool approximated;                /* a READ has told one that is not the model's */
    /* A load or atomic (early.c): lanes owed that a younger instruction has used with the model's value, or as its READ told. */
    uint32_t used[KARAT_MAX_WRITE], told[KARAT_MAX_WRITE];
    bool changed;                          /* used, and then its result became another */
    bool impatient;                        /* an SC: a READ has told that it failed, without need */
    uint32_t unknown_read[KARAT_MAX_READ]; /* lanes of that operand that nobody had told */
    uint32_t mem_bytes;                    /* (access, byte) pairs not performed yet */
    uint64_t mem_cycle;                    /* of its last MEM record */
    bool owes_simt, owes_csr, owes_arrive, owes_exit;
    bool adopted_mem;    /* stored bytes were taken from the core */
    bool kept_mem;       /* some were wrong (karat_keep()) */
    bool gave_vtype;     /* vset*: the second CSR it writes has come */
    bool serial;         /* an access of a word whose order is searched (serial.h); */
    bool said;           /* an SC: it has stored; an AMO: what it has written */
    bool reordered;      /* and its values are not those of the order of issue */
    uint32_t read_alike; /* bit i: the core's READ of commit.read[i] came and was equal */
    uint32_t
        tainted; /* lanes with an operand that nobody has told: their results are adopted from the core */
    uint32_t undefined; /* of those, lanes where the warp never wrote it */
    uint32_t near[2];   /* a store: lanes of its data, by register of the group, told only within a bound */
    uint32_t near_ulp[2], near_reg[2];
    uint32_t vtype; /* after */
    karat_moment at;
    uint64_t open;        /* a load: the first entry of the log that was not performed when it was issued; */
    uint32_t raced;       /* lanes where something may have been written from there on */
    uint64_t logged;      /* 1 + number of its writes in the log (order.c); 0: none */
    uint32_t reserved_by; /* SC: 1 + seq of the warp's LR for that word, where it was the last */
    uint32_t num_fence;   /* of the slot, before it */
    uint64_t ahead[2]; /* steps up to which stores, and loads, of its warp have to be performed before it; */
    uint64_t ahead_acquires; /* and those with .aq */
    bool acquires, releases; /* .aq, .rl */
    karat_commit commit;
    /* Per access: its bytes not performed yet; number of its MEM record (0: not yet, or in pieces). */
    uint8_t mem_left[KARAT_MAX_ACCESS];
    uint64_t performed[KARAT_MAX_ACCESS];
} flight;

/* An instruction of a warp's past.  Its seq is its number since the launch, and with it its place in the history.
 * One is written for every step: half a cache line. */
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
} pusher;

/* A register of a warp, since its launch; masks of lanes.  All that a step and its WRITE touch: half a cache line. */
typedef struct register_state {
    uint32_t written, known; /* see undefined.c; where the model holds what the core does */
    uint32_t lost; /* lanes of which a write was owed, and given up: of use where they are not known */
    /* The last instruction that has written it in the model, of use where the history does not reach so far back. */
    uint32_t wrote_lanes, wrote_seq, wrote_pc; /* no lanes: none */
    /* The newest WRITE that has landed in it. */
    uint32_t landed_seq, audited; /* lanes in which an AUDIT has seen it there */
    bool landed;
    bool loading; /* its last WRITE may be owed, and be that of a load or atomic (early.c) */
    uint16_t
        near_row; /* of lanes written, neither known nor lost: whose result, within its bound, they hold */
} register_state;

/* What a warp has asked the host to print (print.c). */
typedef struct prints {
    uint32_t due;    /* writes of CSR_PRINT since the host last came */
    uint32_t open;   /* that may be such, and need not */
    uint32_t early;  /* that were taken before their CSR record */
    karat_moment at; /* the first of those that are due: */
    uint32_t seq;
    uint64_t cycle;     /* of the last */
    bool reads, told;   /* the host reads the text; it has, and its HOSTCSR is to come */
    karat_moment taken; /* when; */
    uint32_t taken_seq; /* for which instruction; */
    uint64_t next;      /* address of the next piece */
} prints;

typedef struct held held;

typedef struct slot {
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
    } sc_fails; /* without need, at that place, and no SC has stored since (see check_patience()) */
    karat_rec_launch launch;
    register_state regs[KARAT_NUM_X + KARAT_NUM_V]; /* see karat_register() */
    bool holding, forced; /* the step after next_seq waits for its READs; it is taken without them */
    bool holds_data;      /* and only for those of what it stores */
    bool late;            /* MEMs of it have come */
    struct held *held;    /* what it waits with; made when first needed */
    uint32_t barriers;    /* passed since its launch */
    uint32_t behind;      /* of these the core has shown that they are, so many */
    uint64_t behind_step; /* at that step */
    uint64_t ahead[2]
                  [2]; /* stores and loads up to that step come before the stores, and the loads, to come; */
    uint64_t ahead_acquires;                              /* and .aq */
    karat_moment acquired[KARAT_NUM_ACQUIRED];            /* what its next FENCE orders it behind */
    uint32_t num_acquired;                                /* ever */
    karat_reservation reservation[KARAT_NUM_RESERVATION]; /* the last ones */
    uint32_t num_reservation;                             /* ever */
    bool reserves;                                        /* no SC since */
    prints prints;
    uint32_t num_history; /* ever */
    /* What follows is not cleared by a launch. */
    karat_fence fence[KARAT_NUM_FENCE];
    uint32_t num_fence;             /* ever */
    pusher pushed[KARAT_MAX_STACK]; /* who pushed each entry of the SIMT stack */
    past history[NUM_HISTORY];
    uint32_t in_flight;                  /* from oldest to youngest */
    flight *settled[NUM_SETTLED];        /* owe nothing more, kept a while for AUDIT's reports */
    flight *failed_sc[NUM_FAILED_SC];    /* may have stored in the core: karat_order_may_store() */
    uint32_t num_settled, num_failed_sc; /* ever */
} slot;

/* A workgroup on an SM. */
typedef struct group {
    bool open, frozen; /* frozen: one of its warps is */
    uint32_t workgroup, sm;
    uint32_t launched, exited;
    uint32_t ended;      /* warps whose ENDPRG was issued */
    uint32_t generation; /* of the barrier: counts those at which all have been released */
    uint32_t quiet;      /* accesses of the other warps before that many barriers have been performed */
    uint32_t arrived, arrived_next, releasing; /* of this generation, of the next, still to be released */
    bool wgid_given;
    uint32_t wgid, lds_csr;
    uint32_t lds_base, lds_size; /* physical; size 0: not given */
} group;

/* The first failure, as reports need it. */
typedef struct failure {
    failure_kind kind;
    bool has_warp, has_insn, has_record;
    bool is_past; /* of the instruction no more is known than the history has: no operands, results, cycle */
    uint64_t cycle;
    uint32_t sm, slot, workgroup, warp, epoch, seq;
    uint64_t look_at;    /* where a waveform shows it */
    uint32_t read_alike; /* as in flight */
    uint32_t lanes;      /* that differ, where it is known; of that register, where it is one: */
    uint8_t cls;
    uint16_t reg;
    char detail[4096];
    karat_commit commit; /* has_insn: the instruction at fault, as the model ran it */
    uint64_t issue_cycle;
    uint64_t record[KARAT_REC_MAX_SIZE / 8]; /* has_record: what the core said */
    karat_simt_entry stack[KARAT_MAX_STACK]; /* the model's, now */
    uint32_t depth;
} failure;

/* One after the first. */
typedef struct further_failure {
    failure_kind kind;
    bool has_warp, has_insn, follows;
    uint64_t cycle, follows_addr;
    uint32_t workgroup, warp, sm, slot, seq, pc, word, prefix;
    char detail[160]; /* its first line */
} further_failure;

/* Mismatches of one signature (defects.c). */
typedef struct defect {
    karat_signature signature; /* and first.kind */
    uint64_t count;
    further_failure first;
} defect;
#define NUM_DEFECT 512 /* signatures that are kept */

typedef struct region {
    uint64_t base, size, hash;
    bool hash_valid;
} region;

typedef struct checker_counts {
    uint64_t warps, instructions, x, v, x0, empty, simt, mem, csr, read, audit, arrive, release, exits,
        adopted, unordered, reordered, lane_race, sc_failed, unjudged, undefined, lanes_differ, lds_unwritten,
        skipped_prefix, lds_beyond, records, deep, deviations, ulp;
    uint64_t deviated[KARAT_NUM_DEVIATION]; /* the same by name */
} checker_counts;

/* What the records of a kind that the core gives leave out, and was not compared: named in the verdict. */
#define KARAT_GAPS(DO)                                                                                       \
    DO(MEM_ORDER, "mem-order")       /* MEM comes in another order than that of performance */               \
    DO(AMO_DATA, "amo-data")         /* what an AMO wrote */                                                 \
    DO(SEQ, "seq")                   /* which instruction a WRITE or MEM is of */                            \
    DO(PREFIX, "prefix")             /* which prefix an instruction had */                                   \
    DO(SPACE, "space")               /* in which address space an access was */                              \
    DO(TOP, "top")                   /* the SIMT stack's top entry */                                        \
    DO(LAUNCH_CSR, "launch-csr")     /* some CSRs at launch */                                               \
    DO(RANGES, "ranges")             /* which registers and local memory a warp has */                       \
    DO(FINAL_MEMORY, "final-memory") /* memory at the end */
enum {
#define DO(gap, word) GAP_##gap,
    KARAT_GAPS(DO)
#undef DO
        NUM_GAP
};

/* Where an operand that nothing had written was used, and how often. */
typedef struct undefined_use {
    uint32_t kernel, pc;
    uint8_t cls;
    uint16_t reg;
    uint64_t count;
} undefined_use;
#define NUM_UNDEFINED_USE 32 /* the first places; others are counted only in total */

struct karat_checker {
    karat_check_config config;
    karat_verdict verdict;
    bool done; /* the verdict is final */
    bool hello_seen, kernel_seen;
    karat_rec_hello hello;
    karat_rec_kernel kernel;
    karat_kernel kernel_desc; /* the same, for karat_kernel_launch() */
    karat_buffer
        *locals; /* what the next kernel's workgroups find in their LDS; once it has started, the kernel's */
    uint8_t (*local_bytes)[sizeof((karat_rec_host *)0)->data];
    uint32_t num_locals, room_locals;
    karat_model *model;
    uint32_t *ulp; /* bound by row */
    bool
        raced; /* the core gives no WRITE, and a load or atomic may have returned another value than the model's */
    bool untold_stored; /* something that no record had told was stored, ever */
    uint8_t *doubted;   /* memory that holds what nobody has told (freeze.c); NULL: none does */
    int fence_row;
    karat_order *order;
    karat_races *races;     /* where they are errors; else NULL */
    karat_flags *flags;     /* the same */
    karat_scalars *scalars; /* the same */
    bool lane_raced;        /* what order.c last found legal is so for the lanes of one store alone */
    uint32_t num_slots, num_groups;
    slot *slots;
    group *groups;
    undefined_use undefined[NUM_UNDEFINED_USE];
    uint32_t num_undefined;
    uint64_t sc_stored;   /* SCs that have, as their results tell */
    uint32_t num_holding; /* slots that hold a step */
    uint32_t unknown_read[KARAT_MAX_READ],
        unwritten_read[KARAT_MAX_READ]; /* of the step being taken: lanes; */
    bool any_unwritten;                 /* some of these are not 0 */
    uint32_t waits_for;                 /* reads (bits) that hold the step */
    bool
        late_mem; /* MEMs have come while a step waited whose MEMs had come, and memory was not known since */
    uint8_t *started; /* (workgroup, warp) pairs launched, of this kernel */
    uint64_t num_started, num_exited, num_expected;
    region *regions;
    uint32_t num_regions, room_regions;
    uint64_t num_pages; /* mapped by REGIONs so far */
    flight *free_flights;
    struct flight_block *blocks;
    uint64_t cycle, last_event;
    checker_counts counts;
    uint32_t gaps;      /* GAP_*: bits */
    char unjudged[240]; /* where that was first */
    failure failure;
    karat_places places; /* of the live warps, where the failure is of all (places.c) */
    uint32_t num_failed, num_frozen, num_further;
    further_failure *further; /* room for config.max_failures */
    uint8_t *touched;         /* see freeze.c */
    bool keeps;               /* the failure to come does not stop its warp; */
    uint32_t kept_lanes;      /* lanes that differ in it; 0: unknown */
    uint64_t num_mismatches, defects_lost;
    uint32_t num_defects;
    defect *defects; /* NUM_DEFECT, with keep_going; else NULL */
    /* The first failure's report, where its warp has gone on since; else NULL. */
    char *first_text;
    struct json_t *first_json;
};

/* What would be a failure of f, now: text is what differs. */
void karat_suspect(const karat_checker *c, failure *x, failure_kind kind, const slot *s, const flight *f,
                   const char *text);
/* It is one: the first failure, of the cycle in which it was suspected. True. */
bool karat_fail_as(karat_checker *c, const failure *x);

/* Make the first failure: text is what differs, one or more lines.  flight and record may be NULL. Returns
 * true. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
bool karat_fail(karat_checker *c, failure_kind kind, const slot *s, const flight *f, const void *record, const char *format, ...);

/* The checker's own memory is short: neither the core's fault nor the stream's. Returns true. */
bool karat_no_memory(karat_checker *c, const slot *s);

/* Freeze the warp of a failure that was just counted, and go on; false: nothing goes on. f and record may be NULL. */
bool karat_freeze(karat_checker *c, const slot *s, const flight *f, const void *record);
/* A record while warps are frozen: true where it has been dealt with. */
bool karat_frozen_record(karat_checker *c, const void *record);
/* A byte may hold what is not right (with config.keep_going). False: memory is short. */
bool karat_touch(karat_checker *c, uint64_t addr, uint32_t bytes);
/* The same of memory that holds what no record has told. */
bool karat_doubt(karat_checker *c, uint64_t addr, uint32_t bytes);
bool karat_is_doubted(const karat_checker *c, uint64_t addr);
/* Whether a store to one of these bytes is under way with what no record has told: its MEM will. */
bool karat_stores_untold(const karat_checker *c, const slot *s, const karat_access *a);
/* f is issued while warps are frozen, or bytes touched: note what it loads of theirs. */
void karat_freeze_use(karat_checker *c, slot *s, const flight *f);
void karat_note_further(karat_checker *c, failure_kind kind, const slot *s, const flight *f,
                        const char *detail);
void karat_describe_further(const karat_checker *c, further_failure *x, failure_kind kind, const slot *s,
                            const flight *f, const char *detail);

/* With config.keep_going (defects.c). False: memory is short. */
bool karat_defects_init(karat_checker *c);
/* Before a failure after which its warp can go on with the core's value: lanes that differ, 0 where none are meant. */
void karat_keep(karat_checker *c, uint32_t lanes);
/* Behind it: the core's value has to be taken now. */
bool karat_kept(karat_checker *c);
/* Make the report of the first failure now: its warp goes on. Where memory is short it is made in the end. */
void karat_report_first(karat_checker *c);
void karat_report_drop(karat_checker *c);
void karat_note_defect(karat_checker *c, failure_kind kind, const slot *s, const flight *f,
                       const char *detail);

/* More of a text that ends in its room; what does not fit is left out. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void karat_append(char *text, size_t size, const char *format, ...);

/* What differs in the failure that was just made: lanes of a register, or of what the instruction does. Returns
 * true. */
bool karat_fail_lanes(karat_checker *c, unsigned cls, unsigned reg, uint32_t lanes);
bool karat_fail_in(karat_checker *c, uint32_t lanes); /* the same where no register is wrong */

const char *karat_failure_name(failure_kind kind);

/* The first failure is of that kind, and of f or NULL: where the live warps are, where that is of use. */
void karat_note_places(karat_checker *c, failure_kind kind, const flight *f);
/* Whether a warp waits at a barrier, as the core says, or as only the model knows. */
bool karat_is_at_barrier(const karat_checker *c, const slot *s);
/* What a warp waits for, in words; false: it waits for nothing, and could issue. */
bool karat_describe_wait(const karat_checker *c, const slot *s, char *text, size_t size);

/* The warp has ended: at EXIT, or at its ENDPRG where the core gives no EXIT. */
void karat_end_warp(karat_checker *c, slot *s);

/* What is still owed when a kernel has ended, and the stream or the next kernel says so. True where anything is. */
bool karat_check_debts(karat_checker *c, const char *when);

/* Memory against the hashes of the last REGION records, when no store is owed any more. True where they differ. */
bool karat_check_memory(karat_checker *c, const char *when);
/* Whether the REGIONs that came hash every page which any has mapped; puts them in order of their addresses. */
bool karat_is_all_hashed(karat_checker *c);

/* Record handlers: true where a verdict stands. */
bool karat_check_hello(karat_checker *c, const karat_rec_hello *r);
bool karat_check_region(karat_checker *c, const karat_rec_region *r);
bool karat_check_host(karat_checker *c, const karat_rec_host *r);
bool karat_check_contents(karat_checker *c, const karat_rec_contents *r);
bool karat_check_hostcsr(karat_checker *c, const karat_rec_hostcsr *r);
bool karat_write_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r); /* in the model alone */
bool karat_check_print(karat_checker *c, const karat_rec_print *r);
bool karat_check_kernel(karat_checker *c, const karat_rec_kernel *r);
bool karat_check_launch(karat_checker *c, const karat_rec_launch *r);
bool karat_check_issue(karat_checker *c, const karat_rec_issue *r);
bool karat_check_read(karat_checker *c, const karat_rec_read *r);
bool karat_check_write(karat_checker *c, const karat_rec_write *r);
bool karat_check_audit(karat_checker *c, const karat_rec_audit *r);
bool karat_check_simt(karat_checker *c, const karat_rec_simt *r);
bool karat_check_csr(karat_checker *c, const karat_rec_csr *r);
bool karat_check_mem(karat_checker *c, const karat_rec_mem *r);
bool karat_check_barrier(karat_checker *c, const karat_rec_barrier *r);
bool karat_check_exit(karat_checker *c, const karat_rec_exit *r);
bool karat_check_bye(karat_checker *c, const karat_rec_bye *r);

/* Printing (print.c).
 * An instruction was issued; its CSR record has come; the host writes a CSR; the slot's warp, or the kernel, is over. True after a
 * failure. */
void karat_print_step(karat_checker *c, slot *s, const flight *f);
void karat_print_written(karat_checker *c, slot *s, const flight *f);
bool karat_print_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r);
bool karat_print_missing(karat_checker *c, const slot *s, const char *when);
/* Whether the host may come for that warp. */
bool karat_print_asked(const slot *s);

/* Before any of them: a record of this version that may come at this place of the stream. True after a failure. */
bool karat_check_form(karat_checker *c, const void *record, size_t size);

/* Under keep_going, of a core that waits for pending writes: those that this instruction's operands wait for do not come. The
 * core's READs then tell what it uses instead. */
void karat_check_owed(karat_checker *c, slot *s, const karat_commit *user);

/* Any of the above. */
bool karat_check_record(karat_checker *c, const void *record);

/* Registers that a launch left unknown (undefined.c). Lanes of a register: nobody has told them yet; the core
 * has; the warp has written them, or an instruction has used them. */
uint32_t karat_unknown_lanes(const karat_checker *c, const slot *s, unsigned cls, unsigned reg);
void karat_learn(slot *s, unsigned cls, unsigned reg, uint32_t lanes);
void karat_forget(slot *s, unsigned cls, unsigned reg, uint32_t lanes);
void karat_define(slot *s, unsigned cls, unsigned reg, uint32_t lanes);
/* The model's read port. */
karat_read_answer karat_check_operand(void *checker, uint32_t warp, const karat_commit *commit,
                                      karat_reg_read *read);
/* A step that was just taken: count what it uses and the warp never wrote, find what is tainted by it. True
 * where control or an address depends on what nobody has told. */
bool karat_check_undefined(karat_checker *c, slot *s, flight *f);
/* Take the step of that ISSUE; *waits: not yet, its READs have to come first. */
bool karat_take_step(karat_checker *c, slot *s, const karat_rec_issue *r, bool *waits);
/* commit: as far as the step has come. */
bool karat_hold(karat_checker *c, slot *s, const karat_rec_issue *r, const karat_commit *commit);
/* No step of that slot is held any more. */
void karat_unhold(karat_checker *c, slot *s);
/* A record while some step is held: true where it has been dealt with (or, *stop, a verdict stands). */
bool karat_intercept(karat_checker *c, const void *record, size_t size, bool *stop);
/* Take the steps that have waited too long, or all. */
bool karat_release_held(karat_checker *c, uint64_t cycle, bool all);

/* The slot of a record, or NULL after a failure: slot number out of range, never launched, or another epoch.
 */
slot *karat_slot_of(karat_checker *c, const karat_rec_header *h);
/* True after a failure: the core has no such slot. */
bool karat_check_slot(karat_checker *c, const karat_rec_header *h);

/* Who has written what that WRITE says, or NULL; *ambiguous: the core names no instruction, and several could
 * be meant. */
flight *karat_writer(const slot *s, const karat_rec_write *r, bool *ambiguous);
/* The instruction in flight that accesses memory as that MEM says: the one named, or the oldest that owes such an access; or NULL. */
flight *karat_accessing(const slot *s, const karat_rec_mem *r);

/* Flights. */
flight *karat_flight_new(karat_checker *c);
flight *karat_flight_find(const slot *s, uint32_t epoch, uint32_t seq);
flight *karat_flight_recent(const slot *s, uint32_t epoch,
                            uint32_t seq);                      /* those that have just settled, too */
void karat_flight_settle(karat_checker *c, slot *s, flight *f); /* give it back where it owes nothing more */
void karat_flight_drop(karat_checker *c, flight *f);            /* it was not used */
bool karat_flight_owes(const flight *f);
bool karat_flight_owes_write(const flight *f);
/* A flight that had settled is under way again. */
void karat_flight_revive(slot *s, flight *f);
/* The first thing that it owes, as a failure kind and in words. */
failure_kind karat_flight_debt(const flight *f, char *text, size_t size);
/* Its memory accesses that have not been performed, in words; there are some. */
void karat_flight_memory(const flight *f, char *text, size_t size);

/* Where a load got a wrong value: a store to one of its bytes that was issued before it, and that the core
 * performed after it or not yet, in words; of several warps' stores, of the first slot's; empty where there is none. */
void karat_late_store(const karat_checker *c, const slot *s, const flight *load, char *text, size_t size);

/* What loads and atomics may see where warps race (order.c). */
karat_order *karat_order_create(uint32_t num_thread); /* NULL: out of memory */
void karat_order_destroy(karat_order *o);
/* A kernel begins, before c->kernel is its; known: memory at the end of the one before is the model's. */
void karat_order_kernel(karat_checker *c, bool known);
void karat_order_host(karat_checker *c, uint64_t addr, const uint8_t *bytes,
                      uint32_t size);                        /* the host is about to write */
bool karat_order_step(karat_checker *c, slot *s, flight *f); /* f was issued; false: out of memory */
void karat_order_released(const karat_checker *c, slot *s);  /* from a barrier */
void karat_order_mem(karat_checker *c);                      /* a MEM record has come; */
/* It completes accesses of f (bit k: access k). True after a failure. */
bool karat_order_performed(karat_checker *c, slot *s, flight *f, uint64_t accesses, const karat_rec_mem *r);
/* Byte number bit of access k of f, a store, is not what the model has stored: its commit has the core's now. */
void karat_order_took(karat_checker *c, const slot *s, const flight *f, uint32_t k, uint32_t bit);
/* An AMO or SC is performed: what it finds and writes in that order. True after a failure. */
bool karat_order_atomic(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);
/* Why an SC may not store, behind what has been said: who has written its word since the LR, and when (reserved.c). Nothing where that
 * is not known. */
void karat_order_explain_sc(const karat_checker *c, const slot *s, const flight *sc, char *text, size_t size);
/* f is an SC that has failed in the model, and only its MEM would say that it has not in the core. */
bool karat_order_may_store(const karat_checker *c, const flight *f);
/* An atomic's result is written, and MEM does not tell the order: the commit takes what is legal. True after a failure. */
bool karat_order_returned(karat_checker *c, slot *s, flight *f, const karat_rec_write *r);
/* A READ tells an atomic's result before that, perhaps not the model's: whether it is legal, and then the commit's. An SC that can
 * not have stored is a failure. */
bool karat_searched_told(karat_checker *c, slot *s, flight *f, uint32_t value);
/* Something of f cannot be told right or wrong: no PASS any more. */
void karat_unjudged(karat_checker *c, const slot *s, const flight *f, const char *why);
void karat_unjudged_memory(karat_checker *c, uint64_t addr,
                           const char *why); /* the same of a byte at a kernel's end */
/* The core's SC has failed, and the model's has not: it has failed in the model, too. False where f is no such SC. */
bool karat_order_sc_failed(karat_checker *c, slot *s, flight *f);
/* The same of an SC whose MEM does not come, where no WRITE tells: that is how such a one fails. f may be gone then. */
bool karat_order_sc_given_up(karat_checker *c, slot *s, flight *f);
/* A load's result number i differs in these lanes: those in which the core's value is legal, which the commit takes.
 * text, empty before: why the first of the others is not, where other warps write there. */
uint32_t karat_order_loaded(karat_checker *c, slot *s, flight *f, uint32_t i, uint32_t lanes,
                            const uint32_t *value, char *text, size_t size);

/* Lanes of a load that may be wrong where they are the model's: that is one of several orders, or not the core's. */
uint32_t karat_order_doubt(const karat_checker *c, const slot *s, const flight *f);

/* A kernel has ended, and memory holds that byte: whether some order of its writes leaves it there. text: who wrote what the
 * model has there. */
bool karat_order_left(karat_checker *c, uint64_t addr, uint8_t value, char *text, size_t size);

/* That byte is the model's, and no order of the accesses to an atomic's word leaves it there. */
bool karat_order_never_left(const karat_checker *c, uint64_t addr, uint8_t value);

/* Whether the program orders a before b; whether atomics use that word (lds: 1 + workgroup, 0: device memory). */
bool karat_order_before(const karat_checker *c, const karat_moment *a, const karat_moment *b);
/* What was issued up to that step may be ordered by something that is forgotten. */
uint64_t karat_order_horizon(const karat_checker *c);
bool karat_order_is_atomic(const karat_checker *c, uint64_t addr, uint32_t lds);

/* f is issued, of a core that gives no WRITE: whether it is one that returns, or changes, what nobody will tell (untold.c). */
void karat_note_race(karat_checker *c, const flight *f);

/* Races as errors (races.c). */
karat_races *karat_races_create(void); /* NULL: out of memory */
void karat_races_destroy(karat_races *r);
void karat_races_kernel(karat_races *r); /* a kernel begins */
/* All accesses of f have been performed: true after a failure. */
bool karat_races_performed(karat_checker *c, slot *s, const flight *f);
bool karat_races_end(karat_checker *c); /* all of the kernel's warps have ended. The same */

/* Words by which warps synchronise with plain accesses and FENCEs (flags.c). */
karat_flags *karat_flags_create(void); /* NULL: out of memory */
void karat_flags_destroy(karat_flags *g);
void karat_flags_kernel(karat_flags *g); /* a kernel begins */
/* Accesses of f have been performed: true after a failure. */
bool karat_flags_performed(karat_checker *c, slot *s, const flight *f, uint64_t accesses);
/* A warp's FENCE is issued, with reads before it. */
void karat_flags_fence(karat_flags *g, uint32_t uid);
/* Of the word at that address (lds: 1 + workgroup, 0: device memory): whether a value was ever stored to it that releases anything;
 * whether some warp has acquired one. */
bool karat_flags_released(const karat_flags *g, uint64_t addr, uint32_t lds);
bool karat_flags_synchronises(const karat_flags *g, uint64_t addr, uint32_t lds);

/* Believe the core's value of lanes of a register, as they are when f has written them, or now where f is NULL. Returns those
 * that no younger instruction has overwritten. */
uint32_t karat_believe(karat_checker *c, slot *s, flight *f, unsigned cls, unsigned reg, uint32_t lanes,
                       const uint32_t *value);

/* Whether these lanes are those of a legal order of the warps' accesses in f's result number i: then it is the commit's, too.
 * doubtful: lanes that are the model's, perhaps in spite of that. text, empty before: why not. */
bool karat_other_order(karat_checker *c, slot *s, flight *f, uint32_t i, const uint32_t *value,
                       uint32_t lanes, uint32_t doubtful, char *text, size_t size);

/* Results of loads and atomics that are used before their WRITE (early.c). Lanes of a register whose last write in flight is such a
 * one that nobody has told, and that need not be the model's. */
uint32_t karat_early_lanes(const karat_checker *c, const slot *s, unsigned cls, unsigned reg);
/* A READ gives them: those whose value is another than the model's and legal, and the result's from now on. */
uint32_t karat_tell_early(karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes,
                          const uint32_t *value);
/* None has: they are used as the model has them. */
void karat_use_early(const karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes);
/* Whether such a use is open that what differs in f may be the reason of; f: NULL, where it is any instruction of the warp. by_others: of another
 * warp, too. */
bool karat_is_used_early(const karat_checker *c, const slot *s, const flight *f, bool by_others);

/* Take the bounds of the configuration; false where memory is short or one is bad. */
bool karat_make_bounds(karat_checker *c);
/* A READ gives lanes of a register whose approximate result has not been written yet, as the core's bypass may:
 * take what is within the bound as that result. Returns those lanes. */
uint32_t karat_tell_result(karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes,
                           const uint32_t *value);
/* A store's MEM: its data that are approximate results are compared within their bound, the whole words. */
void karat_tell_stored(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);
/* Of these lanes, those whose number is at most ulp from the model's. */
uint32_t karat_within_bound(const uint32_t *core, const uint32_t *model, uint32_t lanes, uint32_t ulp);

static inline register_state *karat_register(slot *s, unsigned cls, unsigned reg) {
    return &s->regs[(cls == KARAT_CLASS_X ? 0 : KARAT_NUM_X) + reg];
}

static inline const register_state *karat_register_const(const slot *s, unsigned cls, unsigned reg) {
    return karat_register((slot *)s, cls, reg);
}

/* --- Producers (producers.c) --- */

#define NUM_PRODUCERS 48

/* What the records say of a value: nothing; that it is right, and which kind of record; that it is wrong. */
typedef enum evidence {
    EVIDENCE_NONE,
    EVIDENCE_PENDING, /* its WRITE is still to come */
    EVIDENCE_TAKEN,   /* it is the core's, or was computed from such: right by definition */
    EVIDENCE_WRITE,   /* its WRITE was equal */
    EVIDENCE_READ,    /* a READ of it was equal */
    EVIDENCE_MEM,     /* the access whose address it makes was where it should be */
    EVIDENCE_WRONG    /* a READ of it was not */
} evidence;

typedef enum origin {
    ORIGIN_LAUNCH, /* no instruction has written it since */
    ORIGIN_INSN,
    ORIGIN_FORGOTTEN /* it was written before what is remembered */
} origin;

enum { CLASS_CSR = KARAT_CSR }; /* besides KARAT_CLASS_X and _V */

/* A register that an instruction reads, in one lane, and who wrote it; or a CSR, and who has set it last. */
typedef struct producer {
    uint32_t reader; /* seq of the instruction that reads it */
    uint32_t depth;  /* 0: that is the one at fault */
    uint8_t source, cls;
    uint16_t reg;
    uint32_t lane;
    bool has_value;
    uint32_t value; /* in the model */
    evidence read;  /* by the reader */
    origin origin;
    uint32_t seq, pc, word, prefix; /* ORIGIN_INSN: the producer */
    evidence result;                /* its result there */
} producer;

/* From the instruction at fault back: every register that it reads, and behind those that nothing has shown to be
 * right, what their producers read. Depth first. */
typedef struct karat_walk {
    uint32_t num, num_suspects;
    producer at[NUM_PRODUCERS];
    uint32_t suspect[NUM_PRODUCERS]; /* seqs, ascending: it went wrong in one of these */
    bool open;                       /* or in one that is no longer remembered */
    char cause[400];                 /* the same in words; empty where the failure is not one of values */
} karat_walk;

void karat_walk_back(const karat_checker *c, karat_walk *w);

/* What is remembered of an instruction; NULL: nothing. */
static inline const past *karat_past(const slot *s, uint32_t seq) {
    return seq < s->num_history && s->num_history - seq <= NUM_HISTORY ? &s->history[seq % NUM_HISTORY]
                                                                       : NULL;
}

/* Whether two accesses have a byte in common. */
static inline bool karat_meets(const karat_access *a, const karat_access *b) {
    return a->addr < b->addr + b->bytes && b->addr < a->addr + a->bytes;
}

/* Where a lane's bytes are, and which: bit i: byte i. */
static inline uint64_t karat_addr_of(const karat_rec_mem *r, uint32_t lane) {
    return (uint64_t)r->addr_hi << 32 | r->addr[lane];
}

static inline uint32_t karat_bytes_of(const karat_rec_mem *r, uint32_t lane) {
    return r->bytes[lane / 2] >> (lane % 2 * 4) & 15;
}

/* Whether an address is in the window of local memory. */
static inline bool karat_is_lds(const karat_checker *c, uint64_t addr) {
    return addr - c->config.model.lds_base < c->config.model.lds_size;
}

static inline uint32_t karat_all_lanes(const karat_checker *c) {
    return 0xffffffffu >> (32 - c->hello.num_thread);
}

/* HELLO says that the core gives records of that kind. */
static inline bool karat_gives(const karat_checker *c, unsigned kind) {
    return c->hello.gives >> kind & 1;
}

#endif
