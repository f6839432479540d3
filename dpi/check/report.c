/* The verdict line, and the report that says why, in one screen and as JSON. */
#include "state.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

static const char *verdict_name(karat_verdict verdict) {
    switch (verdict) {
    case KARAT_PASS: return "PASS";
    case KARAT_MISMATCH: return "MISMATCH";
    case KARAT_BAD_INPUT: return "BAD INPUT";
    case KARAT_HANG: return "HANG";
    case KARAT_VERDICT_PROGRAM_ERROR: return "PROGRAM ERROR";
    default: return "INCOMPLETE";
    }
}

/* The kernel that runs, for its name and symbols, or NULL. */
static const karat_kernel *running(const karat_checker *c) {
    const karat_check_config *config = &c->config;
    return c->kernel_seen && config->kernels && c->kernel.index < config->num_kernels
               ? config->kernels[c->kernel.index]
               : NULL;
}

void karat_append(char *text, size_t size, const char *format, ...) {
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* --- The verdict line --- */

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

/* What was not compared: record kinds that this core does not give, and what the others leave out. Returns how many. */
enum { MAX_UNCHECKED = KARAT_REC_KINDS + NUM_GAP };
static unsigned list_unchecked(const karat_checker *c, const char *list[MAX_UNCHECKED]) {
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
    const unsigned num = list_unchecked(c, list);
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
    put(&l, "karat: %s", verdict_name(c->verdict));
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

/* --- The text report --- */

/* What the kernel that runs is called. */
static karat_naming naming(const karat_checker *c) {
    const karat_check_config *config = &c->config;
    const karat_kernel *kernel = running(c);
    return (karat_naming){kernel, kernel && config->lines ? config->lines[c->kernel.index] : NULL,
                          config->model.profile};
}

static void disassemble(const karat_checker *c, const karat_commit *m, char *text, size_t size) {
    karat_disassemble(c->config.model.profile, m->pc, m->prefix, m->word, text, size);
}

/* --- One screen ---
 * What there is to say is more than that for wide warps, deep stacks and long walks: the JSON has all of it, the text
 * the first lines of each part. */

#define NUM_LINES 24 /* of the text report */

typedef struct page {
    uint32_t detail, places, operands, producers, memory, stack, history; /* lines of each */
} page;

static void trim(uint32_t *lines, uint32_t least, uint32_t *over) {
    uint32_t cut = *lines > least ? *lines - least : 0;
    if (cut > *over)
        cut = *over;
    *lines -= cut;
    *over -= cut;
}

static uint32_t count_lines(const char *text) {
    uint32_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static uint32_t at_most(uint32_t n, uint32_t most) {
    return n < most ? n : most;
}

/* What is of less use is cut first. fixed: lines that are always there. */
static page lay_out(const karat_checker *c, const slot *s, const karat_walk *w, uint32_t fixed) {
    const failure *x = &c->failure;
    page p = {.detail = count_lines(x->detail), .places = karat_places_lines(&c->places)};
    if (p.places && x->kind == FAIL_HANG) /* what the details say of each warp is said there */
        p.detail = 1;
    if (x->has_insn) {
        p.operands = x->commit.num_reads;
        p.producers = w->num;
        p.memory = x->commit.has_mem ? at_most(x->commit.mem.num, 4) : 0;
    }
    if (s) {
        p.stack = 1 + at_most(x->depth, 6);
        p.history = at_most(x->epoch == s->epoch ? s->num_history : 0, 12); /* else it is another warp's */
    }
    uint32_t total = fixed + p.detail + p.places + p.operands + p.producers + p.memory + p.stack + p.history;
    uint32_t over = total > NUM_LINES ? total - NUM_LINES : 0;
    bool simt = x->kind == FAIL_SIMT || x->kind == FAIL_ISSUE_MASK || x->kind == FAIL_ISSUE_PC;
    trim(&p.history, 8, &over);
    trim(&p.stack, simt ? 5 : 3, &over);
    trim(&p.memory, 2, &over);
    trim(&p.history, 5, &over);
    trim(&p.producers, 5, &over);
    trim(&p.stack, simt ? 3 : 1, &over);
    trim(&p.operands, 4, &over);
    trim(&p.history, 3, &over);
    trim(&p.memory, 1, &over);
    trim(&p.producers, 3, &over);
    trim(&p.detail, 8, &over);
    trim(&p.stack, 1, &over);
    trim(&p.operands, 3, &over);
    trim(&p.places, 10, &over);
    trim(&p.history, 2, &over);
    trim(&p.producers, 1, &over);
    trim(&p.detail, 4, &over);
    trim(&p.places, 4, &over);
    return p;
}

static void put_more(FILE *out, uint32_t shown, uint32_t all) {
    if (shown < all)
        fprintf(out, "  and %" PRIu32 " more", all - shown);
}

/* Details have lines: indent all but the first. */
static void put_lines(FILE *out, const char *text, uint32_t lines, const char *indent) {
    uint32_t all = count_lines(text), line = 1;
    for (; *text && (*text != '\n' || line < lines); text++) {
        fputc(*text, out);
        if (*text == '\n') {
            fputs(indent, out);
            line++;
        }
    }
    if (lines < all)
        fprintf(out, "  and %" PRIu32 " more lines", all - lines);
    fputc('\n', out);
}

static const char *source_name(unsigned source, unsigned cls) {
    static const char *const names[2][4] = {{"v0", "rs1", "rs2", "rs3"}, {"v0.t", "vs1", "vs2", "vs3/vd"}};
    return names[cls & 1][source & 3];
}

static const slot *slot_of_failure(const karat_checker *c) {
    return c->failure.has_warp ? &c->slots[c->failure.sm * c->hello.num_warp + c->failure.slot] : NULL;
}

/* The eight lanes that an operand shows: those around the first that differs. */
static uint32_t first_lane(const karat_checker *c, const failure *x) {
    uint32_t lanes = x->lanes ? x->lanes : x->commit.mask_before;
    return c->hello.num_thread > 8 && lanes ? (uint32_t)__builtin_ctz(lanes) & ~7u : 0;
}

static void put_operands(FILE *out, const karat_checker *c, uint32_t num) {
    const failure *x = &c->failure;
    const karat_commit *m = &x->commit;
    const uint32_t first = first_lane(c, x), end = at_most(c->hello.num_thread, first + 8);
    for (uint32_t i = 0; i < num; i++) {
        const karat_reg_read *read = &m->read[i];
        const bool vector = read->cls == KARAT_CLASS_V;
        fprintf(out, "  %-8s  %-6s %c%-3u", i ? "" : "operands", source_name(read->source, read->cls),
                vector ? 'v' : 'x', read->reg);
        for (uint32_t lane = vector ? first : 0; lane < (vector ? end : 1); lane++)
            fprintf(out, " %08" PRIx32, read->value[lane]);
        if (vector && c->hello.num_thread > 8)
            fprintf(out, "  lanes %" PRIu32 " to %" PRIu32, first, end - 1);
        if (x->read_alike >> i & 1)
            fputs("  core: the same", out);
        if (i + 1 == num)
            put_more(out, num, m->num_reads);
        fputc('\n', out);
    }
}

/* What shows that the value is right. */
static const char *evidence_text(const producer *p) {
    switch (p->result) {
    case EVIDENCE_NONE: return "not compared";
    case EVIDENCE_PENDING: return "not written yet";
    case EVIDENCE_TAKEN: return "taken from the core";
    case EVIDENCE_WRITE: return "written right";
    case EVIDENCE_READ: return "read right";
    case EVIDENCE_MEM:
    case EVIDENCE_WRONG: break;
    }
    return "wrong";
}

/* How many are less deep. */
static uint32_t count_above(const karat_walk *w, uint32_t depth) {
    uint32_t num = 0;
    for (uint32_t i = 0; i < w->num; i++)
        num += w->at[i].depth < depth;
    return num;
}

/* Those nearest to the fault, as many as there are lines for. */
static void put_producers(FILE *out, const karat_checker *c, const karat_walk *w, uint32_t num) {
    const karat_naming names = naming(c);
    uint32_t depth = 0, shown = 0;
    while (depth < w->num && count_above(w, depth + 1) <= num)
        depth++;
    uint32_t room = num - count_above(w, depth); /* for some of that depth */
    for (uint32_t i = 0; i < w->num; i++) {
        const producer *p = &w->at[i];
        const bool vector = p->cls == KARAT_CLASS_V;
        char value[32] = "", name[16];
        if (p->depth > depth || (p->depth == depth && !room))
            continue;
        room -= p->depth == depth;
        if (p->cls == CLASS_CSR)
            snprintf(name, sizeof name, "%s", karat_csr_name(p->reg));
        else
            snprintf(name, sizeof name, "%c%u", vector ? 'v' : 'x', p->reg);
        fprintf(out, "  %-8s  %*s%-4s ", shown ? "" : "producer", 2 * (int)p->depth, "", name);
        if (p->has_value)
            snprintf(value, sizeof value, "%08" PRIx32 "%s", p->value, vector ? " in" : "");
        if (vector)
            snprintf(value + strlen(value), sizeof value - strlen(value), " lane %" PRIu32, p->lane);
        if (p->origin == ORIGIN_LAUNCH) {
            fprintf(out, "as at the launch  %s", value);
        } else if (p->origin == ORIGIN_FORGOTTEN) {
            fprintf(out, "written too long ago  %s", value);
        } else {
            char text[96];
            karat_disassemble(c->config.model.profile, p->pc, p->prefix, p->word, text, sizeof text);
            fprintf(out, "seq %" PRIu32 "  0x%08" PRIx32 "  ", p->seq, p->pc);
            karat_put_line(out, &names, p->pc);
            fprintf(out, "%s  %s%s%s", text, value, *value ? ", " : "",
                    p->read == EVIDENCE_MEM ? "right as an address" : evidence_text(p));
        }
        if (++shown == num)
            put_more(out, num, w->num);
        fputc('\n', out);
    }
    if (w->cause[0])
        fprintf(out, "  cause     %s\n", w->cause);
}

static void put_accesses(FILE *out, const karat_mem *mem, uint32_t num) {
    static const char *const ops[] = {"load", "store", "amo"};
    for (uint32_t k = 0; k < num; k++) {
        const karat_access *a = &mem->access[k];
        fprintf(out, "  %-8s  lane %2u %s %u bytes at 0x%08" PRIx64 ": %08" PRIx32, k ? "" : "memory",
                a->lane, ops[mem->op], a->bytes, a->addr, a->value);
        if (k + 1 == num)
            put_more(out, num, mem->num);
        fputc('\n', out);
    }
}

static void put_stack(FILE *out, const failure *x, uint32_t lines) {
    fprintf(out, "  stack     %" PRIu32 " entries in the model%s\n", x->depth,
            lines > 1 ? ", top first: rpc, next, mask" : "");
    for (uint32_t i = 0; i + 1 < lines; i++) {
        const karat_simt_entry *e = &x->stack[x->depth - 1 - i];
        fprintf(out, "            0x%08" PRIx32 " 0x%08" PRIx32 " %08" PRIx32 "\n", e->rpc, e->next, e->mask);
    }
}

/* The last instructions; or, where that is older, those up to the one at fault and a few behind it. */
static void put_history(FILE *out, const karat_checker *c, const slot *s, uint32_t num) {
    const failure *x = &c->failure;
    uint32_t seq = s->num_history - num;
    if (x->has_insn && x->epoch == s->epoch && karat_past(s, x->seq) && x->seq < seq) {
        uint32_t before = num > 2 ? num - 3 : 0;
        seq = x->seq > before ? x->seq - before : 0;
    }
    for (uint32_t i = 0; i < num; i++, seq++) {
        const past *p = karat_past(s, seq);
        char text[96], written[64] = "";
        if (!p)
            continue;
        karat_disassemble(c->config.model.profile, p->pc, p->prefix, p->word, text, sizeof text);
        if (p->num_writes)
            snprintf(written, sizeof written, "%c%u=%08" PRIx32 "%s", p->cls ? 'v' : 'x', p->reg, p->value0,
                     p->cls ? ".." : "");
        fprintf(out, "  %-8s %c%6" PRIu32 "  0x%08" PRIx32 "  %08" PRIx32 "  %-36s %s\n", i ? "" : "history",
                x->has_insn && seq == x->seq ? '>' : ' ', seq, p->pc, p->mask, text, written);
    }
}

/* --- Failures after the first --- */

enum { FURTHER_LINES = 3 };

static uint32_t further_lines(const karat_checker *c) {
    return at_most(c->num_further, FURTHER_LINES);
}

static void put_place_of_further(FILE *out, const karat_checker *c, const further_failure *x,
                                 const char *before) {
    char text[96];
    if (x->has_warp)
        fprintf(out, "%sworkgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32, before, x->workgroup, x->warp,
                x->seq);
    if (x->has_insn) {
        karat_disassemble(c->config.model.profile, x->pc, x->prefix, x->word, text, sizeof text);
        fprintf(out, " 0x%08" PRIx32 " %s", x->pc, text);
    }
    fprintf(out, ", cycle %" PRIu64, x->cycle);
    if (x->follows)
        fprintf(out, "; may follow: it has loaded 0x%08" PRIx64, x->follows_addr);
}

static void put_further(FILE *out, const karat_checker *c) {
    const uint32_t num = further_lines(c);
    for (uint32_t i = 0; i < num; i++) {
        const further_failure *x = &c->further[i];
        fprintf(out, "  %-8s  %s", i ? "" : "also", karat_failure_name(x->kind));
        put_place_of_further(out, c, x, ": ");
        if (i + 1 == num)
            put_more(out, num, c->num_further);
        fputc('\n', out);
    }
}

/* --- Many mismatches in one run --- */

static void put_defects(FILE *out, const karat_checker *c) {
    for (uint32_t i = 0; i < c->num_defects; i++) {
        const defect *d = &c->defects[i];
        char text[256];
        karat_signature_text(&d->signature, karat_failure_name(d->first.kind), text, sizeof text);
        fprintf(out, "  %-8s %7" PRIu64 " x %s; first", i ? "" : "defects", d->count, text);
        put_place_of_further(out, c, &d->first, " in ");
        fputc('\n', out);
    }
    if (c->defects_lost)
        fprintf(out, "           and %" PRIu64 " mismatches of further signatures\n", c->defects_lost);
}

/* What a recording tells of it comes at its end. */
static bool has_rerun(const karat_checker *c) {
    return c->config.rerun && *c->config.rerun;
}

/* What differs. Of a HANG the first line is enough where the warps are listed: the others are of them. */
static void put_detail(FILE *out, const karat_checker *c, uint32_t lines) {
    const char *detail = c->failure.detail;
    if (c->places.num && c->failure.kind == FAIL_HANG)
        fprintf(out, "%.*s\n", (int)strcspn(detail, "\n"), detail);
    else
        put_lines(out, detail, lines, "            ");
}

/* The first failure, from what its warp has done up to now. */
static void put_first(FILE *out, const karat_checker *c) {
    const failure *x = &c->failure;
    const karat_naming names = naming(c);
    const slot *s = slot_of_failure(c);
    karat_walk walk;
    karat_walk_back(c, &walk);
    const page page = lay_out(c, s, &walk,
                              1 + x->has_warp + 2 * x->has_insn + (walk.cause[0] != 0) + further_lines(c) +
                                  (c->config.keep_going ? c->config.rerun != NULL : has_rerun(c)));
    fprintf(out, "karat: %s: %s\n", verdict_name(c->verdict), karat_failure_name(x->kind));
    if (x->has_warp) {
        fprintf(out,
                "  where     workgroup %" PRIu32 " warp %" PRIu32 " (sm %" PRIu32 " slot %" PRIu32
                " epoch %" PRIu32 ") seq %" PRIu32 ", found in cycle %" PRIu64,
                x->workgroup, x->warp, x->sm, x->slot, x->epoch, x->seq, x->cycle);
        if (c->kernel_seen)
            fprintf(out, ", kernel %" PRIu32 "%s%s", c->kernel.index, names.kernel ? " " : "",
                    names.kernel ? names.kernel->name : "");
        fputc('\n', out);
    }
    if (x->has_insn) {
        char text[128];
        disassemble(c, &x->commit, text, sizeof text);
        fputs("  at        ", out);
        karat_put_line(out, &names, x->commit.pc);
        karat_put_place(out, &names, x->commit.pc);
        fprintf(out, "  %s  (word %08" PRIx32, text, x->commit.word);
        if (!x->is_past)
            fprintf(out, ", issued in cycle %" PRIu64, x->issue_cycle);
        fputs(")\n", out);
    }
    fputs("  what      ", out);
    put_detail(out, c, page.detail);
    karat_places_put(out, &c->places, &names, "  warps     ", "            ", page.places);
    if (x->has_insn) {
        fprintf(out, "  mask      %08" PRIx32 " before, %08" PRIx32 " after\n", x->commit.mask_before,
                x->commit.mask_after);
        put_operands(out, c, page.operands);
        put_producers(out, c, &walk, page.producers);
        put_accesses(out, &x->commit.mem, page.memory);
    }
    if (s) {
        put_stack(out, x, page.stack);
        put_history(out, c, s, page.history);
    }
}

void karat_checker_report(const karat_checker *c, FILE *out) {
    if (!c || !out || !c->failure.kind)
        return;
    if (c->first_text)
        fputs(c->first_text, out);
    else
        put_first(out, c);
    put_further(out, c);
    put_defects(out, c);
    if (has_rerun(c))
        fprintf(out, "  rerun     %s\n", c->config.rerun);
}

/* --- The JSON report --- */

static json_t *json_lanes(const uint32_t *value, uint32_t lanes) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < lanes; i++)
        json_array_append_new(array, json_integer(value[i]));
    return array;
}

static json_t *json_insn(const karat_checker *c, const karat_commit *m) {
    char text[128];
    disassemble(c, m, text, sizeof text);
    json_t *insn =
        json_pack("{s:I, s:I, s:I, s:s, s:I, s:I}", "pc", (json_int_t)m->pc, "word", (json_int_t)m->word,
                  "prefix", (json_int_t)m->prefix, "text", text, "mask_before", (json_int_t)m->mask_before,
                  "mask_after", (json_int_t)m->mask_after);
    json_t *reads = json_array(), *writes = json_array(), *accesses = json_array();
    for (uint32_t i = 0; i < m->num_reads; i++) {
        const karat_reg_read *r = &m->read[i];
        json_array_append_new(reads,
                              json_pack("{s:s, s:s, s:i, s:o, s:b}", "source", source_name(r->source, r->cls),
                                        "class", r->cls ? "v" : "x", "register", r->reg, "value",
                                        json_lanes(r->value, r->cls ? c->hello.num_thread : 1), "alike",
                                        (int)(c->failure.read_alike >> i & 1)));
    }
    for (uint32_t i = 0; i < m->num_writes; i++) {
        const karat_reg_write *w = &m->write[i];
        uint32_t lanes = w->cls ? c->hello.num_thread : 1;
        json_array_append_new(writes,
                              json_pack("{s:s, s:i, s:I, s:o, s:o}", "class", w->cls ? "v" : "x", "register",
                                        w->reg, "mask", (json_int_t)w->mask, "old", json_lanes(w->old, lanes),
                                        "value", json_lanes(w->value, lanes)));
    }
    for (uint32_t k = 0; m->has_mem && k < m->mem.num; k++) {
        const karat_access *a = &m->mem.access[k];
        json_array_append_new(accesses, json_pack("{s:i, s:I, s:i, s:I}", "lane", a->lane, "address",
                                                  (json_int_t)a->addr, "bytes", a->bytes, "value",
                                                  (json_int_t)a->value));
    }
    json_object_set_new(insn, "reads", reads);
    json_object_set_new(insn, "writes", writes);
    json_object_set_new(insn, "memory", accesses);
    return insn;
}

static void json_set_line(json_t *insn, const karat_checker *c, uint32_t pc) {
    const karat_naming names = naming(c);
    const char *file;
    uint32_t line;
    if (!names.lines || !karat_lines_find(names.lines, pc, &file, &line))
        return;
    json_object_set_new(insn, "file", json_string(file));
    json_object_set_new(insn, "line", json_integer(line));
    if (karat_lines_after(names.lines, pc))
        json_object_set_new(insn, "after", json_true());
}

static json_t *json_producer(const karat_checker *c, const producer *p) {
    static const char *const origins[] = {
        [ORIGIN_INSN] = "instruction", [ORIGIN_LAUNCH] = "launch", [ORIGIN_FORGOTTEN] = "forgotten"};
    json_t *object = json_pack("{s:I, s:i, s:s, s:s, s:i, s:i, s:s, s:s}", "reader", (json_int_t)p->reader,
                               "depth", (int)p->depth, "source",
                               p->cls == CLASS_CSR ? "csr" : source_name(p->source, p->cls), "class",
                               p->cls == CLASS_CSR ? "csr"
                               : p->cls            ? "v"
                                                   : "x",
                               "register", p->reg, "lane", (int)p->lane, "read",
                               p->read == EVIDENCE_READ    ? "alike"
                               : p->read == EVIDENCE_WRONG ? "wrong"
                               : p->read == EVIDENCE_MEM   ? "address right"
                                                           : "not told",
                               "origin", origins[p->origin]);
    if (p->has_value)
        json_object_set_new(object, "value", json_integer(p->value));
    if (p->origin != ORIGIN_INSN)
        return object;
    char text[96];
    karat_disassemble(c->config.model.profile, p->pc, p->prefix, p->word, text, sizeof text);
    json_object_set_new(object, "seq", json_integer(p->seq));
    json_object_set_new(object, "pc", json_integer(p->pc));
    json_object_set_new(object, "text", json_string(text));
    json_object_set_new(object, "result", json_string(evidence_text(p)));
    json_set_line(object, c, p->pc);
    return object;
}

static void json_set_walk(json_t *object, const karat_checker *c) {
    karat_walk w;
    karat_walk_back(c, &w);
    json_t *producers = json_array(), *suspects = json_array();
    for (uint32_t i = 0; i < w.num; i++)
        json_array_append_new(producers, json_producer(c, &w.at[i]));
    json_object_set_new(object, "producers", producers);
    for (uint32_t i = 0; i < w.num_suspects; i++)
        json_array_append_new(suspects, json_integer(w.suspect[i]));
    if (w.cause[0])
        json_object_set_new(
            object, "cause",
            json_pack("{s:s, s:o, s:b}", "text", w.cause, "suspects", suspects, "open", w.open));
    else
        json_decref(suspects);
}

static json_t *json_failure(const karat_checker *c) {
    const failure *x = &c->failure;
    json_t *object = json_pack("{s:s, s:s, s:I}", "kind", karat_failure_name(x->kind), "detail", x->detail,
                               "cycle", (json_int_t)x->cycle);
    if (x->lanes)
        json_object_set_new(object, "lanes", json_integer(x->lanes));
    if (x->has_warp) {
        json_object_set_new(object, "where",
                            json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "kernel",
                                      (json_int_t)c->kernel.index, "workgroup", (json_int_t)x->workgroup,
                                      "warp", (json_int_t)x->warp, "sm", (json_int_t)x->sm, "slot",
                                      (json_int_t)x->slot, "epoch", (json_int_t)x->epoch, "seq",
                                      (json_int_t)x->seq));
        json_t *stack = json_array(), *history = json_array();
        for (uint32_t i = 0; i < x->depth; i++) {
            const karat_simt_entry *e = &x->stack[x->depth - 1 - i];
            json_array_append_new(stack, json_pack("{s:I, s:I, s:I}", "rpc", (json_int_t)e->rpc, "next",
                                                   (json_int_t)e->next, "mask", (json_int_t)e->mask));
        }
        const slot *s = slot_of_failure(c);
        for (uint32_t i = x->epoch == s->epoch ? at_most(s->num_history, NUM_HISTORY) : 0; i > 0; i--) {
            const uint32_t seq = s->num_history - i;
            const past *p = karat_past(s, seq);
            char text[96];
            karat_disassemble(c->config.model.profile, p->pc, p->prefix, p->word, text, sizeof text);
            json_array_append_new(history,
                                  json_pack("{s:I, s:I, s:I, s:s}", "seq", (json_int_t)seq, "pc",
                                            (json_int_t)p->pc, "mask", (json_int_t)p->mask, "text", text));
        }
        json_object_set_new(object, "stack", stack);
        json_object_set_new(object, "history", history);
    }
    if (x->has_insn) {
        json_t *insn = json_insn(c, &x->commit);
        const karat_kernel *kernel = running(c);
        uint32_t offset;
        const karat_symbol *symbol = kernel ? karat_kernel_symbol(kernel, x->commit.pc, &offset) : NULL;
        if (symbol) {
            json_object_set_new(insn, "symbol", json_string(symbol->name));
            json_object_set_new(insn, "offset", json_integer(offset));
        }
        json_set_line(insn, c, x->commit.pc);
        if (!x->is_past)
            json_object_set_new(insn, "issue_cycle", json_integer((json_int_t)x->issue_cycle));
        json_object_set_new(object, "instruction", insn);
        json_set_walk(object, c);
    }
    if (c->places.num) {
        const karat_naming names = naming(c);
        json_object_set_new(object, "warps", karat_places_json(&c->places, &names));
    }
    if (x->has_record) {
        const karat_rec_header *h = (const karat_rec_header *)x->record;
        size_t size = karat_rec_size(h->kind);
        const uint8_t *bytes = (const uint8_t *)x->record;
        char hex[2 * KARAT_REC_MAX_SIZE + 1];
        for (size_t i = 0; i < size; i++)
            snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
        json_object_set_new(object, "record",
                            json_pack("{s:s, s:s}", "kind", karat_rec_name(h->kind), "bytes", hex));
    }
    return object;
}

