/* ISSUE steps the model; READ, WRITE, AUDIT, SIMT and CSR are compared with what it did. */
#include "state.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* --- ISSUE --- */

static void remember(slot *s, const flight *f) {
    const karat_commit *commit = &f->commit;
    past *p = &s->history[s->num_history++ % NUM_HISTORY];
    if (commit->simt == KARAT_SIMT_DIVERGE)
        s->pushed[commit->depth - 2] = s->pushed[commit->depth - 1] =
            (pusher){f->seq, commit->pc, commit->word, commit->prefix, commit->mask_before, f->cycle};
    *p = (past){.pc = commit->pc,
                .word = commit->word,
                .prefix = commit->prefix,
                .mask = commit->mask_before,
                .num_writes = (uint8_t)commit->num_writes,
                .num_reads = (uint8_t)commit->num_reads,
                .taken = f->tainted != 0};
    if (commit->num_writes) {
        const karat_reg_write *w = &commit->write[0];
        p->cls = w->cls;
        p->reg = w->reg;
        p->write_mask = w->mask;
        p->value0 = w->value[__builtin_ctz(w->mask)];
    }
}

/* An instruction that ends its warp's comparison before anything of it could come: others may look at it. */
static void owe_nothing(flight *f) {
    const size_t first = offsetof(flight, owes_write);
    memset((char *)f + first, 0, offsetof(flight, commit) - first);
    memset(f->performed, 0, sizeof f->performed);
}

static void enter_debts(karat_checker *c, slot *s, flight *f) {
    const karat_commit *commit = &f->commit;
    for (uint32_t i = 0; i < commit->num_writes; i++) {
        const karat_reg_write *w = &commit->write[i];
        f->owes_write[i] = karat_gives(c, KARAT_REC_WRITE) ? w->mask : 0;
        f->overtaken[i] = f->used[i] = f->told[i] = 0;
        f->unknown_old[i] = karat_unknown_lanes(c, s, w->cls, w->reg);
        const uint32_t near = c->ulp[commit->row] ? w->mask & ~f->tainted : 0,
                       untold = w->mask & f->tainted & ~f->undefined;
        f->approximate[i] = near & f->owes_write[i];
        register_state *reg = karat_register(s, w->cls, w->reg);
        if (near)
            reg->near_row =
                (uint16_t)commit->row; /* of lanes that another has left: one row alone approximates */
        reg->wrote_lanes = w->mask;
        reg->loading |= commit->has_mem && f->owes_write[i] && !(c->hello.props & KARAT_PROP_INTERLOCKED);
        reg->lost = (reg->lost & ~w->mask) | untold;
        reg->wrote_seq = f->seq;
        reg->wrote_pc = commit->pc;
        reg->written = (reg->written | w->mask) & ~(w->mask & f->undefined);
        reg->known = (reg->known | w->mask) & ~(w->mask & f->tainted) & ~near; /* until a record tells */
    }
    f->mem_bytes = 0;
    f->mem_cycle = 0;
    if (karat_gives(c, KARAT_REC_MEM))
        for (uint32_t k = 0; k < commit->mem.num; k++) {
            f->mem_left[k] = (uint8_t)((1u << commit->mem.access[k].bytes) - 1);
            f->mem_bytes += commit->mem.access[k].bytes;
        }
    f->owes_simt = commit->simt != KARAT_SIMT_NONE && karat_gives(c, KARAT_REC_SIMT);
    f->owes_csr = commit->csr_written && karat_gives(c, KARAT_REC_CSR);
    f->owes_arrive = commit->barrier && !commit->ended && karat_gives(c, KARAT_REC_BARRIER);
    c->groups[s->wg].ended += commit->ended;
    f->owes_exit = commit->ended && karat_gives(c, KARAT_REC_EXIT);
    f->gave_vtype = f->adopted_mem = f->kept_mem = f->approximated = f->changed = f->impatient = false;
    if (commit->csr_written)
        karat_csr_read(c->model, s->handle, 0xc21, &f->vtype);
}

/* Who sent the warp to a wrong pc: the instruction before, where it chose the way and nothing has shown yet
 * that it chose right; else whoever fetched this one. */
