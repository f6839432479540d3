/* Failures: the verdict that each is, and what reports need of it. */
#include "records.h"
#include "report.h"
#include "names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    karat_verdict verdict;
    unsigned flags;
    const char *shown;
} kinds[FAIL_KINDS] = {[FAIL_NONE] = {.name = "none", .shown = ""},
#define DO(id, verdict, flags, shown, text) [FAIL_##id] = {text, KARAT_##verdict, flags, shown},
                       FAILURES(DO)
#undef DO
};

const char *karat_failure_name(failure_kind kind) {
    return kinds[kind].name;
}

unsigned karat_failure_flags(failure_kind kind) {
    return kinds[kind].flags;
}

const char *karat_failure_shown(failure_kind kind) {
    return kinds[kind].shown;
}

const char *karat_known_bug_wrong(const char *pattern) {
    const char *rest = NULL;
    for (unsigned kind = 0; pattern && kind < FAIL_KINDS && !rest; kind++) {
        const size_t length = strlen(kinds[kind].name);
        if (kinds[kind].verdict == KARAT_MISMATCH && strncmp(pattern, kinds[kind].name, length) == 0 &&
            strncmp(pattern + length, ", ", 2) == 0)
            rest = pattern + length + 2;
    }
    if (!rest)
        return "expected a kind of mismatch, a comma and an instruction";
    char mnemonic[32];
    snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(rest, " ,("), rest);
    for (int i = 0; i < karat_num_rows(); i++)
        if (isalpha((unsigned char)*mnemonic) && fnmatch(mnemonic, karat_row_info(i)->mnemonic, 0) == 0)
            return NULL;
    return "expected an instruction after the kind of mismatch (karat isa lists them)";
}

static bool is_of_values(const karat_checker *c, failure_kind kind, const flight *f) {
    switch (kind) {
    case FAIL_MEM_UNEXPECTED:
    case FAIL_MEM_MISSING: return f && karat_row_info(f->commit.row)->unit != KARAT_UNIT_AMO; /* A mask */
    case FAIL_MEMORY: return !karat_gives(c, KARAT_REC_MEM); /* Else MEM has reported what was stored */
    default: return kinds[kind].flags & OF_VALUES;
    }
}

/* Why a failure may be none: a value that differs from the model's by a race, and that no WRITE reports,
 * or not yet. NULL: it is one. */
static const char *excuse(const karat_checker *c, failure_kind kind, const slot *s, const flight *f) {
    const bool of_values = is_of_values(c, kind, f), has_mem = f && f->commit.has_mem;
    if (of_values && karat_bridge_raced(c))
        return "warps race, and the core provides no WRITE: this may result from a value that no record has "
               "reported";
    /* Results, and, under another mask, that they come or do not. */
    const bool of_result = kind >= FAIL_WRITE_VALUE && kind <= FAIL_WRITE_MISSING;
    if (!of_values && !of_result && kind != FAIL_MEM_UNEXPECTED && kind != FAIL_MEMORY)
        return NULL;
    if (c->mem_passed_wait)
        return "MEMs came before READs of addresses that they wait for: the order of memory accesses is not "
               "known";
    if (c->stored_after_fault && c->num_faulting && !(s && s->fault))
        return "a warp whose page fault the core has not reported yet has stored after it: this may result "
               "from that";
    if (s && karat_is_used_early(c, s, f, has_mem))
        return "warps race, and the result of a load was used before its WRITE: this may result from a value "
               "that "
               "no record has reported yet";
    return NULL;
}

/* Whether a record says which instruction, of those issued before it, it is of. */
static bool names_instruction(const karat_rec_header *h, uint32_t *seq) {
    return h->kind != KARAT_REC_ISSUE && h->kind != KARAT_REC_BARRIER && karat_rec_seq(h, seq);
}

/* An instruction of which too much comes, or none of that kind: what the warp's history has of it, where
 * it is not at hand. */
static void describe_past(failure *x, const slot *s, uint32_t seq) {
    const past *p = karat_past(s, seq), *next = karat_past(s, seq + 1);
    if (!p)
        return;
    x->has_insn = x->is_past = true;
    x->seq = seq;
    x->commit = (karat_commit){.row = KARAT_NO_ROW,
                               .pc = p->pc,
                               .word = p->word,
                               .prefix = p->prefix,
                               .mask_before = p->mask,
                               .mask_after = next ? next->mask : p->mask};
}

