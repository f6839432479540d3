/* Races of a core that gives no WRITE: nothing tells what a load or an atomic has returned where several values are legal.
 * The model goes on with its own, and what is seen of the core later need not agree with that: not a PASS where it does
 * not, nor a MISMATCH.
 *
 * So what is looked for is whether any warp may have got, or may get, another value than the model's: two accesses of different
 * warps to one byte, one of them a write, and nothing in the program that orders the two (order.c). Of two writes a read that is
 * ordered behind both may find either. The one that is issued later finds the other: a write among those that the log remembers, a
 * read among the last ones. */
#include "order.h"

/* Whether the two accesses, of which the first is the older one, have a byte in common and no order. */
static bool meet(const karat_checker *c, const karat_logged *a, const karat_logged *b) {
    if (a->low >= b->high || b->low >= a->high || karat_order_before(c, &a->at, &b->at))
        return false;
    if (a->is_private && b->is_private)
        return false; /* of a warp that has gone, whose place another has got */
    const bool one_lds = a->at.uid / c->kernel.wg_size == b->at.uid / c->kernel.wg_size;
    for (uint32_t i = 0; i < a->num; i++)
        for (uint32_t k = 0; k < b->num; k++) {
            const written *x = &a->access[i], *y = &b->access[k];
            if (x->addr < y->addr + y->bytes && y->addr < x->addr + x->bytes &&
                (one_lds || !karat_is_lds(c, x->addr)))
                return true;
        }
    return false;
}

void karat_note_race(karat_checker *c, const flight *f) {
    karat_order *o = c->order;
    const karat_mem *m = &f->commit.mem;
    if (c->raced)
        return;
    karat_logged *now = last_read(o, o->num_read);
    karat_order_describe(now, f);
    for (uint64_t n = o->first; n < o->num; n++)
        c->raced |= meet(c, entry(o, n), now);
    if (m->op != KARAT_LOAD) /* all that the ring holds, but for this one */
        for (uint64_t n = o->num_read < NUM_READ ? 0 : o->num_read - NUM_READ + 1; n < o->num_read; n++)
            c->raced |= meet(c, last_read(o, n), now);
    o->num_read += m->op != KARAT_STORE;
}

void karat_note_host_race(karat_checker *c, const karat_logged *now) {
    const karat_order *o = c->order;
    for (uint64_t n = o->first; n < o->num; n++)
        c->raced |= entry(o, n) != now && meet(c, entry(o, n), now);
    for (uint64_t n = o->num_read < NUM_READ ? 0 : o->num_read - NUM_READ; n < o->num_read; n++)
        c->raced |= meet(c, last_read(o, n), now);
}