static const flight *blame_pc(const karat_checker *c, const flight *before, const flight *f) {
    if (!before)
        return f;
    const karat_row *row = karat_row_info(before->commit.row);
    bool unproven = row->owes & KARAT_OWES_SIMT && (before->owes_simt || !karat_gives(c, KARAT_REC_SIMT));
    return row->unit == KARAT_UNIT_BRANCH || unproven ? before : f;
}

/* Compare what the core says it issued with what the model stepped over. */
static bool compare_issue(karat_checker *c, slot *s, flight *f, const flight *before,
                          const karat_rec_issue *r) {
    const karat_commit *commit = &f->commit;
    if (r->pc != commit->pc)
        return karat_fail(c, FAIL_ISSUE_PC, s, blame_pc(c, before, f), r,
                          "seq %" PRIu32 " is issued from 0x%08" PRIx32 "; the model is at 0x%08" PRIx32,
                          r->seq, r->pc, commit->pc);
    if (commit->error.kind == KARAT_ERR_FETCH)
        return false;
    if (r->word != commit->word)
        return karat_fail(c, FAIL_ISSUE_WORD, s, f, r, "0x%08" PRIx32 " is issued; memory holds 0x%08" PRIx32,
                          r->word, commit->word);
    uint32_t prefix = r->prefix_kind == KARAT_PREFIX_WORD ? r->prefix : 0;
    bool says_prefix = r->prefix_kind == KARAT_PREFIX_WORD;
    if (r->prefix_kind != KARAT_PREFIX_UNKNOWN &&
        (prefix != commit->prefix || says_prefix != (commit->prefix != 0)))
        return karat_fail(c, FAIL_ISSUE_PREFIX, s, f, r,
                          "prefix 0x%08" PRIx32 " is issued; memory holds 0x%08" PRIx32 " (0: none)", prefix,
                          commit->prefix);
    if (r->mask != commit->mask_before)
        return karat_fail(c, FAIL_ISSUE_MASK, s, f, r, "thread mask %08" PRIx32 "; the model's is %08" PRIx32,
                          r->mask, commit->mask_before);
    return false;
}

static bool names(const karat_commit *commit, unsigned cls, unsigned reg) {
    for (uint32_t i = 0; i < commit->num_reads; i++)
        if (commit->read[i].cls == cls && commit->read[i].reg == reg)
            return true;
    for (uint32_t i = 0; i < commit->num_writes; i++)
        if (commit->write[i].cls == cls && commit->write[i].reg == reg)
            return true;
    return false;
}

/* The oldest instruction that still owes a write of one of these operands, and which of its writes; NULL: none. */
static flight *find_owed(const slot *s, const karat_commit *user, uint32_t *index) {
    for (flight *g = s->oldest; g; g = g->next)
        for (uint32_t i = 0; i < g->commit.num_writes; i++)
            if (g->owes_write[i] && names(user, g->commit.write[i].cls, g->commit.write[i].reg)) {
                *index = i;
                return g;
            }
    return NULL;
}

/* A core that waits for pending writes of an instruction's registers has issued this one: none may be owed any more. True
 * where one is, and the comparison of its warp ends; else nobody has told what the register holds. */
static bool check_interlock(karat_checker *c, slot *s, const karat_commit *user, uint32_t seq) {
    uint32_t i;
    for (flight *g; (g = find_owed(s, user, &i));) {
        const karat_reg_write *w = &g->commit.write[i];
        const uint32_t lanes = g->owes_write[i];
        char text[96];
        karat_disassemble(c->config.model.profile, user->pc, user->prefix, user->word, text, sizeof text);
        karat_keep(c, lanes);
        karat_fail(c, FAIL_WRITE_MISSING, s, g, NULL,
                   "%c%u, lanes %08" PRIx32 ", is still owed where seq %" PRIu32 " 0x%08" PRIx32
                   " %s, which uses it, has been issued",
                   w->cls == KARAT_CLASS_X ? 'x' : 'v', w->reg, lanes, seq, user->pc, text);
        if (!karat_kept(c))
            return true;
        karat_forget(s, w->cls, w->reg, lanes);
        g->owes_write[i] = 0;
        karat_flight_settle(c, s, g);
    }
    return false;
}

