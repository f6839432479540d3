/* What loads and atomics may see where warps race.
 *
 * The model performs every access when its instruction is issued; a core performs it later, and the accesses
 * of different warps in another order.  Where a program orders them (design page, "Loads": program order of a
 * warp, barriers, a release before the acquire that reads its value) both orders give the same values, and
 * everything is compared exactly.  Where it does not, the core's order is one of several that are legal:
 *
 *  1. Every write is entered in a log when it is issued, with the bytes that memory held in the model, and gets a
 *     number when a MEM record says that it was performed.
 *  2. A load whose WRITE differs from the model's value, or that other writes were under way with, is looked at byte
 *     by byte.  Legal is a write W of the log, or what was there before all of them, unless the load is ordered before
 *     W, or another write that is ordered between W and the load hides it.  Where MEM comes in the order of performance
 *     and caches are coherent, W has to be the last that was performed before the load as well, or a store of the
 *     load's own warp that is forwarded to it: one value, not one of several.
 *  3. The word of an atomic instruction is kept from then on as memory holds it in that order (karat_word). The
 *     atomic is computed again from that when it is performed, so its old value and what it writes are exact, and
 *     the model's memory follows.  SC succeeds exactly where no other warp's write was performed since its LR;
 *     its failure is always legal.
 *     Where MEM's order does not tell, an order of the accesses to that word is searched that gives every value which
 *     was returned (searched.c).
 *
 * Why 2 cries wolf never: an order of all accesses that the program allows gives each byte of a load the value of
 * the last write before it in that order, and no write that is ordered behind the load or hidden from it can be
 * that.  What the log has forgotten (forgotten.c), or an edge of the order that is not seen, only makes more writes
 * legal, where MEM's order does not tell. */
#include "order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NUM_SHOWN 4 /* writes that a report names */

