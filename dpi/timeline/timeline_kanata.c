/* The format of Kanata logs, version 4, which Konata reads: lines in the order of cycles. A thread is a warp
 * slot. */
#include "recorded_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Stages that an instruction can be in, in their order: an instruction skips those that begin with the next
 * one. */
typedef enum stage { ISSUE, EXECUTE, MEMORY, WRITE, STAGES } stage;
static const char *const names[STAGES] = {"Is", "Ex", "Mm", "Wb"};

typedef struct span {
    stage stage;
    uint64_t from;
} span;

/* Returns their number. */
static unsigned stages_of(const timeline_insn *i, span list[STAGES]) {
    unsigned num = 1;
    list[0] = (span){ISSUE, i->issue};
    const uint64_t from[STAGES] = {0, i->issue + 1, i->memory, i->write};
    const bool is[STAGES] = {false, i->last > i->issue, i->has_memory, i->has_write};
    for (unsigned s = EXECUTE; s < STAGES; s++) {
        if (!is[s])
            continue;
        if (from[s] == list[num - 1].from && num > 1)
            num--;
        if (from[s] > list[num - 1].from)
            list[num++] = (span){(stage)s, from[s]};
    }
    return num;
}

typedef struct event {
    uint64_t cycle, insn;
    uint8_t step, steps;  /* Number of a stage, of so many; as many: the end */
    uint8_t ends, begins; /* Stages */
} event;

typedef struct kanata {
    const timeline *t;
    FILE *out;
    event *events;        /* Events that have not been put yet */
    timeline_insn *insns; /* Instructions of which nothing has been put yet */
    size_t num_events, num_insns;
    uint64_t begun, retired; /* Instructions so far */
    uint64_t cycle;          /* Of the last line */
} kanata;

static int in_order(const void *a, const void *b) {
    const event *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle > y->cycle ? 1 : -1;
    return x->insn != y->insn ? (x->insn > y->insn ? 1 : -1) : (x->step > y->step) - (x->step < y->step);
}

static void begin(kanata *f, uint64_t n, const timeline_insn *i) {
    const karat_row *row = timeline_row(f->t, i);
    char text[TIMELINE_TEXT];
    fprintf(f->out, "I\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\n", n, i->seq, i->sm << 8 | i->slot);
    fprintf(f->out, "L\t%" PRIu64 "\t0\t%08" PRIx32 ": %s\n", n, i->pc, timeline_text(f->t, i, text));
    fprintf(f->out,
            "L\t%" PRIu64 "\t1\tsm %" PRIu32 " slot %" PRIu32 ", workgroup %" PRIu32 " warp %" PRIu32
            ", seq %" PRIu32 ", mask %08" PRIx32 ", %s\n",
            n, i->sm, i->slot, i->workgroup, i->warp, i->seq, i->mask,
            row ? karat_unit_name(row->unit) : "illegal");
}

static void put(kanata *f, const event *x, uint64_t base) {
    if (!f->begun && !x->step)
        fprintf(f->out, "C=\t%" PRIu64 "\n", x->cycle);
    else if (x->cycle != f->cycle)
        fprintf(f->out, "C\t%" PRIu64 "\n", x->cycle - f->cycle);
    f->cycle = x->cycle;
    if (x->step) {
        fprintf(f->out, "E\t%" PRIu64 "\t0\t%s\n", x->insn, names[x->ends]);
    } else {
        begin(f, x->insn, &f->insns[x->insn - base]);
        f->begun++;
    }
    if (x->step < x->steps)
        fprintf(f->out, "S\t%" PRIu64 "\t0\t%s\n", x->insn, names[x->begins]);
    else
        fprintf(f->out, "R\t%" PRIu64 "\t%" PRIu64 "\t0\n", x->insn, f->retired++);
}

static bool add(kanata *f, event x) {
    if (!karat_grow(&f->events, f->num_events, sizeof x))
        return false;
    f->events[f->num_events++] = x;
    return true;
}

static bool give_insn(void *context, const timeline_insn *i) {
    kanata *f = context;
    span spans[STAGES];
    const unsigned steps = stages_of(i, spans);
    const uint64_t n = f->begun + f->num_insns;
    if (!karat_grow(&f->insns, f->num_insns, sizeof *i))
        return false;
    f->insns[f->num_insns++] = *i;
    for (unsigned s = 0; s <= steps; s++)
        if (!add(f, (event){.cycle = s < steps ? spans[s].from : i->last + 1,
                            .insn = n,
                            .step = (uint8_t)s,
                            .steps = (uint8_t)steps,
                            .ends = s ? spans[s - 1].stage : 0,
                            .begins = s < steps ? spans[s].stage : 0}))
            return false;
    return true;
}

static bool give_insns_until(void *context, uint64_t cycle) {
    kanata *f = context;
    const uint64_t base = f->begun;
    size_t e = 0;
    if (f->num_events)
        qsort(f->events, f->num_events, sizeof *f->events, in_order);
    for (; e < f->num_events && f->events[e].cycle < cycle; e++)
        put(f, &f->events[e], base);
    f->num_events -= e;
    f->num_insns -= f->begun - base;
    if (e) {
        memmove(f->events, f->events + e, f->num_events * sizeof *f->events);
        memmove(f->insns, f->insns + (f->begun - base), f->num_insns * sizeof *f->insns);
    }
    return true;
}

static void *begin_kanata(const timeline *t, FILE *out) {
    kanata *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->t = t;
    f->out = out;
    fputs("Kanata\t0004\n", out);
    return f;
}

static void free_kanata(void *context) {
    kanata *f = context;
    free(f->events);
    free(f->insns);
    free(f);
}

const timeline_format timeline_kanata = {.name = "kanata",
                                         .begin = begin_kanata,
                                         .insn = give_insn,
                                         .insns_until = give_insns_until,
                                         .free = free_kanata};
