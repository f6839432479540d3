/* Whose a record is. */
#include "checker.h"

#include <inttypes.h>

/* The probe says of whom a record is as the core has it; HOSTCSR and PRINT are the test bench's. */
static failure_kind stray(const karat_rec_header *h) {
    return h->kind == KARAT_REC_HOSTCSR || h->kind == KARAT_REC_PRINT ? FAIL_STREAM : FAIL_STRAY;
}

bool karat_check_slot(karat_checker *c, const karat_rec_header *h) {
    return (h->sm >= c->hello.num_sm || h->slot >= c->hello.num_warp) &&
           karat_fail(c, stray(h), NULL, NULL, h,
                      "%s in cycle %" PRIu64 ": sm %u slot %u; HELLO says %u SMs of %u slots",
                      karat_rec_name(h->kind), h->cycle, h->sm, h->slot, c->hello.num_sm, c->hello.num_warp);
}

/* Whether a record is of something that a warp does: not of what its registers hold, nor of a result that is none. */
static bool gets_further(const karat_rec_header *h) {
    switch (h->kind) {
    case KARAT_REC_AUDIT: return false;
    case KARAT_REC_MEM: return ((const karat_rec_mem *)h)->mask != 0;
    case KARAT_REC_WRITE: {
        const karat_rec_write *r = (const karat_rec_write *)h;
        return r->mask && (r->cls != KARAT_X || r->regno);
    }
    default: return true;
    }
}

slot *karat_slot_of(karat_checker *c, const karat_rec_header *h) {
    if (karat_check_slot(c, h))
        return NULL;
    slot *s = &c->slots[h->sm * c->hello.num_warp + h->slot];
    if (!s->launched) {
        karat_fail(c, stray(h), NULL, NULL, h, "%s in cycle %" PRIu64 ": sm %u slot %u was never launched",
                   karat_rec_name(h->kind), h->cycle, h->sm, h->slot);
        return NULL;
    }
    /* Only MEM may come under an epoch that is over. */
    if (h->epoch != s->epoch && !(h->kind == KARAT_REC_MEM && h->epoch < s->epoch)) {
        karat_fail(c, stray(h), s, NULL, h, "%s: epoch %" PRIu32 "; the slot is in epoch %" PRIu32,
                   karat_rec_name(h->kind), h->epoch, s->epoch);
        return NULL;
    }
    if (gets_further(h))
        s->last_event = h->cycle;
    return s;
}
