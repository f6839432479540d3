/* What loads and atomics may see where warps race.
 *
 * The model performs every access when its instruction is issued; a core performs it later, and the accesses
 * of different warps in another order.  Where a program orders them (design page, "Loads": program order of a
 * warp, barriers, a release before the acquire that reads its value) both orders give the same values, and
 * everything is compared exactly.  Where it does not, the core's order is one of several that are legal:
 *
 *  1. Every write is entered in a log when it is issued, with the bytes that memory held in the model, and gets a
 *     number when a MEM record says that it was performed.
 *  2. A load whose WRITE differs from the model's value is looked at byte by byte.  Legal is a write W of the log,
 *     or what was there before all of them, unless the load is ordered before W, or another write that is
 *     ordered between W and the load hides it.  Where MEM comes in the order of performance, W has to be the
 *     last that was performed before the load as well: one value, not one of several.
 *  3. The word of an atomic instruction is kept from then on as memory holds it in that order (karat_word). The
 *     atomic is computed again from that when it is performed, so its old value and what it writes are exact, and
 *     the model's memory follows.  SC succeeds exactly where no other warp's write was performed since its LR;
 *     its failure is always legal.
 *     Where MEM's order does not tell, an order of the accesses to that word is searched that gives every value which
 *     was returned (serial.h).
 *
 * Why 2 cries wolf never: an order of all accesses that the program allows gives each byte of a load the value of
 * the last write before it in that order, and no write that is ordered behind the load or hidden from it can be
 * that.  What the log has forgotten, or an edge of the order that is not seen, only makes more writes legal,
 * where MEM's order does not tell. */
#include "serial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUM_LOG = 4096,  /* writes that are remembered */
    NUM_EDGE = 1024, /* pairs of a release and its acquire */
    NUM_SHOWN = 4,   /* writes that a report names */
    NUM_RELEASE = 16 /* releases behind each other of which none is ordered behind another */
};

#define HOST UINT32_MAX /* uid of the host, whose writes take effect in place */

typedef struct written {
    uint64_t addr;
    uint64_t performed; /* number of its MEM record; 0: not yet */
    uint64_t settled;   /* its place among those of its word (serial.h); 0: none yet */
    uint32_t old, value;
    uint8_t bytes, lane;
} written;

struct karat_logged {
    karat_moment at;
    uint64_t cycle;
    uint32_t seq, pc, word, prefix;
    uint64_t low, high; /* all of it is in [low, high) */
    uint64_t begun;     /* number of its first MEM record */
    uint32_t operand;   /* of an AMO */
    uint32_t num, left; /* accesses; those not performed yet */
    uint8_t amo;        /* funct5 */
    bool atomic, lds;
    bool gone; /* an SC that has failed in the core */
    written access[];
};

typedef struct edge {
    karat_moment from, to;
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

struct karat_order {
    uint64_t steps;     /* instructions issued, of all warps */
    uint64_t performed; /* MEM records */
    uint64_t settled;   /* accesses, see written */
    uint8_t *log;
    size_t stride;
    uint32_t room_access; /* in an entry */
    uint64_t first, num;  /* numbers of the entries that are remembered: first .. num - 1 */
    uint64_t kernel;      /* its first entry */
    uint64_t pending;     /* all entries before this one have been performed */
    edge edges[NUM_EDGE];
    uint64_t num_edges; /* ever */
    uint64_t horizon;   /* of what was issued before it, not all that orders it is remembered */
    karat_word *words;  /* a hash table */
    uint32_t room, used;
    uint64_t filter[64];   /* a bit of each word's hash */
    serial_search *search; /* made when first needed */
};

karat_order *karat_order_create(uint32_t num_thread) {
    karat_order *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->room_access = 2 * num_thread;
    o->stride = sizeof(karat_logged) + o->room_access * sizeof(written);
    o->log = malloc(NUM_LOG * o->stride);
    o->room = 256;
    o->words = calloc(o->room, sizeof *o->words);
    if (!o->log || !o->words) {
        karat_order_destroy(o);
        return NULL;
    }
    return o;
}

static void drop_serials(karat_order *o) {
    for (uint32_t i = 0; o->words && i < o->room; i++)
        karat_serial_destroy(o->words[i].serial);
}

void karat_order_destroy(karat_order *o) {
    if (!o)
        return;
    drop_serials(o);
    karat_serial_search_destroy(o->search);
    free(o->log);
    free(o->words);
    free(o);
}

void karat_order_kernel(karat_order *o) {
    drop_serials(o);
    o->first = o->kernel = o->num;
    o->num_edges = 0;
    memset(o->words, 0, o->room * sizeof *o->words);
    memset(o->filter, 0, sizeof o->filter);
    o->used = 0;
}

static karat_logged *entry(const karat_order *o, uint64_t number) {
    return (karat_logged *)(void *)(o->log + number % NUM_LOG * o->stride);
}

/* The entry of a flight's write, or NULL where it is none, or forgotten. */
static karat_logged *entry_of(const karat_order *o, const flight *f) {
    return f->logged && f->logged - 1 >= o->first && f->commit.mem.op != KARAT_LOAD ? entry(o, f->logged - 1)
                                                                                    : NULL;
}

/* --- Words of atomics --- */

static uint32_t hash_of(const place *p) {
    uint64_t h = (p->addr >> 2 ^ (uint64_t)p->lds << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static place word_at(place p) {
    p.addr &= ~UINT64_C(3);
    return p;
}

static karat_word *bucket(const karat_order *o, const place *p) {
    uint32_t i = hash_of(p) & (o->room - 1);
    while (o->words[i].used && (o->words[i].at.addr != p->addr || o->words[i].at.lds != p->lds))
        i = (i + 1) & (o->room - 1);
    return &o->words[i];
}

static karat_word *find_word(const karat_order *o, place p) {
    p = word_at(p);
    uint32_t h = hash_of(&p) >> 20;
    if (!(o->filter[h / 64] >> h % 64 & 1))
        return NULL; /* nearly always */
    karat_word *w = bucket(o, &p);
    return w->used ? w : NULL;
}

static bool grow(karat_order *o) {
    karat_word *old = o->words, *more = calloc(2 * (size_t)o->room, sizeof *more);
    if (!more)
        return false;
    uint32_t num = o->room;
    o->words = more;
    o->room *= 2;
    for (uint32_t i = 0; i < num; i++)
        if (old[i].used)
            *bucket(o, &old[i].at) = old[i];
    free(old);
    return true;
}

/* --- The log --- */

static place place_of(const karat_checker *c, const slot *s, const flight *f, uint64_t addr) {
    bool lds = addr - c->config.model.lds_base < c->config.model.lds_size;
    return (place){addr, lds ? 1 + f->workgroup : 0, s->wg};
}

/* An access to a workgroup's LDS after its end: nothing depends on it. */
static bool is_over(const slot *s, const flight *f, const place *p) {
    return p->lds && f->epoch != s->epoch;
}

static void read_model(const karat_checker *c, const place *p, void *bytes, size_t size) {
    if (p->lds)
        karat_lds_read(c->model, p->group, p->addr, bytes, size);
    else
        karat_read(c->model, p->addr, bytes, size);
}

static void write_model(karat_checker *c, const place *p, const void *bytes, size_t size) {
    if (p->lds)
        karat_lds_write(c->model, p->group, p->addr, bytes, size);
    else
        karat_write(c->model, p->addr, bytes, size);
}

/* A write that a byte may come from; NULL: what was there before all that are remembered. */
typedef struct candidate {
    const karat_logged *entry;
    const written *access;
    uint8_t value;
} candidate;
enum { MAX_CANDIDATE = 64 };

/* Whether an entry has a part in the bytes at that place. */
static bool touches(const karat_checker *c, const karat_logged *e, const place *p, uint32_t bytes) {
    return e->low < p->addr + bytes && p->addr < e->high && !e->gone &&
           (!p->lds || p->lds == 1 + e->at.uid / c->kernel.wg_size);
}

/* The writes to a byte, the newest first, and behind them what was there before. */
static uint32_t candidates(const karat_checker *c, place p, candidate *found) {
    const karat_order *o = c->order;
    uint32_t num = 0;
    uint8_t before = 0;
    for (uint64_t n = o->num; n > o->first && num < MAX_CANDIDATE - 1; n--) {
        const karat_logged *e = entry(o, n - 1);
        if (!touches(c, e, &p, 1))
            continue;
        for (uint32_t k = e->num; k > 0 && num < MAX_CANDIDATE - 1; k--) {
            const written *a = &e->access[k - 1];
            if (p.addr - a->addr >= a->bytes)
                continue;
            unsigned shift = 8 * (unsigned)(p.addr - a->addr);
            found[num++] = (candidate){e, a, (uint8_t)(a->value >> shift)};
            before = (uint8_t)(a->old >> shift);
        }
    }
    if (!num)
        read_model(c, &p, &before, 1);
    found[num++] = (candidate){NULL, NULL, before};
    return num;
}

static bool is_sc(const karat_commit *m) {
    return m->mem.op == KARAT_AMO && m->mem.amo == KARAT_AMO_SC;
}

static bool in_order_of_performance(const karat_checker *c) {
    return c->hello.mem_order == KARAT_ORDER_PERFORMED && karat_gives(c, KARAT_REC_MEM);
}

/* The lanes of one store are in ascending order (decisions, "Memory") where the core says so. */
static bool ascending(const karat_checker *c) {
    return c->hello.props & KARAT_PROP_ASCENDING;
}

/* Of some candidates the one whose write was performed last before that MEM record. */
static uint32_t last_performed(const candidate *found, uint32_t num, uint64_t before) {
    uint32_t last = num - 1;
    for (uint32_t i = 0; i < num - 1; i++) {
        uint64_t at = found[i].access->performed;
        if (at && at < before && (last == num - 1 || at > found[last].access->performed))
            last = i;
    }
    return last;
}

static uint32_t performed_word(const karat_checker *c, place p) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++, p.addr++) {
        candidate found[MAX_CANDIDATE];
        uint32_t num = candidates(c, p, found);
        value |= (uint32_t)found[last_performed(found, num, UINT64_MAX)].value << 8 * i;
    }
    return value;
}

/* When somebody else than that warp wrote the word last. */
static uint64_t written_by_others(const karat_word *w, uint32_t uid) {
    return w->writer == uid ? w->written_by_others : w->written;
}

/* An SC that was not performed yet and cannot store any more: since its LR another warp has written the word. */
static bool is_doomed(const karat_checker *c, const karat_word *w, const karat_logged *e) {
    if (!e->atomic || e->amo != KARAT_AMO_SC)
        return false;
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *s = &c->slots[i];
        const karat_reservation *lr = &s->reservation;
        if (s->live && s->workgroup * c->kernel.wg_size + s->warp == e->at.uid)
            return lr->addr == w->at.addr && lr->seq < e->seq && lr->performed &&
                   lr->performed < written_by_others(w, e->at.uid);
    }
    return false;
}

