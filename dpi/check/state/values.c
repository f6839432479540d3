/* Registers that a launch left unknown: what the core's READs and AUDITs say of them, and what depends on
 * them.
 *
 * A lane of a register is 'written' where the warp has written it since its launch, and 'known' where the
 * model holds what the core holds.  Written lanes are known, but for results that were computed from
 * unknown operands, and for those that the core's unit only approximates (ulp.c), until their WRITE
 * reports them.  Any READ or AUDIT makes the lanes that it reports known: it is believed once, and
 * compared from then on.
 *
 * An instruction that depends on a lane not written has an undefined operand: it is counted once for each
 * operand register, and the lane then counts as written.  Its READs come after its ISSUE, so the step
 * waits until they have: the read port puts it off where an operand has unknown lanes.  The records of
 * that warp wait meanwhile, in order.  Where the READs do not come (the core provides none, or not this
 * one) the step is taken without: what only passes the unknown value on is adopted from the result's WRITE
 * or MEM, lane by lane; what decides by it has left the ISA.  A store that waits for nothing but its data
 * is taken at its MEM, for others may load that from then on.  Steps wait for results that are used before
 * their WRITE, too (use_before_write.c).
 *
 * The same is done with approximate results, which are written and not known until a record reports them:
 * a WRITE, or of a core that provides none a READ or MEM (ulp.c). There what decides by one before that
 * ends the comparison, for the program has done nothing wrong, and the core perhaps neither: INCOMPLETE.
 * Where no MEM reports what is stored, that memory is in doubt: what it holds in the end is not judged. */
#include "values.h"
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void karat_define(slot *s, unsigned cls, unsigned reg, uint32_t lanes) {
    register_state *r = karat_register(s, cls, reg);
    karat_learn(&r->is, lanes);
    r->is.unwritten &= ~lanes;
}

/* Correct the history of the instruction that wrote it: the model goes on with that value. */
static void amend_history(slot *s, const flight *f, unsigned cls, unsigned reg, uint32_t lanes,
                          const uint32_t *value) {
    const register_state *r = karat_register(s, cls, reg);
    if (!f && !r->wrote_lanes)
        return;
    const uint32_t seq = f ? f->seq : r->wrote_seq;
    past *p =
        seq < s->num_history && s->num_history - seq <= NUM_HISTORY ? &s->history[seq % NUM_HISTORY] : NULL;
    if (!p || !p->num_writes || p->cls != cls || p->reg != reg || !(lanes & (p->write_mask & -p->write_mask)))
        return;
    p->value0 = value[cls == KARAT_CLASS_X ? 0 : __builtin_ctz(p->write_mask)];
    p->adopted = true;
}

/* The model is ahead: what a younger instruction in flight has overwritten is only that one's old value. */
uint32_t karat_adopt_value(karat_checker *c, slot *s, flight *f, unsigned cls, unsigned reg, uint32_t lanes,
                           const uint32_t *value) {
    uint32_t i;
    amend_history(s, f, cls, reg, lanes, value);
    for (flight *g = karat_next_writer(f ? f->next : NULL, cls, reg, &i); g;
         g = karat_next_writer(g->next, cls, reg, &i)) {
        const uint32_t hit = lanes & g->commit.write[i].mask;
        karat_copy_lanes(g->values.old[i], value, hit);
        g->unknown_old[i] &= ~hit;
        lanes &= ~hit;
    }
    karat_adopt(c->model, s->handle, cls, reg, lanes, value);
    karat_learn(&karat_register(s, cls, reg)->is, lanes);
    return lanes;
}

/* --- The read port --- */

/* A READ's values for an operand's lanes that no record has reported yet.  Of an approximate result that
 * is still under way, what is too far from the model's is not taken, and compares as wrong.  v0 as a mask
 * may be given by its lowest bit alone: enough for this step, and not what the register holds. */
static karat_read_answer take_read(karat_checker *c, slot *s, const karat_rec_read *r, unsigned index,
                                   const karat_reg_read *read, uint32_t *value) {
    knowledge *step = &c->operand[index], *is = &karat_register(s, read->cls, read->reg)->is;
    const uint32_t bits = karat_read_bits(r);
    uint32_t lanes = step->unreported & r->mask;
    if (bits == 0xffffffffu) {
        const uint32_t result = lanes & ~step->unwritten & is->within;
        step->unreported &= ~result;
        lanes &= ~result | karat_take_early_result(c, s, read->cls, read->reg, result, r->data);
        karat_learn(is, lanes);
    }
    memcpy(value, read->value, (read->cls == KARAT_CLASS_X ? 1 : c->hello.num_thread) * sizeof *value);
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        value[lane] = (value[lane] & ~bits) | (r->data[lane] & bits);
    }
    if (bits == 0xffffffffu || read->source == 0)
        step->unreported &= ~lanes;
    return lanes ? KARAT_READ_CHANGED : KARAT_READ_KEEP;
}

