/* A stretch of a recording, taken apart. */
#include "recorded_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "any.h"
#include "progress.h"
#include "array.h"

#define NONE UINT64_MAX
enum {
    RECENT = KARAT_PORT_IN_FLIGHT, /* Of a warp: no result is of an older instruction */
    /* Cycles without a result after which an instruction is over, though its warp has not gone on so far:
     * else all others would be kept until it does. More than a core may be without progress (+hang). */
    QUIET = 1 << 17,
    FEWEST = 1 << 14 /* Instructions that are kept before the first are given away */
};

typedef struct slot_state {
    bool live, in_scope, waiting, counted; /* In_scope: the window has its warp; counted: as one that waits */
    timeline_warp warp;                    /* The last launched */
    uint64_t arrived;                      /* Since when it waits */
    uint64_t barrier;                      /* The instruction at which it waits; NONE: not shown */
    uint64_t last;                         /* The last instruction; NONE: not shown */
    struct {
        uint64_t number; /* NONE: not shown */
        uint32_t seq;
    } recent[RECENT]; /* Instructions by seq */
} slot_state;

typedef struct reading {
    timeline *t;
    const timeline_format *format;
    void *f;
    uint32_t kernel;
    uint64_t cycle; /* Of the last record */
    slot_state *slots;
    timeline_insn *insns; /* From the first instruction on that may have further results */
    uint64_t num_given;   /* Instructions before insns, which are not kept any more */
    size_t num_insns, enough;
    bool begun;           /* The window has begun */
    bool no_memory, back; /* Back: a record is of an earlier cycle than the one before it */
} reading;

/* The format's function, where it has one. */
#define GIVE(r, what, ...) ((r)->no_memory |= (r)->format->what && !(r)->format->what((r)->f, __VA_ARGS__))

static slot_state *slot_at(const reading *r, uint32_t sm, uint32_t slot) {
    return sm < r->t->num_sm && slot < r->t->num_slot ? &r->slots[sm * r->t->num_slot + slot] : NULL;
}

static uint32_t num_slots(const reading *r) {
    return r->slots ? r->t->num_sm * r->t->num_slot : 0;
}

static bool in_cycles(const timeline *t, uint64_t cycle) {
    return cycle >= t->window.from && cycle <= t->window.to;
}

static void hello(reading *r, const karat_rec_hello *hello) {
    if (r->slots || (uint32_t)hello->num_sm * hello->num_warp > KARAT_PORT_SLOTS)
        return;
    r->t->num_sm = hello->num_sm;
    r->t->num_slot = hello->num_warp;
    memcpy(r->t->core, hello->name, sizeof hello->name);
    r->slots = calloc((size_t)r->t->num_sm * r->t->num_slot, sizeof *r->slots);
    r->no_memory |= !r->slots;
    for (uint32_t i = 0; i < num_slots(r); i++)
        r->slots[i].barrier = r->slots[i].last = NONE;
}

static void set_depth(reading *r, const karat_rec_header *h, uint32_t depth) {
    if (in_cycles(r->t, h->cycle))
        GIVE(r, depth, h->sm, h->slot, h->cycle, depth);
}

/* --- Instructions --- */

static timeline_insn *kept(const reading *r, uint64_t number) {
    return number != NONE && number >= r->num_given ? &r->insns[number - r->num_given] : NULL;
}

/* A result of an instruction. */
static timeline_insn *complete(reading *r, uint64_t number, uint64_t cycle) {
    timeline_insn *insn = kept(r, number);
    if (insn && insn->last < cycle)
        insn->last = cycle;
    r->t->late += !insn && number != NONE;
    return insn;
}

/* Whether no result of it comes any more. */
static bool is_over(const reading *r, size_t i) {
    const timeline_insn *insn = &r->insns[i];
    const slot_state *s = slot_at(r, insn->sm, insn->slot);
    const uint64_t number = r->num_given + i;
    return r->cycle - insn->last > QUIET ||
           (s->recent[insn->seq % RECENT].number != number && s->last != number && s->barrier != number);
}

/* Give away the instructions before the first that is not over; all of them, where nothing follows. */
static void give_insns(reading *r, bool all) {
    size_t num = 0;
    for (; num < r->num_insns && !r->no_memory && (all || is_over(r, num)); num++)
        GIVE(r, insn, &r->insns[num]);
    r->num_given += num;
    r->num_insns -= num;
    if (num)
        memmove(r->insns, r->insns + num, r->num_insns * sizeof *r->insns);
    r->enough = 2 * r->num_insns > FEWEST ? 2 * r->num_insns : FEWEST;
    GIVE(r, insns_until, all ? UINT64_MAX : r->num_insns ? r->insns[0].issue : r->cycle);
}

