/* The format of Chrome's tracing, which Perfetto reads: JSON, one event a line. A cycle is a microsecond. */
#include "recorded_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "karat/quote.h"

enum {
    TRACKS = 4096,      /* Of a slot: its warps, then as many as its instructions need */
    FIRST_TRACK = 65536 /* A thread 0, and one with the number of its process, have meanings of their own */
};

/* A change of an SM's counter. */
typedef struct change {
    uint64_t cycle;
    uint32_t sm;
    int32_t by;
} change;

typedef struct counter {
    const char *name;
    change *changes; /* Changes that have not been put yet */
    size_t num;
    int64_t value[256]; /* Of each SM */
} counter;

/* The tracks of a slot. Instructions that are on their way at the same time have tracks of their own. */
typedef struct slot_tracks {
    uint64_t *free; /* The cycle from which on each track of instructions is */
    size_t num;
    bool shown;
} slot_tracks;

typedef struct chrome {
    const timeline *t;
    FILE *out;
    slot_tracks *slots; /* Made with the first that is shown */
    counter in_flight, waiting, accesses;
} chrome;

static slot_tracks *tracks_of(chrome *f, uint32_t sm, uint32_t slot) {
    if (!f->slots && !(f->slots = calloc((size_t)f->t->num_sm * f->t->num_slot, sizeof *f->slots)))
        return NULL;
    slot_tracks *s = &f->slots[(size_t)sm * f->t->num_slot + slot];
    s->shown = true;
    return s;
}

static uint32_t track_of(uint32_t slot, uint32_t track) {
    return FIRST_TRACK + slot * TRACKS + track;
}

static void put_string(FILE *out, const char *text) {
    char quoted[600];
    karat_quote(text, quoted, sizeof quoted);
    fputc('"', out);
    for (const char *c = quoted; *c; c++)
        fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputc('"', out);
}

static void put_name(FILE *out, const char *what, uint32_t pid, uint32_t tid, const char *name) {
    fprintf(out,
            ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":\"%s\",\"args\":{\"name\":",
            pid, tid, what);
    put_string(out, name);
    fputs("}}", out);
}

static void put_track(FILE *out, uint32_t pid, uint32_t tid, const char *name) {
    put_name(out, "thread_name", pid, tid, name);
    fprintf(out,
            ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
            ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}",
            pid, tid, tid);
}

static void put_slice(FILE *out, uint32_t pid, uint32_t tid, uint64_t from, uint64_t to,
                      const char *category) {
    fprintf(out,
            ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
            ",\"cat\":\"%s\",\"name\":",
            pid, tid, from, to - from, category);
}

static void put_counter(FILE *out, uint32_t pid, uint64_t cycle, const char *name, uint64_t value) {
    fprintf(out,
            ",\n{\"ph\":\"C\",\"pid\":%" PRIu32 ",\"ts\":%" PRIu64
            ",\"name\":\"%s\",\"args\":{\"value\":%" PRIu64 "}}",
            pid, cycle, name, value);
}

/* --- Warps and instructions --- */

/* A warp that ends where its successor begins is over before. */
static bool give_warp(void *context, const timeline_warp *w) {
    chrome *f = context;
    if (!tracks_of(f, w->sm, w->slot))
        return false;
    put_slice(f->out, w->sm + 1, track_of(w->slot, 0), w->from, w->to, "warp");
    fprintf(f->out, "\"workgroup %" PRIu32 " warp %" PRIu32 "\",\"args\":{\"kernel\":", w->workgroup,
            w->warp);
    put_string(f->out, timeline_kernel(f->t, w));
    fprintf(f->out, ",\"epoch\":%" PRIu32 "}}", w->epoch);
    return true;
}

static bool give_wait(void *context, uint32_t sm, uint32_t slot, uint64_t from, uint64_t to) {
    const chrome *f = context;
    put_slice(f->out, sm + 1, track_of(slot, 0), from, to, "barrier");
    fputs("\"barrier\"}", f->out);
    return true;
}

/* Returns 0 where memory is short. */
static uint32_t find_track(chrome *f, const timeline_insn *i) {
    slot_tracks *s = tracks_of(f, i->sm, i->slot);
    size_t track = 0;
    while (s && track < s->num && track + 2 < TRACKS && s->free[track] > i->issue)
        track++;
    if (!s || (track == s->num && !karat_grow(&s->free, s->num, sizeof *s->free)))
        return 0;
    s->num += track == s->num;
    s->free[track] = i->last + 1;
    return (uint32_t)track + 1;
}

static void put_insn(const timeline *t, FILE *out, const timeline_insn *i, uint32_t track) {
    const karat_row *row = timeline_row(t, i);
    char text[TIMELINE_TEXT];
    put_slice(out, i->sm + 1, track_of(i->slot, track), i->issue, i->last + 1,
              row ? karat_unit_name(row->unit) : "illegal");
    put_string(out, row ? row->mnemonic : "illegal");
    fprintf(out, ",\"args\":{\"seq\":%" PRIu32 ",\"pc\":\"0x%08" PRIx32 "\",\"text\":", i->seq, i->pc);
    put_string(out, timeline_text(t, i, text));
    fprintf(out, ",\"mask\":\"%08" PRIx32 "\",\"warp\":\"%" PRIu32 ".%" PRIu32 "\"", i->mask, i->workgroup,
            i->warp);
    if (i->has_write)
        fprintf(out, ",\"write\":%" PRIu64, i->write);
    fputs("}}", out);
    if (i->has_memory) {
        put_slice(out, i->sm + 1, track_of(i->slot, track), i->memory, i->performed + 1, "memory");
        fputs("\"performed\"}", out);
    }
}

/* --- Counters --- */