/* The places at which registers were used that nothing had written. */
static json_t *json_undefined(const karat_checker *c) {
    json_t *uses = json_array();
    for (uint32_t i = 0; i < c->num_undefined; i++) {
        const undefined_use *u = &c->undefined[i];
        json_array_append_new(uses, json_pack("{s:I, s:I, s:s, s:i, s:I}", "kernel", (json_int_t)u->kernel,
                                              "pc", (json_int_t)u->pc, "class", u->cls ? "v" : "x",
                                              "register", u->reg, "uses", (json_int_t)u->count));
    }
    return uses;
}

static json_t *json_one_further(const karat_checker *c, const further_failure *x) {
    json_t *object = json_pack("{s:s, s:s, s:I}", "kind", karat_failure_name(x->kind), "detail", x->detail,
                               "cycle", (json_int_t)x->cycle);
    if (x->has_warp)
        json_object_update_new(object,
                               json_pack("{s:I, s:I, s:I, s:I, s:I}", "workgroup", (json_int_t)x->workgroup,
                                         "warp", (json_int_t)x->warp, "sm", (json_int_t)x->sm, "slot",
                                         (json_int_t)x->slot, "seq", (json_int_t)x->seq));
    if (x->has_insn) {
        char text[96];
        karat_disassemble(c->config.model.profile, x->pc, x->prefix, x->word, text, sizeof text);
        json_object_update_new(object, json_pack("{s:I, s:s}", "pc", (json_int_t)x->pc, "text", text));
    }
    if (x->follows)
        json_object_set_new(object, "follows", json_integer((json_int_t)x->follows_addr));
    return object;
}

