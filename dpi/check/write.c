/* WRITE: results, as the core writes them to the register file. */
#include "records.h"
#include "compare.h"
#include "defects.h"
#include "ulp.h"
#include "words.h"

#include <inttypes.h>

/* Where the core names no instruction: the oldest flight of this epoch that owes a write of that register. */
flight *karat_writer(const slot *s, const karat_rec_write *r, bool *ambiguous) {
    flight *found = NULL;
    if (r->match == KARAT_MATCH_SEQ)
        return karat_flight_find(s, r->h.epoch, r->seq);
    for (flight *f = s->oldest; f; f = f->next)
        for (uint32_t i = 0; i < f->commit.num_writes; i++)
            if (f->owes_write[i] && f->commit.write[i].cls == r->cls && f->commit.write[i].reg == r->regno) {
                if (found)
                    *ambiguous = true;
                else
                    found = f;
            }
    return found;
}

static void count_write(karat_checker *c, unsigned cls) {
    if (cls == KARAT_X)
        c->counts.x++;
    else
        c->counts.v++;
}

/* An older write that lands after a newer one leaves the register file wrong for good. */
static bool check_order(karat_checker *c, slot *s, const flight *f, uint32_t i, const karat_rec_write *r) {
    if (r->mask & f->overtaken[i])
        return karat_fail(c, FAIL_WRITE_ORDER, s, f, r,
                          "%c%u: seq %" PRIu32 " lands after a younger instruction in lanes %08" PRIx32,
                          r->cls == KARAT_X ? 'x' : 'v', r->regno, f->seq, r->mask & f->overtaken[i]);
    register_state *reg = karat_register(s, r->cls, r->regno);
    reg->landed = true;
    reg->landed_seq = f->seq;
    reg->audited = 0;
    s->empty.given &= s->empty.reg != r->regno || s->empty.cls != r->cls;
    for (flight *older = s->oldest; older != f; older = older->next)
        for (uint32_t k = 0; k < older->commit.num_writes; k++)
            if (older->commit.write[k].cls == r->cls && older->commit.write[k].reg == r->regno)
                older->overtaken[k] |= r->mask & older->owes_write[k];
    return false;
}

/* A WRITE whose register the instruction does not write: the most helpful reading of it. */
static bool fail_register(karat_checker *c, slot *s, flight *f, const karat_rec_write *r) {
    char name = r->cls == KARAT_X ? 'x' : 'v';
    for (uint32_t i = 0; i < f->commit.num_writes; i++)
        if (f->owes_write[i])
            return karat_fail(c, FAIL_WRITE_REGISTER, s, f, r, "%c%u is written; the instruction writes %c%u",
                              name, r->regno, f->commit.write[i].cls == KARAT_X ? 'x' : 'v',
                              f->commit.write[i].reg);
    return karat_fail(c, FAIL_WRITE_UNEXPECTED, s, f, r,
                      "%c%u is written, lanes %08" PRIx32 "; the instruction writes no register", name,
                      r->regno, r->mask);
}

/* f is an SC that has failed without need.  That is legal; but an LR/SC loop has to come to an end, so that of SCs which
 * are tried again and again one has to store some time. */
static bool check_patience(karat_checker *c, slot *s, const flight *f, const karat_rec_write *r) {
    enum { PATIENCE = 64 };
    if (s->sc_fails.pc != f->commit.pc || s->sc_fails.stored != c->sc_stored) {
        s->sc_fails.pc = f->commit.pc;
        s->sc_fails.stored = c->sc_stored;
        s->sc_fails.since = c->cycle;
        s->sc_fails.times = 0;
    }
    if (++s->sc_fails.times < PATIENCE || c->cycle - s->sc_fails.since <= c->config.hang_cycles)
        return false;
    return karat_fail(c, FAIL_HANG, s, f, r,
                      "since cycle %" PRIu64 " the SC has failed %" PRIu32
                      " times though nothing else was written to its word, and no warp's SC has stored",
                      s->sc_fails.since, s->sc_fails.times);
}

/* A result that is not the model's in these lanes, or in doubt. True where it is wrong, after that failure. */
static bool check_different(karat_checker *c, slot *s, flight *f, uint32_t i, const karat_rec_write *r,
                            uint32_t different, uint32_t doubtful) {
    char order[1200] = "";
    const uint64_t failed = c->counts.sc_failed;
    const uint32_t told = different & f->told[i]; /* by a READ: that is the only value now */
    if (!told && karat_shared_other_order(c, s, f, i, r->data, different, doubtful, order, sizeof order))
        return c->counts.sc_failed != failed && check_patience(c, s, f, r);
    const uint32_t wrong = different ? different : doubtful;
    if (told)
        karat_append(order, sizeof order,
                     "\na READ has told another result before this WRITE, lanes %08" PRIx32, told);
    if (f->commit.mem.amo == KARAT_AMO_SC && f->commit.has_mem && !f->commit.mem.succeeded && !order[0]) {
        karat_append(order, sizeof order, "\nthe SC fails");
        karat_shared_explain_sc(c, f, order, sizeof order);
    }
    if (f->commit.warnings & KARAT_WARN_LANES_DIFFER)
        karat_append(
            order, sizeof order,
            "\nits active lanes differ, and so the program is undefined (see --strict=lanes): the model has "
            "the highest one's value");
    karat_keep(c, wrong);
    karat_fail_values(c, FAIL_WRITE_VALUE, s, f, r, r->cls, r->regno, r->data, f->commit.write[i].value,
                      wrong, order);
    if (!karat_kept(c))
        return true;
    karat_believe(c, s, f, r->cls, r->regno, wrong, r->data);
    return false;
}

