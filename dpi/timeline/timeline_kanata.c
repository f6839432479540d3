/* The format of Kanata logs, version 4, which Konata reads: lines in the order of cycles. A thread is a warp
 * slot. */
#include "recorded_timeline.h"

#include <inttypes.h>
#include <stdlib.h>

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
    uint64_t cycle;
    uint32_t insn;
    uint8_t step; /* Of its stages; one after them: its end */
} event;

static int in_order(const void *a, const void *b) {
    const event *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle > y->cycle ? 1 : -1;
    return x->insn != y->insn ? (x->insn > y->insn ? 1 : -1) : (x->step > y->step) - (x->step < y->step);
}

static void begin(const timeline *t, FILE *out, uint32_t n) {
    const timeline_insn *i = &t->insns[n];
    const timeline_warp *w = &t->warps[i->warp];
    const karat_row *row = timeline_row(t, i);
    char text[TIMELINE_TEXT];
    fprintf(out, "I\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\n", n, i->seq, w->sm << 8 | w->slot);
    fprintf(out, "L\t%" PRIu32 "\t0\t%08" PRIx32 ": %s\n", n, i->pc, timeline_text(t, i, text));
    fprintf(out,
            "L\t%" PRIu32 "\t1\tsm %" PRIu32 " slot %" PRIu32 ", workgroup %" PRIu32 " warp %" PRIu32
            ", seq %" PRIu32 ", mask %08" PRIx32 ", %s\n",
            n, w->sm, w->slot, w->workgroup, w->warp, i->seq, i->mask,
            row ? karat_unit_name(row->unit) : "illegal");
}

bool timeline_put_kanata(const timeline *t, FILE *out) {
    event *list = calloc(t->num_insns * (STAGES + 1) + 1, sizeof *list);
    if (!list)
        return false;
    size_t num = 0;
    uint64_t retired = 0, cycle = 0;
    for (size_t n = 0; n < t->num_insns; n++) {
        span spans[STAGES];
        const unsigned steps = stages_of(&t->insns[n], spans);
        for (unsigned s = 0; s < steps; s++)
            list[num++] = (event){spans[s].from, (uint32_t)n, (uint8_t)s};
        list[num++] = (event){t->insns[n].last + 1, (uint32_t)n, (uint8_t)steps};
    }
    if (num)
        qsort(list, num, sizeof *list, in_order);
    fputs("Kanata\t0004\n", out);
    for (size_t e = 0; e < num; e++) {
        const event *x = &list[e];
        span spans[STAGES];
        const unsigned steps = stages_of(&t->insns[x->insn], spans);
        if (!e)
            fprintf(out, "C=\t%" PRIu64 "\n", x->cycle);
        else if (x->cycle != cycle)
            fprintf(out, "C\t%" PRIu64 "\n", x->cycle - cycle);
        cycle = x->cycle;
        if (!x->step)
            begin(t, out, x->insn);
        else
            fprintf(out, "E\t%" PRIu32 "\t0\t%s\n", x->insn, names[spans[x->step - 1].stage]);
        if (x->step < steps)
            fprintf(out, "S\t%" PRIu32 "\t0\t%s\n", x->insn, names[spans[x->step].stage]);
        else
            fprintf(out, "R\t%" PRIu32 "\t%" PRIu64 "\t0\n", x->insn, retired++);
    }
    free(list);
    return true;
}