void karat_check_owed(karat_checker *c, slot *s, const karat_commit *user) {
    if (c->config.keep_going && c->hello.props & KARAT_PROP_INTERLOCKED && !c->done)
        check_interlock(c, s, user, s->next_seq);
}

static bool program_error(karat_checker *c, slot *s, flight *f) {
    const karat_error *e = &f->commit.error;
    char where[256] = "", known[240];
    if ((e->kind == KARAT_ERR_ILLEGAL || e->kind == KARAT_ERR_LEFT_OUT) &&
        karat_elsewhere(c->config.model.profile, f->commit.word, known, sizeof known))
        snprintf(where, sizeof where, ": %s", known);
    if (e->lane >= 0)
        snprintf(where, sizeof where, ": lane %" PRId32 ", address 0x%08" PRIx64, e->lane, e->addr);
    return karat_fail(c, FAIL_PROGRAM, s, f, NULL, "%s%s", karat_error_name(e->kind), where);
}

/* What the step does is an error by policy. */
static bool strict_error(karat_checker *c, slot *s, const flight *f) {
    const char *warning = karat_check_strict_warning(c->config.strict, &f->commit);
    karat_scalar_use use;
    char text[320];
    switch (c->scalars ? karat_scalars_step(c->scalars, s->handle, &f->commit, &use) : KARAT_SCALARS_RIGHT) {
    case KARAT_SCALARS_RIGHT: break;
    case KARAT_SCALARS_USED:
        karat_scalars_describe(&use, c->config.model.profile, text, sizeof text);
        return karat_fail(c, FAIL_PROGRAM, s, f, NULL, "%s", text) && karat_fail_in(c, use.lanes);
    case KARAT_SCALARS_NO_MEMORY: return karat_fail(c, FAIL_STREAM, s, NULL, NULL, "out of memory");
    }
    return warning && karat_fail(c, FAIL_PROGRAM, s, f, NULL, "%s", warning);
}

/* The oldest of them is the one at fault. */
static bool too_many(karat_checker *c, slot *s) {
    char debt[160];
    failure_kind kind = karat_flight_debt(s->oldest, debt, sizeof debt);
    return karat_fail(c, kind, s, s->oldest, NULL,
                      "%d instructions behind it have been issued, and the core still owes %s",
                      KARAT_PORT_IN_FLIGHT, debt);
}

bool karat_check_issue(karat_checker *c, const karat_rec_issue *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    if (!s->live)
        return karat_fail(c, FAIL_ISSUE_ENDED, s, s->youngest, r,
                          "seq %" PRIu32 " at 0x%08" PRIx32 " after EXIT", r->seq, r->pc);
    if (r->seq != s->next_seq)
        return karat_fail(c, FAIL_ISSUE_SEQ, s, s->youngest, r,
                          "seq %" PRIu32 " where %" PRIu32 " was expected", r->seq, s->next_seq);
    if (s->at_barrier)
        return karat_fail(c, FAIL_ISSUE_BARRIER, s, s->youngest, r,
                          "seq %" PRIu32 " at 0x%08" PRIx32 " before the warp was released", r->seq, r->pc);
    if (s->youngest && s->youngest->owes_arrive)
        return karat_fail(c, FAIL_BARRIER_MISSING, s, s->youngest, r,
                          "seq %" PRIu32 " is issued; the warp has not arrived at its barrier", r->seq);
    bool waits;
    return karat_take_step(c, s, r, &waits);
}

