/* The first architectural effect of a fault, found without model and checker: the recording of a faulty run beside
 * those of runs without the fault, instruction by instruction.
 *
 *     first_effect [--verdict=N] FAULTY CLEAN...
 *
 * Warps are matched by kernel, workgroup and number, instructions by seq: that does not depend on time.  What an
 * instruction did is a set of facts, each a key and a value: what was issued, what each lane of each register got, what
 * the register file then held, the SIMT outcome, CSRs, each byte of memory accessed, barriers, the warp's launch and end.
 * Lanes that the warp has not written are left out of what the register file held.
 * Operands read are facts, too, but no architectural effect.  An instruction is as it should be where a clean recording
 * has just these facts of it: several recordings allow for what depends on time.
 *
 * A wrong pc is what the instruction before did where that is a jump or branch; an entry of the SIMT stack that a pop uncovers,
 * what pushed it; that an
 * older write lands on a newer one, what befell the newer one.  A fact that never comes is due as long after its
 * instruction's issue as in the clean run, and one of an instruction that was never issued at the end.  Effects have the
 * number of the record that shows them, counted as the checker counts.
 *
 * Prints JSON: "first", the effect that comes first of all, and "first_read", the same with operands; each with the
 * warp, its instruction, "earliest", the first one of that warp in program order with an effect, and how many
 * instructions were issued from there to record N, by the warp and by all; null where there is none.  "wrong" is the
 * first of those that are there, not missing, and "warps" has the first of each warp, with operands.  "same": every record
 * is that of the first clean run, in the same cycle.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "trace.h"

enum { PC, WORD, READ, WRITE, LOST, AUDIT, SIMT, CSR, MEM, ORDER, ARRIVE, EXIT, LAUNCH };
static const char *const what_names[] = {
    "pc",  "word or mask", "operand",         "register", "order of writes", "register file", "SIMT outcome",
    "CSR", "memory",       "order of stores", "barrier",  "end of warp",     "launch"};
#define MAX_DEPTH 256

typedef struct fact {
    uint64_t key; /* what, from bit 56, and which */
    uint32_t value;
    uint32_t time; /* of that key */
    uint64_t at, cycle;
} fact;

typedef struct insn {
    bool issued, jumps;
    uint64_t cycle;  /* of its ISSUE */
    uint32_t pusher; /* of the entry that is on top after it */
    fact *facts;
    size_t count, room;
} insn;

typedef struct warp {
    uint32_t kernel, workgroup, number, sm, slot, epoch;
    insn *insns; /* [0] is the launch, [seq + 1] an instruction */
    size_t count, room;
    uint32_t issued;
    uint32_t writer[2][256], lanes[2][256]; /* the seq that wrote it last; lanes written */
    uint32_t depth, pusher[MAX_DEPTH];      /* of the SIMT stack; the seq that pushed an entry */
} warp;

typedef struct run {
    warp *warps;
    size_t count, room;
    uint64_t *issue_at, *cycles; /* of every ISSUE its record's number; of every record its cycle */
    uint32_t *issue_warp;
    size_t num_issue, issue_room, num_record, record_room;
    uint64_t hash; /* of all records */
} run;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "first_effect: %s: %s\n", what, why);
    exit(2);
}

/* Room for one more in an array that grows. */
static void *grow(void *array, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    array = realloc(array, *room * size);
    if (!array)
        fail("memory", "there is not enough");
    return array;
}

static warp *warp_of(run *r, const karat_rec_header *h) {
    for (size_t i = r->count; i-- > 0;)
        if (r->warps[i].sm == h->sm && r->warps[i].slot == h->slot && r->warps[i].epoch == h->epoch)
            return &r->warps[i];
    return NULL;
}

/* Where an instruction stands; 0 is the launch. A broken core may provide any number as a seq. */
static uint64_t place_of(uint32_t seq) {
    return seq + UINT64_C(1);
}

/* The instruction, made where it is not there; NULL for a seq that is none. */
static insn *insn_of(warp *w, uint64_t place) {
    if (place > w->issued + 4096)
        return NULL;
    while (w->count <= place) {
        w->insns = grow(w->insns, w->count, &w->room, sizeof *w->insns);
        w->insns[w->count++] = (insn){0};
    }
    return &w->insns[place];
}