karat_order *karat_order_create(uint32_t num_thread) {
    karat_order *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->room_access = 2 * num_thread;
    o->stride = sizeof(karat_logged) + o->room_access * sizeof(written);
    o->log = malloc(NUM_LOG * o->stride);
    o->read = malloc(NUM_READ * o->stride);
    o->found = malloc((NUM_LOG * o->room_access + 1) * sizeof *o->found);
    o->hiding = malloc(NUM_LOG * o->room_access * sizeof *o->hiding);
    o->room = 256;
    o->words = calloc(o->room, sizeof *o->words);
    if (!o->log || !o->read || !o->found || !o->hiding || !o->words) {
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
    free(o->read);
    free(o->found);
    free(o->hiding);
    free(o->words);
    free(o->forgotten);
    free(o);
}

static bool is_performed(const karat_logged *e) {
    for (uint32_t k = 0; k < e->num && !e->gone; k++)
        if (!e->access[k].performed)
            return false;
    return true;
}

/* Where a load's value is one alone, and all has been performed, memory tells it. */
static bool is_told(const karat_checker *c, const karat_logged *e) {
    return has_one_value(c) && ascending(c) && is_performed(e);
}

void karat_order_forget(karat_checker *c, uint64_t first) {
    karat_order *o = c->order;
    for (; o->first < first; o->first++)
        if (!is_told(c, entry(o, o->first)))
            karat_log_forget(c, entry(o, o->first));
}

void karat_order_kernel(karat_checker *c, bool known) {
    karat_order *o = c->order;
    karat_order_forget(c, o->num);
    karat_forgotten_kernel(o, known);
    drop_serials(o);
    o->num_edges = 0;
    memset(o->last_edge, 0, sizeof o->last_edge);
    memset(o->words, 0, o->room * sizeof *o->words);
    o->used = 0;
    o->num_read = 0;
}

/* --- Words of atomics --- */

static karat_word *bucket(const karat_order *o, const place *p) {
    uint32_t i = hash_of_place(p) & (o->room - 1);
    while (o->words[i].used && (o->words[i].at.addr != p->addr || o->words[i].at.lds != p->lds))
        i = (i + 1) & (o->room - 1);
    return &o->words[i];
}

karat_word *karat_order_find_word(const karat_order *o, place p) {
    p = word_at(p);
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

void karat_order_read(const karat_checker *c, const place *p, void *bytes, size_t size) {
    if (p->lds)
        karat_lds_read(c->model, p->group, p->addr, bytes, size);
    else
        karat_read(c->model, p->addr, bytes, size);
}

void karat_order_write(karat_checker *c, const place *p, const void *bytes, size_t size) {
    if (p->lds)
        karat_lds_write(c->model, p->group, p->addr, bytes, size);
    else
        karat_write(c->model, p->addr, bytes, size);
}

/* The writes to a byte, the newest first, and behind them what was there before: in o->found. */
static uint32_t candidates(const karat_checker *c, place p) {
    const karat_order *o = c->order;
    candidate *found = o->found;
    uint32_t num = 0;
    uint8_t before = 0;
    bool unwritten = true; /* what memory holds is what was there before */
    for (uint64_t n = o->num; n > o->first; n--) {
        const karat_logged *e = entry(o, n - 1);
        if (!reaches(c, e, &p, 1))
            continue;
        for (uint32_t k = e->num; k > 0; k--) {
            const written *a = &e->access[k - 1];
            if (p.addr - a->addr >= a->bytes)
                continue;
            unsigned shift = 8 * (unsigned)(p.addr - a->addr);
            before = (uint8_t)(a->old >> shift);
            unwritten = false;
            if (!e->gone)
                found[num++] = (candidate){e, a, (uint8_t)(a->value >> shift)};
        }
    }
    if (unwritten)
        karat_order_read(c, &p, &before, 1);
    found[num++] = (candidate){NULL, NULL, before};
    return num;
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
        const candidate *found = c->order->found;
        const uint32_t num = candidates(c, p);
        value |= (uint32_t)found[last_performed(found, num, UINT64_MAX)].value << 8 * i;
    }
    return value;
}

/* When somebody else than that warp wrote the word last. */
static uint64_t written_by_others(const karat_word *w, uint32_t uid) {
    return w->writer == uid ? w->written_by_others : w->written;
}

karat_reservation *karat_order_reservation(const slot *s, uint32_t reserved_by) {
    for (uint32_t i = 0; i < KARAT_NUM_RESERVATION;
         i++) /* the last ones say seq 0 where there are none yet */
        if (s->reservation[i].seq + 1 == reserved_by)
            return (karat_reservation *)&s->reservation[i];
    return NULL;
}

/* An SC that was not performed yet and cannot store any more: since its LR another warp has written the word. */
static bool is_doomed(const karat_checker *c, const karat_word *w, const karat_logged *e) {
    if (!e->atomic)
        return false; /* of AMOs no LR is remembered */
    for (uint32_t i = 0; i < c->num_slots; i++) {
        const slot *s = &c->slots[i];
        if (!s->live || s->workgroup * c->kernel.wg_size + s->warp != e->at.uid)
            continue;
        const karat_reservation *lr = karat_order_reservation(s, e->reserved_by);
        return lr && lr->performed && lr->performed < written_by_others(w, e->at.uid);
    }
    return false;
}

/* The first entry that may not have been performed. */
static uint64_t first_pending(karat_order *o) {
    o->pending = o->pending < o->first ? o->first : o->pending;
    while (o->pending < o->num && is_performed(entry(o, o->pending)))
        o->pending++;
    return o->pending;
}

/* The word as the core will hold it when all that was issued is performed: the model's from now on. */
static void follow(karat_checker *c, const karat_word *w) {
    karat_order *o = c->order;
    uint32_t value = w->value, model = 0;
    for (uint64_t n = first_pending(o); n < o->num; n++) {
        const karat_logged *e = entry(o, n);
        if (!touches(c, e, &w->at, 4) || is_doomed(c, w, e))
            continue;
        for (uint32_t k = 0; k < e->num; k++) {
            const written *a = &e->access[k];
            if (a->performed || !is_of_word(a, w))
                continue;
            value =
                e->atomic ? karat_amo_result(e->amo, value, e->operand) : value_in_word(a, a->value, value);
        }
    }
    karat_order_read(c, &w->at, &model, 4);
    if (model != value)
        karat_order_write(c, &w->at, &value, 4);
}

static karat_logged *new_entry(karat_checker *c) {
    karat_order *o = c->order;
    if (o->num - o->first == NUM_LOG)
        karat_order_forget(c, o->first + 1);
    return entry(o, o->num++);
}

void karat_order_describe(karat_logged *e, const flight *f) {
    const karat_commit *m = &f->commit;
    *e = (karat_logged){.at = f->at,
                        .cycle = f->cycle,
                        .seq = f->seq,
                        .pc = m->pc,
                        .word = m->word,
                        .prefix = m->prefix,
                        .amo = m->mem.amo,
                        .reserved_by = f->reserved_by,
                        .atomic = m->mem.op == KARAT_AMO,
                        .tainted = f->tainted != 0,
                        .is_private = m->mem.space == KARAT_PRIVATE,
                        .num = m->mem.num,
                        .low = UINT64_MAX};
    e->operand = operand_of(f);
    for (uint32_t k = 0; k < e->num; k++) {
        const karat_access *a = &m->mem.access[k];
        e->access[k] = (written){a->addr, 0, 0, a->old, a->value, a->bytes, a->lane};
        e->low = a->addr < e->low ? a->addr : e->low;
        e->high = a->addr + a->bytes > e->high ? a->addr + a->bytes : e->high;
    }
}

static void log_write(karat_checker *c, flight *f) {
    karat_order_describe(new_entry(c), f);
    f->logged = c->order->num;
}

/* --- The order of the program --- */

static bool in_earlier_generation(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    return a->uid / c->kernel.wg_size == b->uid / c->kernel.wg_size && a->generation < b->generation;
}

/* Whether a warp's access was before a barrier that the warp had passed by that step: no cache keeps what it has written from the host. */
static bool is_behind_barrier(const karat_checker *c, const karat_moment *a, uint64_t step) {
    for (uint32_t i = 0; i < c->num_slots && c->hello.props & KARAT_PROP_COHERENT; i++) {
        const slot *s = &c->slots[i];
        if (s->live && s->workgroup * c->kernel.wg_size + s->warp == a->uid)
            return a->generation < s->behind && s->behind_step <= step;
    }
    return false;
}

/* The same of the host and a warp. While the kernel runs, what was issued before the host's access is performed when the core likes, before
 * it or after, where no barrier says that it has been. What is issued after a write of the host's finds it in memory, but for a load that finds
 * an older value in a cache. */
static bool is_around_host(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    if (b->uid == HOST)
        return !b->generation || is_behind_barrier(c, a, b->step);
    return !a->generation || c->hello.props & KARAT_PROP_COHERENT || b->before != KARAT_READS;
}

/* Whether a is ordered before b by the two warps' own order and their barriers alone. */
static bool directly_before(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    if (a->uid == b->uid)
        return a->step < b->step;
    if (a->uid == HOST || b->uid == HOST)
        return a->step < b->step && is_around_host(c, a, b);
    return in_earlier_generation(c, a, b);
}

/* The same where one of the two is a release or an acquire: a FENCE is one of some accesses only. */
static bool is_ahead(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    if (a->uid == b->uid)
        return a->step == b->step || (a->step < b->step && a->behind & b->before);
    return in_earlier_generation(c, a, b);
}

/* Whether all that is ahead of a is ahead of b as well. */
static bool is_covered(const karat_moment *a, const karat_moment *b) {
    return a->uid == b->uid && !(a->before & ~b->before) &&
           (a->step == b->step || (a->step < b->step && a->behind & b->before));
}

/* 1 + number of the last edge to a warp, or to one that shares its place; 0: none. */
static uint64_t *last_edge(karat_order *o, uint32_t uid) {
    return &o->last_edge[uid % NUM_LAST_EDGE];
}

/* What the program orders before b: b, and then each release that is, and that none of the others covers. A release that is before b's
 * acquires, or before a barrier behind which b is, takes all that is before it along. */
static const reach *reach_of(karat_order *o, const karat_checker *c, const karat_moment *b) {
    for (uint32_t i = 0; i < NUM_REACH; i++) {
        const reach *r = &o->reach[i];
        if (r->num_edges == o->num_edges && r->at[0].step == b->step && r->at[0].uid == b->uid &&
            r->at[0].before == b->before && r->at[0].generation == b->generation)
            return r;
    }
    reach *r = &o->reach[o->next_reach++ % NUM_REACH];
    const uint64_t first = o->num_edges < NUM_EDGE ? 0 : o->num_edges - NUM_EDGE;
    r->num_edges = o->num_edges;
    r->num = 0;
    r->at[r->num++] = *b;
    for (uint32_t done = 0; done < r->num; done++) {
        const karat_moment at = r->at[done];
        const bool alone = !at.generation; /* what other warps have acquired does not matter */
        /* The latest first: it covers most. */
        for (uint64_t n = alone ? *last_edge(o, at.uid) : o->num_edges, next; n > first; n = next) {
            const edge *e = &o->edges[(n - 1) % NUM_EDGE];
            next = alone ? e->next : n - 1;
            bool covered = !is_ahead(c, &e->to, &at);
            for (uint32_t k = 0; k < r->num && !covered; k++)
                covered = is_covered(&e->from, &r->at[k]);
            if (!covered)
                r->at[r->num++] = e->from;
        }
    }
    return r;
}

bool karat_order_before(const karat_checker *c, const karat_moment *a, const karat_moment *b) {
    if (directly_before(c, a, b))
        return true;
    if (!c->order->num_edges)
        return false;
    const reach *r = reach_of(c->order, c, b);
    for (uint32_t i = 1; i < r->num; i++)
        if (is_ahead(c, a, &r->at[i]))
            return true;
    return false;
}

static void add_edge(karat_order *o, const karat_moment *from, const karat_moment *to) {
    if (from->uid == to->uid)
        return;
    if (o->num_edges >= NUM_EDGE)
        o->horizon = o->edges[o->num_edges % NUM_EDGE].to.step;
    uint64_t *last = last_edge(o, to->uid);
    o->edges[o->num_edges % NUM_EDGE] = (edge){*from, *to, *last};
    *last = ++o->num_edges;
}

/* The FENCE of that number, of a slot; NULL: it is of an earlier warp, or forgotten, and what it orders with it. */
static const karat_fence *fence_of(const karat_checker *c, const slot *s, const flight *f, uint32_t number) {
    const karat_fence *fence = &s->fence[number % KARAT_NUM_FENCE];
    if (s->num_fence - number > KARAT_NUM_FENCE) {
        c->order->horizon = c->order->steps;
        return NULL;
    }
    return fence->at.uid == f->at.uid ? fence : NULL;
}

void karat_order_acquire(karat_checker *c, slot *s, const flight *f, const karat_word *w) {
    karat_order *o = c->order;
    const bool aq = karat_row_info(f->commit.row)->unit == KARAT_UNIT_AMO && f->commit.word >> 26 & 1;
    karat_moment here = f->at;
    here.behind = KARAT_READS | KARAT_WRITES; /* of an LR, too */
    for (uint32_t i = 0; i < w->num_release; i++) {
        bool done = aq || w->release[i].uid == f->at.uid;
        if (aq)
            add_edge(o, &w->release[i], &here);
        for (uint32_t n = f->num_fence; n < s->num_fence && !done; n++) {
            const karat_fence *fence = fence_of(c, s, f, n);
            if (!fence || !(fence->at.before & KARAT_READS))
                continue;
            add_edge(o, &w->release[i], &fence->at);
            done = fence->at.behind == (KARAT_READS | KARAT_WRITES);
        }
        for (uint32_t k = 0; k < KARAT_NUM_ACQUIRED && k < s->num_acquired; k++)
            done |= s->acquired[k].step == w->release[i].step; /* of another lane of f, say */
        if (done || f->epoch != s->epoch)
            continue;
        if (s->num_acquired >= KARAT_NUM_ACQUIRED)
            o->horizon = o->steps;
        s->acquired[s->num_acquired++ % KARAT_NUM_ACQUIRED] = w->release[i];
    }
}

/* Accesses of the warp up to now come before those behind: of these kinds before those of these. */
static void put_ahead(slot *s, uint64_t step, uint8_t before, uint8_t behind) {
    for (unsigned of = KARAT_WRITES; of <= KARAT_READS; of++)
        for (unsigned to = KARAT_WRITES; to <= KARAT_READS; to++)
            if (before & of && behind & to)
                s->ahead[of - 1][to - 1] = step;
}

/* An access is issued: the steps up to which others of its warp come before it. */
static void set_ahead(slot *s, flight *f) {
    const uint32_t unit = karat_row_info(f->commit.row)->unit;
    for (unsigned of = 0; of < 2; of++) {
        const uint64_t write = f->at.before & KARAT_WRITES ? s->ahead[of][0] : 0;
        const uint64_t read = f->at.before & KARAT_READS ? s->ahead[of][1] : 0;
        f->ahead[of] = write > read ? write : read;
    }
    f->releases = unit == KARAT_UNIT_AMO && f->commit.word >> 25 & 1;
    f->acquires = unit == KARAT_UNIT_AMO && f->commit.word >> 26 & 1;
    f->ahead_acquires = s->ahead_acquires;
    if (f->acquires)
        s->ahead_acquires = f->at.step;
}

/* A warp's FENCE is issued. */
static void enter_fence(karat_checker *c, slot *s, flight *f) {
    karat_order *o = c->order;
    f->at.before = f->commit.word >> 24 & 3;
    f->at.behind = f->commit.word >> 20 & 3;
    const bool total = f->commit.word >> 28 == 0;
    s->fence[s->num_fence++ % KARAT_NUM_FENCE] = (karat_fence){f->at, f->commit.pc, total};
    /* FENCE.TSO: a load may pass a store. */
    put_ahead(s, f->at.step, f->at.before & (total ? KARAT_READS | KARAT_WRITES : KARAT_READS), f->at.behind);
    put_ahead(s, f->at.step, f->at.before & KARAT_WRITES, f->at.behind & KARAT_WRITES);
    if (!(f->at.before & KARAT_READS))
        return;
    if (c->flags)
        karat_flags_fence(c->flags, f->at.uid);
    for (uint32_t i = 0; i < KARAT_NUM_ACQUIRED && i < s->num_acquired; i++)
        add_edge(o, &s->acquired[i], &f->at);
    if (f->at.behind == (KARAT_READS | KARAT_WRITES))
        s->num_acquired = 0;
}

void karat_order_add_release(karat_checker *c, karat_word *w, const karat_moment *from) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->num_release; i++)
        if (!karat_order_before(c, &w->release[i], from) || from->before != (KARAT_READS | KARAT_WRITES))
            w->release[kept++] = w->release[i];
    w->num_release = kept;
    if (kept < NUM_RELEASE)
        w->release[w->num_release++] = *from;
    else
        c->order->horizon = c->order->steps;
}

