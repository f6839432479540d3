/* ISSUE: step the model, compare what the core issued with it, and enter which completions it expects. */
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <stdio.h>

static void remember(slot *s, const flight *f) {
    const karat_commit *commit = &f->commit;
    past *p = &s->history[s->num_history++ % NUM_HISTORY];
    if (commit->simt == KARAT_SIMT_DIVERGE)
        s->pushed[commit->depth - 2] = s->pushed[commit->depth - 1] =
            (pusher){f->seq, commit->pc, commit->word, commit->prefix, commit->mask_before, f->cycle, false};
    *p = (past){.pc = commit->pc,
                .word = commit->word,
                .prefix = commit->prefix,
                .mask = commit->mask_before,
                .num_writes = (uint8_t)commit->num_writes,
                .num_reads = (uint8_t)commit->num_reads,
                .taken = f->result.unreported != 0};
    if (commit->num_writes) {
        const karat_reg_write *w = &commit->write[0];
        p->cls = w->cls;
        p->reg = w->reg;
        p->write_mask = w->mask;
        p->value0 = w->value[__builtin_ctz(w->mask)];
    }
}

/* An instruction that ends its warp's comparison before anything of it could come: others may look at it. */
static void expect_nothing(flight *f) {
    const size_t first = offsetof(flight, pending_write);
    memset((char *)f + first, 0, offsetof(flight, commit) - first);
}

static void expect_completions(karat_checker *c, slot *s, flight *f) {
    const karat_commit *commit = &f->commit;
    for (uint32_t i = 0; i < commit->num_writes; i++) {
        const karat_reg_write *w = &commit->write[i];
        f->pending_write[i] = karat_gives(c, KARAT_REC_WRITE) ? w->mask : 0;
        f->overtaken[i] = f->used[i] = f->reported[i] = 0;
        register_state *reg = karat_register(s, w->cls, w->reg);
        f->unknown_old[i] = reg->is.unreported;
        const uint32_t approximate = c->ulp[commit->row] ? w->mask & ~f->result.unreported : 0;
        f->approximate[i] = approximate & f->pending_write[i];
        if (approximate)
            reg->ulp_row =
                (uint16_t)commit->row; /* Of lanes that another has left: sums are not compared by it */
        reg->wrote_lanes = w->mask;
        reg->loading |= commit->has_mem && f->pending_write[i] && !(c->hello.props & KARAT_PROP_INTERLOCKED);
        reg->wrote_seq = f->seq;
        reg->wrote_pc = commit->pc;
        karat_overwrite(&reg->is, w->mask, f->result.unreported, f->result.unwritten, approximate);
        if (reg->loading || reg->is.unreported | reg->is.unwritten)
            karat_ask_again(c->model, s->handle, w->cls, w->reg);
    }
    f->mem_bytes = 0;
    f->mem_cycle = 0;
    if (karat_gives(c, KARAT_REC_MEM) && f->shaped) {
        memset(f->mem_left, (1 << commit->mem.bytes) - 1, commit->mem.num);
        f->mem_bytes = commit->mem.num * commit->mem.bytes;
    } else if (karat_gives(c, KARAT_REC_MEM)) {
        for (uint32_t k = 0; k < commit->mem.num; k++) {
            f->mem_left[k] = (uint8_t)((1u << commit->mem.access[k].bytes) - 1);
            f->mem_bytes += commit->mem.access[k].bytes;
        }
    }
    f->pending_simt = commit->simt != KARAT_SIMT_NONE && karat_gives(c, KARAT_REC_SIMT);
    f->pending_csr = commit->csr_written && karat_gives(c, KARAT_REC_CSR);
    f->pending_arrive = commit->barrier && !commit->ended && karat_gives(c, KARAT_REC_BARRIER);
    c->groups[s->wg].ended += commit->ended;
    f->pending_exit = commit->ended && karat_gives(c, KARAT_REC_EXIT);
    f->gave_vtype = f->adopted_mem = f->kept_mem = f->approximated = f->changed = f->read_as_failed = false;
    if (commit->csr_written)
        karat_csr_read(c->model, s->handle, 0xc21, &f->vtype);
}

/* Who sent the warp to a wrong pc: the instruction before, where it chose the way and nothing has shown yet
 * that it chose right; else whoever fetched this one. */