bool karat_take_step(karat_checker *c, slot *s, const karat_rec_issue *r, bool *waits) {
    *waits = false;
    flight *f = karat_flight_new(c);
    if (!f)
        return karat_no_memory(c, s);
    c->any_unwritten = false;
    c->waits_for = 0;
    karat_status status = karat_step(c->model, s->handle, &f->commit);
    if (c->done || s->frozen) { /* something that a READ of its operands told */
        karat_flight_drop(c, f);
        return true;
    }
    if (status == KARAT_HELD) {
        *waits = true;
        const bool failed = karat_hold(c, s, r, &f->commit);
        karat_flight_drop(c, f);
        return failed;
    }
    f->epoch = s->epoch;
    f->workgroup = s->workgroup;
    f->warp = s->warp;
    f->seq = r->seq;
    f->cycle = r->h.cycle;
    f->read_alike = 0;
    flight *before = s->youngest;
    if (status == KARAT_WAITING && c->groups[s->wg].frozen && karat_freeze(c, s, NULL, NULL)) {
        karat_flight_drop(c, f);
        return true;
    }
    if (status == KARAT_WAITING)
        return karat_fail(c, FAIL_ISSUE_BARRIER, s, before, r,
                          "seq %" PRIu32 " at 0x%08" PRIx32 " before all warps have come to the barrier",
                          r->seq, r->pc);
    if (status != KARAT_OK && status != KARAT_PROGRAM_ERROR)
        return karat_fail(c, FAIL_ISSUE_ENDED, s, before, r,
                          "seq %" PRIu32 " at 0x%08" PRIx32 " after ENDPRG", r->seq, r->pc);
    if (compare_issue(c, s, f, before, r))
        return true;
    if (c->hello.props & KARAT_PROP_INTERLOCKED && check_interlock(c, s, &f->commit, f->seq))
        return true;
    if (status == KARAT_PROGRAM_ERROR)
        return karat_check_undefined(c, s, f) || program_error(c, s, f);

    if (before) {
        before->next = f;
    } else {
        flight **end = &s->oldest; /* what is there are memory accesses of earlier epochs */
        while (*end)
            end = &(*end)->next;
        *end = f;
    }
    s->youngest = f;
    s->in_flight++;
    if (before)
        karat_flight_settle(c, s, before);
    if (s->in_flight > KARAT_PORT_IN_FLIGHT && !karat_order_sc_given_up(c, s, s->oldest)) {
        owe_nothing(f);
        return too_many(c, s);
    }
    s->next_seq++;
    s->issued = true;
    c->counts.instructions++;
    if (c->config.watch)
        c->config.watch->step(c->config.watch->context, c->model, s->handle, &f->commit);
    if (karat_check_undefined(c, s, f)) {
        owe_nothing(f);
        return true;
    }
    enter_debts(c, s, f);
    if (c->touched)
        karat_freeze_use(c, s, f);
    if (!karat_order_step(c, s, f))
        return karat_no_memory(c, s);
    karat_print_step(c, s, f);
    if (c->config.strict && strict_error(c, s, f))
        return true;
    if (f->commit.ended && !karat_gives(c, KARAT_REC_EXIT))
        karat_end_warp(c, s);
    remember(s, f);
    uint32_t w = f->commit.warnings;
    c->counts.lanes_differ += (w & KARAT_WARN_LANES_DIFFER) != 0;
    c->counts.lds_unwritten += (w & KARAT_WARN_LDS_UNWRITTEN) != 0;
    c->counts.skipped_prefix += (w & KARAT_WARN_SKIPPED_PREFIX) != 0;
    c->counts.lds_beyond += (w & KARAT_WARN_LDS_BEYOND) != 0;
    c->counts.deviations += f->commit.deviated != 0;
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        c->counts.deviated[i] += f->commit.deviated >> i & 1;
    c->counts.deep += c->hello.stack_depth && f->commit.depth > c->hello.stack_depth;
    return false;
}

/* --- Values, lane by lane --- */

/* Lanes of mask in which a and b differ in these bits. */
static uint32_t differing(const karat_checker *c, const uint32_t *a, const uint32_t *b, uint32_t mask,
                          uint32_t bits) {
    uint32_t any = 0, different = 0;
    for (uint32_t i = 0; i < c->hello.num_thread; i++)
        any |= a[i] ^ b[i];
    if (!(any & bits))
        return 0; /* nearly always: not a branch for each lane */
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if ((a[lane] ^ b[lane]) & bits)
            different |= 1u << lane;
    }
    return different;
}