/* The word as the core will hold it when all that was issued is performed: the model's from now on. */
static void follow(karat_checker *c, const karat_word *w) {
    karat_order *o = c->order;
    uint32_t value = w->value, model = 0;
    o->pending = o->pending < o->first ? o->first : o->pending;
    while (o->pending < o->num && (entry(o, o->pending)->gone || !entry(o, o->pending)->left))
        o->pending++;
    for (uint64_t n = o->pending; n < o->num; n++) {
        const karat_logged *e = entry(o, n);
        if (!touches(c, e, &w->at, 4) || is_doomed(c, w, e))
            continue;
        for (uint32_t k = 0; k < e->num; k++) {
            const written *a = &e->access[k];
            if (a->performed || a->addr + a->bytes <= w->at.addr || a->addr >= w->at.addr + 4)
                continue;
            if (e->atomic) {
                value = karat_amo_result(e->amo, value, e->operand);
                continue;
            }
            unsigned shift = 8 * (unsigned)(a->addr - w->at.addr);
            uint32_t mask = (a->bytes == 4 ? 0xffffffffu : (1u << 8 * a->bytes) - 1) << shift;
            value = (value & ~mask) | (a->value << shift & mask);
        }
    }
    read_model(c, &w->at, &model, 4);
    if (model != value)
        write_model(c, &w->at, &value, 4);
}

static karat_logged *new_entry(karat_order *o) {
    if (o->num - o->first == NUM_LOG)
        o->first++;
    return entry(o, o->num++);
}

static uint32_t operand_of(const flight *f) {
    for (uint32_t i = 0; i < f->commit.num_reads; i++)
        if (f->commit.read[i].source == 2)
            return f->commit.read[i].value[0];
    return 0;
}

static void log_write(karat_checker *c, flight *f) {
    karat_order *o = c->order;
    const karat_commit *m = &f->commit;
    karat_logged *e = new_entry(o);
    *e = (karat_logged){.at = f->at,
                        .cycle = f->cycle,
                        .seq = f->seq,
                        .pc = m->pc,
                        .word = m->word,
                        .prefix = m->prefix,
                        .amo = m->mem.amo,
                        .atomic = m->mem.op == KARAT_AMO,
                        .num = m->mem.num,
                        .left = m->mem.num,
                        .low = UINT64_MAX};
    e->operand = operand_of(f);
    for (uint32_t k = 0; k < e->num; k++) {
        const karat_access *a = &m->mem.access[k];
        e->access[k] = (written){a->addr, 0, 0, a->old, a->value, a->bytes, a->lane};
        e->low = a->addr < e->low ? a->addr : e->low;
        e->high = a->addr + a->bytes > e->high ? a->addr + a->bytes : e->high;
    }
    f->logged = o->num;
}

/* --- The order of the program --- */

/* Whether a is ordered before b by the two warps' own order and their barriers alone. */
static bool directly_before(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    if (a->uid == b->uid || a->uid == HOST || b->uid == HOST)
        return a->step < b->step;
    return a->uid / c->kernel.wg_size == b->uid / c->kernel.wg_size && a->generation < b->generation;
}

