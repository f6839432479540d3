/* Races of a core that gives no WRITE: nothing tells what a load or an atomic has returned where several values are legal.
 * The model goes on with its own, and what is seen of the core later need not agree with that: not a PASS where it does
 * not, nor a MISMATCH.
 *
 * So what is looked for is whether any warp may have got another value than the model's: two accesses of different warps to one
 * byte, one of them a write and one a read, and nothing in the program that orders the two (order.c).  The one that is issued later
 * finds the other: a write among those that the log remembers, a read in a list of the last ones.  Of a list the whole
 * range of an instruction's addresses is kept: now and then two accesses seem to meet that do not. */
#include "order.h"

static karat_range range_of(const karat_checker *c, const slot *s, const flight *f) {
    const karat_mem *m = &f->commit.mem;
    karat_range r = {.at = f->at, .low = UINT64_MAX, .lds = place_of(c, s, f, m->access[0].addr).lds};
    for (uint32_t k = 0; k < m->num; k++) {
        const karat_access *a = &m->access[k];
        r.low = a->addr < r.low ? a->addr : r.low;
        r.high = a->addr + a->bytes > r.high ? a->addr + a->bytes : r.high;
    }
    return r;
}

static bool is_unordered(const karat_checker *c, const karat_moment *older, const flight *f) {
    return older->uid != f->at.uid && !karat_order_before(c, older, &f->at);
}

/* Whether a write of another warp to what f accesses is remembered that nothing orders before it. */
static bool meets_write(const karat_checker *c, const slot *s, const flight *f, const karat_range *r) {
    const karat_order *o = c->order;
    const karat_mem *m = &f->commit.mem;
    for (uint64_t n = o->first; n < o->num; n++) {
        const karat_logged *e = entry(o, n);
        if (e->low >= r->high || r->low >= e->high || e->at.uid == HOST || !is_unordered(c, &e->at, f))
            continue;
        for (uint32_t k = 0; k < m->num; k++) {
            const place p = place_of(c, s, f, m->access[k].addr);
            for (uint32_t i = 0; touches(c, e, &p, m->access[k].bytes) && i < e->num; i++)
                if (e->access[i].addr < p.addr + m->access[k].bytes &&
                    p.addr < e->access[i].addr + e->access[i].bytes)
                    return true;
        }
    }
    return false;
}

static bool meets_read(const karat_checker *c, const flight *f, const karat_range *r) {
    const karat_order *o = c->order;
    for (uint64_t n = o->num_read < NUM_READ ? 0 : o->num_read - NUM_READ; n < o->num_read; n++) {
        const karat_range *x = &o->read[n % NUM_READ];
        if (x->lds == r->lds && x->low < r->high && r->low < x->high && is_unordered(c, &x->at, f))
            return true;
    }
    return false;
}

void karat_note_race(karat_checker *c, const slot *s, const flight *f) {
    karat_order *o = c->order;
    const karat_mem *m = &f->commit.mem;
    if (c->raced || !m->num || m->space == KARAT_PRIVATE)
        return;
    const karat_range r = range_of(c, s, f);
    const bool reads = m->op != KARAT_STORE, writes = m->op != KARAT_LOAD;
    c->raced = (reads && meets_write(c, s, f, &r)) || (writes && meets_read(c, f, &r));
    if (reads)
        o->read[o->num_read++ % NUM_READ] = r;
}
