/* A stretch of a recording, taken apart. */
#include "recorded_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "any.h"
#include "progress.h"
#include "array.h"

#define NONE UINT32_MAX
enum { RECENT = KARAT_PORT_IN_FLIGHT };

typedef struct slot_state {
    bool live, waiting;
    uint32_t warp;           /* Index of the last launched; NONE: none is in the window's scope */
    uint64_t arrived;        /* Since when it waits */
    uint32_t barrier;        /* The instruction at which it waits; NONE: not shown */
    uint32_t last;           /* The last instruction; NONE: not shown */
    uint32_t recent[RECENT]; /* By seq: instructions, NONE: not shown */
} slot_state;

typedef struct reading {
    timeline *t;
    uint32_t num_sm, num_warp, kernel;
    uint64_t cycle; /* Of the last record */
    slot_state *slots;
    bool no_memory, back; /* Set where a record is of an earlier cycle than the one before it */
} reading;

/* Room for one more; NULL: memory is short. */
static void *add(reading *r, void **list, size_t *num, size_t size) {
    if (!karat_grow(list, *num, size)) {
        r->no_memory = true;
        return NULL;
    }
    return memset((char *)*list + (*num)++ * size, 0, size);
}
#define ADD(r, what) add(r, (void **)&(r)->t->what, &(r)->t->num_##what, sizeof *(r)->t->what)

static slot_state *slot_at(const reading *r, uint32_t sm, uint32_t slot) {
    return sm < r->num_sm && slot < r->num_warp ? &r->slots[sm * r->num_warp + slot] : NULL;
}

static bool in_cycles(const timeline *t, uint64_t cycle) {
    return cycle >= t->window.from && cycle <= t->window.to;
}

static void hello(reading *r, const karat_rec_hello *hello) {
    if (r->slots || (uint32_t)hello->num_sm * hello->num_warp > KARAT_PORT_SLOTS)
        return;
    r->num_sm = hello->num_sm;
    r->num_warp = hello->num_warp;
    memcpy(r->t->core, hello->name, sizeof hello->name);
    r->slots = calloc((size_t)r->num_sm * r->num_warp, sizeof *r->slots);
    r->no_memory |= !r->slots;
    for (size_t i = 0; r->slots && i < (size_t)r->num_sm * r->num_warp; i++)
        r->slots[i].warp = r->slots[i].barrier = r->slots[i].last = NONE;
}

static void set_depth(reading *r, uint32_t warp, uint64_t cycle, uint32_t depth) {
    timeline_depth *d = in_cycles(r->t, cycle) ? ADD(r, depths) : NULL;
    if (d)
        *d = (timeline_depth){cycle, warp, depth};
}

/* A result of an instruction. */
static void complete(reading *r, uint32_t i, uint64_t cycle) {
    if (i != NONE && r->t->insns[i].last < cycle)
        r->t->insns[i].last = cycle;
}

/* What has waited goes on, or will no more. */
static void end_wait(reading *r, slot_state *s, uint64_t cycle) {
    if (!s->waiting)
        return;
    s->waiting = false;
    complete(r, s->barrier, cycle);
    timeline_wait *w =
        s->warp != NONE && s->arrived <= r->t->window.to && cycle >= r->t->window.from ? ADD(r, waits) : NULL;
    if (w)
        *w = (timeline_wait){s->arrived, cycle, s->warp};
}

static void end_warp(reading *r, slot_state *s, uint64_t cycle) {
    end_wait(r, s, cycle);
    if (s->live && s->warp != NONE) {
        r->t->warps[s->warp].to = cycle;
        complete(r, s->last, cycle);
    }
    s->live = false;
}

static void launch(reading *r, slot_state *s, const karat_rec_launch *l) {
    const timeline_window *w = &r->t->window;
    end_warp(r, s, l->h.cycle);
    s->live = true;
    s->warp = s->last = NONE;
    memset(s->recent, 0xff, sizeof s->recent);
    if (w->one_warp && (w->workgroup != l->workgroup || w->warp != l->warp))
        return;
    timeline_warp *warp = ADD(r, warps);
    if (!warp)
        return;
    *warp = (timeline_warp){l->h.cycle, UINT64_MAX,   l->h.sm, l->h.slot,
                            l->h.epoch, l->workgroup, l->warp, r->kernel};
    s->warp = (uint32_t)(r->t->num_warps - 1);
    set_depth(r, s->warp, l->h.cycle, 0);
}