static const flight *blame_pc(const karat_checker *c, const flight *before, const flight *f) {
    if (!before)
        return f;
    const karat_row *row = karat_row_info(before->commit.row);
    bool unproven = row->owes & KARAT_OWES_SIMT && (before->pending_simt || !karat_gives(c, KARAT_REC_SIMT));
    return row->unit == KARAT_UNIT_BRANCH || unproven ? before : f;
}

/* Compare what the core says it issued with what the model stepped over. */
static bool compare_issue(karat_checker *c, slot *s, flight *f, const flight *before,
                          const karat_rec_issue *r) {
    const karat_commit *m = &f->commit;
    const bool says_prefix = r->prefix_kind == KARAT_PREFIX_WORD;
    const uint32_t prefix = says_prefix ? r->prefix : 0;
    if (r->pc != m->pc)
        return karat_fail(c, BLAME(FAIL_ISSUE_PC, s, blame_pc(c, before, f), r),
                          "seq %" PRIu32 " is issued from 0x%08" PRIx32 "; the model is at 0x%08" PRIx32,
                          r->seq, r->pc, m->pc);
    if (m->error.kind == KARAT_ERR_FETCH ||
        (m->error.kind == KARAT_ERR_PAGE && m->fault.use == KARAT_USE_FETCH))
        return false;
    if (r->word != m->word)
        return karat_fail(c, BLAME(FAIL_ISSUE_WORD, s, f, r),
                          "0x%08" PRIx32 " is issued; memory holds 0x%08" PRIx32, r->word, m->word);
    if (r->prefix_kind != KARAT_PREFIX_UNKNOWN && (prefix != m->prefix || says_prefix != (m->prefix != 0)))
        return karat_fail(c, BLAME(FAIL_ISSUE_PREFIX, s, f, r),
                          "prefix 0x%08" PRIx32 " is issued; memory holds 0x%08" PRIx32 " (0: none)", prefix,
                          m->prefix);
    return r->mask != m->mask_before &&
           karat_fail(c, BLAME(FAIL_ISSUE_MASK, s, f, r),
                      "thread mask %08" PRIx32 "; the model's is %08" PRIx32, r->mask, m->mask_before);
}

static bool names(const karat_commit *m, unsigned cls, unsigned reg) {
    uint32_t i = 0;
    while (i < m->num_reads && (m->read[i].cls != cls || m->read[i].reg != reg))
        i++;
    return i < m->num_reads || karat_find_write(m, cls, reg) < m->num_writes;
}

/* The oldest instruction with a pending write of one of these operands, and which of its writes; NULL:
 * none. */
static flight *find_pending_write(const slot *s, const karat_commit *user, uint32_t *index) {
    for (flight *g = s->oldest; g; g = g->next)
        for (uint32_t i = 0; i < g->commit.num_writes; i++)
            if (g->pending_write[i] && names(user, g->commit.write[i].cls, g->commit.write[i].reg)) {
                *index = i;
                return g;
            }
    return NULL;
}

/* A core that waits for pending writes of an instruction's registers has issued this one: none may be
 * pending any more. True where one is, and the comparison of its warp ends; else no record has reported
 * what the register holds. */
static bool check_interlock(karat_checker *c, slot *s, const karat_commit *user, uint32_t seq) {
    uint32_t i;
    for (flight *g; (g = find_pending_write(s, user, &i));) {
        const karat_reg_write *w = &g->commit.write[i];
        const uint32_t lanes = g->pending_write[i];
        if (karat_fail(c, BLAME(FAIL_WRITE_MISSING, s, g, NULL, .lanes = lanes, .may_go_on = true),
                       "%s, lanes %08" PRIx32 ", is still pending where %s, which uses it, has been issued",
                       karat_register_name(w->cls, w->reg).text, lanes,
                       karat_commit_text(c->config.model.profile, seq, user).text))
            return true;
        karat_lose(&karat_register(s, w->cls, w->reg)->is, lanes);
        g->pending_write[i] = 0;
        karat_flight_complete(c, s, g);
    }
    return false;
}

void karat_check_pending_operands(karat_checker *c, slot *s, const karat_commit *user) {
    if (c->hello.props & KARAT_PROP_INTERLOCKED && !c->done)
        check_interlock(c, s, user, s->next_seq);
}

