/* The verdict line. */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

const char *karat_verdict_name(karat_verdict verdict) {
    switch (verdict) {
    case KARAT_PASS: return "PASS";
    case KARAT_MISMATCH: return "MISMATCH";
    case KARAT_BAD_INPUT: return "BAD INPUT";
    case KARAT_HANG: return "HANG";
    case KARAT_VERDICT_PROGRAM_ERROR: return "PROGRAM ERROR";
    default: return "INCOMPLETE";
    }
}

typedef struct line {
    char *at;
    size_t left;
} line;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(line *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->at, l->left, format, args);
    va_end(args);
    size_t used = n < 0 ? 0 : (size_t)n < l->left ? (size_t)n : l->left ? l->left - 1 : 0;
    l->at += used;
    l->left -= used;
}

/* An optional kind that HELLO promises, in a whole run: the others would be missed. */
static bool never_came(const karat_checker *c, unsigned kind) {
    const uint64_t came = kind == KARAT_REC_READ ? c->counts.read : c->counts.audit;
    return c->verdict == KARAT_PASS && (kind == KARAT_REC_READ || kind == KARAT_REC_AUDIT) && !came;
}

unsigned karat_list_unchecked(const karat_checker *c, const char *list[MAX_UNCHECKED]) {
    static const unsigned kinds[] = {KARAT_REC_LAUNCH,  KARAT_REC_ISSUE, KARAT_REC_READ, KARAT_REC_WRITE,
                                     KARAT_REC_AUDIT,   KARAT_REC_SIMT,  KARAT_REC_CSR,  KARAT_REC_MEM,
                                     KARAT_REC_BARRIER, KARAT_REC_EXIT};
    static const char *const gaps[NUM_GAP] = {
#define DO(gap, word) word,
        KARAT_GAPS(DO)
#undef DO
    };
    unsigned num = 0;
    if (!c->hello_seen)
        list[num++] = "all";
    for (size_t i = 0; c->hello_seen && i < sizeof kinds / sizeof *kinds; i++)
        if (!karat_gives(c, kinds[i]) || never_came(c, kinds[i]))
            list[num++] = karat_rec_name(kinds[i]);
    for (unsigned i = 0; i < NUM_GAP; i++)
        if (c->gaps >> i & 1)
            list[num++] = gaps[i];
    return num;
}

static void put_unchecked(line *l, const karat_checker *c) {
    const char *list[MAX_UNCHECKED];
    const unsigned num = karat_list_unchecked(c, list);
    put(l, " unchecked=%s", num ? "" : "none");
    for (unsigned i = 0; i < num; i++)
        put(l, "%s%s", i ? "," : "", list[i]);
}

/* A name as one of the line's words. */
static void put_word(line *l, const char *name) {
    char text[512];
    karat_quote(name, text, sizeof text);
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, " ");
        put(l, "%.*s%s", (int)length, at, at[length] ? "\\x20" : "");
        at += length + (at[length] != 0);
    }
}

void karat_checker_line(const karat_checker *c, char *text, size_t size) {
    line l = {text, size};
    if (size && text)
        text[0] = 0;
    if (!c || !text)
        return;
    const checker_counts *n = &c->counts;
    put(&l, "karat: %s", karat_verdict_name(c->verdict));
    if (c->failure.kind)
        put(&l, " (%s)", karat_failure_name(c->failure.kind));
    put(&l, " core=%s program=", c->hello_seen ? (const char *)c->hello.name : "?");
    put_word(&l, c->config.program ? c->config.program : "?");
    put(&l, " warps=%" PRIu64 " instructions=%" PRIu64, n->warps, n->instructions);
    put(&l,
        " x=%" PRIu64 " v=%" PRIu64 " simt=%" PRIu64 " mem=%" PRIu64 " csr=%" PRIu64 " barrier=%" PRIu64
        " exit=%" PRIu64 " read=%" PRIu64 " audit=%" PRIu64,
        n->x, n->v, n->simt, n->mem, n->csr, n->arrive + n->release, n->exits, n->read, n->audit);
    put_unchecked(&l, c);
    put(&l, " unordered=%" PRIu64 " adopted=%" PRIu64 " deviations=%" PRIu64, n->unordered, n->adopted,
        n->deviations);
    if (c->config.keep_going)
        put(&l, " mismatches=%" PRIu64 " defects=%" PRIu32 "%s", c->num_mismatches, c->num_defects,
            c->defects_lost ? "+" : "");
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        if (n->deviated[i] || c->config.model.deviations >> i & 1)
            put(&l, " %s:%s=%" PRIu64, c->config.bugs >> i & 1 ? "defect" : "deviation",
                karat_deviation_name(i), n->deviated[i]);
    if (n->reordered)
        put(&l, " reordered=%" PRIu64, n->reordered);
    if (n->lane_race)
        put(&l, " lane-race=%" PRIu64, n->lane_race);
    if (n->unjudged)
        put(&l, " unjudged=%" PRIu64, n->unjudged);
    if (n->sc_failed)
        put(&l, " sc-failed=%" PRIu64, n->sc_failed);
    if (n->ulp)
        put(&l, " ulp=%" PRIu64, n->ulp);
    if (n->undefined)
        put(&l, " undefined=%" PRIu64, n->undefined);
    if (n->lanes_differ)
        put(&l, " lanes-differ=%" PRIu64, n->lanes_differ);
    if (n->lds_unwritten)
        put(&l, " lds-unwritten=%" PRIu64, n->lds_unwritten);
    if (n->lds_beyond)
        put(&l, " lds-beyond=%" PRIu64, n->lds_beyond);
    if (n->skipped_prefix)
        put(&l, " skipped-prefix=%" PRIu64, n->skipped_prefix);
    if (n->deep)
        put(&l, " stack-overflow=%" PRIu64, n->deep);
    put(&l, " cycles=%" PRIu64, c->cycle);
    if (c->config.has_seed)
        put(&l, " seed=%" PRIu64, c->config.seed);
}
