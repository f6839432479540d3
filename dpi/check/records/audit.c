/* AUDIT: the register file, as of the WRITEs so far. */
#include "records.h"

#include <inttypes.h>
#include <string.h>

/* The model is ahead of the WRITEs that are pending: where the core has not written yet, its register
 * holds what the oldest pending write of that lane found there.  A write that a younger one has overtaken
 * is too late: what has landed is there.  Lanes of one such write. */
static uint32_t oldest_pending(const flight *f, uint32_t i, uint32_t *seen) {
    const uint32_t pending = f->pending_write[i] & ~f->overtaken[i], first = pending & ~*seen;
    *seen |= pending;
    return first;
}

/* The contents that the core's register file must have now: the model's, or these in value.  Lanes that no
 * record has reported yet take the core's value. */
static const uint32_t *expected_contents(karat_checker *c, slot *s, const karat_rec_audit *r,
                                         uint32_t *value) {
    karat_warp_view view;
    uint32_t seen = 0, i;
    karat_view(c->model, s->handle, &view);
    const uint32_t *now = r->cls == KARAT_CLASS_X ? &view.x[r->regno] : view.v[r->regno];
    flight *f = karat_next_writer(s->oldest, r->cls, r->regno, &i);
    while (f && !f->pending_write[i])
        f = karat_next_writer(f->next, r->cls, r->regno, &i);
    if (!f && !(karat_register(s, r->cls, r->regno)->is.unreported & r->mask))
        return now; /* Nearly always */
    memcpy(value, now, (r->cls == KARAT_CLASS_X ? 1 : c->hello.num_thread) * sizeof *value);
    for (; f; f = karat_next_writer(f->next, r->cls, r->regno, &i)) {
        const uint32_t first = oldest_pending(f, i, &seen), unknown = first & f->unknown_old[i] & r->mask;
        karat_copy_lanes(f->values.old[i], r->data, unknown);
        karat_copy_lanes(value, f->values.old[i], first);
        f->unknown_old[i] &= ~unknown;
    }
    const uint32_t unknown = karat_register(s, r->cls, r->regno)->is.unreported & r->mask & ~seen;
    karat_copy_lanes(value, r->data, unknown);
    if (unknown)
        karat_adopt_value(c, s, NULL, r->cls, r->regno, unknown, r->data);
    return value;
}

/* The contents of the core's register file where they are wrong: those that the oldest pending write
 * found, or the present ones. */
static void take_contents(karat_checker *c, slot *s, const karat_rec_audit *r, uint32_t lanes) {
    uint32_t seen = 0, i;
    for (flight *f = karat_next_writer(s->oldest, r->cls, r->regno, &i); f;
         f = karat_next_writer(f->next, r->cls, r->regno, &i))
        karat_copy_lanes(f->values.old[i], r->data, oldest_pending(f, i, &seen) & lanes);
    karat_adopt_value(c, s, NULL, r->cls, r->regno, lanes & ~seen, r->data);
}

/* The instruction to look at: whose write landed last; where an AUDIT has shown that this one was right,
 * that which has written no lane since, and may have written anyway. */
static const flight *last_writer(const slot *s, const karat_rec_audit *r, const register_state *reg,
                                 uint32_t different) {
    const bool emptied = s->empty.given && s->empty.cls == r->cls && s->empty.reg == r->regno;
    if (emptied && (!reg->landed || !(different & ~reg->audited)))
        return karat_flight_recent(s, s->epoch, s->empty.seq);
    return reg->landed ? karat_flight_recent(s, s->epoch, reg->landed_seq) : NULL;
}

bool karat_check_audit(karat_checker *c, const karat_rec_audit *r) {
    slot *s = karat_slot_of(c, &r->h, false);
    if (!s)
        return true;
    if (r->cls == KARAT_CSR)
        return karat_audit_csr(c, s, r);
    if (r->cls == KARAT_STACK)
        return karat_audit_stack(c, s, r);
    if (r->cls > KARAT_V || r->regno >= (r->cls == KARAT_X ? KARAT_NUM_X : KARAT_NUM_V))
        return karat_fail(c, BLAME(FAIL_AUDIT, s, NULL, r), "class %u register %u does not exist", r->cls,
                          r->regno);
    if (r->mask & ~karat_lanes_of(c, r->cls))
        return karat_fail(c, BLAME(FAIL_AUDIT, s, NULL, r), "lanes %08" PRIx32 ": the core has not so many",
                          r->mask);
    if (!s->issued && s->launch.regs == KARAT_REGS_AUDIT && (r->cls == KARAT_V || r->regno != 0)) {
        karat_adopt(c->model, s->handle, r->cls, r->regno, r->mask, r->data);
        karat_define(s, r->cls, r->regno, r->mask);
        return false;
    }
    c->counts.audit++;
    uint32_t room[KARAT_MAX_THREAD];
    const uint32_t *value = expected_contents(c, s, r, room);
    const uint32_t different = karat_differing(c, r->cls, r->data, value, r->mask, 0xffffffffu);
    register_state *reg = karat_register(s, r->cls, r->regno);
    if (!different) {
        reg->audited |= r->mask;
        return false;
    }
    if (karat_fail_values(c,
                          BLAME(FAIL_AUDIT, s, last_writer(s, r, reg, different), r, .lanes = different,
                                .cls = r->cls, .reg = r->regno, .may_go_on = true),
                          r->data, value, ""))
        return true;
    take_contents(c, s, r, different);
    return false;
}