static void add(warp *w, uint64_t place, unsigned what, uint64_t which, uint32_t value, uint64_t at,
                uint64_t cycle) {
    insn *i = insn_of(w, place);
    if (!i)
        return;
    i->facts = grow(i->facts, i->count, &i->room, sizeof *i->facts);
    i->facts[i->count++] =
        (fact){.key = (uint64_t)what << 56 | which, .value = value, .at = at, .cycle = cycle};
}

static void add_lanes(warp *w, uint64_t place, unsigned what, uint64_t which, uint32_t mask,
                      const uint32_t *data, uint64_t at, uint64_t cycle) {
    for (unsigned l = 0; l < 32; l++)
        if (mask >> l & 1)
            add(w, place, what, which << 8 | l, data[l], at, cycle);
}

static void launch(run *r, const karat_rec_launch *l, uint32_t kernel, uint64_t at) {
    r->warps = grow(r->warps, r->count, &r->room, sizeof *r->warps);
    warp *w = &r->warps[r->count++];
    *w = (warp){.kernel = kernel,
                .workgroup = l->workgroup,
                .number = l->warp,
                .sm = l->h.sm,
                .slot = l->h.slot,
                .epoch = l->h.epoch};
    for (unsigned i = 0; i < 11; i++)
        if (l->csr_given >> i & 1 && i != 8) /* 0x808, WGID, is the hardware's own number */
            add(w, 0, LAUNCH, i, l->csr[i], at, l->h.cycle);
    add(w, 0, LAUNCH, 16, l->pc, at, l->h.cycle);
    add(w, 0, LAUNCH, 17, l->mask, at, l->h.cycle);
}

/* Branches, jalr, jal, and VBRANCH or JOIN. */
static bool jumps(uint32_t word) {
    const uint32_t opcode = word & 0x7f;
    return opcode == 0x63 || opcode == 0x67 || opcode == 0x6f || opcode == 0x5b;
}

static void issue(run *r, warp *w, const karat_rec_issue *i, uint64_t at) {
    insn *n = insn_of(w, place_of(i->seq));
    if (!n)
        return;
    if (!n->issued) {
        n->issued = true;
        n->jumps = jumps(i->word);
        n->cycle = i->h.cycle;
    }
    if (place_of(i->seq) > w->issued)
        w->issued = i->seq + 1;
    add(w, i->seq + (uint64_t)!w->insns[i->seq].jumps, PC, i->seq, i->pc, at, i->h.cycle);
    add(w, place_of(i->seq), WORD, 0, i->word, at, i->h.cycle);
    add(w, place_of(i->seq), WORD, 1, i->prefix, at, i->h.cycle);
    add(w, place_of(i->seq), WORD, 2, i->mask, at, i->h.cycle);
    r->issue_at = grow(r->issue_at, r->num_issue, &r->issue_room, sizeof *r->issue_at);
    r->issue_warp = realloc(r->issue_warp, r->issue_room * sizeof *r->issue_warp);
    if (!r->issue_warp)
        fail("memory", "there is not enough");
    r->issue_at[r->num_issue] = at;
    r->issue_warp[r->num_issue++] = (uint32_t)(w - r->warps);
}

static void written(warp *w, const karat_rec_write *r, uint64_t at) {
    if (r->cls > 1 || r->regno > 255)
        return;
    if (w->lanes[r->cls][r->regno] && w->writer[r->cls][r->regno] > r->seq && r->mask)
        add(w, place_of(w->writer[r->cls][r->regno]), LOST, (uint64_t)r->cls << 16 | r->regno, r->seq, at,
            r->h.cycle);
    w->writer[r->cls][r->regno] = r->seq;
    w->lanes[r->cls][r->regno] |= r->mask;
    add_lanes(w, place_of(r->seq), WRITE, (uint64_t)r->cls << 16 | r->regno, r->mask, r->data, at,
              r->h.cycle);
}

