/* The recording of a core that forwards results of loads and atomics to instructions before it writes them:
 * what another core recorded, with those WRITEs later, at random.
 *
 *     forward [--percent=N] SEED TRACE OUTPUT
 *
 * A WRITE is put off by up to three instructions of its warp, not beyond another one to the same register,
 * nor the warp's end. AUDITs are left out: they would show the registers as they were. Prints how many WRITEs
 * came later. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karat/karat.h"
#include "karat_port.h"
#include "trace.h"

typedef union record {
    karat_rec_header h;
    karat_rec_hello hello;
    karat_rec_issue issue;
    karat_rec_write write;
    karat_rec_bye bye;
    uint64_t words[KARAT_REC_MAX_SIZE / 8];
} record;

typedef struct run {
    record *at;
    uint64_t *order; /* The place of each: what comes later has a higher one */
    size_t num, room;
    char *meta, *end;
} run;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "forward: %s: %s\n", what, why);
    exit(2);
}

static uint32_t draw(uint64_t *state, uint32_t bound) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % bound;
}

static run load(const char *path) {
    run r = {.at = NULL};
    karat_diag diag;
    karat_trace_reader *reader = karat_trace_open(path, &diag);
    if (!reader)
        fail(path, diag.text);
    r.meta = strdup(karat_trace_meta(reader));
    for (;;) {
        karat_trace_entry e;
        karat_trace_next(reader, &e, &diag);
        if (e.kind == KARAT_TRACE_END)
            r.end = strdup(e.text);
        else if (e.kind != KARAT_TRACE_RECORD && e.kind != KARAT_TRACE_TICK)
            fail(path, "not a whole recording");
        if (e.kind == KARAT_TRACE_END)
            break;
        if (e.kind != KARAT_TRACE_RECORD || ((const karat_rec_header *)e.record)->kind == KARAT_REC_AUDIT)
            continue;
        if (r.num == r.room) {
            r.room = r.room ? 2 * r.room : 4096;
            r.at = realloc(r.at, r.room * sizeof *r.at);
            if (!r.at)
                fail(path, "out of memory");
        }
        memcpy(&r.at[r.num++], e.record, e.size);
    }
    karat_trace_reader_free(reader);
    return r;
}

static bool same_warp(const record *a, const record *b) {
    return a->h.sm == b->h.sm && a->h.slot == b->h.slot && a->h.epoch == b->h.epoch;
}

/* Whether a WRITE is that of a load or an atomic. */
static bool is_loaded(const run *r, size_t i) {
    const record *w = &r->at[i];
    if (w->h.kind != KARAT_REC_WRITE || !w->write.mask || (w->write.cls == KARAT_X && !w->write.regno))
        return false;
    for (size_t k = i; k-- > 0;) {
        const record *issue = &r->at[k];
        karat_insn insn;
        if (issue->h.kind != KARAT_REC_ISSUE || !same_warp(issue, w) || issue->issue.seq != w->write.seq)
            continue;
        const int row = karat_decode(KARAT_V202, issue->issue.word, &insn);
        return row != KARAT_NO_ROW && karat_row_info(row)->owes & KARAT_OWES_MEM;
    }
    return false;
}

/* The record that it has to come before. */
static size_t bound_of(const run *r, size_t i, uint32_t issues) {
    const record *w = &r->at[i];
    size_t k = i + 1;
    for (; k < r->num; k++) {
        const record *x = &r->at[k];
        const uint8_t kind = x->h.kind;
        if (kind == KARAT_REC_BYE || kind == KARAT_REC_KERNEL || kind == KARAT_REC_REGION ||
            kind == KARAT_REC_CONTENTS || kind == KARAT_REC_HOST)
            return k;
        if (kind == KARAT_REC_HELLO || x->h.sm != w->h.sm || x->h.slot != w->h.slot)
            continue;
        if (kind == KARAT_REC_EXIT || kind == KARAT_REC_LAUNCH ||
            (kind == KARAT_REC_WRITE && x->write.cls == w->write.cls && x->write.regno == w->write.regno) ||
            (kind == KARAT_REC_ISSUE && issues-- == 0))
            return k;
    }
    return k;
}

static int by_place(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] < y[1] ? -1 : x[1] > y[1];
}

int main(int argc, char **argv) {
    unsigned percent = 100;
    if (argc == 5 && sscanf(argv[1], "--percent=%u", &percent) == 1)
        argv++, argc--;
    if (argc != 4)
        fail("usage", "forward [--percent=N] SEED TRACE OUTPUT");
    uint64_t state = strtoull(argv[1], NULL, 0), moved = 0;
    run r = load(argv[2]);
    uint64_t(*place)[2] = calloc(r.num, sizeof *place); /* The record that it comes before, and its number */
    if (!place)
        fail(argv[2], "out of memory");
    for (size_t i = 0; i < r.num; i++) {
        place[i][0] = i;
        place[i][1] = r.num + i; /* After those that were put there */
        if (!is_loaded(&r, i) || draw(&state, 100) >= percent)
            continue;
        const size_t end = bound_of(&r, i, 1 + draw(&state, 3));
        const size_t to = i + 1 + draw(&state, (uint32_t)(end - i));
        if (to == i + 1)
            continue;
        place[i][0] = to;
        place[i][1] = i;
        r.at[i].h.cycle = r.at[to].h.cycle;
        moved++;
    }
    qsort(place, r.num, sizeof *place, by_place);
    karat_diag diag;
    karat_trace_writer *writer = karat_trace_create(argv[3], r.meta, &diag);
    if (!writer)
        fail(argv[3], diag.text);
    for (size_t n = 0; n < r.num; n++) {
        record *x = &r.at[place[n][1] % r.num];
        if (x->h.kind == KARAT_REC_HELLO) {
            x->hello.gives &= ~(1u << KARAT_REC_AUDIT);
            x->hello.props &= ~(uint32_t)KARAT_PROP_INTERLOCKED;
        }
        if (x->h.kind == KARAT_REC_BYE)
            x->bye.records = 0; /* A count would have the AUDITs in it */
        karat_trace_record(writer, x, karat_rec_size(x->h.kind));
    }
    if (!karat_trace_close(writer, r.end, &diag))
        fail(argv[3], diag.text);
    printf("%" PRIu64 "\n", moved);
    free(place);
    free(r.at);
    free(r.meta);
    free(r.end);
    return 0;
}