/* A write was performed: what its value stands for.  A read-modify-write goes on with what it has read, and takes along
 * what is ordered before its own release. */
static void release(karat_checker *c, const slot *s, karat_word *w, const flight *f) {
    const bool atomic = f->commit.mem.op == KARAT_AMO;
    if (!atomic)
        w->num_release = 0;
    bool all = atomic && f->commit.word >> 25 & 1;
    if (all)
        karat_order_add_release(c, w, &f->at);
    for (uint32_t n = f->num_fence; n > 0 && !all; n--) {
        const karat_fence *fence = fence_of(c, s, f, n - 1);
        if (!fence)
            break;
        if (!(fence->at.behind & KARAT_WRITES))
            continue;
        karat_order_add_release(c, w, &fence->at);
        all = fence->at.before == (KARAT_READS | KARAT_WRITES);
    }
}

/* --- The host --- */

/* Whether accesses of warps may be under way. */
static bool is_running(const karat_checker *c) {
    if (c->num_exited < c->num_expected)
        return true;
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (const flight *f = c->slots[i].oldest; f; f = f->next)
            if (f->mem_bytes)
                return true;
    return false;
}

/* What the host does now. */
static karat_moment host_moment(karat_checker *c) {
    return (karat_moment){.uid = HOST,
                          .generation = is_running(c) ? HOST_RACING : 0,
                          .step = ++c->order->steps,
                          .before = KARAT_READS | KARAT_WRITES,
                          .behind = KARAT_READS | KARAT_WRITES};
}

/* The word of an atomic instruction holds what the host has written: as where another warp stores. */
static void perform_host(karat_order *o, karat_word *w) {
    if (w->writer != HOST)
        w->written_by_others = w->written;
    w->writer = HOST;
    w->written = o->performed;
    w->num_release = 0;
}

/* As many bytes as an entry holds. */
static void host_write(karat_checker *c, uint64_t addr, const uint8_t *bytes, uint32_t size) {
    karat_order *o = c->order;
    const karat_moment at = host_moment(c);
    karat_logged *e = new_entry(c);
    const serial_access write = {
        .kind = SERIAL_STORE, .silent = true, .at = at, .cycle = c->cycle, .logged = o->num};
    *e = (karat_logged){
        .at = at, .cycle = c->cycle, .num = size, .low = addr, .high = addr + size, .begun = ++o->performed};
    for (uint32_t k = 0; k < size; k++) {
        uint8_t old = 0;
        karat_read(c->model, addr + k, &old, 1);
        e->access[k] =
            (written){.addr = addr + k, .performed = e->begun, .old = old, .value = bytes[k], .bytes = 1};
    }
    for (place p = word_at((place){.addr = addr}); p.addr < addr + size; p.addr += 4) {
        karat_word *w = karat_order_find_word(o, p);
        if (!w)
            continue;
        karat_searched_host(c, w, &write, bytes, addr, size);
        perform_host(o, w);
    }
    if (!karat_gives(c, KARAT_REC_WRITE) && !c->raced)
        karat_note_host_race(c, e);
}

void karat_order_host(karat_checker *c, uint64_t addr, const uint8_t *bytes, uint32_t size) {
    const uint32_t room = c->order->room_access;
    for (uint32_t done = 0; c->kernel_seen && done < size; done += room)
        host_write(c, addr + done, bytes + done, size - done < room ? size - done : room);
}

/* --- Steps --- */

static uint8_t accesses_as(const karat_commit *m) {
    return m->mem.op == KARAT_LOAD    ? KARAT_READS
           : m->mem.op == KARAT_STORE ? KARAT_WRITES
                                      : KARAT_READS | KARAT_WRITES;
}

