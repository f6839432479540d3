/* READ: operands, as the core has read them. */
#include "records.h"
#include "compare.h"
#include "defects.h"

#include <inttypes.h>
#include <stdio.h>

/* The instruction before f that has written some lanes of a register, and owes these: its write came with too
 * few. */
static const flight *find_part_missing(const slot *s, const flight *f, unsigned cls, unsigned reg,
                                       uint32_t lanes) {
    for (const flight *g = s->oldest; g != f; g = g->next)
        for (uint32_t i = 0; i < g->commit.num_writes; i++) {
            const karat_reg_write *w = &g->commit.write[i];
            if (w->cls == cls && w->reg == reg && g->owes_write[i] & lanes && g->owes_write[i] != w->mask)
                return g;
        }
    return NULL;
}

static bool fail_read(karat_checker *c, slot *s, const flight *f, const karat_rec_read *r,
                      const karat_reg_read *read, uint32_t different) {
    const flight *g = find_part_missing(s, f, read->cls, read->reg, different);
    if (!g)
        return karat_fail_values(c, FAIL_READ, s, f, r, read->cls, read->reg, r->data, read->value, different,
                                 "");
    char text[700];
    karat_table(text, sizeof text, r->data, read->value, different, read->cls == KARAT_CLASS_X);
    return karat_fail(c, FAIL_WRITE_MISSING, s, g, r,
                      "%c%u: some lanes were written, others are still owed when seq %" PRIu32
                      " reads them%s",
                      read->cls == KARAT_CLASS_X ? 'x' : 'v', read->reg, f->seq, text);
}

/* A wrong operand: false where it ends the comparison of its warp. Else the results are what the core makes of it. */
static bool go_on_read(karat_checker *c, slot *s, flight *f, const karat_rec_read *r,
                       const karat_reg_read *read, uint32_t different) {
    const karat_commit *m = &f->commit;
    if (m->num_writes && !m->has_mem && !m->csr_written && m->next_pc == m->pc + 4)
        karat_keep(c, different);
    const bool keeps = c->keeps;
    fail_read(c, s, f, r, read, different);
    if (!keeps || !karat_kept(c))
        return false;
    f->tainted = 0xffffffffu;
    return true;
}

bool karat_check_read(karat_checker *c, const karat_rec_read *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (r->mask & ~(r->cls == KARAT_X ? 1 : karat_all_lanes(c)))
        return karat_fail(c, FAIL_READ, s, f, r, "lanes %08" PRIx32 ": the core has not so many", r->mask);
    if (!f)
        return karat_fail(c, FAIL_READ, s, karat_flight_recent(s, r->h.epoch, r->seq), r,
                          "operand of seq %" PRIu32 ", which is not in flight", r->seq);
    c->counts.read++;
    for (uint32_t i = 0; i < f->commit.num_reads; i++) {
        const karat_reg_read *read = &f->commit.read[i];
        if (read->source != r->source || read->part != r->part || read->cls != r->cls)
            continue;
        uint32_t lanes = r->mask & ~f->unknown_read[i];
        uint32_t bits = r->bits && r->bits < 32 ? (1u << r->bits) - 1 : 0xffffffffu;
        uint32_t different;
        if (r->cls == KARAT_X)
            different = lanes && (r->data[0] ^ read->value[0]) & bits;
        else
            different = karat_differing(c, r->data, read->value, lanes, bits);
        if (different && !go_on_read(c, s, f, r, read, different))
            return true;
        if (different)
            return false;
        f->read_alike |= 1u << i;
        if (s->num_history - f->seq <= NUM_HISTORY)
            s->history[f->seq % NUM_HISTORY].read_alike = (uint16_t)f->read_alike;
        return false;
    }
    return !(c->hello.props & KARAT_PROP_READS_MORE) &&
           karat_fail(c, FAIL_READ, s, f, r,
                      "the core reads source %u of class %c; the instruction has no such operand", r->source,
                      r->cls == KARAT_X ? 'x' : 'v');
}