/* What differs, as a table of at most eight lanes: lane, core, model, xor. */
static void table(char *text, size_t size, const uint32_t *core, const uint32_t *model, uint32_t lanes,
                  bool scalar) {
    unsigned shown = 0;
    text[0] = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        if (shown++ == 8) {
            karat_append(text, size, "\n  and %d more lanes", __builtin_popcount(m));
            break;
        }
        char lane[16] = "      ";
        if (!scalar)
            snprintf(lane, sizeof lane, "lane %2u", i);
        karat_append(text, size, "\n  %s  core %08" PRIx32 "  model %08" PRIx32 "  xor %08" PRIx32, lane,
                     core[i], model[i], core[i] ^ model[i]);
    }
}

static bool fail_values(karat_checker *c, failure_kind kind, slot *s, const flight *f, const void *r,
                        unsigned cls, unsigned reg, const uint32_t *core, const uint32_t *model,
                        uint32_t lanes, const char *order) {
    char text[700];
    table(text, sizeof text, core, model, lanes, cls == KARAT_CLASS_X);
    bool stale = (kind == FAIL_READ || kind == FAIL_AUDIT) && karat_gives(c, KARAT_REC_WRITE) &&
                 !karat_register(s, cls, reg)->landed;
    char late[400] = "";
    if (kind == FAIL_WRITE_VALUE && !order[0])
        karat_late_store(c, s, f, late, sizeof late);
    return karat_fail(c, kind, s, f, r, "%c%u%s%s%s%s", cls == KARAT_CLASS_X ? 'x' : 'v', reg,
                      stale ? ", in which no write of this warp has landed since its launch" : "", text, late,
                      order) &&
           karat_fail_lanes(c, cls, reg, lanes);
}

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
        return fail_values(c, FAIL_READ, s, f, r, read->cls, read->reg, r->data, read->value, different, "");
    char text[700];
    table(text, sizeof text, r->data, read->value, different, read->cls == KARAT_CLASS_X);
    return karat_fail(c, FAIL_WRITE_MISSING, s, g, r,
                      "%c%u: some lanes were written, others are still owed when seq %" PRIu32
                      " reads them%s",
                      read->cls == KARAT_CLASS_X ? 'x' : 'v', read->reg, f->seq, text);
}

/* --- READ --- */

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
            different = differing(c, r->data, read->value, lanes, bits);
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

/* --- WRITE --- */

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

