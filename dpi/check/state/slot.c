/* Whose a record is. */
#include "any.h"
#include "checker.h"

#include <inttypes.h>

slot *karat_slot_at(const karat_checker *c, const karat_rec_header *h) {
    return h->sm < c->hello.num_sm && h->slot < c->hello.num_warp
               ? &c->slots[h->sm * c->hello.num_warp + h->slot]
               : NULL;
}

/* The probe says of whom a record is as the core has it; others are the test bench's. */
static failure_kind stray(const karat_rec_header *h) {
    return KARAT_RECS_OF_BENCH >> h->kind & 1 ? FAIL_STREAM : FAIL_STRAY;
}

bool karat_check_slot(karat_checker *c, const karat_rec_header *h) {
    return !karat_slot_at(c, h) &&
           karat_fail(c, BLAME(stray(h), NULL, NULL, h),
                      "%s in cycle %" PRIu64 ": sm %u slot %u; HELLO says %u SMs of %u slots",
                      karat_rec_name(h->kind), h->cycle, h->sm, h->slot, c->hello.num_sm, c->hello.num_warp);
}

/* Whether a record is of something that a warp does: not of what its registers hold, nor of a result that
 * is none. */
static bool gets_further(const karat_any *r) {
    if (karat_is_mem(r->h.kind))
        return r->mem.mask != 0;
    if (karat_is_write(r->h.kind))
        return r->write.mask && (r->h.kind == KARAT_REC_PAIR || r->write.cls != KARAT_X || r->write.regno);
    return r->h.kind != KARAT_REC_AUDIT;
}

/* Of no warp that it can be of. */
static slot *fail_stray(karat_checker *c, const slot *s, const karat_rec_header *h) {
    if (!s)
        karat_check_slot(c, h);
    else if (!s->launched)
        karat_fail(c, BLAME(stray(h), NULL, NULL, h),
                   "%s in cycle %" PRIu64 ": sm %u slot %u was never launched", karat_rec_name(h->kind),
                   h->cycle, h->sm, h->slot);
    else
        karat_fail(c, BLAME(stray(h), s, NULL, h), "%s: epoch %" PRIu32 "; the slot is in epoch %" PRIu32,
                   karat_rec_name(h->kind), h->epoch, s->epoch);
    return NULL;
}

slot *karat_slot_of(karat_checker *c, const karat_rec_header *h) {
    slot *s = karat_slot_at(c, h);
    if (!s || !s->launched ||
        (h->epoch != s->epoch &&
         !(karat_is_mem(h->kind) && h->epoch < s->epoch))) /* Only a MEM may be late */
        return fail_stray(c, s, h);
    if (gets_further((const karat_any *)h))
        s->last_event = h->cycle;
    return s;
}