static bool change_by(counter *c, uint64_t cycle, uint32_t sm, int by) {
    if (!karat_grow(&c->changes, c->num, sizeof *c->changes))
        return false;
    c->changes[c->num++] = (change){cycle, sm, by};
    return true;
}

static int by_cycle(const void *a, const void *b) {
    const change *x = a, *y = b;
    return x->cycle != y->cycle ? (x->cycle > y->cycle ? 1 : -1) : (x->sm > y->sm) - (x->sm < y->sm);
}

/* The value after each cycle with changes, before that cycle. */
static void put_changes(FILE *out, counter *c, uint64_t until) {
    size_t i = 0;
    if (c->num)
        qsort(c->changes, c->num, sizeof *c->changes, by_cycle);
    for (; i < c->num && c->changes[i].cycle < until; i++) {
        const change *x = &c->changes[i];
        c->value[x->sm] += x->by;
        if (i + 1 == c->num || x[1].cycle != x->cycle || x[1].sm != x->sm)
            put_counter(out, x->sm + 1, x->cycle, c->name, (uint64_t)c->value[x->sm]);
    }
    c->num -= i;
    if (i && c->num)
        memmove(c->changes, c->changes + i, c->num * sizeof *c->changes);
}

static bool give_insn(void *context, const timeline_insn *i) {
    chrome *f = context;
    const uint32_t track = find_track(f, i);
    if (track)
        put_insn(f->t, f->out, i, track);
    return track && change_by(&f->in_flight, i->issue, i->sm, 1) &&
           change_by(&f->in_flight, i->last + 1, i->sm, -1);
}

static bool give_insns_until(void *context, uint64_t cycle) {
    chrome *f = context;
    put_changes(f->out, &f->in_flight, cycle);
    return true;
}

/* Of what happens now. */
static bool change_now(chrome *f, counter *c, uint32_t sm, uint64_t cycle, int by) {
    if (c->num && c->changes[c->num - 1].cycle < cycle)
        put_changes(f->out, c, cycle);
    return change_by(c, cycle, sm, by);
}

static bool give_waiting(void *context, uint32_t sm, uint64_t cycle, int by) {
    chrome *f = context;
    return change_now(f, &f->waiting, sm, cycle, by);
}

/* It counts in its cycle alone. */
static bool give_access(void *context, uint32_t sm, uint64_t cycle) {
    chrome *f = context;
    counter *c = &f->accesses;
    if (c->num && c->changes[c->num - 1].cycle <= cycle)
        put_changes(f->out, c, cycle);
    return change_by(c, cycle, sm, 1) && change_by(c, cycle + 1, sm, -1);
}

static bool give_depth(void *context, uint32_t sm, uint32_t slot, uint64_t cycle, uint32_t depth) {
    const chrome *f = context;
    char name[40];
    snprintf(name, sizeof name, "slot %" PRIu32 " depth", slot);
    put_counter(f->out, sm + 1, cycle, name, depth);
    return true;
}

/* --- The whole --- */

/* Names of what has been put. */
static void put_names(const chrome *f) {
    char name[40];
    uint32_t last = 0;
    for (size_t i = 0; f->slots && i < (size_t)f->t->num_sm * f->t->num_slot; i++) {
        const uint32_t sm = (uint32_t)(i / f->t->num_slot), slot = (uint32_t)(i % f->t->num_slot);
        if (!f->slots[i].shown)
            continue;
        if (last != sm + 1) {
            snprintf(name, sizeof name, "SM %" PRIu32, sm);
            put_name(f->out, "process_name", sm + 1, 0, name);
            last = sm + 1;
        }
        snprintf(name, sizeof name, "slot %" PRIu32, slot);
        put_track(f->out, sm + 1, track_of(slot, 0), name);
        snprintf(name, sizeof name, "slot %" PRIu32 " instructions", slot);
        for (uint32_t track = 1; track <= f->slots[i].num; track++)
            put_track(f->out, sm + 1, track_of(slot, track), name);
    }
}

static void *begin_chrome(const timeline *t, FILE *out) {
    chrome *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->t = t;
    f->out = out;
    f->in_flight.name = "in flight";
    f->waiting.name = "at a barrier";
    f->accesses.name = "accesses";
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"recording\"}}",
          out);
    return f;
}

static bool end_chrome(void *context) {
    chrome *f = context;
    put_changes(f->out, &f->waiting, UINT64_MAX);
    put_changes(f->out, &f->accesses, UINT64_MAX);
    put_names(f);
    fputs("\n],\"otherData\":{\"core\":", f->out);
    put_string(f->out, f->t->core);
    fprintf(f->out,
            ",\"time\":\"1 us is 1 cycle\",\"end\":\"%" PRIu64 "\",\"unnamed\":\"%" PRIu64
            "\",\"cut\":\"%s\"}}\n",
            f->t->end, f->t->unnamed, f->t->cut ? "yes" : "no");
    return true;
}

static void free_chrome(void *context) {
    chrome *f = context;
    for (size_t i = 0; f->slots && i < (size_t)f->t->num_sm * f->t->num_slot; i++)
        free(f->slots[i].free);
    free(f->slots);
    free(f->in_flight.changes);
    free(f->waiting.changes);
    free(f->accesses.changes);
    free(f);
}

const timeline_format timeline_chrome = {.name = "perfetto",
                                         .begin = begin_chrome,
                                         .insn = give_insn,
                                         .insns_until = give_insns_until,
                                         .warp = give_warp,
                                         .wait = give_wait,
                                         .waiting = give_waiting,
                                         .access = give_access,
                                         .depth = give_depth,
                                         .end = end_chrome,
                                         .free = free_chrome};