/* Whether the program orders a before b. Looks back from b: a moment that is before b's acquires, or before a barrier
 * behind which b is, takes all that is before it along. */
static bool before(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    if (directly_before(c, a, b))
        return true;
    const karat_order *o = c->order;
    const uint32_t num = o->num_edges < NUM_EDGE ? (uint32_t)o->num_edges : NUM_EDGE;
    bool taken[NUM_EDGE] = {false};
    const karat_moment *front[NUM_EDGE + 1];
    uint32_t done = 0, known = 0;
    front[known++] = b;
    while (done < known) {
        const karat_moment *at = front[done++];
        for (uint32_t i = 0; i < num; i++) {
            const edge *e = &o->edges[i];
            bool here = e->to.uid == at->uid && e->to.step == at->step;
            if (taken[i] || !(here || directly_before(c, &e->to, at)))
                continue;
            taken[i] = true;
            bool is_release = e->from.uid == a->uid && e->from.step == a->step;
            if (is_release || directly_before(c, a, &e->from))
                return true;
            front[known++] = &e->from;
        }
    }
    return false;
}

static void add_edge(karat_order *o, const karat_moment *from, const karat_moment *to) {
    if (from->uid == to->uid)
        return;
    if (o->num_edges >= NUM_EDGE)
        o->horizon = o->edges[o->num_edges % NUM_EDGE].to.step;
    o->edges[o->num_edges++ % NUM_EDGE] = (edge){*from, *to};
}

/* An instruction of the warp reads a word: what its value was released with is ordered before the instruction, or
 * before the next FENCE. */
static void acquire(karat_checker *c, slot *s, const flight *f, const karat_word *w) {
    const bool atomic = karat_row_info(f->commit.row)->unit == KARAT_UNIT_AMO;
    for (uint32_t i = 0; i < w->num_release; i++) {
        if (atomic && f->commit.word >> 26 & 1)
            add_edge(c->order, &w->release[i], &f->at);
        else if (s->fence.at.step > f->at.step)
            add_edge(c->order, &w->release[i], &s->fence.at);
        else
            s->acquired[s->num_acquired++ % KARAT_NUM_ACQUIRED] = w->release[i];
    }
}

/* A write was performed: what its value stands for.  A read-modify-write goes on with what it has read, and takes along
 * what is ordered before its own release. */
static void release(const karat_checker *c, karat_word *w, const flight *f) {
    const bool atomic = f->commit.mem.op == KARAT_AMO;
    const karat_moment *from = atomic && f->commit.word >> 25 & 1 ? &f->at
                               : f->fence.at.step                 ? &f->fence.at
                                                                  : NULL;
    if (!atomic)
        w->num_release = 0;
    if (!from)
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->num_release; i++)
        if (!before(c, &w->release[i], from))
            w->release[kept++] = w->release[i];
    w->num_release = kept;
    if (kept < NUM_RELEASE)
        w->release[w->num_release++] = *from;
    else
        c->order->horizon = c->order->steps;
}

/* --- Words whose order MEM does not tell --- */

static bool is_before(const void *checker, const karat_moment *a, const karat_moment *b) {
    return before(checker, a, b);
}

static bool in_word(const written *a, const karat_word *w) {
    return a->addr < w->at.addr + 4 && w->at.addr < a->addr + a->bytes;
}

/* The log learns where accesses to that word stand, and what AMOs have written. */
static void log_settled(karat_order *o, const karat_word *w) {
    uint64_t logged;
    uint32_t value;
    while (karat_serial_settled(o->search, &logged, &value)) {
        if (!logged || logged - 1 < o->first)
            continue; /* a load, or forgotten */
        karat_logged *e = entry(o, logged - 1);
        o->settled++;
        for (uint32_t k = 0; k < e->num; k++) {
            written *a = &e->access[k];
            if (!in_word(a, w))
                continue;
            a->settled = o->settled;
            if (e->atomic)
                a->value = value;
        }
    }
}

static bool issue_access(karat_checker *c, karat_word *w, const serial_access *a) {
    if (!karat_serial_issue(w->serial, c->order->search, a, is_before, c))
        return false;
    log_settled(c->order, w);
    return true;
}

/* The part of a store in that word; false: none. */
static bool part_of(const written *a, uint64_t addr, serial_access *part) {
    part->mask = part->operand = 0;
    for (unsigned b = 0; b < a->bytes; b++)
        if (a->addr + b - addr < 4) {
            const unsigned shift = 8 * (unsigned)(a->addr + b - addr);
            part->mask |= 0xffu << shift;
            part->operand |= (a->value >> 8 * b & 0xff) << shift;
        }
    return part->mask != 0;
}

static serial_access store_part(const karat_logged *e, uint64_t number) {
    return (serial_access){.kind = SERIAL_STORE,
                           .silent = true,
                           .at = e->at,
                           .seq = e->seq,
                           .pc = e->pc,
                           .word = e->word,
                           .prefix = e->prefix,
                           .cycle = e->cycle,
                           .logged = number + 1};
}

/* The log's first entry from which on the writes to the word of f, the newest of all, may have been performed in another
 * order than that of issue. *many: some older ones were not looked at. */
static uint64_t first_unordered(const karat_checker *c, const flight *f, const karat_word *w, bool *many) {
    enum { LOOKED_AT = SERIAL_MAX / 2 };
    const karat_order *o = c->order;
    const karat_logged *newer[LOOKED_AT];
    uint32_t num = 0;
    uint64_t first = o->num, n = o->num;
    for (; n > o->first && num < LOOKED_AT; n--) {
        const karat_logged *e = entry(o, n - 1);
        if (!touches(c, e, &w->at, 4))
            continue;
        bool ordered = before(c, &e->at, &f->at);
        for (uint32_t i = 0; i < num && ordered; i++)
            ordered = before(c, &e->at, &newer[i]->at);
        if (!ordered)
            first = n - 1;
        newer[num++] = e;
    }
    *many = num == LOOKED_AT;
    return first;
}

/* The first atomic of a word, f: what the word held before it, and before the stores whose order nobody knows. */
static bool begin_serial(karat_checker *c, const flight *f, karat_word *w) {
    karat_order *o = c->order;
    bool many;
    const uint64_t first = first_unordered(c, f, w, &many);
    uint32_t value = f->commit.mem.access[0].old;
    if (!f->commit.mem.num || f->commit.mem.op == KARAT_LOAD)
        read_model(c, &w->at, &value, 4); /* else the model has performed it already */
    for (uint64_t n = o->num; n > first; n--) {
        const karat_logged *e = entry(o, n - 1);
        for (uint32_t k = touches(c, e, &w->at, 4) ? e->num : 0; k > 0; k--) {
            serial_access part;
            written undone = e->access[k - 1];
            undone.value = undone.old;
            if (part_of(&undone, w->at.addr, &part))
                value = (value & ~part.mask) | part.operand;
        }
    }
    if (!o->search)
        o->search = karat_serial_search_create();
    w->serial = karat_serial_create(value);
    if (!o->search || !w->serial)
        return false;
    w->serial->guessed = many;
    for (uint64_t n = o->first; n < o->num; n++) {
        karat_logged *e = entry(o, n);
        if (!touches(c, e, &w->at, 4))
            continue;
        o->settled++;
        serial_access part = store_part(e, n);
        for (uint32_t k = 0; k < e->num; k++) {
            if (!in_word(&e->access[k], w))
                continue;
            if (n < first)
                e->access[k].settled = o->settled;
            else if (part_of(&e->access[k], w->at.addr, &part) && !issue_access(c, w, &part))
                return false;
        }
    }
    return true;
}