static void accessed(warp *w, const karat_rec_mem *m, uint64_t at) {
    for (unsigned l = 0; l < 32; l++)
        for (unsigned b = 0; b < 4 && m->mask >> l & 1; b++)
            if (m->bytes[l / 2] >> (4 * (l % 2) + b) & 1) {
                if (m->op != KARAT_MEM_LOAD)
                    add(w, place_of(m->seq), ORDER, (uint64_t)m->space << 48 | (m->addr[l] + b), l, at,
                        m->h.cycle);
                add(w, place_of(m->seq), MEM,
                    (uint64_t)m->op << 52 | (uint64_t)m->space << 48 | (uint64_t)l << 40 | (m->addr[l] + b),
                    m->op == KARAT_MEM_LOAD || m->no_data ? m->addr_hi : m->data[l] >> 8 * b & 0xff, at,
                    m->h.cycle);
            }
}

static void diverged(warp *w, const karat_rec_simt *s, uint64_t at) {
    const uint32_t facts[] = {s->mask, s->next_pc, s->depth, s->top_rpc, s->top_next, s->top_mask};
    const uint32_t depth = s->depth < MAX_DEPTH ? s->depth : MAX_DEPTH - 1;
    for (unsigned i = 0; i < (s->top_valid ? 6 : 3); i++)
        add(w, place_of(s->seq), SIMT, i, facts[i], at, s->h.cycle);
    for (uint32_t d = w->depth + 1; d <= depth; d++)
        w->pusher[d] = s->seq;
    insn *n = insn_of(w, place_of(s->seq));
    if (n)
        n->pusher = w->pusher[depth];
    w->depth = depth;
}

static void take(run *r, const void *record, uint32_t *kernel) {
    const karat_rec_header *h = record;
    const uint64_t at = r->num_record + 1; /* as many as there are with this one */
    r->cycles = grow(r->cycles, r->num_record, &r->record_room, sizeof *r->cycles);
    r->cycles[r->num_record++] = h->cycle;
    if (h->kind == KARAT_REC_KERNEL)
        *kernel = ((const karat_rec_kernel *)record)->index;
    if (h->kind == KARAT_REC_LAUNCH)
        launch(r, record, *kernel, at);
    warp *w = h->kind > KARAT_REC_LAUNCH && h->kind < KARAT_REC_BYE ? warp_of(r, h) : NULL;
    if (!w)
        return;
    switch (h->kind) {
    case KARAT_REC_ISSUE: issue(r, w, record, at); break;
    case KARAT_REC_READ: {
        const karat_rec_read *x = record;
        add_lanes(w, place_of(x->seq), READ, (uint64_t)x->source << 16 | (uint64_t)x->cls << 8 | x->part,
                  x->mask, x->data, at, h->cycle);
        break;
    }
    case KARAT_REC_WRITE: written(w, record, at); break;
    case KARAT_REC_AUDIT: {
        const karat_rec_audit *x = record;
        if (x->cls < 2 && x->regno < 256)
            add_lanes(w, place_of(w->writer[x->cls][x->regno]), AUDIT, (uint64_t)x->cls << 16 | x->regno,
                      x->mask & w->lanes[x->cls][x->regno], x->data, at, h->cycle);
        break;
    }
    case KARAT_REC_SIMT: diverged(w, record, at); break;
    case KARAT_REC_CSR: {
        const karat_rec_csr *x = record;
        add(w, place_of(x->seq), CSR, x->addr, x->value, at, h->cycle);
        break;
    }
    case KARAT_REC_MEM: accessed(w, record, at); break;
    case KARAT_REC_BARRIER:
        if (((const karat_rec_barrier *)record)->action == KARAT_BARRIER_ARRIVE)
            add(w, place_of(((const karat_rec_barrier *)record)->seq), ARRIVE, 0, 0, at, h->cycle);
        break;
    case KARAT_REC_EXIT: add(w, w->issued, EXIT, 0, 0, at, h->cycle); break;
    default: break;
    }
}

static int by_key(const void *a, const void *b) {
    const fact *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Facts by key, those of one key by time. */
static void put_in_order(run *r) {
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->warps[i].count; k++) {
            insn *n = &r->warps[i].insns[k];
            if (n->count)
                qsort(n->facts, n->count, sizeof *n->facts, by_key);
            for (size_t f = 1; f < n->count; f++)
                if (n->facts[f].key == n->facts[f - 1].key)
                    n->facts[f].time = n->facts[f - 1].time + 1;
        }
}

