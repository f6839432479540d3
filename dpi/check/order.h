/* What order.c remembers of the accesses of warps that race, and what it shares with searched.c: words of atomic
 * instructions whose order MEM does not tell. */
#ifndef KARAT_CHECK_ORDER_H
#define KARAT_CHECK_ORDER_H

#include "serial.h"
#include "freeze.h"
#include "memory.h"
#include "words.h"

enum {
    NUM_LOG = 4096,          /* writes that are remembered */
    NUM_READ = 1024,         /* reads, of a core that gives no WRITE (untold.c) */
    MAX_FORGOTTEN = 1 << 22, /* room for words; a quarter of it stays free */
    NUM_EDGE = 1024,         /* pairs of a release and its acquire */
    NUM_LAST_EDGE = 64,
    NUM_REACH = 4,    /* a load, and the writes that it may have got */
    NUM_RELEASE = 16, /* releases behind each other of which none is ordered behind another */
    NUM_FORGOTTEN_VALUE = 8
};

/* uid of the host. What it writes while no warp has an access under way is ordered with all that is before it and after it; else its moment's
 * generation is HOST_RACING: it is in the order as another warp's write is (order.c). */
#define HOST        UINT32_MAX
#define HOST_RACING 1

typedef struct written {
    uint64_t addr;
    uint64_t performed; /* number of its MEM record; 0: not yet */
    uint64_t settled;   /* its place among those of its word (serial.h); 0: none yet */
    uint32_t old, value;
    uint8_t bytes, lane;
} written;

struct karat_logged {
    karat_moment at;
    uint64_t cycle, performed_cycle; /* of its ISSUE; of its last MEM, 0: none has come */
    uint32_t seq, pc, word, prefix;
    uint64_t low, high;   /* all of it is in [low, high) */
    uint64_t begun;       /* number of its first MEM record */
    uint32_t operand;     /* of an AMO */
    uint32_t reserved_by; /* as in flight */
    uint32_t num;         /* accesses */
    uint8_t amo;          /* funct5 */
    bool atomic, lds;
    bool tainted;      /* some of what it writes is the core's */
    bool is_private;   /* an access of the warp's own private memory */
    bool gone, stored; /* an SC that has failed in the core; that has not */
    written access[];
};

/* A write that a byte may come from; NULL: what was there before all that are remembered. */
typedef struct candidate {
    const karat_logged *entry;
    const written *access;
    uint8_t value;
} candidate;

typedef struct edge {
    karat_moment from, to;
    uint64_t next; /* 1 + number of the edge before it to the same warp; 0: none */
} edge;

/* A place in memory; each workgroup has an LDS of its own. */
typedef struct place {
    uint64_t addr;
    uint32_t lds;   /* 0: device memory; else 1 + the workgroup */
    uint32_t group; /* LDS: the model's workgroup */
} place;

/* A word that an atomic instruction has used. */
typedef struct karat_word {
    place at;
    bool used;
    uint32_t value;                      /* as performed */
    uint32_t writer;                     /* who wrote last; */
    uint64_t written, written_by_others; /* when, and when somebody else did last; 0: never */
    uint32_t num_release;
    karat_moment release[NUM_RELEASE]; /* what an acquire that reads the value is ordered behind */
    karat_serial *serial;              /* where MEM's order does not tell; else NULL */
} karat_word;

/* What writes that are forgotten have left of a word (forgotten.c). */
typedef struct karat_forgotten {
    place at;          /* the word */
    karat_moment last; /* of them; those to bytes that are not doubtful are all ordered before it */
    uint64_t
        place; /* the highest MEM record, where the order tells; else of the last, as settled of written */
    uint8_t bytes; /* that they have written; 0: the entry is not in use */
    uint8_t by_last, doubtful;
    bool earlier;         /* all in earlier kernels */
    uint8_t num_value[4]; /* of a byte; more than there is room for: any */
    uint8_t value[4][NUM_FORGOTTEN_VALUE];
} karat_forgotten;

/* What comes before a moment, see reach_of(). */
typedef struct reach {
    uint64_t num_edges; /* when it was worked out */
    uint32_t num;
    karat_moment
        at[NUM_EDGE +
           1]; /* the first is the one that was asked for; its step is never that of an earlier kernel */
} reach;