/* An atomic instruction is issued. */
static bool enter_atomic(karat_checker *c, flight *f, karat_word *w) {
    const karat_commit *m = &f->commit;
    const bool load = m->mem.op == KARAT_LOAD;
    serial_access a = {.kind = load       ? SERIAL_LR
                               : is_sc(m) ? SERIAL_SC
                                          : SERIAL_AMO,
                       .amo = m->mem.amo,
                       .operand = operand_of(f),
                       .reserved_by = f->reserved_by,
                       .believed = m->mem.succeeded,
                       .at = f->at,
                       .seq = f->seq,
                       .pc = m->pc,
                       .word = m->word,
                       .prefix = m->prefix,
                       .cycle = f->cycle,
                       .logged = f->logged};
    const bool writes_back = m->num_writes && karat_gives(c, KARAT_REC_WRITE);
    a.silent = !writes_back && (load || !karat_gives(c, KARAT_REC_MEM));
    if (a.kind == SERIAL_SC && !a.reserved_by)
        return true;                    /* it cannot store */
    w->serial->lost |= f->tainted != 0; /* nobody knows its operand yet */
    f->serial = true;
    return issue_access(c, w, &a);
}

/* A store, to words that atomics use. */
static bool enter_store(karat_checker *c, const slot *s, const flight *f) {
    const uint64_t number = f->logged - 1;
    const karat_logged *e = entry_of(c->order, f);
    serial_access part = store_part(e, number);
    for (uint32_t k = 0; k < e->num; k++) {
        const uint64_t from = e->access[k].addr, to = from + e->access[k].bytes;
        for (uint64_t addr = from & ~UINT64_C(3); addr < to; addr += 4) {
            karat_word *w = find_word(c->order, place_of(c, s, f, addr));
            if (!w || !w->serial || !part_of(&e->access[k], addr, &part))
                continue;
            w->serial->lost |= f->tainted != 0;
            if (!issue_access(c, w, &part))
                return false;
        }
    }
    return true;
}

/* --- The host --- */

/* The part of a host's write in a word that atomics use. */
static void host_writes_word(karat_checker *c, karat_word *w, const serial_access *write,
                             const uint8_t *bytes, uint64_t addr, uint32_t size) {
    serial_access part = *write;
    for (uint32_t b = 0; b < 4; b++)
        if (w->at.addr + b - addr < size) {
            part.mask |= 0xffu << 8 * b;
            part.operand |= (uint32_t)bytes[w->at.addr + b - addr] << 8 * b;
        }
    w->value = (w->value & ~part.mask) | part.operand;
    if (w->serial && part.mask && !issue_access(c, w, &part))
        w->serial->lost = true;
}

void karat_order_host(karat_checker *c, uint64_t addr, const uint8_t *bytes, uint32_t size) {
    karat_order *o = c->order;
    if (!c->kernel_seen)
        return;
    const karat_moment at = {HOST, 0, ++o->steps};
    const bool logged = size <= o->room_access; /* else a kernel is laid out: nothing is under way */
    const serial_access write = {
        .kind = SERIAL_STORE, .silent = true, .at = at, .cycle = c->cycle, .logged = logged ? o->num + 1 : 0};
    karat_logged *e = logged ? new_entry(o) : NULL;
    if (e)
        *e = (karat_logged){.at = at, .cycle = c->cycle, .num = size, .low = addr, .high = addr + size};
    else
        o->first = o->num;
    for (uint32_t k = 0; e && k < size; k++) {
        uint8_t old = 0;
        karat_read(c->model, addr + k, &old, 1);
        e->access[k] = (written){addr + k, o->performed + 1, 0, old, bytes[k], 1, 0};
    }
    if (e)
        e->begun = ++o->performed;
    for (uint32_t i = 0; i < o->room && o->used; i++)
        if (o->words[i].used && !o->words[i].at.lds)
            host_writes_word(c, &o->words[i], &write, bytes, addr, size);
}

/* --- Steps --- */

bool karat_order_step(karat_checker *c, slot *s, flight *f) {
    karat_order *o = c->order;
    const karat_commit *m = &f->commit;
    f->serial = f->reordered = f->sc_said = false;
    f->at = (karat_moment){s->workgroup * c->kernel.wg_size + s->warp, s->barriers, ++o->steps};
    f->logged = 0;
    s->barriers += m->barrier != 0;
    if (m->row == c->fence_row) {
        s->fence = (karat_fence){f->at, m->pc, m->word};
        const uint32_t num = s->num_acquired < KARAT_NUM_ACQUIRED ? s->num_acquired : KARAT_NUM_ACQUIRED;
        for (uint32_t i = 0; i < num; i++)
            add_edge(o, &s->acquired[i], &f->at);
        s->num_acquired = 0;
    }
    if (!m->has_mem)
        return true;
    memset(f->performed, 0, m->mem.num * sizeof *f->performed);
    f->fence = s->fence;
    if (karat_row_info(m->row)->unit == KARAT_UNIT_AMO) {
        place p = word_at(place_of(c, s, f, m->mem.access[0].addr));
        if (2 * ++o->used > o->room && !grow(o))
            return false;
        karat_word *w = bucket(o, &p);
        if (w->used) {
            o->used--;
        } else {
            *w = (karat_word){.at = p, .used = true};
            uint32_t h = hash_of(&p) >> 20;
            o->filter[h / 64] |= UINT64_C(1) << h % 64;
            if (!in_order_of_performance(c) && !begin_serial(c, f, w))
                return false;
            if (m->mem.op != KARAT_LOAD && m->mem.num)
                log_write(c, f); /* before: the model has performed it already */
            w->value = performed_word(c, p);
        }
        if (m->mem.op == KARAT_LOAD)
            s->reservation = (karat_reservation){p.addr, f->seq, 0, true};
        f->reserved_by = 0;
        if (is_sc(m)) {
            if (s->reservation.holds && s->reservation.addr == p.addr)
                f->reserved_by = 1 + s->reservation.seq;
            s->reservation.holds = false;
        }
        if (m->mem.op != KARAT_LOAD && m->mem.num && !f->logged)
            log_write(c, f);
        return !w->serial || enter_atomic(c, f, w);
    }
    if (m->mem.op != KARAT_LOAD && m->mem.num) {
        log_write(c, f);
        if (o->used && !in_order_of_performance(c))
            return enter_store(c, s, f);
    }
    return true;
}