static run read_run(const char *file) {
    karat_diag diag;
    karat_trace_entry entry;
    karat_trace_reader *reader = karat_trace_open(file, &diag);
    if (!reader)
        fail(file, diag.text);
    run r = {0};
    uint32_t kernel = 0;
    for (karat_trace_next(reader, &entry, &diag); entry.kind < KARAT_TRACE_END;
         karat_trace_next(reader, &entry, &diag))
        if (entry.kind == KARAT_TRACE_RECORD) {
            const karat_rec_header *h = entry.record;
            r.hash = XXH3_64bits_withSeed(h, karat_rec_size(h->kind), r.hash);
            take(&r, h, &kernel);
        }
    if (entry.kind == KARAT_TRACE_BAD)
        fail(file, diag.text);
    karat_trace_reader_free(reader);
    put_in_order(&r);
    return r;
}

static warp *same_warp(run *r, const warp *w) {
    for (size_t i = 0; i < r->count; i++)
        if (r->warps[i].kernel == w->kernel && r->warps[i].workgroup == w->workgroup &&
            r->warps[i].number == w->number)
            return &r->warps[i];
    return NULL;
}

/* --- Comparison --- */

enum { READS = 1, MISSING = 2 }; /* operands count; so does what never comes */

typedef struct effect {
    bool any;
    const warp *warp; /* of the clean run where the faulty one has it not */
    int64_t seq;      /* -1: the launch */
    unsigned what;
    uint64_t at;
    bool missing;
    int64_t earliest;
} effect;

/* The first record in or after a cycle. */
static uint64_t record_at(const run *r, uint64_t cycle) {
    size_t low = 0, high = r->num_record;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->cycles[middle] < cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low + 1;
}

static void note(effect *e, const warp *w, int64_t seq, unsigned what, uint64_t at, bool missing) {
    if (e->any && e->at <= at)
        return;
    *e = (effect){.any = true, .warp = w, .seq = seq, .what = what, .at = at, .missing = missing};
}

/* The first fact, by time, in which an instruction differs from a clean one. */
static void compare(const run *faulty, const warp *w, int64_t seq, const insn *bad, const insn *good,
                    unsigned mode, effect *e) {
    size_t a = 0, b = 0;
    const size_t count = bad ? bad->count : 0;
    bool outcome =
        false; /* mask, pc or depth after it differ: then it is not what was pushed that went wrong */
    while (a < count || b < good->count) {
        const fact *x = a < count ? &bad->facts[a] : NULL, *y = b < good->count ? &good->facts[b] : NULL;
        const int order = !x                   ? 1
                          : !y                 ? -1
                          : x->key != y->key   ? (x->key < y->key ? -1 : 1)
                          : x->time != y->time ? (x->time < y->time ? -1 : 1)
                                               : 0;
        const unsigned what = (unsigned)((order > 0 ? y : x)->key >> 56);
        if ((order || x->value != y->value) && (mode & READS || what != READ) &&
            (order <= 0 || mode & MISSING)) {
            if (order <= 0) {
                const unsigned which = what == SIMT ? x->key & 7 : 0;
                outcome |= what == SIMT && which < 3;
                note(e, w, which >= 3 && !outcome && !order ? bad->pusher : seq, what, x->at, false);
            } else {
                const bool issued = bad && bad->issued && good->issued;
                note(e, w, seq, what,
                     issued ? record_at(faulty, bad->cycle + (y->cycle - good->cycle))
                            : faulty->num_record + 1,
                     true);
            }
        }
        a += order <= 0;
        b += order >= 0;
    }
}