struct karat_order {
    uint64_t steps;     /* instructions issued, of all warps */
    uint64_t performed; /* MEM records */
    uint64_t settled;   /* accesses, see written */
    uint8_t *log;
    size_t stride;
    uint32_t room_access; /* in an entry */
    candidate *found;     /* room for all writes of the log */
    uint32_t *hiding;     /* the same */
    uint64_t first, num;  /* numbers of the entries that are remembered: first .. num - 1 */
    uint64_t pending;     /* all entries before this one have been performed */
    edge edges[NUM_EDGE];
    uint64_t num_edges; /* ever */
    uint64_t last_edge[NUM_LAST_EDGE];
    reach reach[NUM_REACH]; /* the last that were asked for */
    uint32_t next_reach;
    uint64_t horizon;  /* of what was issued before it, not all that orders it is remembered */
    karat_word *words; /* a hash table */
    uint32_t room, used;
    serial_search *search;      /* made when first needed */
    karat_forgotten *forgotten; /* a hash table, too */
    uint32_t room_forgotten, used_forgotten;
    bool lost;         /* it does not hold all */
    uint8_t *read;     /* entries like the log's: a ring */
    uint64_t num_read; /* of this kernel */
};

static inline karat_logged *entry(const karat_order *o, uint64_t number) {
    return (karat_logged *)(void *)(o->log + number % NUM_LOG * o->stride);
}

static inline karat_logged *last_read(const karat_order *o, uint64_t number) {
    return (karat_logged *)(void *)(o->read + number % NUM_READ * o->stride);
}

/* The entry of a flight's write, or NULL where it is none, or forgotten. */
static inline karat_logged *entry_of(const karat_order *o, const flight *f) {
    return f->logged && f->logged - 1 >= o->first ? entry(o, f->logged - 1) : NULL;
}