static karat_read_answer look_up(karat_checker *c, slot *s, const karat_commit *commit, unsigned index,
                                 uint32_t *value) {
    const karat_reg_read *read = &commit->read[index];
    if (karat_takes_values(c))
        karat_check_pending_operands(c, s, commit);
    const register_state *reg = karat_register_const(s, read->cls, read->reg);
    knowledge *step = &c->operand[index];
    step->unreported = reg->is.unreported;
    step->unwritten = reg->is.unwritten;
    c->any_unwritten |= (step->unreported | step->unwritten) != 0;
    if (reg->loading && karat_waits_for_early(c, s, read))
        return KARAT_READ_HOLD;
    if (!step->unreported) /* Nearly always */
        return step->unwritten || reg->loading || karat_takes_values(c) ? KARAT_READ_KEEP : KARAT_READ_KNOWN;
    const bool written = step->unreported & ~step->unwritten;
    if (!karat_gives(c, KARAT_REC_READ) && !(written && karat_gives(c, KARAT_REC_WRITE)))
        return KARAT_READ_KEEP; /* No record will report it before the step */
    const karat_rec_read *r = karat_waiting_read(s, read);
    if (r)
        return take_read(c, s, r, index, read, value);
    return s->forced ? KARAT_READ_KEEP : KARAT_READ_HOLD;
}

karat_read_answer karat_check_operand(void *checker, uint32_t warp, const karat_commit *commit,
                                      uint32_t value[KARAT_MAX_THREAD]) {
    karat_checker *c = checker;
    const unsigned index = commit->num_reads - 1;
    const karat_read_answer answer = look_up(c, &c->slots[warp], commit, index, value);
    c->waits_for |= (uint32_t)(answer == KARAT_READ_HOLD) << index;
    return answer;
}

/* --- Instructions with undefined operands --- */

/* Whether v0 is an operand like any other (merge, carry), not a mask. */
static bool v0_is_operand(const karat_row *row) {
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->role == KARAT_ROLE_VM && kind->bits == 0)
            return true;
    }
    return false;
}

/* Which source of a store is its data: the third where there is one, else the second. */
uint8_t karat_data_source(const karat_commit *commit) {
    for (uint32_t i = 0; i < commit->num_reads; i++)
        if (commit->read[i].source == 3)
            return 3;
    return 2;
}

static void note_use(karat_checker *c, uint32_t pc, const karat_reg_read *read) {
    c->counts.undefined++;
    undefined_use *u = c->undefined, *end = u + c->num_undefined;
    while (u < end &&
           (u->kernel != c->kernel.index || u->pc != pc || u->cls != read->cls || u->reg != read->reg))
        u++;
    if (u == c->undefined + NUM_UNDEFINED_USE)
        return;
    if (u == end) {
        *u = (undefined_use){.kernel = c->kernel.index, .pc = pc, .cls = read->cls, .reg = read->reg};
        c->num_undefined++;
    }
    u->count++;
}

/* Lanes that were written, with what no record has reported yet. */
static uint32_t unreported_lanes(const slot *s, uint32_t unknown, const karat_reg_read *read) {
    const knowledge *is = &karat_register_const(s, read->cls, read->reg)->is;
    return unknown & ~is->unwritten & is->unreported;
}

static uint32_t all_if_scalar(const karat_reg_read *read, uint32_t lanes) {
    return lanes && read->cls == KARAT_CLASS_X ? 0xffffffffu : lanes;
}

/* A store's data: approximate results among the unreported lanes are compared within their bound (ulp.c). */
static void note_ulp_data(slot *s, flight *f, const karat_reg_read *read, uint32_t unreported) {
    const register_state *r = karat_register(s, read->cls, read->reg);
    f->ulp_lanes[read->part] = unreported & r->is.within;
    f->ulp_row[read->part] = r->ulp_row;
    f->ulp_reg[read->part] = read->reg;
}

