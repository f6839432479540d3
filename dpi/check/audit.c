/* AUDIT: the register file, as of the WRITEs so far. */
#include "records.h"
#include "compare.h"
#include "defects.h"

#include <inttypes.h>
#include <string.h>

static void copy_lanes(uint32_t *to, const uint32_t *from, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        to[lane] = from[lane];
    }
}

/* What the core's register file must hold now.  The model is ahead of writes that are pending: there the
 * value is the one from before the oldest pending write of the lane; one that a younger write has overtaken is too late: what has landed is there.  Lanes that nobody has told yet take the
 * core's value. */
static void expected_contents(karat_checker *c, slot *s, const karat_rec_audit *r, uint32_t lanes,
                              uint32_t *value) {
    const unsigned cls = r->cls, reg = r->regno;
    karat_warp_view view;
    karat_view(c->model, s->handle, &view);
    if (cls == KARAT_CLASS_X)
        value[0] = view.x[reg];
    else
        memcpy(value, view.v + (size_t)reg * c->hello.num_thread, c->hello.num_thread * sizeof *value);
    uint32_t seen = 0;
    for (flight *f = s->oldest; f; f = f->next)
        for (uint32_t i = 0; i < f->commit.num_writes; i++) {
            karat_reg_write *w = &f->commit.write[i];
            if (w->cls != cls || w->reg != reg)
                continue;
            const uint32_t pending = f->owes_write[i] & ~f->overtaken[i];
            uint32_t first = pending & ~seen, unknown = first & f->unknown_old[i] & lanes;
            copy_lanes(w->old, r->data, unknown);
            copy_lanes(value, w->old, first);
            f->unknown_old[i] &= ~unknown;
            seen |= pending;
        }
    uint32_t unknown = karat_unknown_lanes(c, s, cls, reg) & lanes & ~seen;
    copy_lanes(value, r->data, unknown);
    if (unknown)
        karat_believe(c, s, NULL, cls, reg, unknown, r->data);
}

/* The instruction to look at: whose write landed last; where an AUDIT has shown that this one was right, that which has
 * written no lane since, and may have written all the same. */
static const flight *last_writer(const slot *s, const karat_rec_audit *r, const register_state *reg,
                                 uint32_t different) {
    bool emptied = s->empty.given && s->empty.cls == r->cls && s->empty.reg == r->regno;
    if (emptied && (!reg->landed || !(different & ~reg->audited)))
        return karat_flight_recent(s, s->epoch, s->empty.seq);
    return reg->landed ? karat_flight_recent(s, s->epoch, reg->landed_seq) : NULL;
}

/* What the core's register file holds, where it is wrong: in the oldest pending write's past, or now. */
static void take_contents(karat_checker *c, slot *s, const karat_rec_audit *r, uint32_t lanes) {
    for (flight *f = s->oldest; f; f = f->next)
        for (uint32_t i = 0; i < f->commit.num_writes; i++) {
            karat_reg_write *w = &f->commit.write[i];
            if (w->cls != r->cls || w->reg != r->regno)
                continue;
            const uint32_t pending = f->owes_write[i] & ~f->overtaken[i] & lanes;
            copy_lanes(w->old, r->data, pending);
            lanes &= ~pending;
        }
    karat_believe(c, s, NULL, r->cls, r->regno, lanes, r->data);
}

bool karat_check_audit(karat_checker *c, const karat_rec_audit *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    if (r->cls == KARAT_CSR)
        return karat_check_csr_held(c, s, r);
    if (r->cls > KARAT_V || r->regno >= (r->cls == KARAT_X ? KARAT_NUM_X : KARAT_NUM_V))
        return karat_fail(c, FAIL_AUDIT, s, NULL, r, "class %u register %u does not exist", r->cls, r->regno);
    uint32_t lanes = r->mask;
    if (lanes & ~(r->cls == KARAT_X ? 1 : karat_all_lanes(c)))
        return karat_fail(c, FAIL_AUDIT, s, NULL, r, "lanes %08" PRIx32 ": the core has not so many", lanes);
    if (!s->issued && s->launch.regs == KARAT_REGS_AUDIT && (r->cls == KARAT_V || r->regno != 0)) {
        karat_adopt(c->model, s->handle, r->cls, r->regno, lanes, r->data);
        karat_define(s, r->cls, r->regno, lanes);
        return false;
    }
    c->counts.audit++;
    uint32_t value[KARAT_MAX_THREAD];
    expected_contents(c, s, r, lanes, value);
    uint32_t different = r->cls == KARAT_X ? lanes && r->data[0] != value[0]
                                           : karat_differing(c, r->data, value, lanes, 0xffffffffu);
    if (!different) {
        karat_register(s, r->cls, r->regno)->audited |= lanes;
        return false;
    }
    const register_state *reg = karat_register(s, r->cls, r->regno);
    const flight *f = last_writer(s, r, reg, different);
    karat_keep(c, different);
    karat_fail_values(c, FAIL_AUDIT, s, f, r, r->cls, r->regno, r->data, value, different, "");
    if (!karat_kept(c))
        return true;
    take_contents(c, s, r, different);
    return false;
}