/* All of a failure but what differs. */
static void describe(const karat_checker *c, failure *x, failure_kind kind, const slot *s, const flight *f,
                     const void *record) {
    uint32_t seq = 0;
    const bool named = s && !f && record && names_instruction(record, &seq);
    const karat_rec_header *h = record;
    if (named)
        f = karat_flight_recent(s, h->epoch, seq);
    x->kind = kind;
    x->cycle = x->look_at = c->cycle;
    if (s) {
        x->has_warp = true;
        x->sm = s->sm;
        x->slot = s->index;
        x->workgroup = s->workgroup;
        x->warp = s->warp;
        x->epoch = s->epoch;
        x->seq = s->next_seq;
        karat_warp_view view;
        bool present =
            !f || f->epoch == s->epoch; /* Else the slot has a new owner: the stack is not of this warp */
        if (present && karat_view(c->model, s->handle, &view) == KARAT_OK) {
            x->depth = view.depth;
            memcpy(x->stack, view.stack, view.depth * sizeof *x->stack);
        }
    }
    if (f) {
        x->has_insn = true;
        x->commit = f->commit;
        karat_commit_keep(c->model, &x->commit, &x->values); /* It is a copy: the values are its own, too */
        x->seq = f->seq;
        x->epoch = f->epoch;
        x->workgroup = f->workgroup;
        x->warp = f->warp;
        x->issue_cycle = f->cycle;
        x->read_matched = f->read_matched;
    } else if (named && h->epoch == s->epoch) {
        describe_past(x, s, seq);
    }
    if (record) {
        x->has_record = true;
        memcpy(x->record, record, karat_rec_size(((const karat_rec_header *)record)->kind));
    }
}

void karat_describe_further(const karat_checker *c, further_failure *out, const blame *x,
                            const char *detail) {
    const slot *s = x->slot;
    const flight *f = x->flight;
    *out = (further_failure){.kind = x->kind, .cycle = c->cycle, .has_warp = s, .has_insn = f};
    snprintf(out->detail, sizeof out->detail, "%.*s", (int)strcspn(detail, "\n"), detail);
    if (s) {
        out->workgroup = s->workgroup;
        out->warp = s->warp;
        out->sm = s->sm;
        out->slot = s->index;
        out->seq = f ? f->seq : s->next_seq;
        out->follows = s->follows;
        out->follows_addr = s->follows_addr;
    }
    if (f) {
        out->pc = f->commit.pc;
        out->word = f->commit.word;
        out->prefix = f->commit.prefix;
    }
}

/* One after the first, where there is room. */
static void note_further(karat_checker *c, const blame *x, const char *detail) {
    if (!c->further)
        c->further = calloc(c->config.max_failures, sizeof *c->further);
    if (c->further && c->num_further + 1 < c->config.max_failures)
        karat_describe_further(c, &c->further[c->num_further++], x, detail);
}

/* --- Where the warps are --- When a run ends that has not come to its end: the model's view of each, its
 * last instructions, and what it waits for (warp_places.h). */

/* Of which failures that is said: those that are of all warps, or of others than the one at fault. */
static bool is_of_all(failure_kind kind, const flight *f) {
    return kind == FAIL_HANG || kind == FAIL_INCOMPLETE ||
           (kind == FAIL_PROGRAM && f && f->commit.error.kind == KARAT_ERR_BARRIER_EXIT);
}

/* False: memory is short. */
static bool add_place(const karat_checker *c, karat_places *p, const slot *s, const flight *f) {
    karat_warp_view view;
    if (karat_view(c->model, s->handle, &view) != KARAT_OK)
        return true;
    const past *last = karat_past(s, s->num_history - 1);
    view.waiting = karat_is_at_barrier(c, s);
    karat_warp_place *w = karat_places_add(p, c->model, &view, last ? &last->pc : NULL);
    if (!w)
        return false;
    if (view.stopped && f && f->commit.error.kind == KARAT_ERR_BARRIER_EXIT &&
        karat_row_info(f->commit.row)->owes & KARAT_OWES_BARRIER)
        w->at_barrier = true; /* It has come after another had ended */
    w->workgroup = s->workgroup;
    w->warp = s->warp;
    w->in_slot = true;
    w->sm = s->sm;
    w->slot = s->index;
    w->heard = s->last_event;
    char waits[700];
    if (!w->at_barrier && karat_describe_wait(c, s, waits, sizeof waits))
        w->waits = strdup(waits);
    uint32_t pc[NUM_HISTORY], num = 0;
    for (uint32_t seq = s->num_history > NUM_HISTORY ? s->num_history - NUM_HISTORY : 0; seq < s->num_history;
         seq++)
        pc[num++] = karat_past(s, seq)->pc;
    w->loop = karat_loop_of(pc, num);
    return true;
}