/* A race has given another result than the model's, and what was used of it before is wrong in the model. */
static bool fail_used(karat_checker *c, slot *s, const flight *f, uint32_t i, const karat_rec_write *r) {
    return karat_fail(
        c, FAIL_INCOMPLETE, s, f, r,
        "warps race, and %c%u is not the model's; it was used before this WRITE, and no READ has "
        "told what was used",
        r->cls == KARAT_X ? 'x' : 'v', f->commit.write[i].reg);
}

/* Behind a failure: what is written and nobody owes is in the register all the same. */
static bool take_stray(karat_checker *c, slot *s, const karat_rec_write *r, uint32_t lanes) {
    if (!karat_kept(c))
        return true;
    karat_believe(c, s, NULL, r->cls, r->regno, lanes, r->data);
    return false;
}

bool karat_check_write(karat_checker *c, const karat_rec_write *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    if (r->cls > KARAT_V || r->regno >= (r->cls == KARAT_X ? KARAT_NUM_X : KARAT_NUM_V))
        return karat_fail(c, FAIL_WRITE_REGISTER, s, NULL, r, "class %u register %u does not exist", r->cls,
                          r->regno);
    char name = r->cls == KARAT_X ? 'x' : 'v';
    if (r->cls == KARAT_X && r->regno == 0) {
        c->counts.x0++; /* writes nothing; x0 must read and audit as 0 */
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
        return karat_fail(c, FAIL_WRITE_ORDER, s, f, r,
                          "%c%u: two writes are pending, and the core does not say which this is", name,
                          r->regno);
    if (!f) {
        karat_keep(c, r->mask);
        if (r->match == KARAT_MATCH_SEQ)
            karat_fail(c, r->seq < s->next_seq ? FAIL_WRITE_DUPLICATE : FAIL_WRITE_UNEXPECTED, s,
                       karat_flight_recent(s, r->h.epoch, r->seq), r,
                       "%c%u, lanes %08" PRIx32 ", seq %" PRIu32 ": that instruction %s", name, r->regno,
                       r->mask, r->seq, r->seq < s->next_seq ? "has completed" : "was not issued");
        else
            karat_fail(c, FAIL_WRITE_UNEXPECTED, s, s->youngest, r,
                       "%c%u, lanes %08" PRIx32 ": no instruction in flight owes it", name, r->regno,
                       r->mask);
        return take_stray(c, s, r, r->mask);
    }
    for (uint32_t i = 0; i < f->commit.num_writes; i++) {
        karat_reg_write *w = &f->commit.write[i];
        if (w->cls != r->cls || w->reg != r->regno)
            continue;
        const uint32_t beyond = r->mask & ~w->mask, again = r->mask & ~f->owes_write[i];
        if (again) {
            karat_keep(c, beyond ? beyond : again);
            if (beyond)
                karat_fail(c, FAIL_WRITE_LANES, s, f, r,
                           "%c%u: lanes %08" PRIx32 " are written; the instruction writes %08" PRIx32, name,
                           r->regno, r->mask, w->mask);
            else
                karat_fail(c, FAIL_WRITE_DUPLICATE, s, f, r, "%c%u: lanes %08" PRIx32 " were written before",
                           name, r->regno, again);
            if (take_stray(c, s, r, again))
                return true;
            karat_rec_write rest = *r;
            rest.mask &= ~again;
            return rest.mask && karat_check_write(c, &rest);
        }
        const bool told_other = f->told[i] & 1 && r->data[0] != w->value[0];
        if (!told_other && karat_shared_returned(c, s, f, r))
            return true;
        uint32_t exact = r->mask & ~f->tainted, different;
        if (r->cls == KARAT_X)
            different = exact && r->data[0] != w->value[0];
        else
            different = karat_differing(c, r->data, w->value, exact, 0xffffffffu);
        const uint32_t results = f->approximate[i] & r->mask;
        uint32_t near = results & different;
        if (near)
            near = karat_within_bound(r->data, w->value, near, c->ulp[f->commit.row]);
        different &= ~near;
        const uint32_t doubtful = exact & ~different & karat_shared_doubt(c, f);
        if ((different || doubtful) && check_different(c, s, f, i, r, different, doubtful))
            return true;
        if (f->changed)
            return fail_used(c, s, f, i, r);
        if (f->impatient && check_patience(c, s, f, r))
            return true;
        if (check_order(c, s, f, i, r))
            return true;
        if (f->tainted & r->mask) {
            karat_define(s, r->cls, r->regno,
                         karat_believe(c, s, f, r->cls, r->regno, f->tainted & r->mask, r->data));
            c->counts.adopted++;
        }
        if (results) {
            karat_believe(c, s, f, r->cls, r->regno, results, r->data);
            f->approximate[i] &= ~results;
        }
        c->counts.ulp += near || f->approximated;
        f->approximated = false;
        f->owes_write[i] &= ~r->mask;
        if (karat_register(s, r->cls, r->regno)->wrote_seq == f->seq && !f->owes_write[i])
            karat_register(s, r->cls, r->regno)->loading = false;
        c->sc_stored += f->commit.mem.succeeded;
        if (!f->owes_write[i])
            count_write(c, r->cls);
        karat_flight_settle(c, s, f);
        return false;
    }
    karat_keep(c, r->mask);
    fail_register(c, s, f, r);
    return take_stray(c, s, r, r->mask);
}