static json_t *json_further(const karat_checker *c) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->num_further; i++)
        json_array_append_new(list, json_one_further(c, &c->further[i]));
    return list;
}

static json_t *json_defects(const karat_checker *c) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->num_defects; i++) {
        const defect *d = &c->defects[i];
        const karat_row *row = karat_row_info(d->signature.row);
        char text[256];
        karat_signature_text(&d->signature, karat_failure_name(d->first.kind), text, sizeof text);
        json_t *object =
            json_pack("{s:s, s:I, s:s, s:s, s:s, s:o}", "signature", text, "count", (json_int_t)d->count,
                      "kind", karat_failure_name(d->first.kind), "operands", d->signature.operands, "lanes",
                      d->signature.lanes, "first", json_one_further(c, &d->first));
        if (row)
            json_object_update_new(
                object, json_pack("{s:s, s:s}", "instruction", row->mnemonic, "section", row->section));
        json_array_append_new(list, object);
    }
    return list;
}

void karat_report_first(karat_checker *c) {
    size_t size;
    FILE *out = open_memstream(&c->first_text, &size);
    if (!out)
        return;
    put_first(out, c);
    if (fclose(out)) {
        free(c->first_text);
        c->first_text = NULL;
    }
    c->first_json = json_failure(c);
}

void karat_report_drop(karat_checker *c) {
    free(c->first_text);
    json_decref(c->first_json);
}