static inline uint32_t hash_of_place(const place *p) {
    uint64_t h = (p->addr >> 2 ^ (uint64_t)p->lds << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static inline place word_at(place p) {
    p.addr &= ~UINT64_C(3);
    return p;
}

static inline place place_of(const karat_checker *c, const slot *s, const flight *f, uint64_t addr) {
    return (place){addr, karat_is_lds(c, addr) ? 1 + f->workgroup : 0, s->wg};
}

/* An access to a workgroup's LDS after its end: nothing depends on it. */
static inline bool is_over(const slot *s, const flight *f, const place *p) {
    return p->lds && f->epoch != s->epoch;
}

/* Whether an entry has, or had, a part in the bytes at that place. */
static inline bool reaches(const karat_checker *c, const karat_logged *e, const place *p, uint32_t bytes) {
    return e->low < p->addr + bytes && p->addr < e->high &&
           (!p->lds || p->lds == 1 + e->at.uid / c->kernel.wg_size);
}

static inline bool touches(const karat_checker *c, const karat_logged *e, const place *p, uint32_t bytes) {
    return reaches(c, e, p, bytes) && !e->gone;
}

/* An SC that has not said that it stores hides nothing: it may fail. */
static inline bool may_fail(const karat_logged *e) {
    return e->atomic && e->amo == KARAT_AMO_SC && !e->stored;
}

static inline bool is_of_word(const written *a, const karat_word *w) {
    return a->addr - w->at.addr < 4; /* no access reaches beyond a word */
}

/* The bits of a word that an access to it has to do with, and its value there. */
static inline uint32_t bits_in_word(const written *a) {
    return (0xffffffffu >> (32 - 8 * a->bytes)) << 8 * (a->addr & 3);
}

static inline uint32_t value_in_word(const written *a, uint32_t value, uint32_t before) {
    const uint32_t bits = bits_in_word(a);
    return (before & ~bits) | (value << 8 * (a->addr & 3) & bits);
}

static inline bool is_sc(const karat_commit *m) {
    return m->mem.amo == KARAT_AMO_SC; /* it is 0 of what is not atomic */
}

static inline bool in_order_of_performance(const karat_checker *c) {
    return c->hello.mem_order == KARAT_ORDER_PERFORMED && karat_gives(c, KARAT_REC_MEM);
}

/* A load gets the last value that was performed before it: MEM tells which, and no cache holds an older one. */
static inline bool has_one_value(const karat_checker *c) {
    return in_order_of_performance(c) && c->hello.props & KARAT_PROP_COHERENT;
}

/* The lanes of one store are in ascending order (decisions, "Memory") where the core says so. */
static inline bool ascending(const karat_checker *c) {
    return c->hello.props & KARAT_PROP_ASCENDING;
}

static inline uint32_t operand_of(const flight *f) {
    for (uint32_t i = 0; i < f->commit.num_reads; i++)
        if (f->commit.read[i].source == 2)
            return f->commit.read[i].value[0];
    return 0;
}

/* The word of an atomic instruction that holds that byte; NULL: there is none. */
karat_word *karat_order_find_word(const karat_order *o, place p);
/* The same of what an instruction accesses: of a workgroup that has ended there is none. */
static inline karat_word *word_of(const karat_checker *c, const slot *s, const flight *f, place p) {
    return is_over(s, f, &p) ? NULL : karat_order_find_word(c->order, p);
}
void karat_order_read(const karat_checker *c, const place *p, void *bytes, size_t size);
void karat_order_write(karat_checker *c, const place *p, const void *bytes, size_t size);
/* What an entry tells of f's accesses, of which nothing has been performed. */
void karat_order_describe(karat_logged *e, const flight *f);
/* Take another old value for the result. */
void karat_order_take_result(karat_checker *c, slot *s, flight *f, uint32_t value);
/* A warp's LR; reserved_by: 1 + its seq. NULL: none, or forgotten. */
karat_reservation *karat_order_reservation(const slot *s, uint32_t reserved_by);
/* The core's SC has stored. True after a failure. */
bool karat_order_check_sc(karat_checker *c, slot *s, flight *f, const karat_word *w, uint32_t operand,
                          const void *r);

/* An instruction of the warp reads a word: what its value was released with is ordered before the instruction, or
 * before what the next FENCEs order behind it. */
void karat_order_acquire(karat_checker *c, slot *s, const flight *f, const karat_word *w);
/* What that word's value stands for besides, and all that is ordered before it. */
void karat_order_add_release(karat_checker *c, karat_word *w, const karat_moment *from);

/* The host has written that, of a core that gives no WRITE: what warps have loaded, and nothing orders before it, may be another value than
 * the model's (untold.c). */
void karat_note_host_race(karat_checker *c, const karat_logged *now);

/* --- Words whose order MEM does not tell (searched.c) --- */

/* False: out of memory. The first atomic of a word, f; an atomic instruction is issued; a store, perhaps to such words. */
bool karat_searched_begin(karat_checker *c, const flight *f, karat_word *w);
bool karat_searched_atomic(karat_checker *c, flight *f, karat_word *w);
bool karat_searched_store(karat_checker *c, const slot *s, const flight *f);
/* The part of a host's write in a word that atomics use. */
void karat_searched_host(karat_checker *c, karat_word *w, const serial_access *write, const uint8_t *bytes,
                         uint64_t addr, uint32_t size);
/* The word of f, where its order is searched. */
karat_word *karat_searched_word(const karat_checker *c, const slot *s, const flight *f);
/* MEM tells something of f, an AMO or SC of that word. True after a failure. */
bool karat_searched_performed(karat_checker *c, slot *s, flight *f, karat_word *w, const karat_rec_mem *r);
/* f, an SC, has failed. */
void karat_searched_failed(karat_checker *c, const flight *f, karat_word *w);
/* Whether a load at that moment may have got that byte; the same of memory at the end. */
serial_answer karat_searched_loaded(const karat_checker *c, const karat_word *w, const karat_moment *at,
                                    uint64_t addr, uint8_t value);
serial_answer karat_searched_left(const karat_checker *c, const karat_word *w, uint64_t addr, uint8_t value);

/* --- Writes that the log holds no more (forgotten.c) --- */

/* Leave out what is before that entry. */
void karat_order_forget(karat_checker *c, uint64_t first);
/* That one is about to leave it, the oldest. */
void karat_log_forget(const karat_checker *c, const karat_logged *e);
/* What they left of a byte's word; NULL: none of them was to that byte. */
const karat_forgotten *karat_forgotten_of(const karat_order *o, place p);
/* Whether a reading at that moment may have got that byte from one of them that is not the last. */
serial_answer karat_forgotten_value(const karat_checker *c, place p, const karat_moment *at, uint8_t value);
/* A kernel has ended: all have been performed; known: and memory is the model's. */
void karat_forgotten_kernel(karat_order *o, bool known);

#endif