/* LRs reserve a word, and an SC takes the last one's reservation. */
static void reserve(slot *s, flight *f, uint64_t word) {
    f->reserved_by = 0;
    if (f->commit.mem.op == KARAT_LOAD) {
        s->reservation[s->num_reservation++ % KARAT_NUM_RESERVATION] =
            (karat_reservation){.addr = word, .seq = f->seq, .step = f->at.step, .cycle = f->cycle};
        s->reserves = true;
    } else if (is_sc(&f->commit)) {
        const karat_reservation *lr =
            &s->reservation[(s->num_reservation - 1) % KARAT_NUM_RESERVATION]; /* where there is one */
        if (s->reserves && lr->addr == word)
            f->reserved_by = 1 + lr->seq;
        s->reserves = false;
    }
}

/* An atomic instruction is issued. False: out of memory. */
static bool enter_atomic(karat_checker *c, slot *s, flight *f) {
    karat_order *o = c->order;
    const karat_mem *m = &f->commit.mem;
    const place p = word_at(place_of(c, s, f, m->access[0].addr));
    if (2 * (o->used + 1) > o->room && !grow(o))
        return false;
    reserve(s, f, p.addr);
    karat_word *w = bucket(o, &p);
    const bool first = !w->used;
    if (first) {
        *w = (karat_word){.at = p, .used = true};
        o->used++;
        if (!in_order_of_performance(c) && !karat_searched_begin(c, f, w))
            return false;
    }
    if (m->op != KARAT_LOAD && m->num)
        log_write(c, f);
    if (first)
        w->value = performed_word(c, p); /* now: the model has performed f already */
    return !w->serial || karat_searched_atomic(c, f, w);
}

void karat_order_released(const karat_checker *c, slot *s) {
    if (s->behind == s->barriers)
        return;
    s->behind = s->barriers;
    s->behind_step = c->order->steps;
}

bool karat_order_step(karat_checker *c, slot *s, flight *f) {
    karat_order *o = c->order;
    const karat_commit *m = &f->commit;
    f->serial = f->reordered = f->said = false;
    const uint8_t as = accesses_as(m);
    f->at = (karat_moment){s->workgroup * c->kernel.wg_size + s->warp, s->barriers, ++o->steps, as, as};
    karat_order_released(c, s);
    f->logged = 0;
    f->raced = 0;
    f->num_fence = s->num_fence;
    const bool at_barrier = m->barrier && !m->ended;
    s->barriers += at_barrier;
    if (at_barrier)
        put_ahead(s, f->at.step, KARAT_READS | KARAT_WRITES, KARAT_READS | KARAT_WRITES);
    if (m->row == c->fence_row)
        enter_fence(c, s, f);
    if (!m->has_mem)
        return true;
    if (!karat_gives(c, KARAT_REC_WRITE))
        karat_note_race(c, f);
    set_ahead(s, f);
    memset(f->performed, 0, m->mem.num * sizeof *f->performed);
    if (m->mem.op == KARAT_LOAD && has_one_value(c))
        f->open = first_pending(o);
    if (karat_row_info(m->row)->unit == KARAT_UNIT_AMO)
        return enter_atomic(c, s, f);
    if (m->mem.op != KARAT_LOAD && m->mem.num) {
        log_write(c, f);
        if (o->used && !in_order_of_performance(c))
            return karat_searched_store(c, s, f);
    }
    return true;
}

/* --- What was performed --- */

void karat_order_mem(karat_checker *c) {
    c->order->performed++;
}

/* What younger writes than that of number n have left of a byte that the older one writes when it is performed. */
typedef struct overtaking {
    bool any, lanes;           /* some were performed already; lanes of the same store, too */
    bool pending;              /* some have not been */
    const karat_logged *wrong; /* which was, and the program orders it behind; NULL: none */
} overtaking;

