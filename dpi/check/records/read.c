/* READ: operands, as the core has read them. */
#include "records.h"
#include "names.h"

#include <inttypes.h>

/* The instruction before f that has written some lanes of a register, and has these pending: its write
 * came with too few. */
static const flight *find_part_missing(const slot *s, const flight *f, const karat_reg_read *read,
                                       uint32_t lanes) {
    uint32_t i;
    const flight *g = karat_next_writer(s->oldest, read->cls, read->reg, &i);
    while (g && !(g->pending_write[i] & lanes && g->pending_write[i] != g->commit.write[i].mask))
        g = karat_next_writer(g->next, read->cls, read->reg, &i);
    return g && g->seq < f->seq ? g : NULL;
}

/* The instruction before f that has written that register last, as far as its warp's history goes back; NULL:
 * none. */
static const karat_row *find_producer(const karat_checker *c, const slot *s, const flight *f,
                                      const karat_reg_read *read) {
    karat_insn insn;
    const past *p;
    for (uint32_t seq = f->seq; seq-- && (p = karat_past(s, seq));)
        if (p->cls == read->cls && (uint32_t)read->reg - p->reg < p->num_writes)
            return karat_row_info(karat_decode(c->config.model.profile, p->word, &insn));
    return NULL;
}

/* A wrong operand.  Where the warp goes on, the results are what the core makes of it. */
static bool fail_read(karat_checker *c, slot *s, flight *f, const karat_rec_read *r,
                      const karat_reg_read *read, uint32_t different) {
    const karat_commit *m = &f->commit;
    const flight *g = find_part_missing(s, f, read, different);
    const blame x = {.kind = g ? FAIL_WRITE_MISSING : FAIL_READ,
                     .slot = s,
                     .flight = g ? g : f,
                     .record = r,
                     .lanes = different,
                     .cls = read->cls,
                     .reg = read->reg,
                     .value.producer = g ? NULL : find_producer(c, s, f, read),
                     .may_go_on = m->num_writes && !m->has_mem && !m->csr_written && m->next_pc == m->pc + 4};
    char text[700];
    karat_table(text, sizeof text, &x, r->data, read->value);
    if (g ? karat_fail(c, &x,
                       "%s: some lanes were written, others are still pending when seq %" PRIu32
                       " reads them%s",
                       karat_register_name(read->cls, read->reg).text, f->seq, text)
          : karat_fail_values(c, &x, r->data, read->value, ""))
        return true;
    f->result.unreported = 0xffffffffu;
    return false;
}

bool karat_check_read(karat_checker *c, const karat_rec_read *r) {
    slot *s = karat_slot_of(c, &r->h, true);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (r->mask & ~karat_lanes_of(c, r->cls))
        return karat_fail(c, BLAME(FAIL_READ, s, f, r), "lanes %08" PRIx32 ": the core has not so many",
                          r->mask);
    if (!f)
        return karat_fail(c, BLAME(FAIL_READ, s, karat_flight_recent(s, r->h.epoch, r->seq), r),
                          "operand of seq %" PRIu32 ", which is not in flight", r->seq);
    c->counts.read++;
    for (uint32_t i = 0; i < f->commit.num_reads; i++) {
        const karat_reg_read *read = &f->commit.read[i];
        if (read->source != r->source || read->part != r->part || read->cls != r->cls)
            continue;
        const uint32_t different = karat_differing(c, r->cls, r->data, read->value,
                                                   r->mask & ~f->unknown_read[i], karat_read_bits(r));
        if (different) {
            f->read_matched &= ~(1u << i); /* A scalar was perhaps right in the first of two parts */
            return fail_read(c, s, f, r, read, different);
        }
        f->read_matched |= 1u << i;
        if (s->num_history - f->seq <= NUM_HISTORY)
            s->history[f->seq % NUM_HISTORY].read_matched = (uint16_t)f->read_matched;
        return false;
    }
    return !(c->hello.props & KARAT_PROP_READS_MORE) &&
           karat_fail(c, BLAME(FAIL_READ, s, f, r),
                      "the core reads source %u of class %c; the instruction has no such operand", r->source,
                      r->cls == KARAT_X ? 'x' : 'v');
}