static void note_places(karat_checker *c, failure_kind kind, const flight *f) {
    if (!is_of_all(kind, f) || !c->model)
        return;
    c->places.wg_size = c->kernel.wg_size;
    for (uint32_t i = 0; i < c->num_slots; i++)
        if (c->slots[i].live && !add_place(c, &c->places, &c->slots[i], f))
            break;
    karat_places_sort(&c->places);
}

/* --- A failure --- */

/* Of one that is of the whole warp's record, and not of values, no lanes are shown. */
static bool has_lanes(failure_kind kind) {
    return kind < FAIL_WRITE_REGISTER || kind > FAIL_WRITE_MISSING;
}

static void make_first(karat_checker *c, const blame *x, karat_verdict verdict, const char *detail) {
    failure *first = &c->failure;
    snprintf(first->detail, sizeof first->detail, "%s", detail);
    describe(c, first, x->kind, x->slot, x->flight, x->record && c->whole ? c->whole : x->record);
    first->has_walk = x->walk;
    first->has_phys = x->phys;
    if (x->walk)
        first->walk = *x->walk;
    if (x->phys)
        first->phys = *x->phys;
    first->rules = x->rules;
    if (x->lanes && has_lanes(x->kind)) {
        first->lanes = x->lanes & karat_all_lanes(c); /* A core may name some that it has not */
        first->cls = x->cls;
        first->reg = x->reg;
    }
    note_places(c, x->kind, x->flight);
    c->verdict = verdict;
}

bool karat_fail(karat_checker *c, const blame *x, const char *format, ...) {
    if (c->done)
        return STOPS;
    char detail[sizeof c->failure.detail];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    const char *why = excuse(c, x->kind, x->slot, x->flight);
    if (why)
        karat_append(detail, sizeof detail, "\n%s", why);
    const karat_verdict verdict = why ? KARAT_INCOMPLETE : kinds[x->kind].verdict;
    const bool mismatch = verdict == KARAT_MISMATCH,
               goes_on = c->config.keep_going && mismatch && x->may_go_on;
    if (mismatch && x->may_go_on && karat_is_known(c, x))
        return GOES_ON;
    const bool first = !c->num_failed++;
    if (first)
        make_first(c, x, verdict, detail);
    if (c->config.keep_going && mismatch)
        karat_note_defect(c, x, detail);
    else if (!first && x->kind != FAIL_INCOMPLETE)
        note_further(c, x, detail);
    if (goes_on && first)
        karat_report_first(c);
    if (!goes_on)
        c->done = (first && !mismatch) ||
                  !karat_exclude_warp(c, x->slot, x->flight, x->record && c->whole ? c->whole : x->record);
    /* The record of one that is excused is taken to its end, though its warp is excluded. */
    return c->config.keep_going && x->may_go_on && !c->done ? GOES_ON : STOPS;
}

bool karat_no_memory(karat_checker *c, const slot *s) {
    return karat_fail(c, BLAME(FAIL_NO_MEMORY, s), "out of memory, the checker cannot go on");
}

void karat_describe_failure(const karat_checker *c, failure *x, failure_kind kind, const slot *s,
                            const flight *f, const char *text) {
    memset(x, 0, sizeof *x);
    snprintf(x->detail, sizeof x->detail, "%s", text);
    describe(c, x, kind, s, f, NULL);
}

bool karat_fail_as(karat_checker *c, const failure *x) {
    if (c->num_failed)
        return karat_fail(c, BLAME(x->kind), "%s", x->detail);
    c->num_failed++;
    c->failure = *x;
    karat_commit_keep(c->model, &c->failure.commit, &c->failure.values);
    c->verdict = kinds[x->kind].verdict;
    return c->done = true;
}