static void issue(reading *r, slot_state *s, const karat_rec_issue *i) {
    const timeline_window *w = &r->t->window;
    s->last = s->recent[i->seq % RECENT].number = NONE;
    if (!s->in_scope || !in_cycles(r->t, i->h.cycle) || i->seq < w->seq_from || i->seq > w->seq_to)
        return;
    if (r->num_insns >= r->enough)
        give_insns(r, false);
    if (!karat_grow(&r->insns, r->num_insns, sizeof *r->insns)) {
        r->no_memory = true;
        return;
    }
    r->insns[r->num_insns++] = (timeline_insn){.issue = i->h.cycle,
                                               .last = i->h.cycle,
                                               .sm = i->h.sm,
                                               .slot = i->h.slot,
                                               .workgroup = s->warp.workgroup,
                                               .warp = s->warp.warp,
                                               .seq = i->seq,
                                               .pc = i->pc,
                                               .word = i->word,
                                               .prefix = i->prefix_kind == KARAT_PREFIX_WORD ? i->prefix : 0,
                                               .mask = i->mask};
    r->t->num_insns++;
    s->last = r->num_given + r->num_insns - 1;
    s->recent[i->seq % RECENT].number = s->last;
    s->recent[i->seq % RECENT].seq = i->seq;
}

/* NONE: it is not shown. */
static uint64_t insn_of(const slot_state *s, uint32_t epoch, uint32_t seq) {
    return s->in_scope && s->warp.epoch == epoch && s->recent[seq % RECENT].seq == seq
               ? s->recent[seq % RECENT].number
               : NONE;
}

static void memory(reading *r, const slot_state *s, const karat_rec_mem *m) {
    if (in_cycles(r->t, m->h.cycle))
        GIVE(r, access, m->h.sm, m->h.cycle);
    timeline_insn *insn =
        m->match == KARAT_MATCH_SEQ ? complete(r, insn_of(s, m->h.epoch, m->seq), m->h.cycle) : NULL;
    if (!insn)
        return;
    if (!insn->has_memory)
        insn->memory = m->h.cycle;
    insn->has_memory = true;
    insn->performed = m->h.cycle;
}

static void write(reading *r, const slot_state *s, const karat_rec_write *w) {
    timeline_insn *insn =
        w->match == KARAT_MATCH_SEQ ? complete(r, insn_of(s, w->h.epoch, w->seq), w->h.cycle) : NULL;
    if (!insn)
        return;
    if (!insn->has_write)
        insn->write = w->h.cycle;
    insn->has_write = true;
}

/* --- Warps and barriers --- */

/* Within the window; an end is the cycle after the last. False: the window has nothing of it. */
static bool clip(const timeline *t, uint64_t *from, uint64_t *to) {
    if (*from > t->window.to || *to < t->window.from)
        return false;
    *from = *from > t->window.from ? *from : t->window.from;
    *to = *to <= t->window.to ? *to : t->window.to + 1;
    return true;
}

/* From that cycle on it counts as one that waits. */
static void count_wait(reading *r, slot_state *s, uint64_t cycle) {
    if (!s->waiting || !s->in_scope || !in_cycles(r->t, cycle))
        return;
    s->counted = true;
    GIVE(r, waiting, s->warp.sm, cycle, 1);
}

/* The warp that has waited goes on, or will no more. */
static void end_wait(reading *r, slot_state *s, uint64_t cycle) {
    if (!s->waiting)
        return;
    s->waiting = false;
    complete(r, s->barrier, cycle);
    s->barrier = NONE;
    uint64_t from = s->arrived, to = cycle;
    if (s->in_scope && clip(r->t, &from, &to))
        GIVE(r, wait, s->warp.sm, s->warp.slot, from, to);
    if (s->counted)
        GIVE(r, waiting, s->warp.sm, to, -1);
    s->counted = false;
}

static void end_warp(reading *r, slot_state *s, uint64_t cycle) {
    end_wait(r, s, cycle);
    if (s->live && s->in_scope) {
        complete(r, s->last, cycle);
        s->last = NONE;
        s->warp.to = cycle;
        timeline_warp w = s->warp;
        if (clip(r->t, &w.from, &w.to))
            GIVE(r, warp, &w);
    }
    s->live = false;
}

static void launch(reading *r, slot_state *s, const karat_rec_launch *l) {
    const timeline_window *w = &r->t->window;
    end_warp(r, s, l->h.cycle);
    s->live = true;
    s->last = NONE;
    memset(s->recent, 0xff, sizeof s->recent);
    s->in_scope = !w->one_warp || (w->workgroup == l->workgroup && w->warp == l->warp);
    if (!s->in_scope)
        return;
    s->warp = (timeline_warp){l->h.cycle, UINT64_MAX,   l->h.sm, l->h.slot,
                              l->h.epoch, l->workgroup, l->warp, r->kernel};
    set_depth(r, &l->h, 0);
}

static void barrier(reading *r, slot_state *s, const karat_rec_barrier *b) {
    if (b->action == KARAT_BARRIER_ARRIVE) {
        if (!s || s->waiting)
            return;
        s->waiting = true;
        s->arrived = b->h.cycle;
        s->barrier = insn_of(s, b->h.epoch, b->seq);
        count_wait(r, s, b->h.cycle);
        return;
    }
    for (uint32_t slot = 0; slot < r->t->num_slot && slot < 64; slot++)
        if (b->warps >> slot & 1 && slot_at(r, b->h.sm, slot))
            end_wait(r, slot_at(r, b->h.sm, slot), b->h.cycle);
}