static void issue(reading *r, slot_state *s, const karat_rec_issue *i) {
    const timeline_window *w = &r->t->window;
    s->last = s->recent[i->seq % RECENT] = NONE;
    if (s->warp == NONE || !in_cycles(r->t, i->h.cycle) || i->seq < w->seq_from || i->seq > w->seq_to)
        return;
    timeline_insn *insn = ADD(r, insns);
    if (!insn)
        return;
    *insn = (timeline_insn){.issue = i->h.cycle,
                            .last = i->h.cycle,
                            .warp = s->warp,
                            .seq = i->seq,
                            .pc = i->pc,
                            .word = i->word,
                            .prefix = i->prefix_kind == KARAT_PREFIX_WORD ? i->prefix : 0,
                            .mask = i->mask};
    s->last = s->recent[i->seq % RECENT] = (uint32_t)(r->t->num_insns - 1);
}

/* NONE: it is not shown. */
static uint32_t insn_of(const reading *r, const slot_state *s, uint32_t epoch, uint32_t seq) {
    const uint32_t i = s->recent[seq % RECENT];
    const timeline_insn *insn = i != NONE && s->warp != NONE ? &r->t->insns[i] : NULL;
    return insn && insn->seq == seq && r->t->warps[insn->warp].epoch == epoch ? i : NONE;
}

static void memory(reading *r, const slot_state *s, const karat_rec_mem *m) {
    timeline_access *last = r->t->num_accesses ? &r->t->accesses[r->t->num_accesses - 1] : NULL;
    if (!in_cycles(r->t, m->h.cycle))
        last = NULL;
    else if (!last || last->cycle != m->h.cycle || last->sm != m->h.sm)
        last = ADD(r, accesses);
    if (last)
        *last = (timeline_access){m->h.cycle, m->h.sm, last->num + 1};
    const uint32_t i = m->match == KARAT_MATCH_SEQ ? insn_of(r, s, m->h.epoch, m->seq) : NONE;
    if (i == NONE)
        return;
    timeline_insn *insn = &r->t->insns[i];
    if (!insn->has_memory)
        insn->memory = m->h.cycle;
    insn->has_memory = true;
    insn->performed = m->h.cycle;
    complete(r, i, m->h.cycle);
}

static void write(reading *r, const slot_state *s, const karat_rec_write *w) {
    const uint32_t i = w->match == KARAT_MATCH_SEQ ? insn_of(r, s, w->h.epoch, w->seq) : NONE;
    if (i == NONE)
        return;
    if (!r->t->insns[i].has_write)
        r->t->insns[i].write = w->h.cycle;
    r->t->insns[i].has_write = true;
    complete(r, i, w->h.cycle);
}

static void barrier(reading *r, slot_state *s, const karat_rec_barrier *b) {
    if (b->action == KARAT_BARRIER_ARRIVE) {
        if (!s || s->waiting)
            return;
        s->waiting = true;
        s->arrived = b->h.cycle;
        s->barrier = insn_of(r, s, b->h.epoch, b->seq);
        return;
    }
    for (uint32_t slot = 0; slot < r->num_warp && slot < 64; slot++)
        if (b->warps >> slot & 1 && slot_at(r, b->h.sm, slot))
            end_wait(r, slot_at(r, b->h.sm, slot), b->h.cycle);
}

static void record(reading *r, const karat_any *a) {
    slot_state *s = slot_at(r, a->h.sm, a->h.slot);
    r->back |= a->h.cycle < r->cycle;
    r->cycle = a->h.cycle;
    if (r->back)
        return;
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
        complete(r, insn_of(r, s, a->h.epoch, a->csr.seq), a->h.cycle);
    else if (a->h.kind == KARAT_REC_BARRIER)
        barrier(r, s, &a->barrier);
    else if (s && a->h.kind == KARAT_REC_EXIT)
        end_warp(r, s, a->h.cycle);
    if (s && a->h.kind == KARAT_REC_SIMT) {
        complete(r, insn_of(r, s, a->h.epoch, a->simt.seq), a->h.cycle);
        if (s->warp != NONE)
            set_depth(r, s->warp, a->h.cycle, a->simt.depth);
    }
    const bool unnamed =
        (karat_is_mem(a->h.kind) || karat_is_write(a->h.kind)) && a->mem.match != KARAT_MATCH_SEQ;
    r->t->unnamed += unnamed && in_cycles(r->t, a->h.cycle);
}

