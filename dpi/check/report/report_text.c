/* The report as text, in one screen. Wide warps, deep stacks and long walks need more lines than that: the
 * JSON has all of them, the text the first lines of each part. */
#include "report.h"
#include "names.h"

#include <inttypes.h>
#include <string.h>

#define NUM_LINES     24 /* Of the text report */
#define FURTHER_LINES 3  /* Lines of the text report for failures after the first */

/* --- Rows --- */

/* Parts of the report of the first failure, each of several rows. */
typedef enum part { DETAIL, PLACES, OPERANDS, PRODUCERS, MEMORY, STACK, HISTORY, PARTS } part;

static uint32_t count_lines(const char *text) {
    uint32_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static uint32_t further_lines(const karat_checker *c) {
    return at_most(c->num_further, FURTHER_LINES);
}

/* How many rows each part gets: what is of less use is cut first. fixed: rows that are always there. */
static void lay_out(const karat_checker *c, const slot *s, const karat_producers *w, uint32_t fixed,
                    uint32_t rows[PARTS]) {
    const failure *x = &c->failure;
    const bool simt = x->kind == FAIL_SIMT || x->kind == FAIL_ISSUE_MASK || x->kind == FAIL_ISSUE_PC;
    const struct {
        part part;
        uint32_t least;
    } cuts[] = {{HISTORY, 8},   {STACK, simt ? 5 : 3}, {MEMORY, 2},
                {HISTORY, 5},   {PRODUCERS, 5},        {STACK, simt ? 3 : 1},
                {OPERANDS, 4},  {HISTORY, 3},          {MEMORY, 1},
                {PRODUCERS, 3}, {DETAIL, 8},           {STACK, 1},
                {OPERANDS, 3},  {PLACES, 10},          {HISTORY, 2},
                {PRODUCERS, 1}, {DETAIL, 4},           {PLACES, 4}};
    rows[PLACES] = karat_places_lines(&c->places);
    /* The list of warps has the details of a HANG for each warp. */
    rows[DETAIL] = rows[PLACES] && x->kind == FAIL_HANG ? 1 : count_lines(x->detail);
    rows[OPERANDS] = x->has_insn ? x->commit.num_reads : 0;
    rows[PRODUCERS] = x->has_insn ? w->num : 0;
    rows[MEMORY] = x->has_insn && x->commit.has_mem ? at_most(x->commit.mem.num, 4) : 0;
    rows[STACK] = s ? 1 + at_most(x->depth, 6) : 0;
    rows[HISTORY] =
        s && x->epoch == s->epoch ? at_most(s->num_history, 12) : 0; /* Else it is another warp's */
    uint32_t total = fixed;
    for (unsigned i = 0; i < PARTS; i++)
        total += rows[i];
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts && total > NUM_LINES; i++) {
        uint32_t *of = &rows[cuts[i].part];
        const uint32_t cut = at_most(*of > cuts[i].least ? *of - cuts[i].least : 0, total - NUM_LINES);
        *of -= cut;
        total -= cut;
    }
}

/* The first column: the part's name in its first row. */
static void begin_row(FILE *out, const char *name, uint32_t row) {
    fprintf(out, "  %-8s ", row ? "" : name);
}

/* The last of the rows that are shown says how many are not. */
static void end_row(FILE *out, uint32_t row, uint32_t shown, uint32_t all) {
    if (row + 1 == shown && shown < all)
        fprintf(out, "  and %" PRIu32 " more", all - shown);
    fputc('\n', out);
}

/* --- Parts --- */