/* It may load a value that no record has reported. */
static void take_doubts(const karat_checker *c, const slot *s, flight *f) {
    const karat_mem *m = &f->commit.mem;
    for (uint32_t k = 0; m->op != KARAT_STORE && k < m->num; k++)
        if (karat_is_in(c->unreported_memory, m->access[k].addr) ||
            karat_stores_unreported(c, s, &m->access[k]))
            f->result.unreported |=
                karat_row_info(f->commit.row)->owes & KARAT_OWES_X ? 0xffffffffu : 1u << m->access[k].lane;
}

/* Whether a lane stores to one byte twice, as under LMUL 2: its MEMs do not say which of the two they are. */
static bool stores_twice(const karat_mem *m, uint32_t k) {
    for (uint32_t i = 0; i < m->num; i++)
        if (i != k && m->access[i].lane == m->access[k].lane &&
            karat_accesses_overlap(&m->access[i], &m->access[k]))
            return true;
    return false;
}

/* A value that no record has reported is stored: its MEM will report it, or nothing. False: memory is
 * short. */
static bool doubt_stored(karat_checker *c, const flight *f) {
    const karat_mem *m = &f->commit.mem;
    const bool told = karat_gives(c, KARAT_REC_MEM);
    bool room = true;
    if (m->op != KARAT_STORE)
        return true;
    c->unreported_stored = true;
    for (uint32_t k = 0; k < m->num; k++)
        if (f->result.unreported >> m->access[k].lane & 1 && (!told || stores_twice(m, k)))
            room &= karat_put_in(&c->unreported_memory, m->access[k].addr, m->access[k].bytes);
    return room;
}

bool karat_check_undefined(karat_checker *c, slot *s, flight *f) {
    const karat_commit *commit = &f->commit;
    f->result.unreported = f->result.unwritten = 0;
    memset(f->ulp_lanes, 0, sizeof f->ulp_lanes);
    memset(f->unknown_read, 0, sizeof f->unknown_read);
    if (c->unreported_stored)
        take_doubts(c, s, f);
    if (!c->any_unwritten)
        return false; /* Nearly always */
    for (uint32_t i = 0; i < commit->num_reads; i++)
        f->unknown_read[i] = c->operand[i].unreported;
    const karat_row *row = karat_row_info(commit->row);
    for (uint32_t i = 0; i < commit->num_reads; i++) {
        const karat_reg_read *read = &commit->read[i];
        const uint32_t lanes = karat_read_lanes(c->model, s->handle, commit, i);
        const knowledge *is = &karat_register(s, read->cls, read->reg)->is;
        uint32_t undefined = lanes & is->unwritten, unknown = undefined & f->unknown_read[i];
        if (undefined) {
            note_use(c, commit->pc, read);
            if (c->config.strict & KARAT_STRICT_REGISTERS)
                return karat_fail(c, BLAME(FAIL_PROGRAM, s, f), "it reads %s, which the warp never wrote",
                                  karat_register_name(read->cls, read->reg).text);
        }
        if (undefined & ~unknown) {
            c->counts.adopted++;
            karat_define(s, read->cls, read->reg, undefined & ~is->unreported);
        }
        const uint32_t unreported = unreported_lanes(s, lanes & f->unknown_read[i], read);
        if (!unknown && !unreported)
            continue;
        f->result.unwritten |= all_if_scalar(read, unknown);
        f->result.unreported |= all_if_scalar(read, unknown | unreported);
        bool store_data =
            commit->has_mem && commit->mem.op == KARAT_STORE && read->source == karat_data_source(commit);
        bool decides = row->unit == KARAT_UNIT_BRANCH || row->owes & (KARAT_OWES_SIMT | KARAT_OWES_CSR) ||
                       (commit->has_mem && !store_data) || (read->source == 0 && !v0_is_operand(row));
        if (decides && unknown)
            return karat_fail(c, BLAME(FAIL_UNDEFINED, s, f), "it reads %s, which the warp never wrote",
                              karat_register_name(read->cls, read->reg).text);
        if (decides)
            return karat_fail(
                c, BLAME(FAIL_INCOMPLETE, s, f),
                "control or an address depends on %s, which results from a value that was compared "
                "with nothing: the core provides no WRITE, and no READ of it",
                karat_register_name(read->cls, read->reg).text);
        if (store_data)
            note_ulp_data(s, f, read, unreported);
    }
    if (row->owes & KARAT_OWES_X ||
        karat_row_crosses_lanes(row)) { /* A lane of the result depends on others */
        f->result.unreported = f->result.unreported ? 0xffffffffu : 0;
        f->result.unwritten = f->result.unwritten ? 0xffffffffu : 0;
    }
    return f->result.unreported && !doubt_stored(c, f) && karat_no_memory(c, NULL);
}