bool karat_checker_report_json(const karat_checker *c, FILE *out) {
    if (!c || !out)
        return false;
    const checker_counts *n = &c->counts;
    char text[1024];
    karat_checker_line(c, text, sizeof text);
    json_t *counts = json_object();
#define COUNT(name) json_object_set_new(counts, #name, json_integer((json_int_t)n->name))
    COUNT(warps), COUNT(instructions), COUNT(x), COUNT(v), COUNT(x0), COUNT(empty), COUNT(simt), COUNT(mem),
        COUNT(csr);
    COUNT(read), COUNT(audit), COUNT(arrive), COUNT(release), COUNT(exits), COUNT(adopted), COUNT(undefined);
    COUNT(lanes_differ), COUNT(lds_unwritten), COUNT(skipped_prefix), COUNT(lds_beyond), COUNT(records),
        COUNT(deep), COUNT(deviations), COUNT(ulp), COUNT(unordered), COUNT(reordered), COUNT(sc_failed),
        COUNT(lane_race), COUNT(unjudged);
#undef COUNT
    json_t *deviations = json_object();
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        json_object_set_new(deviations, karat_deviation_name(i), json_integer((json_int_t)n->deviated[i]));
    const char *list[MAX_UNCHECKED];
    json_t *unchecked = json_array();
    for (unsigned i = 0, num = list_unchecked(c, list); i < num; i++)
        json_array_append_new(unchecked, json_string(list[i]));
    json_t *root = json_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "version", 1, "verdict",
                             verdict_name(c->verdict), "status", (int)c->verdict, "line", text, "core",
                             c->hello_seen ? (const char *)c->hello.name : "", "program",
                             c->config.program ? c->config.program : "", "cycles", (json_int_t)c->cycle,
                             "unchecked", unchecked, "counts", counts, "deviations", deviations);
    if (!root)
        return false;
    if (c->num_undefined)
        json_object_set_new(root, "undefined", json_undefined(c));
    if (c->failure.kind)
        json_object_set_new(root, "failure", c->first_json ? json_incref(c->first_json) : json_failure(c));
    if (c->num_further)
        json_object_set_new(root, "further", json_further(c));
    if (c->config.keep_going) {
        json_object_set_new(root, "mismatches", json_integer((json_int_t)c->num_mismatches));
        json_object_set_new(root, "defects", json_defects(c));
    }
    if (has_rerun(c))
        json_object_set_new(root, "rerun", json_string(c->config.rerun));
    bool ok = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    return ok;
}
