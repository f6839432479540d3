/* WRITE: results, as the core writes them to the register file. */
#include "records.h"
#include "names.h"

#include <inttypes.h>

/* Where the core names no instruction: the oldest flight with a pending write of that register. */
flight *karat_writer(const slot *s, const karat_rec_write *r, bool *ambiguous) {
    flight *found = NULL;
    uint32_t i;
    if (r->match == KARAT_MATCH_SEQ)
        return karat_flight_find(s, r->h.epoch, r->seq);
    for (flight *f = karat_next_writer(s->oldest, r->cls, r->regno, &i); f;
         f = karat_next_writer(f->next, r->cls, r->regno, &i))
        if (f->pending_write[i]) {
            *ambiguous |= found != NULL;
            found = found ? found : f;
        }
    return found;
}

/* An older write that lands after a newer one leaves the register file wrong for good. */
static bool check_order(karat_checker *c, slot *s, const flight *f, uint32_t i, const karat_rec_write *r) {
    uint32_t k = 0;
    if (r->mask & f->overtaken[i])
        return karat_fail(c, BLAME(FAIL_WRITE_ORDER, s, f, r),
                          "%s: seq %" PRIu32 " lands after a younger instruction in lanes %08" PRIx32,
                          karat_register_name(r->cls, r->regno).text, f->seq, r->mask & f->overtaken[i]);
    register_state *reg = karat_register(s, r->cls, r->regno);
    reg->landed = true;
    reg->landed_seq = f->seq;
    reg->audited = 0;
    s->empty.given &= s->empty.reg != r->regno || s->empty.cls != r->cls;
    for (flight *older = karat_next_writer(s->oldest, r->cls, r->regno, &k); older != f;
         older = karat_next_writer(older->next, r->cls, r->regno, &k))
        older->overtaken[k] |= r->mask & older->pending_write[k];
    return false;
}

/* Instruction f is an SC that has failed without need.  That is legal; but an LR/SC loop has to come to an
 * end, so that of SCs which are tried again and again one has to store some time. */
static bool check_read_as_failed(karat_checker *c, slot *s, const flight *f, const karat_rec_write *r) {
    enum { PATIENCE = 64 };
    if (s->sc_fails.pc != f->commit.pc || s->sc_fails.stored != c->sc_stored) {
        s->sc_fails.pc = f->commit.pc;
        s->sc_fails.stored = c->sc_stored;
        s->sc_fails.since = c->cycle;
        s->sc_fails.times = 0;
    }
    if (++s->sc_fails.times < PATIENCE || c->cycle - s->sc_fails.since <= c->config.hang_cycles)
        return false;
    return karat_fail(c, BLAME(FAIL_HANG, s, f, r),
                      "since cycle %" PRIu64 " the SC has failed %" PRIu32
                      " times though nothing else was written to its word, and no warp's SC has stored",
                      s->sc_fails.since, s->sc_fails.times);
}

/* A result that is not the model's in these lanes, or in doubt. True where it is wrong, after that
 * failure. */
static bool check_different(karat_checker *c, slot *s, flight *f, uint32_t i, const karat_rec_write *r,
                            uint32_t different, uint32_t doubtful) {
    reasons why = {0};
    const uint64_t failed = c->counts.sc_failed;
    const uint32_t told = different & f->reported[i]; /* By a READ: that is the only value now */
    if (!told && karat_bridge_other_order(c, s, f, i, r->data, different, doubtful, &why))
        return c->counts.sc_failed != failed && check_read_as_failed(c, s, f, r);
    const uint32_t wrong = different ? different : doubtful;
    if (told)
        karat_append(why.text, sizeof why.text,
                     "\na READ has reported another result before this WRITE, lanes %08" PRIx32, told);
    if (f->commit.mem.amo == KARAT_AMO_SC && f->commit.has_mem && !f->commit.mem.succeeded && !why.text[0]) {
        karat_append(why.text, sizeof why.text, "\nthe SC fails");
        karat_bridge_explain_sc(c, f, &why);
    }
    karat_explain_sums(c, f, i, r->data, wrong, why.text, sizeof why.text);
    if (f->commit.warnings & KARAT_WARN_LANES_DIFFER)
        karat_append(
            why.text, sizeof why.text,
            "\nits active lanes differ, and so the program is undefined (see --strict=lanes): the model has "
            "the highest one's value");
    if (karat_fail_values(c,
                          BLAME(FAIL_WRITE_VALUE, s, f, r, .lanes = wrong, .cls = r->cls, .reg = r->regno,
                                .rules = why.rules, .may_go_on = true, .value.producer = why.producer),
                          r->data, f->commit.write[i].value, why.text))
        return true;
    karat_adopt_value(c, s, f, r->cls, r->regno, wrong, r->data);
    return false;
}