static bool touches(const timeline *t, const timeline_warp *w) {
    return w->from <= t->window.to && w->to >= t->window.from;
}

static void clip(const timeline *t, uint64_t *from, uint64_t *to) {
    *from = *from > t->window.from ? *from : t->window.from;
    *to = *to <= t->window.to ? *to : t->window.to + 1;
}

/* Warps that the window has nothing of go; the others are within it. */
static bool keep_warps(timeline *t) {
    uint32_t *moved = malloc((t->num_warps + 1) * sizeof *moved);
    size_t kept = 0;
    if (!moved)
        return false;
    for (size_t i = 0; i < t->num_warps; i++) {
        timeline_warp w = t->warps[i];
        moved[i] = NONE;
        if (!touches(t, &w))
            continue;
        clip(t, &w.from, &w.to);
        moved[i] = (uint32_t)kept;
        t->warps[kept++] = w;
    }
    t->num_warps = kept;
    for (size_t i = 0; i < t->num_insns; i++)
        t->insns[i].warp = moved[t->insns[i].warp];
    for (size_t i = 0; i < t->num_waits; i++)
        t->waits[i].warp = moved[t->waits[i].warp];
    for (size_t i = 0; i < t->num_depths; i++)
        t->depths[i].warp = moved[t->depths[i].warp];
    free(moved);
    return true;
}

static int by_arrival(const void *a, const void *b) {
    const timeline_wait *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from ? 1 : -1) : (x->warp > y->warp) - (x->warp < y->warp);
}

/* What has not ended ends here. */
static bool end(reading *r) {
    timeline *t = r->t;
    const uint32_t num = r->num_sm * r->num_warp;
    for (uint32_t i = 0; r->slots && i < num; i++)
        end_wait(r, &r->slots[i], t->end);
    for (size_t i = 0; i < t->num_warps; i++)
        if (t->warps[i].to == UINT64_MAX)
            t->warps[i].to = t->end;
    if (t->num_waits)
        qsort(t->waits, t->num_waits, sizeof *t->waits, by_arrival);
    for (size_t i = 0; i < t->num_waits; i++)
        clip(t, &t->waits[i].from, &t->waits[i].to);
    return !r->no_memory && keep_warps(t);
}

bool timeline_read(timeline *t, karat_trace_reader *reader, karat_diag *diag) {
    reading r = {.t = t};
    karat_trace_entry entry;
    uint64_t entries = 0;
    do {
        karat_trace_next(reader, &entry, diag);
        if (++entries % 1024 == 0 && karat_progress_due())
            karat_progress_show("%" PRIu64 " records", entries);
        if (entry.kind == KARAT_TRACE_RECORD)
            record(&r, entry.record);
        else if ((entry.kind == KARAT_TRACE_TICK || entry.kind == KARAT_TRACE_BENCH_ERROR) &&
                 entry.cycle > t->end)
            t->end = entry.cycle;
    } while (entry.kind <= KARAT_TRACE_BENCH_ERROR && !r.no_memory && !r.back);
    karat_progress_hide();
    t->cut = entry.kind == KARAT_TRACE_CUT;
    const bool sound = entry.kind != KARAT_TRACE_BAD && !r.back, good = sound && end(&r);
    free(r.slots);
    if (r.back)
        snprintf(diag->text, sizeof diag->text,
                 "the records are not in the order of their cycles (karat check says more)");
    else if (sound && !good)
        snprintf(diag->text, sizeof diag->text, "not enough memory");
    return good;
}

void timeline_free(timeline *t) {
    free(t->insns);
    free(t->warps);
    free(t->waits);
    free(t->depths);
    free(t->accesses);
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