/* Those that have waited since before the window. */
static void begin_window(reading *r) {
    r->begun = true;
    for (uint32_t i = 0; i < num_slots(r); i++)
        count_wait(r, &r->slots[i], r->t->window.from);
}

static void record(reading *r, const karat_any *a) {
    slot_state *s = slot_at(r, a->h.sm, a->h.slot);
    r->back |= a->h.cycle < r->cycle;
    r->cycle = a->h.cycle;
    if (r->back)
        return;
    if (!r->begun && a->h.cycle >= r->t->window.from)
        begin_window(r);
    if (a->h.cycle > r->t->end)
        r->t->end = a->h.cycle;
    if (a->h.kind == KARAT_REC_HELLO)
        hello(r, &a->hello);
    else if (a->h.kind == KARAT_REC_KERNEL)
        r->kernel = a->kernel.index;
    else if (s && a->h.kind == KARAT_REC_LAUNCH)
        launch(r, s, &a->launch);
    else if (s && a->h.kind == KARAT_REC_ISSUE)
        issue(r, s, &a->issue);
    else if (s && karat_is_write(a->h.kind))
        write(r, s, &a->write);
    else if (s && karat_is_mem(a->h.kind))
        memory(r, s, &a->mem);
    else if (s && a->h.kind == KARAT_REC_CSR)
        complete(r, insn_of(s, a->h.epoch, a->csr.seq), a->h.cycle);
    else if (a->h.kind == KARAT_REC_BARRIER)
        barrier(r, s, &a->barrier);
    else if (s && a->h.kind == KARAT_REC_EXIT)
        end_warp(r, s, a->h.cycle);
    if (s && a->h.kind == KARAT_REC_SIMT) {
        complete(r, insn_of(s, a->h.epoch, a->simt.seq), a->h.cycle);
        if (s->in_scope)
            set_depth(r, &a->h, a->simt.depth);
    }
    const bool unnamed =
        (karat_is_mem(a->h.kind) || karat_is_write(a->h.kind)) && a->mem.match != KARAT_MATCH_SEQ;
    r->t->unnamed += unnamed && in_cycles(r->t, a->h.cycle);
}

/* Instructions that have not ended end with the recording. */
static bool end(reading *r) {
    timeline *t = r->t;
    for (uint32_t i = 0; i < num_slots(r); i++) {
        slot_state *s = &r->slots[i];
        end_wait(r, s, t->end);
        timeline_warp w = s->warp;
        w.to = t->end;
        if (s->live && s->in_scope && clip(t, &w.from, &w.to))
            GIVE(r, warp, &w);
    }
    give_insns(r, true);
    return !r->no_memory && (!r->format->end || r->format->end(r->f));
}

bool timeline_write(timeline *t, const timeline_format *format, karat_trace_reader *reader, FILE *out,
                    karat_diag *diag) {
    reading r = {.t = t, .format = format, .f = format->begin(t, out), .enough = FEWEST};
    karat_trace_entry entry = {.kind = KARAT_TRACE_BAD};
    uint64_t entries = 0;
    r.no_memory = !r.f;
    while (!r.no_memory && !r.back) {
        karat_trace_next(reader, &entry, diag);
        if (++entries % 1024 == 0 && karat_progress_due())
            karat_progress_show("%" PRIu64 " records", entries);
        if (entry.kind == KARAT_TRACE_RECORD)
            record(&r, entry.record);
        else if ((entry.kind == KARAT_TRACE_TICK || entry.kind == KARAT_TRACE_BENCH_ERROR) &&
                 entry.cycle > t->end)
            t->end = entry.cycle;
        else if (entry.kind > KARAT_TRACE_BENCH_ERROR)
            break;
    }
    karat_progress_hide();
    t->cut = entry.kind == KARAT_TRACE_CUT;
    const bool sound = r.no_memory || (entry.kind != KARAT_TRACE_BAD && !r.back),
               good = sound && !r.no_memory && end(&r);
    if (r.f)
        format->free(r.f);
    free(r.insns);
    free(r.slots);
    if (r.back)
        snprintf(diag->text, sizeof diag->text,
                 "the records are not in the order of their cycles (karat check says more)");
    else if (sound && !good)
        snprintf(diag->text, sizeof diag->text, "not enough memory");
    return good;
}

/* --- Names --- */

const karat_row *timeline_row(const timeline *t, const timeline_insn *i) {
    karat_insn insn;
    return karat_row_info(karat_decode_prefixed(t->config->model.profile, i->prefix, i->word, &insn, NULL));
}

const char *timeline_text(const timeline *t, const timeline_insn *i, char text[TIMELINE_TEXT]) {
    karat_disassemble(t->config->model.profile, i->pc, i->prefix, i->word, text, TIMELINE_TEXT);
    return text;
}

const char *timeline_kernel(const timeline *t, const timeline_warp *w) {
    return w->kernel < t->config->num_kernels && t->config->kernels[w->kernel]->name
               ? t->config->kernels[w->kernel]->name
               : "";
}