/* The difference. Of a HANG the first line is enough where the warps are listed: the others are of them. */
static void put_detail(FILE *out, const karat_checker *c, uint32_t rows) {
    const char *text = c->failure.detail;
    const bool one = c->places.num && c->failure.kind == FAIL_HANG;
    const uint32_t all = count_lines(text);
    fputs("  what      ", out);
    for (uint32_t row = 1;; row++) {
        const size_t length = strcspn(text, "\n");
        fprintf(out, "%.*s", (int)length, text);
        text += length;
        if (!*text || one || row >= rows)
            break;
        fprintf(out, "%c            ", *text++);
    }
    if (rows < all && !one)
        fprintf(out, "  and %" PRIu32 " more lines", all - rows);
    fputc('\n', out);
}

static void put_operands(FILE *out, const karat_checker *c, uint32_t rows) {
    const failure *x = &c->failure;
    const karat_commit *m = &x->commit;
    const uint32_t lanes = x->lanes ? x->lanes : m->mask_before, threads = c->hello.num_thread;
    /* The eight lanes around the first that differs. */
    const uint32_t first = threads > 8 && lanes ? (uint32_t)__builtin_ctz(lanes) & ~7u : 0;
    const uint32_t end = at_most(threads, first + 8);
    for (uint32_t i = 0; i < rows; i++) {
        const karat_reg_read *read = &m->read[i];
        const bool vector = read->cls == KARAT_CLASS_V;
        begin_row(out, "operands", i);
        fprintf(out, " %-6s %-4s", karat_source_name(read->source, read->cls),
                karat_register_name(read->cls, read->reg).text);
        for (uint32_t lane = vector ? first : 0; lane < (vector ? end : 1); lane++)
            fprintf(out, " %08" PRIx32, read->value[lane]);
        if (vector && threads > 8)
            fprintf(out, "  lanes %" PRIu32 " to %" PRIu32, first, end - 1);
        if (x->read_matched >> i & 1)
            fputs("  core: the same", out);
        end_row(out, i, rows, m->num_reads);
    }
}

/* How many are less deep. */
static uint32_t count_above(const karat_producers *w, uint32_t depth) {
    uint32_t num = 0;
    for (uint32_t i = 0; i < w->num; i++)
        num += w->at[i].depth < depth;
    return num;
}

static void put_producer(FILE *out, const karat_naming *names, const producer *p) {
    const bool vector = p->cls == KARAT_CLASS_V;
    char value[32] = "";
    fprintf(out, " %*s%-4s ", 2 * (int)p->depth, "", karat_register_name(p->cls, p->reg).text);
    if (p->has_value)
        karat_append(value, sizeof value, "%08" PRIx32 "%s", p->value, vector ? " in" : "");
    if (vector)
        karat_append(value, sizeof value, " lane %" PRIu32, p->lane);
    if (p->origin != ORIGIN_INSN) {
        fprintf(out, "%s  %s", p->origin == ORIGIN_LAUNCH ? "as at the launch" : "written too long ago",
                value);
        return;
    }
    fprintf(out, "seq %" PRIu32 "  0x%08" PRIx32 "  ", p->seq, p->pc);
    karat_put_line(out, names, p->pc);
    fprintf(out, "%s  %s%s%s", karat_insn_text(names->profile, p->pc, p->prefix, p->word).text, value,
            *value ? ", " : "", p->read == EVIDENCE_MEM ? "right as an address" : karat_evidence_text(p));
}

/* Those nearest to the fault, as many as there are rows for. */
static void put_producers(FILE *out, const karat_checker *c, const karat_producers *w, uint32_t rows) {
    const karat_naming names = karat_naming_of(c);
    uint32_t depth = 0, shown = 0;
    while (depth < w->num && count_above(w, depth + 1) <= rows)
        depth++;
    uint32_t room = rows - count_above(w, depth); /* For some of that depth */
    for (uint32_t i = 0; i < w->num; i++) {
        const producer *p = &w->at[i];
        if (p->depth > depth || (p->depth == depth && !room))
            continue;
        room -= p->depth == depth;
        begin_row(out, "producer", shown);
        put_producer(out, &names, p);
        end_row(out, shown++, rows, w->num);
    }
    if (w->cause[0])
        fprintf(out, "  cause     %s\n", w->cause);
}