static bool program_error(karat_checker *c, slot *s, flight *f) {
    const karat_error *e = &f->commit.error;
    if (e->kind == KARAT_ERR_PAGE)
        return karat_page_fault_at(c, s, f);
    char where[256] = "", known[240];
    if ((e->kind == KARAT_ERR_ILLEGAL || e->kind == KARAT_ERR_LEFT_OUT) &&
        karat_elsewhere(c->config.model.profile, f->commit.word, known, sizeof known))
        snprintf(where, sizeof where, ": %s", known);
    else if (e->kind == KARAT_ERR_ILLEGAL)
        snprintf(where, sizeof where, ": %s", karat_illegal_name(e->illegal));
    if (e->lane >= 0)
        snprintf(where, sizeof where, ": lane %" PRId32 ", address 0x%08" PRIx64, e->lane, e->addr);
    return karat_fail(c, BLAME(FAIL_PROGRAM, s, f), "%s%s", karat_error_name(e->kind), where);
}

/* The step is an error by policy. */
static bool strict_error(karat_checker *c, slot *s, const flight *f) {
    const char *warning = karat_check_strict_warning(c->config.strict, &f->commit);
    karat_scalar_use use;
    char text[320];
    switch (c->scalars ? karat_scalars_step(c->scalars, s->handle, &f->commit, &use) : KARAT_SCALARS_RIGHT) {
    case KARAT_SCALARS_RIGHT: break;
    case KARAT_SCALARS_USED:
        karat_scalars_describe(&use, c->config.model.profile, text, sizeof text);
        return karat_fail(c, BLAME(FAIL_PROGRAM, s, f, NULL, .lanes = use.lanes), "%s", text);
    case KARAT_SCALARS_NO_MEMORY: return karat_fail(c, BLAME(FAIL_STREAM, s), "out of memory");
    }
    return warning && karat_fail(c, BLAME(FAIL_PROGRAM, s, f), "%s", warning);
}

static void count_step(karat_checker *c, slot *s, const karat_commit *m) {
    c->has_results |=
        m->num_writes || (m->has_mem && m->mem.num) || m->csr_written || m->simt != KARAT_SIMT_NONE;
    s->deepest = m->depth > s->deepest ? m->depth : s->deepest;
    c->counts.deep += c->hello.stack_depth && m->depth > c->hello.stack_depth;
    if (!m->warnings && !m->deviated)
        return; /* Nearly always */
    c->counts.lanes_differ += (m->warnings & KARAT_WARN_LANES_DIFFER) != 0;
    c->counts.lds_unwritten += (m->warnings & KARAT_WARN_LDS_UNWRITTEN) != 0;
    c->counts.skipped_prefix += (m->warnings & KARAT_WARN_SKIPPED_PREFIX) != 0;
    c->counts.lds_beyond += (m->warnings & KARAT_WARN_LDS_BEYOND) != 0;
    c->counts.pds_beyond += (m->warnings & KARAT_WARN_PDS_BEYOND) != 0;
    c->counts.deviations += m->deviated != 0;
    for (uint32_t d = m->deviated; d; d &= d - 1)
        c->counts.deviated[__builtin_ctz(d)]++;
}

bool karat_check_issue(karat_checker *c, const karat_rec_issue *r) {
    karat_note_gap(c, GAP_PREFIX, karat_gives(c, KARAT_REC_ISSUE) && r->prefix_kind == KARAT_PREFIX_UNKNOWN);
    slot *s = karat_slot_of(c, &r->h, true);
    bool waits;
    if (!s)
        return true;
    if (!s->live)
        return karat_fail(c, BLAME(FAIL_ISSUE_ENDED, s, s->youngest, r),
                          "seq %" PRIu32 " at 0x%08" PRIx32 " after EXIT", r->seq, r->pc);
    if (r->seq != s->next_seq)
        return karat_fail(c, BLAME(FAIL_ISSUE_SEQ, s, s->youngest, r),
                          "seq %" PRIu32 " where %" PRIu32 " was expected", r->seq, s->next_seq);
    if (s->at_barrier)
        return karat_fail(c, BLAME(FAIL_ISSUE_BARRIER, s, s->youngest, r),
                          "seq %" PRIu32 " at 0x%08" PRIx32 " before the warp was released", r->seq, r->pc);
    if (s->youngest && s->youngest->pending_arrive)
        return karat_fail(c, BLAME(FAIL_BARRIER_MISSING, s, s->youngest, r),
                          "seq %" PRIu32 " is issued; the warp has not arrived at its barrier", r->seq);
    return karat_take_step(c, s, r, &waits);
}