/* The model is ahead: what a younger instruction in flight has overwritten is only that one's old value. */
uint32_t karat_believe(karat_checker *c, slot *s, flight *f, unsigned cls, unsigned reg, uint32_t lanes,
                       const uint32_t *value) {
    for (flight *g = f ? f->next : NULL; g; g = g->next)
        for (uint32_t i = 0; i < g->commit.num_writes; i++) {
            karat_reg_write *w = &g->commit.write[i];
            if (w->cls != cls || w->reg != reg)
                continue;
            uint32_t hit = lanes & w->mask;
            for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
                if (hit >> lane & 1)
                    w->old[lane] = value[lane];
            g->unknown_old[i] &= ~hit;
            lanes &= ~hit;
        }
    karat_adopt(c->model, s->handle, cls, reg, lanes, value);
    karat_learn(s, cls, reg, lanes);
    return lanes;
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

bool karat_other_order(karat_checker *c, slot *s, flight *f, uint32_t i, const uint32_t *value,
                       uint32_t lanes, uint32_t doubtful, char *text, size_t size) {
    const karat_reg_write *w = &f->commit.write[i];
    if (w->cls == KARAT_CLASS_X && value[0] == 1 && karat_order_sc_failed(c, s, f))
        return true;
    uint32_t legal = karat_order_loaded(c, s, f, i, lanes | doubtful, value, text, size);
    if (legal != (lanes | doubtful))
        return false;
    if (!lanes)
        return true;
    karat_believe(c, s, f, w->cls, w->reg, lanes, value);
    f->changed |= (lanes & f->used[i]) != 0;
    if (c->lane_raced)
        c->counts.lane_race++;
    else
        c->counts.unordered++;
    return true;
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
    if (!told && karat_other_order(c, s, f, i, r->data, different, doubtful, order, sizeof order))
        return c->counts.sc_failed != failed && check_patience(c, s, f, r);
    const uint32_t wrong = different ? different : doubtful;
    if (told)
        karat_append(order, sizeof order,
                     "\na READ has told another result before this WRITE, lanes %08" PRIx32, told);
    if (f->commit.mem.amo == KARAT_AMO_SC && f->commit.has_mem && !f->commit.mem.succeeded && !order[0]) {
        karat_append(order, sizeof order, "\nthe SC fails");
        karat_order_explain_sc(c, s, f, order, sizeof order);
    }
    if (f->commit.warnings & KARAT_WARN_LANES_DIFFER)
        karat_append(
            order, sizeof order,
            "\nits active lanes differ, and so the program is undefined (see --strict=lanes): the model has "
            "the highest one's value");
    karat_keep(c, wrong);
    fail_values(c, FAIL_WRITE_VALUE, s, f, r, r->cls, r->regno, r->data, f->commit.write[i].value, wrong,
                order);
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
        if (f->serial && !told_other && karat_order_returned(c, s, f, r))
            return true;
        uint32_t exact = r->mask & ~f->tainted, different;
        if (r->cls == KARAT_X)
            different = exact && r->data[0] != w->value[0];
        else
            different = differing(c, r->data, w->value, exact, 0xffffffffu);
        const uint32_t results = f->approximate[i] & r->mask;
        uint32_t near = results & different;
        if (near)
            near = karat_within_bound(r->data, w->value, near, c->ulp[f->commit.row]);
        different &= ~near;
        const uint32_t doubtful = f->commit.has_mem ? exact & ~different & karat_order_doubt(c, s, f) : 0;
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

/* --- AUDIT --- */

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

static bool take_csr(karat_checker *c, const slot *s, uint32_t addr, uint32_t value) {
    return addr == 0xc20 ? karat_adopt_vl(c->model, s->handle, value) == KARAT_OK
                         : karat_csr_write(c->model, s->handle, addr, value) == KARAT_OK;
}

/* What the core's CSR holds when all that the warp has issued is done: what the model's does. */
static bool check_csr_held(karat_checker *c, slot *s, const karat_rec_audit *r) {
    const flight *f = s->issued ? karat_flight_recent(s, s->epoch, s->next_seq - 1) : NULL;
    uint32_t model;
    if (karat_csr_read(c->model, s->handle, r->regno, &model) != KARAT_OK)
        return karat_fail(c, FAIL_AUDIT, s, f, r, "CSR 0x%03x does not exist", r->regno);
    c->counts.csr++;
    if (!((r->data[0] ^ model) & r->mask))
        return false;
    if (c->config.keep_going && take_csr(c, s, r->regno, (r->data[0] & r->mask) | (model & ~r->mask)))
        karat_keep(c, 0);
    const bool keeps = c->keeps;
    karat_fail(c, FAIL_CSR, s, f, r, "CSR 0x%03x holds: core %08" PRIx32 "  model %08" PRIx32, r->regno,
               r->data[0] & r->mask, model & r->mask);
    return !keeps || !karat_kept(c);
}

bool karat_check_audit(karat_checker *c, const karat_rec_audit *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    if (r->cls == KARAT_CSR)
        return check_csr_held(c, s, r);
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
                                           : differing(c, r->data, value, lanes, 0xffffffffu);
    if (!different) {
        karat_register(s, r->cls, r->regno)->audited |= lanes;
        return false;
    }
    const register_state *reg = karat_register(s, r->cls, r->regno);
    const flight *f = last_writer(s, r, reg, different);
    karat_keep(c, different);
    fail_values(c, FAIL_AUDIT, s, f, r, r->cls, r->regno, r->data, value, different, "");
    if (!karat_kept(c))
        return true;
    take_contents(c, s, r, different);
    return false;
}

/* --- SIMT, CSR --- */

/* A JOIN shows an entry for the first time, and it is wrong: the VBRANCH that pushed it is at fault.  Fills
 * *branch in with what is remembered of that instruction. */
static const flight *blame_entry(const karat_checker *c, const slot *s, const flight *f, flight *branch) {
    const pusher *p = &s->pushed[f->commit.depth - 1];
    karat_insn insn;
    memset(branch, 0, sizeof *branch);
    branch->epoch = f->epoch;
    branch->workgroup = f->workgroup;
    branch->warp = f->warp;
    branch->seq = p->seq;
    branch->cycle = p->cycle;
    branch->commit.pc = p->pc;
    branch->commit.word = p->word;
    branch->commit.prefix = p->prefix;
    branch->commit.row = karat_decode(c->config.model.profile, p->word, &insn);
    branch->commit.mask_before = branch->commit.mask_after = p->mask;
    return branch;
}

bool karat_check_simt(karat_checker *c, const karat_rec_simt *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->owes_simt)
        return karat_fail(c, FAIL_SIMT_UNEXPECTED, s, f, r, "seq %" PRIu32 " owes no SIMT outcome%s", r->seq,
                          f && f->commit.simt ? " any more" : "");
    const karat_commit *m = &f->commit;
    bool top_differs = r->top_valid && (!m->depth || r->top_rpc != m->top.rpc || r->top_next != m->top.next ||
                                        r->top_mask != m->top.mask);
    bool rest_differs = r->mask != m->mask_after || r->next_pc != m->next_pc || r->depth != m->depth;
    flight branch;
    const flight *at_fault = f;
    if (top_differs && !rest_differs && m->depth && m->simt == KARAT_SIMT_POP)
        at_fault = blame_entry(c, s, f, &branch);
    if (rest_differs || top_differs)
        return karat_fail(c, FAIL_SIMT, s, at_fault, r,
                          "outcome of seq %" PRIu32 "%s\n"
                          "         mask     next pc     depth  top: rpc    next        mask\n"
                          "  core   %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32
                          "  %08" PRIx32 "%s\n"
                          "  model  %08" PRIx32 " 0x%08" PRIx32 "  %-5u  0x%08" PRIx32 "  0x%08" PRIx32
                          "  %08" PRIx32,
                          f->seq,
                          at_fault == f ? "" : ", a JOIN that shows the entry pushed here for the first time",
                          r->mask, r->next_pc, r->depth, r->top_rpc, r->top_next, r->top_mask,
                          r->top_valid ? "" : " (not given)", m->mask_after, m->next_pc, m->depth, m->top.rpc,
                          m->top.next, m->top.mask) &&
               karat_fail_in(c, r->mask ^ m->mask_after);
    f->owes_simt = false;
    c->counts.simt++;
    karat_flight_settle(c, s, f);
    return false;
}

bool karat_check_csr(karat_checker *c, const karat_rec_csr *r) {
    slot *s = karat_slot_of(c, &r->h);
    if (!s)
        return true;
    flight *f = karat_flight_find(s, r->h.epoch, r->seq);
    if (!f || !f->commit.csr_written)
        return karat_fail(c, FAIL_CSR_UNEXPECTED, s, f, r,
                          "CSR 0x%03" PRIx32 " under seq %" PRIu32 ", which writes none", r->addr, r->seq);
    bool vtype = r->addr == 0xc21 && f->commit.csr == 0xc20; /* vset* writes two */
    if (vtype ? f->gave_vtype : r->addr != f->commit.csr || !f->owes_csr)
        return karat_fail(c, FAIL_CSR_UNEXPECTED, s, f, r,
                          "CSR 0x%03" PRIx32 " is written; the instruction writes 0x%03" PRIx32 "%s", r->addr,
                          f->commit.csr, vtype || r->addr == f->commit.csr ? " once" : "");
    uint32_t value = vtype ? f->vtype : f->commit.csr_value;
    if (r->value != value) {
        if (c->config.keep_going && take_csr(c, s, r->addr, r->value))
            karat_keep(c, 0);
        const bool keeps = c->keeps;
        karat_fail(c, FAIL_CSR, s, f, r, "CSR 0x%03" PRIx32 ": core %08" PRIx32 "  model %08" PRIx32, r->addr,
                   r->value, value);
        if (!keeps || !karat_kept(c))
            return true;
    }
    c->counts.csr++;
    if (vtype)
        f->gave_vtype = true;
    else
        f->owes_csr = false;
    if (!vtype)
        karat_print_written(c, s, f);
    karat_flight_settle(c, s, f);
    return false;
}