static void put_accesses(FILE *out, const karat_mem *mem, bool virt, uint32_t rows) {
    static const char *const ops[] = {"load", "store", "amo"};
    for (uint32_t k = 0; k < rows; k++) {
        const karat_access *a = &mem->access[k];
        begin_row(out, "memory", k);
        fprintf(out, " lane %2u %s %u bytes at 0x%08" PRIx64, a->lane, ops[mem->op], a->bytes,
                virt ? mem->virt[k] : a->addr);
        if (virt)
            fprintf(out, " (physical 0x%08" PRIx64 ")", a->addr);
        fprintf(out, ": %08" PRIx32, a->value);
        end_row(out, k, rows, mem->num);
    }
}

static void put_stack(FILE *out, const failure *x, uint32_t rows) {
    fprintf(out, "  stack     %" PRIu32 " entries in the model%s\n", x->depth,
            rows > 1 ? ", top first: rpc, next, mask" : "");
    for (uint32_t i = 0; i + 1 < rows; i++) {
        const karat_simt_entry *e = &x->stack[x->depth - 1 - i];
        fprintf(out, "            0x%08" PRIx32 " 0x%08" PRIx32 " %08" PRIx32 "\n", e->rpc, e->next, e->mask);
    }
}

/* The last instructions; or, where that is older, those up to the one at fault and a few after it. */
static void put_history(FILE *out, const karat_checker *c, const slot *s, uint32_t rows) {
    const failure *x = &c->failure;
    uint32_t seq = s->num_history - rows;
    if (x->has_insn && x->epoch == s->epoch && karat_past(s, x->seq) && x->seq < seq) {
        const uint32_t before = rows > 2 ? rows - 3 : 0;
        seq = x->seq > before ? x->seq - before : 0;
    }
    for (uint32_t i = 0; i < rows; i++, seq++) {
        const past *p = karat_past(s, seq);
        char written[64] = "";
        if (!p)
            continue;
        if (p->num_writes)
            karat_append(written, sizeof written, "%s=%08" PRIx32 "%s%s",
                         karat_register_name(p->cls, p->reg).text, p->value0, p->cls ? ".." : "",
                         p->adopted ? ", taken from the core" : "");
        begin_row(out, "history", i);
        fprintf(out, "%c%6" PRIu32 "  0x%08" PRIx32 "  %08" PRIx32 "  %-36s %s\n",
                x->has_insn && seq == x->seq ? '>' : ' ', seq, p->pc, p->mask,
                karat_insn_text(c->config.model.profile, p->pc, p->prefix, p->word).text, written);
    }
}

/* --- All mismatches of a run --- */

static void put_place_of_further(FILE *out, const karat_checker *c, const further_failure *x,
                                 const char *before) {
    if (x->has_warp)
        fprintf(out, "%s%s seq %" PRIu32, before, karat_warp_name(x->workgroup, x->warp).text, x->seq);
    if (x->has_insn)
        fprintf(out, " 0x%08" PRIx32 " %s", x->pc,
                karat_insn_text(c->config.model.profile, x->pc, x->prefix, x->word).text);
    fprintf(out, ", cycle %" PRIu64, x->cycle);
    if (x->follows)
        fprintf(out, "; may follow: it has loaded 0x%08" PRIx64, x->follows_addr);
}

static void put_further(FILE *out, const karat_checker *c) {
    const uint32_t rows = further_lines(c);
    for (uint32_t i = 0; i < rows; i++) {
        begin_row(out, "also", i);
        fprintf(out, " %s", karat_failure_name(c->further[i].kind));
        put_place_of_further(out, c, &c->further[i], ": ");
        end_row(out, i, rows, c->num_further);
    }
}