/* The step was taken: what was issued is compared with it.  True after a failure, or where the warp is
 * excluded: f is not used then. */
static bool check_step(karat_checker *c, slot *s, flight *f, karat_status status, const karat_rec_issue *r) {
    const flight *before = s->youngest;
    if (status == KARAT_WAITING && c->groups[s->wg].excluded && karat_exclude_warp(c, s, NULL, NULL))
        return true;
    if (status == KARAT_WAITING)
        return karat_fail(c, BLAME(FAIL_ISSUE_BARRIER, s, before, r),
                          "seq %" PRIu32 " at 0x%08" PRIx32 " before all warps have arrived at the barrier",
                          r->seq, r->pc);
    if (status != KARAT_OK && status != KARAT_PROGRAM_ERROR)
        return karat_fail(c, BLAME(FAIL_ISSUE_ENDED, s, before, r),
                          "seq %" PRIu32 " at 0x%08" PRIx32 " after ENDPRG", r->seq, r->pc);
    if (compare_issue(c, s, f, before, r) ||
        (c->hello.props & KARAT_PROP_INTERLOCKED && check_interlock(c, s, &f->commit, f->seq)))
        return true;
    return status == KARAT_PROGRAM_ERROR && (karat_check_undefined(c, s, f) || program_error(c, s, f));
}

/* The instruction is in flight: what depends on it, and which completions it expects. */
static bool enter_step(karat_checker *c, slot *s, flight *f) {
    flight *before = s->youngest;
    karat_flight_enter(s, f);
    if (before)
        karat_flight_complete(c, s, before);
    if (s->in_flight > KARAT_PORT_IN_FLIGHT && !karat_bridge_sc_given_up(c, s, s->oldest)) {
        expect_nothing(f);
        return karat_fail_missing(c, s, s->oldest, false, "%d later instructions have been issued;",
                                  KARAT_PORT_IN_FLIGHT); /* The oldest of them is the one at fault */
    }
    s->next_seq++;
    s->issued = true;
    c->counts.instructions++;
    if (c->config.watch)
        c->config.watch->step(c->config.watch->context, c->model, s->handle, &f->commit);
    if (karat_check_undefined(c, s, f)) {
        expect_nothing(f);
        return true;
    }
    expect_completions(c, s, f);
    if (c->tainted_memory)
        karat_note_excluded_use(c, s, f);
    if (!karat_bridge_step(c, s, f))
        return karat_no_memory(c, s);
    karat_print_step(c, s, f);
    if (c->config.strict && strict_error(c, s, f))
        return true;
    if (f->commit.ended && !karat_gives(c, KARAT_REC_EXIT))
        karat_end_warp(c, s);
    remember(s, f);
    count_step(c, s, &f->commit);
    return false;
}

bool karat_take_step(karat_checker *c, slot *s, const karat_rec_issue *r, bool *waits) {
    flight *f = karat_flight_new(c, s, r->seq, r->h.cycle);
    *waits = false;
    if (!f)
        return karat_no_memory(c, s);
    c->any_unwritten = false;
    c->waits_for = 0;
    const karat_status status = karat_step(c->model, s->handle, &f->commit);
    f->shaped = status == KARAT_OK && f->commit.mem.shape != KARAT_SHAPE_EACH;
    if (f->shaped)
        karat_mem_spread(&f->commit.mem);
    if (status == KARAT_OK || status == KARAT_PROGRAM_ERROR)
        karat_commit_keep(c->model, &f->commit, &f->values);
    bool stop = c->done || s->excluded; /* Something that a READ of its operands reported */
    if (!stop && status == KARAT_HELD) {
        *waits = true;
        stop = karat_wait_for_reads(c, s, r, &f->commit);
    } else if (!stop) {
        stop = check_step(c, s, f, status, r);
        if (!stop)
            return enter_step(c, s, f);
        if (s->fault == f)
            return c->done; /* It is not known yet what the core does */
    }
    karat_flight_drop(c, f);
    return stop;
}