/* The first effect of all, and of each warp that has one. */
static effect compare_warps(run *faulty, run *clean, size_t num_clean, unsigned mode, effect *each,
                            size_t *num_each) {
    effect first = {0};
    for (size_t i = 0; i < faulty->count + clean[0].count; i++) {
        const bool lost = i >= faulty->count; /* a warp that the faulty run has not */
        warp *w = lost ? &clean[0].warps[i - faulty->count] : &faulty->warps[i];
        if (lost && same_warp(faulty, w))
            continue;
        if (!lost && same_warp(faulty, w) != w) { /* a second time */
            effect again = {0};
            note(&again, w, -1, LAUNCH, w->insns[0].facts[0].at, false);
            again.earliest = -1;
            each[(*num_each)++] = again;
            continue;
        }
        effect of_warp = {0};
        int64_t earliest = INT64_MAX;
        for (size_t k = 0;; k++) {
            const insn *bad = !lost && k < w->count ? &w->insns[k] : NULL;
            bool more = bad != NULL, same = false;
            effect best = {0};
            for (size_t c = 0; c < num_clean && !same; c++) {
                const warp *g = same_warp(&clean[c], w);
                static const insn none;
                const insn *good = g && k < g->count ? &g->insns[k] : &none;
                effect e = {0};
                more |= g && k < g->count;
                compare(faulty, w, (int64_t)k - 1, bad, good, mode, &e);
                same = !e.any;
                if (e.any && (!best.any || e.at > best.at)) /* the recording that it agrees longest with */
                    best = e;
            }
            if (!more)
                break;
            if (same)
                continue;
            if (best.seq < earliest)
                earliest = best.seq;
            note(&of_warp, best.warp, best.seq, best.what, best.at, best.missing);
        }
        of_warp.earliest = earliest;
        if (of_warp.any)
            each[(*num_each)++] = of_warp;
    }
    for (size_t i = 0; i < *num_each; i++)
        if (!first.any || each[i].at < first.at)
            first = each[i];
    return first;
}

static void print(const effect *e, const run *faulty, uint64_t verdict) {
    if (!e->any) {
        printf("null");
        return;
    }
    uint64_t by_warp = 0, by_all = 0;
    for (size_t i = 0; i < faulty->num_issue; i++)
        if (faulty->issue_at[i] > e->at && faulty->issue_at[i] <= verdict) {
            by_all++;
            by_warp += &faulty->warps[faulty->issue_warp[i]] == e->warp;
        }
    printf("{\"kernel\": %" PRIu32 ", \"workgroup\": %" PRIu32 ", \"warp\": %" PRIu32 ", \"seq\": %" PRId64
           ", \"earliest\": %" PRId64 ", \"what\": \"%s\", \"missing\": %s, \"record\": %" PRIu64
           ", \"by_warp\": %" PRIu64 ", \"by_all\": %" PRIu64 "}",
           e->warp->kernel, e->warp->workgroup, e->warp->number, e->seq, e->earliest, what_names[e->what],
           e->missing ? "true" : "false", e->at, by_warp, by_all);
}

int main(int argc, char **argv) {
    uint64_t verdict = UINT64_MAX;
    int at = 1;
    if (argc > 1 && !strncmp(argv[1], "--verdict=", 10))
        verdict = strtoull(argv[at++] + 10, NULL, 10);
    if (argc - at < 2)
        fail("usage", "first_effect [--verdict=N] FAULTY CLEAN...");
    run faulty = read_run(argv[at++]);
    const size_t num_clean = (size_t)(argc - at);
    run *clean = calloc(num_clean, sizeof *clean);
    if (!clean)
        fail("memory", "there is not enough");
    for (size_t i = 0; i < num_clean; i++)
        clean[i] = read_run(argv[at + (int)i]);
    effect *each = calloc(faulty.count + clean[0].count + 1, sizeof *each);
    if (!each)
        fail("memory", "there is not enough");
    size_t num_each = 0;
    const effect first = compare_warps(&faulty, clean, num_clean, MISSING, each, &num_each);
    num_each = 0;
    const effect wrong = compare_warps(&faulty, clean, num_clean, 0, each, &num_each);
    num_each = 0;
    const effect first_read = compare_warps(&faulty, clean, num_clean, READS | MISSING, each, &num_each);
    printf("{\"first\": ");
    print(&first, &faulty, verdict);
    printf(", \"first_read\": ");
    print(&first_read, &faulty, verdict);
    printf(", \"wrong\": ");
    print(&wrong, &faulty, verdict);
    printf(", \"warps\": [");
    for (size_t i = 0; i < num_each; i++) {
        printf(i ? ", " : "");
        print(&each[i], &faulty, verdict);
    }
    printf("], \"same\": %s}\n", faulty.hash == clean[0].hash ? "true" : "false");
    return 0;
}