/* Writes to a byte behind access k of that entry in the order of issue. */
static overtaking overtakers(const karat_checker *c, const karat_logged *e, uint64_t n, uint32_t k, place p) {
    const karat_order *o = c->order;
    overtaking found = {0};
    for (uint32_t first = k + 1; n < o->num; n++, first = 0) {
        const karat_logged *y = entry(o, n);
        if (!touches(c, y, &p, 1))
            continue;
        for (uint32_t i = first; i < y->num; i++) {
            const written *a = &y->access[i];
            if (p.addr - a->addr >= a->bytes)
                continue;
            if (!a->performed) {
                found.pending = true;
            } else if (y != e || a->performed < e->access[k].performed) {
                found.any = true;
                found.lanes |= y == e;
                if (!found.wrong && y->at.uid != HOST &&
                    (y == e ? ascending(c) : karat_order_before(c, &e->at, &y->at)))
                    found.wrong = y;
            }
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

/* A write is performed. Where a younger one of the same byte was before it, the program may not have ordered the two, and
 * memory keeps this one's value. True after a failure. */
static bool check_overtaken(karat_checker *c, slot *s, flight *f, const karat_logged *e, uint32_t k,
                            const void *r) {
    const written *a = &e->access[k];
    const uint64_t n = f->logged - 1;
    for (unsigned i = 0; i < a->bytes; i++) {
        place p = place_of(c, s, f, a->addr + i);
        overtaking found = overtakers(c, e, n, k, p);
        const karat_logged *by = found.wrong;
        if (by) {
            char insn[96];
            karat_disassemble(c->config.model.profile, by->pc, by->prefix, by->word, insn, sizeof insn);
            return karat_fail(
                c, FAIL_MEM_ORDER, s, f, r,
                "lane %u byte 0x%08" PRIx64 ": performed after %sworkgroup %" PRIu32 " warp %" PRIu32
                " seq %" PRIu32 " 0x%08" PRIx32 " %s, which the program orders behind it",
                a->lane, p.addr, by == e ? "a higher lane of " : "", by->at.uid / c->kernel.wg_size,
                by->at.uid % c->kernel.wg_size, by->seq, by->pc, insn);
        }
        if (!found.any)
            continue;
        c->counts.lane_race += found.lanes && i == 0;
        if (!found.pending && !is_over(s, f, &p)) {
            const uint8_t byte = (uint8_t)(a->value >> 8 * i);
            karat_order_write(c, &p, &byte, 1);
        }
    }
    return false;
}

/* What puts g, the older, before f of the same warp, in words. */
static void name_order(const karat_checker *c, const slot *s, const flight *g, const flight *f, char *text,
                       size_t size) {
    for (uint32_t n = f->num_fence; n > g->num_fence; n--) {
        const karat_fence *fence = fence_of(c, s, f, n - 1);
        const bool passes =
            fence && !fence->total && g->at.behind == KARAT_WRITES && f->at.before == KARAT_READS;
        if (fence && !passes && g->at.behind & fence->at.before && fence->at.behind & f->at.before) {
            snprintf(text, size, "the FENCE at 0x%08" PRIx32, fence->pc);
            return;
        }
    }
    snprintf(text, size, "%s",
             g->acquires                           ? "its .aq"
             : f->releases                         ? "the younger one's .rl"
             : g->at.generation < f->at.generation ? "a BARRIER"
                                                   : "a FENCE");
}

static bool fail_early(karat_checker *c, slot *s, const flight *f, const void *r, const flight *g,
                       const char *warp, const char *why) {
    char insn[96];
    karat_disassemble(c->config.model.profile, g->commit.pc, g->commit.prefix, g->commit.word, insn,
                      sizeof insn);
    return karat_fail(c, FAIL_MEM_ORDER, s, f, r,
                      "performed before %sseq %" PRIu32 " 0x%08" PRIx32 " %s, which %s puts before it", warp,
                      g->seq, g->commit.pc, insn, why);
}

/* An access is performed: all of its warp that FENCE, .aq, .rl and BARRIER order before it have been, but for an SC, which may
 * have failed. True after a failure. */
static bool check_ahead(karat_checker *c, slot *s, const flight *f, const void *r) {
    uint64_t limit = f->ahead[0] > f->ahead[1] ? f->ahead[0] : f->ahead[1];
    limit = f->releases ? f->at.step : limit > f->ahead_acquires ? limit : f->ahead_acquires;
    for (const flight *g = s->oldest; g != f && g->at.step <= limit; g = g->next) {
        if (!g->mem_bytes || g->epoch != f->epoch || is_sc(&g->commit))
            continue; /* others have no .aq */
        const uint8_t as = g->at.behind;
        const bool ahead = f->releases || g->acquires || (as & KARAT_WRITES && g->at.step <= f->ahead[0]) ||
                           (as & KARAT_READS && g->at.step <= f->ahead[1]);
        if (!ahead)
            continue;
        char why[48];
        name_order(c, s, g, f, why, sizeof why);
        return fail_early(c, s, f, r, g, "", why);
    }
    return false;
}

/* The same of the other warps of its workgroup, and BARRIER. */
static bool check_barrier(karat_checker *c, slot *s, const flight *f, const void *r) {
    group *all = f->epoch == s->epoch ? &c->groups[s->wg] : NULL; /* else another's is there by now */
    if (all && all->quiet >= f->at.generation)
        return false;
    for (uint32_t i = 0; i < c->num_slots; i++) {
        slot *other = &c->slots[i];
        for (const flight *g = other->frozen ? NULL : other->oldest; g; g = g->next)
            if (g->mem_bytes && !is_sc(&g->commit) && in_earlier_generation(c, &g->at, &f->at)) {
                char warp[32];
                snprintf(warp, sizeof warp, "warp %" PRIu32 " ", g->warp);
                return fail_early(c, s, f, r, g, warp, "a BARRIER");
            }
    }
    if (all)
        all->quiet = f->at.generation;
    return false;
}

/* The word of an atomic instruction, where the access is to one: what memory holds from now on. */
static void perform_word(karat_checker *c, slot *s, flight *f, const karat_access *a) {
    karat_order *o = c->order;
    place p = place_of(c, s, f, a->addr);
    karat_word *w = word_of(c, s, f, p);
    if (!w)
        return;
    if (f->commit.mem.op == KARAT_LOAD) {
        karat_order_acquire(c, s, f, w);
        karat_reservation *lr = karat_order_reservation(s, 1 + f->seq); /* of an LR */
        if (lr && f->epoch == s->epoch)
            lr->performed = o->performed;
        return;
    }
    if (f->commit.mem.op == KARAT_AMO)
        karat_order_acquire(c, s, f, w);
    w->value = value_in_word(&(written){.addr = a->addr, .bytes = a->bytes}, a->value, w->value);
    if (w->writer != f->at.uid)
        w->written_by_others = w->written;
    w->writer = f->at.uid;
    w->written = o->performed;
    release(c, s, w, f);
    follow(c, w);
}

/* Accesses of a load are performed: where a write may be to the same that was not performed when the load was issued, the load's value
 * need not be the model's. */
static void note_raced(const karat_order *o, flight *f, uint64_t accesses) {
    if (f->open < o->first)
        f->raced = UINT32_MAX; /* who knows */
    for (uint64_t n = f->open < o->first ? o->first : f->open; n < o->num; n++) {
        const karat_logged *e = entry(o, n);
        for (uint64_t m = accesses; m; m &= m - 1) {
            const karat_access *a = &f->commit.mem.access[__builtin_ctzll(m)];
            f->raced |= (uint32_t)(e->low < a->addr + a->bytes && a->addr < e->high) << a->lane;
        }
    }
}

bool karat_order_performed(karat_checker *c, slot *s, flight *f, uint64_t accesses, const karat_rec_mem *r) {
    karat_order *o = c->order;
    karat_logged *e = entry_of(o, f);
    for (uint64_t m = accesses; m; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(m);
        f->performed[k] = o->performed;
        if (e)
            e->access[k].performed = o->performed;
    }
    if (e && !e->begun)
        e->begun = o->performed;
    if (e)
        e->performed_cycle = c->cycle;
    if (!in_order_of_performance(c))
        return false;
    if (f->commit.mem.op == KARAT_LOAD && has_one_value(c))
        note_raced(o, f, accesses);
    if (check_ahead(c, s, f, r) || check_barrier(c, s, f, r))
        return true;
    if (e && may_be_overtaken(o, e, f->logged - 1))
        for (uint64_t m = accesses; m; m &= m - 1)
            if (check_overtaken(c, s, f, e, (uint32_t)__builtin_ctzll(m), r))
                return true;
    for (uint64_t m = o->used ? accesses : 0; m; m &= m - 1)
        perform_word(c, s, f, &f->commit.mem.access[__builtin_ctzll(m)]);
    return c->races &&
           (karat_flags_performed(c, s, f, accesses) || (!f->mem_bytes && karat_races_performed(c, s, f)));
}

/* Whether a higher access of that store, or a write that was issued behind it, stores to a byte of its access k. */
static bool is_overwritten(const karat_checker *c, const flight *f, uint32_t k, place p) {
    const karat_order *o = c->order;
    for (uint32_t higher = k + 1; higher < f->commit.mem.num; higher++)
        if (p.addr - f->commit.mem.access[higher].addr < f->commit.mem.access[higher].bytes)
            return true;
    for (uint64_t n = f->logged > o->first ? f->logged : o->first; n < o->num; n++) {
        const karat_logged *y = entry(o, n);
        for (uint32_t i = 0; touches(c, y, &p, 1) && i < y->num; i++)
            if (p.addr - y->access[i].addr < y->access[i].bytes)
                return true;
    }
    return false;
}

void karat_order_took(karat_checker *c, const slot *s, const flight *f, uint32_t k, uint32_t bit) {
    const karat_access *a = &f->commit.mem.access[k];
    karat_logged *e = entry_of(c->order, f);
    if (e)
        e->access[k].value = a->value;
    const place p = place_of(c, s, f, a->addr + bit);
    const uint8_t byte = (uint8_t)(a->value >> 8 * bit);
    if (!is_over(s, f, &p) && !is_overwritten(c, f, k, p))
        karat_order_write(c, &p, &byte, 1);
}

void karat_order_take_result(karat_checker *c, slot *s, flight *f, uint32_t value) {
    if (!f->commit.num_writes)
        return;
    uint32_t lanes[KARAT_MAX_THREAD] = {value};
    f->changed |= f->used[0] && f->commit.write[0].value[0] != value;
    f->commit.write[0].value[0] = value;
    karat_believe(c, s, f, KARAT_CLASS_X, f->commit.write[0].reg, 1, lanes);
}

/* An SC that has failed in the model has stored in the core. */
static void store_after_all(karat_checker *c, slot *s, flight *f, const karat_word *w, uint32_t operand) {
    karat_mem *m = &f->commit.mem;
    m->succeeded = 1;
    m->num = 1; /* what it would write is there */
    karat_order_read(c, &w->at, &m->access[0].old, 4);
    if (karat_gives(c, KARAT_REC_MEM)) {
        f->mem_left[0] = 15;
        f->mem_bytes = 4;
    }
    log_write(c, f);
    karat_order_write(c, &w->at, &operand, 4);
    karat_order_take_result(c, s, f, 0);
    c->counts.reordered++;
}

bool karat_order_check_sc(karat_checker *c, slot *s, flight *f, const karat_word *w, uint32_t operand,
                          const void *r) {
    karat_mem *m = &f->commit.mem;
    const karat_reservation *lr = f->epoch == s->epoch ? karat_order_reservation(s, f->reserved_by) : NULL;
    bool broken =
        in_order_of_performance(c) && lr && lr->performed && lr->performed < written_by_others(w, f->at.uid);
    if (!f->reserved_by || broken) {
        char why[400] = "";
        karat_order_explain_sc(c, s, f, why, sizeof why);
        return karat_fail(c, FAIL_MEM_UNEXPECTED, s, f, r, "the SC has stored; %s%s",
                          broken ? "that word has been written since its LR"
                                 : "the warp has no reservation on that word",
                          why);
    }
    if (!m->succeeded)
        store_after_all(c, s, f, w, operand);
    karat_logged *e = entry_of(c->order, f);
    if (e)
        e->stored = true;
    return false;
}

void karat_unjudged(karat_checker *c, const slot *s, const flight *f, const char *why) {
    if (!c->counts.unjudged++)
        snprintf(c->unjudged, sizeof c->unjudged,
                 "workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " at 0x%08" PRIx32 ": %s",
                 s->workgroup, s->warp, f->seq, f->commit.pc, why);
}

/* What a byte may hold: what was performed last, or what other lanes of that store have left. */
static uint32_t lane_values(const karat_checker *c, place p, uint8_t *value) {
    const candidate *found = c->order->found;
    const uint32_t num = candidates(c, p), last = last_performed(found, num, UINT64_MAX);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < num; i++)
        if (i == last || (found[i].entry == found[last].entry &&
                          found[i].access->performed == found[last].access->performed))
            value[kept++] = found[i].value;
    return kept;
}

/* What an AMO has found that has written this, where the lanes of a store before it were in another than ascending order. */
static bool find_lanes(const karat_checker *c, const flight *f, const karat_word *w, uint32_t written,
                       uint32_t *old) {
    const uint32_t operand = operand_of(f);
    uint8_t byte[4][KARAT_MAX_ACCESS];
    uint32_t num[4];
    for (uint32_t b = 0; b < 4; b++) {
        place p = w->at;
        p.addr += b;
        num[b] = lane_values(c, p, byte[b]);
    }
    for (uint32_t n = 0; n < num[0] * num[1] * num[2] * num[3]; n++) {
        uint32_t value = 0;
        for (uint32_t b = 0, rest = n; b < 4; rest /= num[b++])
            value |= (uint32_t)byte[b][rest % num[b]] << 8 * b;
        if (karat_amo_result(f->commit.mem.amo, value, operand) == written) {
            *old = value;
            return true;
        }
    }
    return false;
}

bool karat_order_atomic(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r) {
    karat_mem *m = &f->commit.mem;
    karat_word *searched = karat_searched_word(c, s, f);
    if (searched)
        return karat_searched_performed(c, s, f, searched, r);
    place p = place_of(c, s, f, m->access[0].addr);
    karat_word *w = word_of(c, s, f, p);
    if (!w)
        return false;
    const uint32_t operand = operand_of(f);
    if (is_sc(&f->commit))
        return karat_order_check_sc(c, s, f, w, operand, r);
    uint32_t value = karat_amo_result(m->amo, w->value, operand);
    if (!r->no_data) {
        const uint32_t told = r->data[m->access[0].lane];
        f->said = true;
        if (told != value && !ascending(c) && find_lanes(c, f, w, told, &w->value)) {
            value = told;
            c->counts.lane_race++;
        }
    }
    if (m->old == w->value) /* and with it what it writes */
        return false;
    m->old = w->value;
    m->access[0].value = value;
    karat_logged *e = entry_of(c->order, f);
    if (e)
        e->access[0].value = value;
    karat_order_take_result(c, s, f, w->value);
    c->counts.reordered++;
    return false;
}

/* A WRITE tells whether an SC has stored. */
static bool answers_by_write(const karat_checker *c, const flight *f) {
    return f->commit.num_writes && karat_gives(c, KARAT_REC_WRITE);
}

bool karat_order_may_store(const karat_checker *c, const flight *f) {
    return is_sc(&f->commit) && !f->commit.mem.succeeded && f->reserved_by && !answers_by_write(c, f) &&
           karat_gives(c, KARAT_REC_MEM);
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
    if (!is_sc(&f->commit) || !m->succeeded || (karat_gives(c, KARAT_REC_MEM) && f->mem_left[0] != 15))
        return false;
    place p = word_at(place_of(c, s, f, m->access[0].addr));
    karat_word *w = word_of(c, s, f, p);
    forget_write(c, f, p);
    m->succeeded = 0;
    m->num = 0;
    f->mem_bytes = 0;
    if (w && w->serial)
        karat_searched_failed(c, f, w);
    else if (w)
        follow(c, w);
    karat_order_take_result(c, s, f, 1);
    c->counts.sc_failed++;
    return true;
}

bool karat_order_sc_given_up(karat_checker *c, slot *s, flight *f) {
    if (answers_by_write(c, f) || !karat_order_sc_failed(c, s, f))
        return false;
    karat_flight_settle(c, s, f);
    return true;
}

/* --- Loads --- */

static void describe(const karat_checker *c, const candidate *w, const char *why, char *text, size_t size) {
    if (!w->entry) {
        karat_append(text, size, "\n    %02x  there before; %s", w->value, why);
        return;
    }
    const karat_logged *e = w->entry;
    if (e->at.uid == HOST) {
        karat_append(text, size, "\n    %02x  the host, in cycle %" PRIu64 "; %s", w->value, e->cycle, why);
        return;
    }
    char insn[96], when[48] = "not performed yet";
    karat_disassemble(c->config.model.profile, e->pc, e->prefix, e->word, insn, sizeof insn);
    if (w->access->performed)
        snprintf(when, sizeof when, "performed as MEM %" PRIu64, w->access->performed);
    karat_append(text, size,
                 "\n    %02x  workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32
                 " %s, issued in cycle %" PRIu64 ", %s; %s",
                 w->value, e->at.uid / c->kernel.wg_size, e->at.uid % c->kernel.wg_size, e->seq, e->pc, insn,
                 e->cycle, when, why);
}

/* Whether one write is ordered before another; forgotten: what has left the value that was there before, NULL where nothing has. */
static bool is_older(const karat_checker *c, const karat_forgotten *forgotten, const candidate *a,
                     const candidate *b) {
    if (!a->entry)
        return !forgotten || karat_order_before(c, &forgotten->last, &b->entry->at);
    if (a->entry == b->entry)
        return ascending(c) && a->access < b->access;
    if (a->access->settled)
        return !b->access->settled || a->access->settled < b->access->settled;
    return karat_order_before(c, &a->entry->at, &b->entry->at);
}

/* A load of a byte, or memory at the end. */
typedef struct reading {
    const karat_moment *at;
    uint64_t performed; /* number of its MEM record; 0: the order does not tell */
    const candidate *found;
    uint32_t num, last; /* last: that was performed before it, where the order tells */
    const karat_forgotten *forgotten;
    const uint32_t *hiding; /* those of found[] that hide others from it */
    uint32_t num_hiding;
    /* As settled: the first of those that are settled and ordered behind it; UINT64_MAX: none is. */
    uint64_t behind;
} reading;

/* Whether a write hides others from a reading that it is ordered before. What was performed before the last one was performed
 * in the program's order (check_overtaken()), and hides none that is in question. */
static bool may_hide(const reading *r, const candidate *w) {
    return !may_fail(w->entry) && !(w->access->performed && w->access->performed < r->performed);
}

/* Where many write to one word, each of them is held against those that can refuse it, not against all. */
static reading reading_of(const karat_checker *c, place p, const karat_moment *at, uint64_t performed) {
    karat_order *o = c->order;
    reading r = {
        .at = at, .performed = performed, .found = o->found, .num = candidates(c, p), .hiding = o->hiding};
    r.forgotten = has_one_value(c) ? NULL : karat_forgotten_of(o, p);
    r.last = last_performed(r.found, r.num, performed);
    r.behind = UINT64_MAX;
    for (uint32_t k = 0; k < r.num - 1; k++) {
        const candidate *w = &r.found[k];
        if (may_hide(&r, w) && karat_order_before(c, &w->entry->at, at))
            o->hiding[r.num_hiding++] = k;
        if (w->access->settled && w->access->settled < r.behind && karat_order_before(c, at, &w->entry->at))
            r.behind = w->access->settled;
    }
    return r;
}

/* A store of the load's own warp that is under way, as it may be forwarded. */
static bool may_forward(const reading *r, const candidate *w) {
    return w->entry && !w->entry->atomic && w->entry->at.uid == r->at->uid &&
           w->entry->at.step < r->at->step && (!w->access->performed || w->access->performed > r->performed);
}

/* Why a load may not return that write; NULL: it may. */
static const char *refuse(const karat_checker *c, const reading *r, uint32_t i) {
    const candidate *w = &r->found[i], *last = &r->found[r->last];
    if (r->performed && w != last && !may_forward(r, w) &&
        (ascending(c) || w->entry != last->entry || w->access->performed != last->access->performed))
        return w->access && !w->access->performed ? "not there yet" : "not the last before the load";
    if (w->entry && karat_order_before(c, r->at, &w->entry->at))
        return "ordered behind the load";
    if (w->entry && w->access->settled > r->behind)
        return "behind one that is ordered behind the load";
    for (uint32_t k = 0; k < r->num_hiding; k++)
        if (is_older(c, r->forgotten, w, &r->found[r->hiding[k]]))
            return "hidden by a later one that is ordered before the load";
    return NULL;
}

/* Whether another lane of the same store writes that byte as well. */
static bool is_of_lanes(const candidate *found, uint32_t num, uint32_t i) {
    for (uint32_t k = 0; k < num; k++)
        if (k != i && found[k].entry == found[i].entry) /* one alone has none */
            return true;
    return false;
}

/* Whether a load may have got a byte of a store whose data nobody has told. */
static bool may_be_of_untold_store(const karat_checker *c, const slot *s, const reading *r, place p) {
    const karat_access byte = {.addr = p.addr, .bytes = 1};
    if (!c->untold_stored || !(karat_is_doubted(c, p.addr) || karat_stores_untold(c, s, &byte)))
        return false;
    for (uint32_t i = 0; i < r->num - 1; i++)
        if (r->found[i].entry->tainted && !refuse(c, r, i))
            return true;
    return false;
}

/* Whether a load may have got that byte; models: it is the model's, which nothing else may speak against. */
static bool is_legal(karat_checker *c, const slot *s, const flight *f, place p, uint64_t performed,
                     uint8_t value, bool models, char *text, size_t size) {
    const reading r = reading_of(c, p, &f->at, has_one_value(c) ? performed : 0);
    const candidate *found = r.found;
    const uint32_t num = r.num;
    const karat_word *w = karat_order_find_word(c->order, p);
    if (models && num == 1 && !(w && w->serial))
        return true; /* nobody else writes there; and memory may have gone with its workgroup */
    for (uint32_t i = 0; i < num; i++) {
        if (found[i].value != value)
            continue;
        bool open = w && w->serial && found[i].entry && karat_serial_find(w->serial, &found[i].entry->at);
        if (!open && !refuse(c, &r, i)) {
            c->lane_raced = !ascending(c) && is_of_lanes(found, num, i);
            return true;
        }
    }
    /* What is ordered behind the load comes before all that are open: then the load got none of these. */
    if (w && w->serial && r.behind == UINT64_MAX) {
        const serial_answer answer = karat_searched_loaded(c, w, &f->at, p.addr, value);
        c->lane_raced = false;
        if (answer == SERIAL_UNKNOWN && !models)
            karat_unjudged(c, s, f, "too many accesses of other warps to a word that it loads are under way");
        if (answer != SERIAL_NONE)
            return true;
    }
    if (num == 1)
        return false; /* nobody else writes there: no order to speak of */
    if (may_be_of_untold_store(c, s, &r, p)) {
        if (!models)
            karat_unjudged(c, s, f,
                           "it may have got what another warp stores of a register that nobody has written");
        c->lane_raced = false;
        return true;
    }
    karat_append(text, size, "\n  byte 0x%08" PRIx64 ": %02x in the core; considered:", p.addr, value);
    for (uint32_t i = 0; i < num && i < NUM_SHOWN; i++) {
        const char *why = refuse(c, &r, i);
        describe(c, &found[i], why ? why : "legal", text, size);
    }
    return false;
}

/* Whether a load may have got that byte, which none of the writes in the log explains, from one that is not there any more. */
static bool may_be_forgotten(karat_checker *c, const slot *s, const flight *f, place p, uint32_t lane,
                             uint8_t value, bool models) {
    const bool left = has_one_value(c) && c->order->first > f->open && f->raced >> lane & 1;
    const serial_answer answer = left ? SERIAL_UNKNOWN : karat_forgotten_value(c, p, &f->at, value);
    if (answer == SERIAL_UNKNOWN && !models)
        karat_unjudged(c, s, f, "writes that it may have got are not remembered any more");
    c->lane_raced = false;
    return answer != SERIAL_NONE;
}

void karat_unjudged_memory(karat_checker *c, uint64_t addr, const char *why) {
    if (!c->counts.unjudged++)
        snprintf(c->unjudged, sizeof c->unjudged, "memory at 0x%08" PRIx64 ": %s", addr, why);
}

bool karat_order_left(karat_checker *c, uint64_t addr, uint8_t value, char *text, size_t size) {
    const place p = {.addr = addr};
    karat_order *o = c->order;
    const karat_moment end = {.uid = HOST, .step = UINT64_MAX};
    const reading r = reading_of(c, p, &end, in_order_of_performance(c) ? UINT64_MAX : 0);
    const candidate *found = r.found;
    const uint32_t num = r.num;
    const karat_word *w = karat_order_find_word(o, p);
    text[0] = 0;
    c->lane_raced = false;
    if (w && w->serial) {
        const serial_answer left = karat_searched_left(c, w, addr, value);
        if (left == SERIAL_UNKNOWN)
            karat_unjudged_memory(c, addr, "too many accesses of several warps to that word");
        if (left != SERIAL_NONE)
            return true;
    } else {
        for (uint32_t i = 0; i < num; i++)
            if (found[i].value == value && !refuse(c, &r, i)) {
                c->lane_raced = !ascending(c) && is_of_lanes(found, num, i);
                return true;
            }
    }
    const serial_answer answer = karat_forgotten_value(c, p, &end, value);
    if (answer == SERIAL_UNKNOWN)
        karat_unjudged_memory(c, addr, "stores of several warps to it may be forgotten");
    if (answer != SERIAL_NONE)
        return true;
    if (num > 1) {
        snprintf(text, size, "; written in the model:");
        describe(c, &found[0], "the last", text, size);
    }
    return false;
}

void karat_order_host_takes(karat_checker *c, const karat_moment *asked, karat_moment *now) {
    *now = host_moment(c);
    if (!asked)
        return;
    karat_moment from = *asked;
    from.before = KARAT_WRITES;
    from.behind = KARAT_READS | KARAT_WRITES;
    add_edge(c->order, &from, now);
}

serial_answer karat_order_host_read(karat_checker *c, const karat_moment *now, uint64_t addr, uint8_t value,
                                    char *text, size_t size) {
    const place p = {.addr = addr};
    const reading r = reading_of(c, p, now, in_order_of_performance(c) ? UINT64_MAX : 0);
    const candidate *found = r.found;
    const uint32_t num = r.num;
    const karat_word *w = karat_order_find_word(c->order, p);
    bool unknown = karat_is_doubted(c, addr);
    for (uint32_t i = 0; i < num; i++) {
        const bool open =
            w && w->serial && found[i].entry && karat_serial_find(w->serial, &found[i].entry->at);
        if (open || refuse(c, &r, i))
            continue;
        if (found[i].value == value)
            return SERIAL_ORDER;
        unknown |= found[i].entry && found[i].entry->tainted;
    }
    serial_answer answer = SERIAL_NONE;
    if (w && w->serial && r.behind == UINT64_MAX)
        answer = karat_searched_loaded(c, w, now, addr, value);
    if (answer == SERIAL_NONE)
        answer = karat_forgotten_value(c, p, now, value);
    if (answer != SERIAL_NONE || unknown)
        return answer == SERIAL_ORDER ? answer : SERIAL_UNKNOWN;
    for (uint32_t i = 0; i < num && i < NUM_SHOWN && num > 1; i++) {
        const char *why = refuse(c, &r, i);
        describe(c, &found[i], why ? why : "legal", text, size);
    }
    return SERIAL_NONE;
}

bool karat_order_never_left(const karat_checker *c, uint64_t addr, uint8_t value) {
    const karat_word *w = karat_order_find_word(c->order, (place){.addr = addr});
    return w && w->serial && karat_searched_left(c, w, addr, value) == SERIAL_NONE;
}

uint64_t karat_order_horizon(const karat_checker *c) {
    return c->order->horizon;
}

bool karat_order_is_atomic(const karat_checker *c, uint64_t addr, uint32_t lds) {
    return karat_order_find_word(c->order, (place){addr, lds, 0}) != NULL;
}

static bool is_searched(const karat_checker *c, place p) {
    const karat_word *w = karat_order_find_word(c->order, p);
    return w && w->serial;
}

uint32_t karat_order_doubt(const karat_checker *c, const slot *s, const flight *f) {
    const karat_mem *m = &f->commit.mem;
    uint32_t lanes = 0;
    if (m->op != KARAT_LOAD || f->serial)
        return 0;
    if (in_order_of_performance(c)) {
        if (!f->raced || c->num_frozen || c->order->first > f->open)
            return 0;
        for (uint32_t k = 0; k < m->num; k++)
            if (f->performed[k])
                lanes |= f->raced & 1u << m->access[k].lane;
        return lanes;
    }
    if (!c->order->used)
        return 0;
    for (uint32_t k = 0; k < m->num; k++)
        if (is_searched(c, place_of(c, s, f, m->access[k].addr)))
            lanes |= 1u << m->access[k].lane;
    return lanes;
}

/* Whether an AMO may have returned that, see find_lanes(): then it has. */
static bool found_lanes(karat_checker *c, slot *s, flight *f, uint32_t value) {
    karat_mem *m = &f->commit.mem;
    char text[1200] = "";
    place p = place_of(c, s, f, m->access[0].addr);
    karat_word *w = word_of(c, s, f, p);
    if (!w || !in_order_of_performance(c) || ascending(c) || !f->performed[0])
        return false;
    for (unsigned b = 0; b < 4; b++, p.addr++)
        if ((value ^ m->old) >> 8 * b & 0xff &&
            !is_legal(c, s, f, p, f->performed[0], (uint8_t)(value >> 8 * b), false, text, sizeof text))
            return false;
    const uint32_t written = karat_amo_result(m->amo, value, operand_of(f));
    karat_logged *e = entry_of(c->order, f);
    if (f->said && written != m->access[0].value)
        return false;
    m->old = f->commit.write[0].value[0] = value;
    m->access[0].value = written;
    if (e)
        e->access[0].value = written;
    if (w->written == f->performed[0]) {
        w->value = written;
        follow(c, w);
    }
    return true;
}

/* Whether a load may have got that byte in its access k. Where the lane loads the same in another access (a group's other register,
 * with a stride of 0), MEM does not say which of the two it is of: it may be of either. */
static bool may_have_got(karat_checker *c, const slot *s, const flight *f, place p, uint32_t k, uint8_t value,
                         bool models, char *text, size_t size) {
    const karat_mem *m = &f->commit.mem;
    const size_t length = strlen(text);
    if (is_legal(c, s, f, p, f->performed[k], value, models, text, size))
        return true;
    for (uint32_t i = 0; i < m->num; i++) {
        if (i == k || m->access[i].lane != m->access[k].lane || !karat_meets(&m->access[i], &m->access[k]) ||
            f->performed[i] == f->performed[k])
            continue;
        if (is_legal(c, s, f, p, f->performed[i], value, models, text, size)) {
            text[length] = 0;
            return true;
        }
    }
    return false;
}

uint32_t karat_order_loaded(karat_checker *c, slot *s, flight *f, uint32_t i, uint32_t lanes,
                            const uint32_t *value, char *text, size_t size) {
    karat_mem *m = &f->commit.mem;
    karat_reg_write *w = &f->commit.write[i];
    uint32_t legal = 0;
    if (m->op == KARAT_AMO && !is_sc(&f->commit))
        return found_lanes(c, s, f, value[0]);
    if (m->op != KARAT_LOAD || f->serial)
        return 0;
    bool group = f->commit.num_writes > 1;
    for (uint32_t k = 0; k < m->num; k++)
        group |= m->access[k].reg;
    const unsigned part = group ? w->reg & 1 : 0;
    const uint32_t raced = has_one_value(c) ? karat_order_doubt(c, s, f) : 0;
    for (uint32_t k = 0; k < m->num; k++) {
        karat_access *a = &m->access[k];
        if (!(lanes >> a->lane & 1) || a->reg != part)
            continue;
        const unsigned unused = 32 - 8 * a->bytes;
        uint32_t got = value[a->lane] << unused >> unused;
        uint32_t extended = m->sign_extends && unused ? (uint32_t)((int32_t)(got << unused) >> unused) : got;
        bool good = extended == value[a->lane];
        for (unsigned b = 0; b < a->bytes && good; b++) {
            const place p = place_of(c, s, f, a->addr + b);
            const bool models = !((got ^ a->value) >> 8 * b & 0xff);
            if (!models || (raced >> a->lane & 1 && f->performed[k]) || is_searched(c, p))
                good = may_have_got(c, s, f, p, k, (uint8_t)(got >> 8 * b), models, text, size);
            if (!good && may_be_forgotten(c, s, f, p, a->lane, (uint8_t)(got >> 8 * b), models)) {
                good = true;
                text[0] = 0;
            }
        }
        if (!good)
            break;
        a->value = got;
        w->value[a->lane] = value[a->lane];
        legal |= 1u << a->lane;
    }
    return legal;
}