/* --- What was performed --- */

void karat_order_mem(karat_checker *c) {
    c->order->performed++;
}

/* What a younger write than that of number n has left of a byte that the older one writes when it is performed. */
typedef struct overtaking {
    const karat_logged *by; /* which was performed already; NULL: none */
    bool pending;           /* one has not been */
} overtaking;

/* Writes to a byte behind access k of that entry in the order of issue. */
static overtaking overtakers(const karat_checker *c, const karat_logged *e, uint64_t n, uint32_t k, place p) {
    const karat_order *o = c->order;
    overtaking found = {NULL, false};
    for (uint32_t first = k + 1; n < o->num; n++, first = 0) {
        const karat_logged *y = entry(o, n);
        if (!touches(c, y, &p, 1))
            continue;
        for (uint32_t i = first; i < y->num; i++) {
            const written *a = &y->access[i];
            if (p.addr - a->addr >= a->bytes)
                continue;
            if (!a->performed)
                found.pending = true;
            else if (!found.by && (y != e || a->performed < e->access[k].performed))
                found.by = y;
        }
    }
    return found;
}

/* Whether another write may have been performed to a place of that entry since it was issued. */
static bool may_be_overtaken(const karat_order *o, const karat_logged *e, uint64_t n) {
    if (e->begun != o->performed)
        return true; /* in several pieces */
    for (uint64_t y = n + 1; y < o->num; y++)
        if (entry(o, y)->low < e->high && e->low < entry(o, y)->high)
            return true;
    return false;
}

/* A store is performed. Where a younger one of the same byte was before it, the program may not have ordered the two, and
 * memory keeps this one's value. True after a failure. */
static bool check_overtaken(karat_checker *c, slot *s, flight *f, const karat_logged *e, uint32_t k,
                            const void *r) {
    const written *a = &e->access[k];
    const uint64_t n = f->logged - 1;
    for (unsigned i = 0; i < a->bytes; i++) {
        place p = place_of(c, s, f, a->addr + i);
        overtaking found = overtakers(c, e, n, k, p);
        if (!found.by)
            continue;
        const bool lanes = found.by == e;
        if (found.by->at.uid != HOST && (lanes ? ascending(c) : before(c, &e->at, &found.by->at))) {
            char insn[96];
            karat_disassemble(c->config.model.profile, found.by->pc, found.by->prefix, found.by->word, insn,
                              sizeof insn);
            return karat_fail(
                c, FAIL_MEM_ORDER, s, f, r,
                "lane %u byte 0x%08" PRIx64 ": performed after %sworkgroup %" PRIu32 " warp %" PRIu32
                " seq %" PRIu32 " 0x%08" PRIx32 " %s, which the program orders behind it",
                a->lane, p.addr, lanes ? "a higher lane of " : "", found.by->at.uid / c->kernel.wg_size,
                found.by->at.uid % c->kernel.wg_size, found.by->seq, found.by->pc, insn);
        }
        c->counts.lane_race += lanes && i == 0;
        if (!found.pending && !is_over(s, f, &p)) {
            const uint8_t byte = (uint8_t)(a->value >> 8 * i);
            write_model(c, &p, &byte, 1);
        }
    }
    return false;
}

/* Bits of a FENCE's sets that an access belongs to. */
static uint32_t fenced_as(const karat_commit *m) {
    const uint32_t read = 2, write = 1;
    return m->mem.op == KARAT_LOAD ? read : m->mem.op == KARAT_STORE ? write : read | write;
}

/* An access is performed: all that a FENCE of its warp orders before it has been. True after a failure. */
static bool check_fence(karat_checker *c, slot *s, const flight *f, const void *r) {
    const uint32_t mode = f->fence.word >> 28, before = f->fence.word >> 24 & 15,
                   behind = f->fence.word >> 20 & 15;
    if (mode || !(fenced_as(&f->commit) & behind))
        return false;
    for (const flight *g = s->oldest; g && g != f; g = g->next)
        if (g->epoch == f->epoch && g->at.step < f->fence.at.step && g->mem_bytes &&
            fenced_as(&g->commit) & before) {
            char insn[96];
            karat_disassemble(c->config.model.profile, g->commit.pc, g->commit.prefix, g->commit.word, insn,
                              sizeof insn);
            return karat_fail(c, FAIL_MEM_ORDER, s, f, r,
                              "performed before seq %" PRIu32 " 0x%08" PRIx32
                              " %s, which the FENCE at 0x%08" PRIx32 " puts before it",
                              g->seq, g->commit.pc, insn, f->fence.pc);
        }
    return false;
}

/* The word of an atomic instruction, where the access is to one: what memory holds from now on. */
static void perform_word(karat_checker *c, slot *s, flight *f, const karat_access *a) {
    karat_order *o = c->order;
    place p = place_of(c, s, f, a->addr);
    karat_word *w = is_over(s, f, &p) ? NULL : find_word(o, p);
    if (!w)
        return;
    if (f->commit.mem.op == KARAT_LOAD) {
        acquire(c, s, f, w);
        if (f->commit.mem.amo == KARAT_AMO_LR && s->reservation.seq == f->seq)
            s->reservation.performed = o->performed;
        return;
    }
    if (f->commit.mem.op == KARAT_AMO)
        acquire(c, s, f, w);
    unsigned shift = 8 * (unsigned)(a->addr - w->at.addr);
    uint32_t mask = (a->bytes == 4 ? 0xffffffffu : (1u << 8 * a->bytes) - 1) << shift;
    w->value = (w->value & ~mask) | (a->value << shift & mask);
    if (w->writer != f->at.uid)
        w->written_by_others = w->written;
    w->writer = f->at.uid;
    w->written = o->performed;
    release(c, w, f);
    follow(c, w);
}

bool karat_order_performed(karat_checker *c, slot *s, flight *f, uint64_t accesses, const karat_rec_mem *r) {
    karat_order *o = c->order;
    karat_logged *e = entry_of(o, f);
    for (uint64_t m = accesses; m; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(m);
        f->performed[k] = o->performed;
        if (e) {
            e->left -= !e->access[k].performed;
            e->access[k].performed = o->performed;
        }
    }
    if (e && !e->begun)
        e->begun = o->performed;
    if (!in_order_of_performance(c))
        return false;
    if (f->fence.at.step && check_fence(c, s, f, r))
        return true;
    if (e && !e->atomic && may_be_overtaken(o, e, f->logged - 1))
        for (uint64_t m = accesses; m; m &= m - 1)
            if (check_overtaken(c, s, f, e, (uint32_t)__builtin_ctzll(m), r))
                return true;
    for (uint64_t m = o->used ? accesses : 0; m; m &= m - 1)
        perform_word(c, s, f, &f->commit.mem.access[__builtin_ctzll(m)]);
    return false;
}

/* Take another old value for the result. */
static void take_result(karat_checker *c, slot *s, flight *f, uint32_t value) {
    if (!f->commit.num_writes || f->commit.write[0].value[0] == value)
        return;
    uint32_t lanes[KARAT_MAX_THREAD] = {value};
    f->commit.write[0].value[0] = value;
    karat_believe(c, s, f, KARAT_CLASS_X, f->commit.write[0].reg, 1, lanes);
}