static void put_defects(FILE *out, const karat_checker *c) {
    for (uint32_t i = 0; i < c->num_defects; i++) {
        const defect *d = &c->defects[i];
        char text[SIGNATURE_ROOM];
        karat_signature_text(&d->signature, karat_failure_name(d->first.kind), text, sizeof text);
        begin_row(out, "defects", i);
        fprintf(out, "%7" PRIu64 " x %s; first", d->count, text);
        put_place_of_further(out, c, &d->first, " in ");
        if (d->value.is_known)
            fprintf(out, ", lane %" PRIu32 ": %08" PRIx32 ", model %08" PRIx32, d->value.lane, d->value.core,
                    d->value.model);
        fputc('\n', out);
    }
    if (c->defects_lost)
        fprintf(out, "           and %" PRIu64 " mismatches of further signatures\n", c->defects_lost);
}

/* --- The report --- */

static void put_where(FILE *out, const karat_checker *c, const karat_naming *names) {
    const failure *x = &c->failure;
    fprintf(out,
            "  where     %s (sm %" PRIu32 " slot %" PRIu32 " epoch %" PRIu32 ") seq %" PRIu32
            ", found in cycle %" PRIu64,
            karat_warp_name(x->workgroup, x->warp).text, x->sm, x->slot, x->epoch, x->seq, x->cycle);
    if (c->kernel_seen)
        fprintf(out, ", kernel %" PRIu32 "%s%s", c->kernel.index, names->kernel ? " " : "",
                names->kernel ? names->kernel->name : "");
    fputc('\n', out);
}

static void put_instruction(FILE *out, const failure *x, const karat_naming *names) {
    const karat_commit *m = &x->commit;
    fputs("  at        ", out);
    karat_put_line(out, names, m->pc);
    karat_put_place(out, names, m->pc);
    fprintf(out, "  %s  (word %08" PRIx32, karat_insn_text(names->profile, m->pc, m->prefix, m->word).text,
            m->word);
    if (!x->is_past)
        fprintf(out, ", issued in cycle %" PRIu64, x->issue_cycle);
    fputs(")\n", out);
}

void karat_put_first(FILE *out, const karat_checker *c) {
    const failure *x = &c->failure;
    const karat_naming names = karat_naming_of(c);
    const slot *s = karat_slot_of_failure(c);
    uint32_t rows[PARTS];
    karat_producers walk;
    karat_find_producers(c, &walk);
    lay_out(c, s, &walk,
            1 + x->has_warp + 2 * x->has_insn + (walk.cause[0] != 0) + further_lines(c) +
                (c->config.keep_going ? c->config.rerun != NULL : karat_has_rerun(c)),
            rows);
    fprintf(out, "karat: %s: %s\n", karat_verdict_name(c->verdict), karat_failure_name(x->kind));
    if (x->has_warp)
        put_where(out, c, &names);
    if (x->has_insn)
        put_instruction(out, x, &names);
    put_detail(out, c, rows[DETAIL]);
    karat_places_put(out, &c->places, &names, "  warps     ", "            ", rows[PLACES]);
    if (x->has_insn) {
        fprintf(out, "  mask      %08" PRIx32 " before, %08" PRIx32 " after\n", x->commit.mask_before,
                x->commit.mask_after);
        put_operands(out, c, rows[OPERANDS]);
        put_producers(out, c, &walk, rows[PRODUCERS]);
        put_accesses(out, &x->commit.mem, karat_translates(c), rows[MEMORY]);
    }
    if (s) {
        put_stack(out, x, rows[STACK]);
        put_history(out, c, s, rows[HISTORY]);
    }
}

void karat_checker_report(const karat_checker *c, FILE *out) {
    if (!c || !out || !c->failure.kind)
        return;
    if (c->first_text)
        fputs(c->first_text, out);
    else
        karat_put_first(out, c);
    put_further(out, c);
    put_defects(out, c);
    if (karat_has_rerun(c))
        fprintf(out, "  rerun     %s\n", c->config.rerun);
}
