/* The verdict line. */
#include "report.h"
#include "names.h"

#include <inttypes.h>
#include <string.h>

/* A text that ends in its room. */
typedef struct line {
    char *text;
    size_t size;
} line;
#define put(l, ...) karat_append((l)->text, (l)->size, __VA_ARGS__)

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

static void put_deviations(line *l, const karat_checker *c) {
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        if (c->counts.deviated[i] || c->config.model.deviations >> i & 1)
            put(l, " %s:%s=%" PRIu64, c->config.bugs >> i & 1 ? "defect" : "deviation",
                karat_deviation_name(i), c->counts.deviated[i]);
}

static void put_known(line *l, const karat_checker *c) {
    for (uint32_t i = 0; i < c->config.num_known; i++)
        put(l, " known:%s=%" PRIu64, c->config.known[i].name, c->known[i]);
}

/* The last deed of the machine: the warp that was heard of last, and its last instruction. */
static void put_last(line *l, const karat_checker *c) {
    const slot *last = karat_last_heard(c);
    const past *p = last ? karat_past(last, last->num_history - 1) : NULL;
    karat_insn insn;
    if (!last)
        return;
    put(l, " last=wg%" PRIu32 ".w%" PRIu32, last->workgroup, last->warp);
    if (p) {
        const karat_row *row = karat_row_info(karat_decode(c->config.model.profile, p->word, &insn));
        put(l, ":%s@0x%08" PRIx32, row ? row->mnemonic : "illegal", p->pc);
    }
}

void karat_checker_line(const karat_checker *c, char *text, size_t size) {
    line l = {text, size};
    if (size && text)
        text[0] = 0;
    if (!c || !text || !size)
        return;
    const checker_counts *n = &c->counts;
    const struct {
        const char *name;
        uint64_t count;
    } always[] = {{"warps", n->warps}, {"instructions", n->instructions},
                  {"x", n->x},         {"v", n->v},
                  {"simt", n->simt},   {"mem", n->mem},
                  {"csr", n->csr},     {"barrier", n->arrive + n->release},
                  {"exit", n->exits},  {"read", n->read},
                  {"audit", n->audit}},
      some[] = {{"reordered", n->reordered},
                {"lane-race", n->lane_race},
                {"unjudged", n->unjudged},
                {"sc-failed", n->sc_failed},
                {"ulp", n->ulp},
                {"undefined", n->undefined},
                {"lanes-differ", n->lanes_differ},
                {"lds-unwritten", n->lds_unwritten},
                {"lds-beyond", n->lds_beyond},
                {"pds-beyond", n->pds_beyond},
                {"skipped-prefix", n->skipped_prefix},
                {"stack-overflow", n->deep}};
    put(&l, "karat: %s", karat_verdict_name(c->verdict));
    if (c->failure.kind)
        put(&l, " (%s)", karat_failure_name(c->failure.kind));
    put(&l, " core=%s program=", c->hello_seen ? (const char *)c->hello.name : "?");
    put_word(&l, c->config.program ? c->config.program : "?");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        put(&l, " %s=%" PRIu64, always[i].name, always[i].count);
    put_unchecked(&l, c);
    put(&l, " unordered=%" PRIu64 " adopted=%" PRIu64 " deviations=%" PRIu64, n->unordered, n->adopted,
        n->deviations);
    if (c->config.keep_going)
        put(&l, " mismatches=%" PRIu64 " defects=%" PRIu32 "%s", c->num_mismatches, c->num_defects,
            c->defects_lost ? "+" : "");
    put_deviations(&l, c);
    put_known(&l, c);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].count)
            put(&l, " %s=%" PRIu64, some[i].name, some[i].count);
    put(&l, " cycles=%" PRIu64, c->cycle);
    if (c->config.has_seed)
        put(&l, " seed=%" PRIu64, c->config.seed);
    put_last(&l, c);
}