/* Compare the lanes that a record reports of a result that is pending. True after a failure. */
static bool check_values(karat_checker *c, slot *s, flight *f, uint32_t i, const karat_rec_write *r) {
    const karat_reg_write *w = &f->commit.write[i];
    const bool reported_other = f->reported[i] & 1 && r->data[0] != w->value[0];
    if (f->event.searched && !reported_other && karat_bridge_returned(c, s, f, r))
        return true;
    const uint32_t exact = r->mask & ~f->result.unreported, results = f->approximate[i] & r->mask;
    uint32_t different = karat_differing(c, r->cls, r->data, w->value, exact, 0xffffffffu);
    uint32_t within_ulp = results & different;
    if (within_ulp)
        within_ulp = karat_within_bound_of_result(c, f, i, r->data, within_ulp);
    different &= ~within_ulp;
    const uint32_t doubtful = exact & ~different & karat_bridge_doubt(c, f);
    if ((different || doubtful) && check_different(c, s, f, i, r, different, doubtful))
        return true;
    if (f->changed) /* Younger instructions have used another value in the model */
        return karat_fail(
            c, BLAME(FAIL_INCOMPLETE, s, f, r),
            "warps race, and %s is not the model's; it was used before this WRITE, and no READ has reported "
            "the value that was used",
            karat_register_name(r->cls, w->reg).text);
    if ((f->read_as_failed && check_read_as_failed(c, s, f, r)) || check_order(c, s, f, i, r))
        return true;
    if (f->result.unreported & r->mask) {
        karat_define(s, r->cls, r->regno,
                     karat_adopt_value(c, s, f, r->cls, r->regno, f->result.unreported & r->mask, r->data));
        c->counts.adopted++;
    }
    if (results) {
        karat_adopt_value(c, s, f, r->cls, r->regno, results, r->data);
        f->approximate[i] &= ~results;
    }
    c->counts.ulp += within_ulp || f->approximated;
    f->approximated = false;
    return false;
}

/* The write of a result, or of some of its lanes. */
static bool check_result(karat_checker *c, slot *s, flight *f, uint32_t i, const karat_rec_write *r) {
    if (check_values(c, s, f, i, r))
        return true;
    f->pending_write[i] &= ~r->mask;
    register_state *reg = karat_register(s, r->cls, r->regno);
    if (reg->wrote_seq == f->seq && !f->pending_write[i])
        reg->loading = false;
    c->sc_stored += f->commit.mem.succeeded;
    c->counts.x += r->cls == KARAT_X && !f->pending_write[i];
    c->counts.v += r->cls == KARAT_V && !f->pending_write[i];
    karat_flight_complete(c, s, f);
    return false;
}

/* After a failure: what is written and no instruction expects is in the register anyway. */
static bool take_stray(karat_checker *c, slot *s, const karat_rec_write *r, uint32_t lanes) {
    karat_adopt_value(c, s, NULL, r->cls, r->regno, lanes, r->data);
    return false;
}

/* No instruction in flight can have written that. */
static bool fail_unexpected(karat_checker *c, slot *s, const karat_rec_write *r) {
    const phrase name = karat_register_name(r->cls, r->regno);
    const bool named = r->match == KARAT_MATCH_SEQ, past = named && r->seq < s->next_seq;
    const blame x = {.kind = past ? FAIL_WRITE_DUPLICATE : FAIL_WRITE_UNEXPECTED,
                     .slot = s,
                     .flight = named ? karat_flight_recent(s, r->h.epoch, r->seq) : s->youngest,
                     .record = r,
                     .lanes = r->mask,
                     .may_go_on = true};
    return named ? karat_fail(c, &x, "%s, lanes %08" PRIx32 ", seq %" PRIu32 ": that instruction %s",
                              name.text, r->mask, r->seq, past ? "has completed" : "was not issued")
                 : karat_fail(c, &x, "%s, lanes %08" PRIx32 ": no instruction in flight expects it",
                              name.text, r->mask);
}

