/* The format of Chrome's tracing, which Perfetto reads: JSON, one event a line. A cycle is a microsecond. */
#include "recorded_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "karat/quote.h"

enum {
    TRACKS = 4096,      /* Of a slot: its warps, then as many as its instructions need */
    FIRST_TRACK = 65536 /* A thread 0, and one with the number of its process, have meanings of their own */
};

static uint32_t track_of(const timeline_warp *w, uint32_t track) {
    return FIRST_TRACK + w->slot * TRACKS + track;
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

static uint32_t pid_of(const timeline_warp *w) {
    return w->sm + 1;
}

/* An end is the cycle after the last; a warp that ends where its successor begins is over before. */
static void put_warps(const timeline *t, FILE *out) {
    for (size_t i = 0; i < t->num_warps; i++) {
        const timeline_warp *w = &t->warps[i];
        char name[80];
        snprintf(name, sizeof name, "workgroup %" PRIu32 " warp %" PRIu32, w->workgroup, w->warp);
        put_slice(out, pid_of(w), track_of(w, 0), w->from, w->to, "warp");
        fprintf(out, "\"%s\",\"args\":{\"kernel\":", name);
        put_string(out, timeline_kernel(t, w));
        fprintf(out, ",\"epoch\":%" PRIu32 "}}", w->epoch);
    }
    for (size_t i = 0; i < t->num_waits; i++) {
        const timeline_warp *w = &t->warps[t->waits[i].warp];
        put_slice(out, pid_of(w), track_of(w, 0), t->waits[i].from, t->waits[i].to, "barrier");
        fputs("\"barrier\"}", out);
    }
}

/* The instructions of a slot that are on their way at the same time have tracks of their own. */
typedef struct tracks {
    uint64_t *free; /* Cycle from which on each track of each slot is; NULL */
    uint32_t *used; /* Of each slot */
    uint32_t num_sm, num_slot;
} tracks;

static uint32_t find_track(tracks *k, const timeline_warp *w, const timeline_insn *i) {
    const size_t slot = (size_t)w->sm * k->num_slot + w->slot;
    uint64_t *free_from = &k->free[slot * TRACKS];
    uint32_t track = 1;
    while (track + 1 < TRACKS && track <= k->used[slot] && free_from[track] > i->issue)
        track++;
    if (track > k->used[slot])
        k->used[slot] = track;
    free_from[track] = i->last + 1;
    return track;
}

static void put_insn(const timeline *t, FILE *out, const timeline_insn *i, uint32_t track) {
    const timeline_warp *w = &t->warps[i->warp];
    const karat_row *row = timeline_row(t, i);
    char text[TIMELINE_TEXT];
    put_slice(out, pid_of(w), track_of(w, track), i->issue, i->last + 1,
              row ? karat_unit_name(row->unit) : "illegal");
    put_string(out, row ? row->mnemonic : "illegal");
    fprintf(out, ",\"args\":{\"seq\":%" PRIu32 ",\"pc\":\"0x%08" PRIx32 "\",\"text\":", i->seq, i->pc);
    put_string(out, timeline_text(t, i, text));
    fprintf(out, ",\"mask\":\"%08" PRIx32 "\",\"warp\":\"%" PRIu32 ".%" PRIu32 "\"", i->mask, w->workgroup,
            w->warp);
    if (i->has_write)
        fprintf(out, ",\"write\":%" PRIu64, i->write);
    fputs("}}", out);
    if (i->has_memory) {
        put_slice(out, pid_of(w), track_of(w, track), i->memory, i->performed + 1, "memory");
        fputs("\"performed\"}", out);
    }
}

static void put_insns(const timeline *t, FILE *out, tracks *k) {
    for (size_t i = 0; i < t->num_insns; i++)
        put_insn(t, out, &t->insns[i], find_track(k, &t->warps[t->insns[i].warp], &t->insns[i]));
}

/* A change of an SM's counter. */
typedef struct change {
    uint64_t cycle;
    uint32_t sm;
    int32_t by;
} change;

static int by_cycle(const void *a, const void *b) {
    const change *x = a, *y = b;
    return x->cycle != y->cycle ? (x->cycle > y->cycle ? 1 : -1) : (x->sm > y->sm) - (x->sm < y->sm);
}

/* The sum of the changes so far, after each cycle with some. */
static void put_changes(FILE *out, change *list, size_t num, const char *name) {
    int64_t value[256] = {0};
    if (num)
        qsort(list, num, sizeof *list, by_cycle);
    for (size_t i = 0; i < num; i++) {
        value[list[i].sm] += list[i].by;
        if (i + 1 == num || list[i + 1].cycle != list[i].cycle || list[i + 1].sm != list[i].sm)
            put_counter(out, list[i].sm + 1, list[i].cycle, name, (uint64_t)value[list[i].sm]);
    }
}

static void put_counters(const timeline *t, FILE *out, change *room) {
    size_t num = 0;
    for (size_t i = 0; i < t->num_insns; i++) {
        const uint32_t sm = t->warps[t->insns[i].warp].sm;
        room[num++] = (change){t->insns[i].issue, sm, 1};
        room[num++] = (change){t->insns[i].last + 1, sm, -1};
    }
    put_changes(out, room, num, "in flight");
    num = 0;
    for (size_t i = 0; i < t->num_waits; i++) {
        const uint32_t sm = t->warps[t->waits[i].warp].sm;
        room[num++] = (change){t->waits[i].from, sm, 1};
        room[num++] = (change){t->waits[i].to, sm, -1};
    }
    put_changes(out, room, num, "at a barrier");
    num = 0;
    for (size_t i = 0; i < t->num_accesses; i++) {
        room[num++] = (change){t->accesses[i].cycle, t->accesses[i].sm, (int32_t)t->accesses[i].num};
        room[num++] = (change){t->accesses[i].cycle + 1, t->accesses[i].sm, -(int32_t)t->accesses[i].num};
    }
    put_changes(out, room, num, "accesses");
    for (size_t i = 0; i < t->num_depths; i++) {
        const timeline_warp *w = &t->warps[t->depths[i].warp];
        char name[40];
        snprintf(name, sizeof name, "slot %" PRIu32 " depth", w->slot);
        put_counter(out, pid_of(w), t->depths[i].cycle, name, t->depths[i].depth);
    }
}

/* Names of what has been put. */
static void put_names(const timeline *t, FILE *out, const tracks *k) {
    char name[40];
    uint32_t last = 0;
    for (size_t i = 0; i < (size_t)k->num_sm * k->num_slot; i++) {
        const uint32_t sm = (uint32_t)(i / k->num_slot), slot = (uint32_t)(i % k->num_slot);
        bool used = k->used[i];
        for (size_t n = 0; n < t->num_warps && !used; n++)
            used = t->warps[n].sm == sm && t->warps[n].slot == slot;
        if (!used)
            continue;
        if (last != sm + 1) {
            snprintf(name, sizeof name, "SM %" PRIu32, sm);
            put_name(out, "process_name", sm + 1, 0, name);
            last = sm + 1;
        }
        snprintf(name, sizeof name, "slot %" PRIu32, slot);
        put_track(out, sm + 1, FIRST_TRACK + slot * TRACKS, name);
        for (uint32_t track = 1; track <= k->used[i]; track++) {
            snprintf(name, sizeof name, "slot %" PRIu32 " instructions", slot);
            put_track(out, sm + 1, FIRST_TRACK + slot * TRACKS + track, name);
        }
    }
}

static void put_all(const timeline *t, FILE *out, tracks *k, change *room) {
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"core\":", out);
    put_string(out, t->core);
    fprintf(out,
            ",\"time\":\"1 us is 1 cycle\",\"end\":\"%" PRIu64 "\",\"unnamed\":\"%" PRIu64
            "\",\"cut\":\"%s\"},\n\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"recording\"}}",
            t->end, t->unnamed, t->cut ? "yes" : "no");
    put_warps(t, out);
    put_insns(t, out, k);
    put_counters(t, out, room);
    put_names(t, out, k);
    fputs("\n]}\n", out);
}

bool timeline_put_chrome(const timeline *t, FILE *out) {
    tracks k = {0};
    size_t most = t->num_insns > t->num_waits ? t->num_insns : t->num_waits;
    most = t->num_accesses > most ? t->num_accesses : most;
    for (size_t i = 0; i < t->num_warps; i++) {
        k.num_sm = t->warps[i].sm >= k.num_sm ? t->warps[i].sm + 1 : k.num_sm;
        k.num_slot = t->warps[i].slot >= k.num_slot ? t->warps[i].slot + 1 : k.num_slot;
    }
    const size_t slots = (size_t)k.num_sm * k.num_slot;
    k.free = calloc(slots * TRACKS + 1, sizeof *k.free);
    k.used = calloc(slots + 1, sizeof *k.used);
    change *room = calloc(2 * most + 1, sizeof *room);
    const bool good = k.free && k.used && room;
    if (good)
        put_all(t, out, &k, room);
    free(k.free);
    free(k.used);
    free(room);
    return good;
}