/* The core's SC has stored. */
static bool check_sc(karat_checker *c, slot *s, flight *f, const karat_word *w, uint32_t operand,
                     const void *r) {
    karat_mem *m = &f->commit.mem;
    const karat_reservation *lr = f->reserved_by == 1 + s->reservation.seq ? &s->reservation : NULL;
    bool broken =
        in_order_of_performance(c) && lr && lr->performed && lr->performed < written_by_others(w, f->at.uid);
    if (!f->reserved_by || broken)
        return karat_fail(c, FAIL_MEM_UNEXPECTED, s, f, r, "the SC has stored; %s",
                          broken ? "another warp has written that word since its LR"
                                 : "the warp has no reservation on that word");
    if (m->succeeded)
        return false;
    m->succeeded = 1;
    m->num = 1;
    m->access[0].value = operand;
    read_model(c, &w->at, &m->access[0].old, 4);
    if (karat_gives(c, KARAT_REC_MEM)) {
        f->mem_left[0] = 15;
        f->mem_bytes = 4;
    }
    log_write(c, f);
    write_model(c, &w->at, &operand, 4);
    take_result(c, s, f, 0);
    c->counts.reordered++;
    return false;
}

/* --- Answers of words whose order MEM does not tell --- */

static void list_accesses(const karat_checker *c, const karat_serial *s, char *text, size_t size) {
    enum { SHOWN = 6 };
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < s->num && used < size; i++) {
        const serial_access *a = &s->at[i];
        char insn[96], old[32] = "", value[32] = "";
        if (i == SHOWN) {
            snprintf(text + used, size - used, "\n    and %" PRIu32 " more", s->num - SHOWN);
            return;
        }
        if (a->at.uid == HOST) {
            int n = snprintf(text + used, size - used, "\n    the host, in cycle %" PRIu64, a->cycle);
            used += n > 0 ? (size_t)n : 0;
            continue;
        }
        karat_disassemble(c->config.model.profile, a->pc, a->prefix, a->word, insn, sizeof insn);
        if (a->knows_old)
            snprintf(old, sizeof old, ", returned %08" PRIx32, a->old);
        if (a->knows == 0xffffffffu)
            snprintf(value, sizeof value, ", wrote %08" PRIx32, a->value);
        int n = snprintf(text + used, size - used,
                         "\n    workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32
                         " %s, issued in cycle %" PRIu64 "%s%s",
                         a->at.uid / c->kernel.wg_size, a->at.uid % c->kernel.wg_size, a->seq, a->pc, insn,
                         a->cycle, old, value);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* The model's memory follows the order that was found. */
static void follow_serial(karat_checker *c, const karat_word *w) {
    log_settled(c->order, w);
    uint32_t value = karat_serial_final(w->serial), model = 0;
    read_model(c, &w->at, &model, 4);
    if (model != value)
        write_model(c, &w->at, &value, 4);
}

void karat_unjudged(karat_checker *c, const slot *s, const flight *f, const char *why) {
    if (!c->counts.unjudged++)
        snprintf(c->unjudged, sizeof c->unjudged,
                 "workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " at 0x%08" PRIx32 ": %s",
                 s->workgroup, s->warp, f->seq, f->commit.pc, why);
}

/* What the search says to an answer of f; after: what the word then holds.  True after a failure. */
static bool judge_answer(karat_checker *c, const slot *s, const flight *f, karat_word *w, serial_answer found,
                         failure_kind kind, const void *r, uint32_t told, uint32_t after) {
    if (found == SERIAL_NONE) {
        char text[1600];
        list_accesses(c, w->serial, text, sizeof text);
        return karat_fail(c, kind, s, f, r,
                          "%s %08" PRIx32 ": no order of the accesses to 0x%08" PRIx64
                          ", which held %08" PRIx32 " before them, gives that; considered:%s",
                          kind == FAIL_WRITE_VALUE ? "it returned" : "it wrote", told, w->at.addr,
                          w->serial->value, text);
    }
    if (found == SERIAL_UNKNOWN) {
        karat_unjudged(c, s, f, "too many accesses of other warps to that word are under way");
        karat_serial_restart(w->serial, after);
    }
    follow_serial(c, w);
    return false;
}

static void count_reordered(karat_checker *c, flight *f) {
    c->counts.reordered += !f->reordered;
    f->reordered = true;
}

/* What it has written is known now. */
static void take_access(karat_checker *c, flight *f, uint32_t value) {
    karat_logged *e = entry_of(c->order, f);
    if (f->commit.mem.access[0].value != value)
        count_reordered(c, f);
    f->commit.mem.access[0].value = value;
    if (e)
        e->access[0].value = value;
}

/* An SC says that it has stored. */
static bool sc_stored(karat_checker *c, slot *s, flight *f, karat_word *w, const void *r) {
    const uint32_t operand = operand_of(f);
    if (check_sc(c, s, f, w, operand, r))
        return true;
    if (f->sc_said)
        return false;
    f->sc_said = true;
    serial_access *a = karat_serial_find(w->serial, &f->at);
    if (!a && w->serial->guessed)
        return judge_answer(c, s, f, w, SERIAL_UNKNOWN, FAIL_MEM_UNEXPECTED, r, operand, operand);
    if (!a)
        return karat_fail(c, FAIL_MEM_UNEXPECTED, s, f, r,
                          "the SC has stored; another warp has written that word since its LR");
    return judge_answer(c, s, f, w,
                        karat_serial_wrote(w->serial, c->order->search, a, operand, 0xffffffffu, true),
                        FAIL_MEM_UNEXPECTED, r, operand, operand);
}

/* The word of f, where its order is searched. */
static karat_word *serial_word(const karat_checker *c, const slot *s, const flight *f) {
    if (!f->serial)
        return NULL;
    place p = word_at(place_of(c, s, f, f->commit.mem.access[0].addr));
    karat_word *w = is_over(s, f, &p) ? NULL : find_word(c->order, p);
    return w && w->serial ? w : NULL;
}

bool karat_order_returned(karat_checker *c, slot *s, flight *f, const karat_rec_write *r) {
    karat_word *w = serial_word(c, s, f);
    const karat_reg_write *to = &f->commit.write[0];
    if (!w || r->cls != KARAT_X || r->regno != to->reg || !f->owes_write[0])
        return false;
    const uint32_t value = r->data[0];
    karat_mem *m = &f->commit.mem;
    serial_access *a = karat_serial_find(w->serial, &f->at);
    if (is_sc(&f->commit)) {
        if (value == 0)
            return sc_stored(c, s, f, w, r);
        if (value == 1 && a)
            karat_serial_failed(w->serial, a);
        return false;
    }
    const bool load = m->op == KARAT_LOAD, final = load || !f->mem_bytes;
    const uint32_t after = load ? value : karat_amo_result(m->amo, value, operand_of(f));
    serial_answer found = SERIAL_UNKNOWN;
    if (a)
        found = karat_serial_returned(w->serial, c->order->search, a, value, final);
    if (found == SERIAL_NONE && w->serial->num == 1 && to->value[0] != value)
        return false; /* nobody else is there: no order to speak of */
    if (judge_answer(c, s, f, w, found, FAIL_WRITE_VALUE, r, value, after))
        return karat_fail_lanes(c, KARAT_CLASS_X, to->reg, 1);
    if (to->value[0] != value)
        count_reordered(c, f);
    if (!load)
        take_access(c, f, after);
    m->old = value;
    take_result(c, s, f, value);
    return false;
}

/* An AMO says what it has written, some bytes of it, or, without data, that it was performed. */
static bool amo_stored(karat_checker *c, slot *s, flight *f, karat_word *w, const karat_rec_mem *r) {
    const karat_access *m = &f->commit.mem.access[0];
    const uint32_t lane = m->lane;
    const uint64_t from = (uint64_t)r->addr_hi << 32 | r->addr[lane];
    serial_access *a = karat_serial_find(w->serial, &f->at);
    uint32_t bits = 0, value = 0, after = m->value;
    for (uint32_t i = 0; i < 4 && r->mask >> lane & 1; i++)
        if (r->bytes[lane / 2] >> (lane % 2 * 4 + i) & 1 && from + i - m->addr < 4) {
            const unsigned shift = 8 * (unsigned)(from + i - m->addr);
            bits |= 0xffu << shift;
            value |= (r->data[lane] >> 8 * i & 0xff) << shift;
        }
    if (!a || !bits)
        return false;
    bool whole = true; /* with this piece all was said */
    for (uint32_t i = 0; i < 4; i++)
        whole &= bits >> 8 * i & 1 || !(f->mem_left[0] >> i & 1);
    const bool final = whole && !karat_flight_owes_write(f);
    if (r->no_data) {
        a->silent |= final;
        return false;
    }
    after = (after & ~bits) | value;
    serial_answer found = karat_serial_wrote(w->serial, c->order->search, a, value, bits, final);
    if (found == SERIAL_NONE && w->serial->num == 1 && m->value != after)
        return false;
    if (judge_answer(c, s, f, w, found, FAIL_MEM_DATA, r, after, after))
        return true;
    take_access(c, f, after);
    return false;
}

bool karat_order_atomic(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r) {
    karat_mem *m = &f->commit.mem;
    karat_word *searched = serial_word(c, s, f);
    if (searched)
        return is_sc(&f->commit) ? sc_stored(c, s, f, searched, r) : amo_stored(c, s, f, searched, r);
    place p = place_of(c, s, f, m->access[0].addr);
    karat_word *w = is_over(s, f, &p) ? NULL : find_word(c->order, p);
    if (!w)
        return false;
    const uint32_t operand = operand_of(f);
    if (is_sc(&f->commit))
        return check_sc(c, s, f, w, operand, r);
    const uint32_t value = karat_amo_result(m->amo, w->value, operand);
    if (!in_order_of_performance(c) || (m->old == w->value && m->access[0].value == value))
        return false;
    m->old = w->value;
    m->access[0].value = value;
    karat_logged *e = entry_of(c->order, f);
    if (e)
        e->access[0].value = value;
    take_result(c, s, f, w->value);
    c->counts.reordered++;
    return false;
}

bool karat_order_may_store(const karat_checker *c, const flight *f) {
    return f->commit.has_mem && is_sc(&f->commit) && !f->commit.mem.succeeded && f->reserved_by &&
           !f->commit.num_writes && karat_gives(c, KARAT_REC_MEM);
}

/* The write of an SC never was: the model's next one to each of its bytes has found what this one did. */
static void forget_write(karat_checker *c, const flight *f, place p) {
    karat_order *o = c->order;
    karat_logged *e = entry_of(o, f);
    if (!e)
        return;
    e->gone = true;
    for (uint32_t i = 0; i < 4; i++, p.addr++) {
        bool found = false;
        for (uint64_t n = f->logged; n < o->num && !found; n++) {
            karat_logged *later = entry(o, n);
            for (uint32_t k = 0; k < later->num && !found && touches(c, later, &p, 1); k++) {
                written *a = &later->access[k];
                found = p.addr - a->addr < a->bytes;
                if (!found)
                    continue;
                const unsigned to = 8 * (unsigned)(p.addr - a->addr);
                a->old = (a->old & ~(0xffu << to)) | (e->access[0].old >> 8 * i & 0xff) << to;
            }
        }
    }
}

bool karat_order_sc_failed(karat_checker *c, slot *s, flight *f) {
    karat_mem *m = &f->commit.mem;
    if (!f->commit.has_mem || !is_sc(&f->commit) || !m->succeeded ||
        (karat_gives(c, KARAT_REC_MEM) && f->mem_left[0] != 15))
        return false;
    place p = word_at(place_of(c, s, f, m->access[0].addr));
    karat_word *w = is_over(s, f, &p) ? NULL : find_word(c->order, p);
    forget_write(c, f, p);
    m->succeeded = 0;
    m->num = 0;
    f->mem_left[0] = 0;
    f->mem_bytes = 0;
    if (w && w->serial) {
        serial_access *a = karat_serial_find(w->serial, &f->at);
        if (a)
            karat_serial_failed(w->serial, a);
        follow_serial(c, w);
    } else if (w) {
        follow(c, w);
    }
    take_result(c, s, f, 1);
    c->counts.sc_failed++;
    return true;
}

bool karat_order_sc_given_up(karat_checker *c, slot *s, flight *f) {
    if (f->commit.num_writes || !karat_order_sc_failed(c, s, f))
        return false;
    karat_flight_settle(c, s, f);
    return true;
}

/* --- Loads --- */

static void describe(const karat_checker *c, const candidate *w, const char *why, char *text, size_t size) {
    size_t used = strlen(text);
    if (used + 1 >= size)
        return;
    text += used;
    size -= used;
    if (!w->entry) {
        snprintf(text, size, "\n    %02x  there before; %s", w->value, why);
        return;
    }
    const karat_logged *e = w->entry;
    if (e->at.uid == HOST) {
        snprintf(text, size, "\n    %02x  the host, in cycle %" PRIu64 "; %s", w->value, e->cycle, why);
        return;
    }
    char insn[96], when[48] = "not performed yet";
    karat_disassemble(c->config.model.profile, e->pc, e->prefix, e->word, insn, sizeof insn);
    if (w->access->performed)
        snprintf(when, sizeof when, "performed as MEM %" PRIu64, w->access->performed);
    snprintf(text, size,
             "\n    %02x  workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32
             " %s, issued in cycle %" PRIu64 ", %s; %s",
             w->value, e->at.uid / c->kernel.wg_size, e->at.uid % c->kernel.wg_size, e->seq, e->pc, insn,
             e->cycle, when, why);
}

/* Whether one write is ordered before another. */
static bool is_older(const karat_checker *c, const candidate *a, const candidate *b) {
    if (!a->entry)
        return true;
    if (a->entry == b->entry)
        return ascending(c) && a->access < b->access;
    if (a->access->settled)
        return !b->access->settled || a->access->settled < b->access->settled;
    return before(c, &a->entry->at, &b->entry->at);
}

/* An SC that was not performed yet hides nothing: it may fail. */
static bool may_fail(const candidate *w) {
    return w->entry->atomic && w->entry->amo == KARAT_AMO_SC && !w->access->performed;
}

/* Why a load may not return that write; NULL: it may. */
static const char *refuse(const karat_checker *c, const karat_moment *load, const candidate *found,
                          uint32_t num, uint32_t i, uint32_t last) {
    const candidate *w = &found[i];
    if (w->entry && before(c, load, &w->entry->at))
        return "ordered behind the load";
    for (uint32_t k = 0; k < num - 1; k++)
        if (k != i && !may_fail(&found[k]) && is_older(c, w, &found[k]) &&
            before(c, &found[k].entry->at, load))
            return "hidden by a later one that is ordered before the load";
    if (last != UINT32_MAX && i != last &&
        !(w->access && found[last].access && w->access->performed == found[last].access->performed))
        return w->access && !w->access->performed ? "not there yet" : "not the last before the load";
    return NULL;
}

/* Whether another lane of the same store writes that byte as well. */
static bool is_of_lanes(const candidate *found, uint32_t num, uint32_t i) {
    for (uint32_t k = 0; k < num; k++)
        if (k != i && found[i].entry && found[k].entry == found[i].entry)
            return true;
    return false;
}

/* Whether a load may have got that byte. */
static bool is_legal(karat_checker *c, const slot *s, const flight *f, place p, uint64_t performed,
                     uint8_t value, char *text, size_t size) {
    candidate found[MAX_CANDIDATE];
    const uint32_t num = candidates(c, p, found);
    uint32_t last = UINT32_MAX;
    if (in_order_of_performance(c) && performed)
        last = last_performed(found, num, performed);
    const karat_word *w = in_order_of_performance(c) ? NULL : find_word(c->order, p);
    for (uint32_t i = 0; i < num; i++) {
        bool open = w && w->serial && found[i].entry && karat_serial_find(w->serial, &found[i].entry->at);
        if (!open && found[i].value == value && !refuse(c, &f->at, found, num, i, last)) {
            c->lane_raced = is_of_lanes(found, num, i);
            return true;
        }
    }
    if (w && w->serial) {
        const unsigned shift = 8 * (unsigned)(p.addr & 3);
        serial_answer found = karat_serial_loaded(w->serial, c->order->search, &f->at, 0xffu << shift,
                                                  (uint32_t)value << shift, is_before, c);
        c->lane_raced = false;
        if (found == SERIAL_UNKNOWN)
            karat_unjudged(c, s, f, "too many accesses of other warps to a word that it loads are under way");
        if (found != SERIAL_NONE)
            return true;
    }
    if (num == 1)
        return false; /* nobody else writes there: no order to speak of */
    size_t used = strlen(text);
    snprintf(text + used, size - used, "\n  byte 0x%08" PRIx64 ": %02x in the core; considered:", p.addr,
             value);
    for (uint32_t i = 0; i < num && i < NUM_SHOWN; i++) {
        const char *why = refuse(c, &f->at, found, num, i, last);
        describe(c, &found[i], why ? why : "legal", text, size);
    }
    return false;
}

static void note_unjudged(karat_checker *c, uint64_t addr, const char *why) {
    if (!c->counts.unjudged++)
        snprintf(c->unjudged, sizeof c->unjudged, "memory at 0x%08" PRIx64 ": %s", addr, why);
}

bool karat_order_left(karat_checker *c, uint64_t addr, uint8_t value, char *text, size_t size) {
    const place p = {.addr = addr};
    karat_order *o = c->order;
    candidate found[MAX_CANDIDATE];
    const uint32_t num = candidates(c, p, found);
    const uint32_t last = in_order_of_performance(c) ? last_performed(found, num, UINT64_MAX) : UINT32_MAX;
    const karat_moment end = {HOST, 0, o->steps + 1};
    const karat_word *w = find_word(o, p);
    text[0] = 0;
    c->lane_raced = false;
    if (w && w->serial) {
        const unsigned shift = 8 * (unsigned)(addr & 3);
        serial_answer left =
            karat_serial_left(w->serial, o->search, 0xffu << shift, (uint32_t)value << shift);
        if (left == SERIAL_UNKNOWN)
            note_unjudged(c, addr, "too many accesses of several warps to that word");
        if (left != SERIAL_NONE)
            return true;
    } else {
        for (uint32_t i = 0; i < num; i++)
            if (found[i].value == value && !refuse(c, &end, found, num, i, last)) {
                c->lane_raced = is_of_lanes(found, num, i);
                return true;
            }
    }
    if (!in_order_of_performance(c) && o->first > o->kernel) {
        note_unjudged(c, addr, "stores of several warps to it may be forgotten");
        return true;
    }
    text[0] = 0;
    if (num > 1) {
        snprintf(text, size, "; written in the model:");
        describe(c, &found[0], "the last", text, size);
    }
    return false;
}

bool karat_order_before(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    return before(c, a, b);
}

uint64_t karat_order_horizon(const karat_checker *c) {
    return c->order->horizon;
}

bool karat_order_is_atomic(const karat_checker *c, const slot *s, const flight *f, uint64_t addr) {
    return find_word(c->order, place_of(c, s, f, addr)) != NULL;
}

uint32_t karat_order_loaded(karat_checker *c, slot *s, flight *f, uint32_t i, uint32_t lanes,
                            const uint32_t *value, char *text, size_t size) {
    karat_mem *m = &f->commit.mem;
    karat_reg_write *w = &f->commit.write[i];
    uint32_t legal = 0;
    text[0] = 0;
    if (!f->commit.has_mem || m->op != KARAT_LOAD)
        return 0;
    bool group = f->commit.num_writes > 1;
    for (uint32_t k = 0; k < m->num; k++)
        group |= m->access[k].reg;
    const unsigned part = group ? w->reg & 1 : 0;
    for (uint32_t k = 0; k < m->num; k++) {
        karat_access *a = &m->access[k];
        if (!(lanes >> a->lane & 1) || a->reg != part)
            continue;
        const unsigned unused = 32 - 8 * a->bytes;
        uint32_t got = value[a->lane] << unused >> unused;
        uint32_t extended = m->sign_extends && unused ? (uint32_t)((int32_t)(got << unused) >> unused) : got;
        bool good = extended == value[a->lane];
        for (unsigned b = 0; b < a->bytes && good; b++)
            if ((got ^ a->value) >> 8 * b & 0xff)
                good = is_legal(c, s, f, place_of(c, s, f, a->addr + b), f->performed[k],
                                (uint8_t)(got >> 8 * b), text, size);
        if (!good)
            break;
        a->value = got;
        w->value[a->lane] = value[a->lane];
        legal |= 1u << a->lane;
    }
    return legal;
}
