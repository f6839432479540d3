/* Whose a record is. */
#include "checker.h"

#include <inttypes.h>

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

slot *karat_fail_stray(karat_checker *c, const slot *s, const karat_rec_header *h) {
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