/* A WRITE whose register the instruction does not write: the most helpful reading of it. */
static bool fail_register(karat_checker *c, slot *s, flight *f, const karat_rec_write *r) {
    const phrase name = karat_register_name(r->cls, r->regno);
    uint32_t i = 0;
    while (i < f->commit.num_writes && !f->pending_write[i])
        i++;
    const bool none = i == f->commit.num_writes;
    const blame *x = BLAME(none ? FAIL_WRITE_UNEXPECTED : FAIL_WRITE_REGISTER, s, f, r, .lanes = r->mask,
                           .may_go_on = true);
    return none ? karat_fail(c, x, "%s is written, lanes %08" PRIx32 "; the instruction writes no register",
                             name.text, r->mask)
                : karat_fail(c, x, "%s is written; the instruction writes %s", name.text,
                             karat_register_name(f->commit.write[i].cls, f->commit.write[i].reg).text);
}

/* Lanes that the instruction does not write, or has written. */
static bool fail_lanes(karat_checker *c, slot *s, const flight *f, const karat_reg_write *w,
                       const karat_rec_write *r, uint32_t again) {
    const phrase name = karat_register_name(r->cls, r->regno);
    const uint32_t beyond = r->mask & ~w->mask;
    return beyond ? karat_fail(c, BLAME(FAIL_WRITE_LANES, s, f, r, .lanes = beyond, .may_go_on = true),
                               "%s: lanes %08" PRIx32 " are written; the instruction writes %08" PRIx32,
                               name.text, r->mask, w->mask)
                  : karat_fail(c, BLAME(FAIL_WRITE_DUPLICATE, s, f, r, .lanes = again, .may_go_on = true),
                               "%s: lanes %08" PRIx32 " were written before", name.text, again);
}

bool karat_check_write(karat_checker *c, const karat_rec_write *r) {
    karat_note_gap(c, GAP_SEQ, r->match != KARAT_MATCH_SEQ);
    slot *s = karat_slot_of(c, &r->h, r->mask && (r->cls != KARAT_X || r->regno));
    if (!s)
        return true;
    if (r->cls > KARAT_V || r->regno >= (r->cls == KARAT_X ? KARAT_NUM_X : KARAT_NUM_V))
        return karat_fail(c, BLAME(FAIL_WRITE_REGISTER, s, NULL, r), "class %u register %u does not exist",
                          r->cls, r->regno);
    if (r->cls == KARAT_X && r->regno == 0) {
        c->counts.x0++; /* Writes nothing; x0 must read and audit as 0 */
        return false;
    }
    if (r->mask == 0) {
        s->empty.given = r->match == KARAT_MATCH_SEQ;
        s->empty.cls = r->cls;
        s->empty.reg = r->regno;
        s->empty.seq = r->seq;
        c->counts.empty++;
        return false;
    }
    bool ambiguous = false;
    flight *f = karat_writer(s, r, &ambiguous);
    if (ambiguous)
        return karat_fail(c, BLAME(FAIL_WRITE_ORDER, s, f, r),
                          "%s: two writes are pending, and the core does not say which this is",
                          karat_register_name(r->cls, r->regno).text);
    if (!f)
        return fail_unexpected(c, s, r) || take_stray(c, s, r, r->mask);
    const uint32_t i = karat_find_write(&f->commit, r->cls, r->regno);
    if (i == f->commit.num_writes)
        return fail_register(c, s, f, r) || take_stray(c, s, r, r->mask);
    const uint32_t again = r->mask & ~f->pending_write[i];
    if (!again)
        return check_result(c, s, f, i, r);
    if (fail_lanes(c, s, f, &f->commit.write[i], r, again) || take_stray(c, s, r, again))
        return true;
    karat_rec_write rest = *r;
    rest.mask &= ~again;
    return rest.mask && karat_check_write(c, &rest);
}
