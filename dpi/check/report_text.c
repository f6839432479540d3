/* The report as text, in one screen. */
#include "report.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The kernel that runs, for its name and symbols, or NULL. */
const karat_kernel *karat_running_kernel(const karat_checker *c) {
    const karat_check_config *config = &c->config;
    return c->kernel_seen && config->kernels && c->kernel.index < config->num_kernels
               ? config->kernels[c->kernel.index]
               : NULL;
}

/* What the kernel that runs is called. */
karat_naming karat_naming_of(const karat_checker *c) {
    const karat_check_config *config = &c->config;
    const karat_kernel *kernel = karat_running_kernel(c);
    return (karat_naming){kernel, kernel && config->lines ? config->lines[c->kernel.index] : NULL,
                          config->model.profile};
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

const char *karat_source_name(unsigned source, unsigned cls) {
    static const char *const names[2][4] = {{"v0", "rs1", "rs2", "rs3"}, {"v0.t", "vs1", "vs2", "vs3/vd"}};
    return names[cls & 1][source & 3];
}

const slot *karat_slot_of_failure(const karat_checker *c) {
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
        fprintf(out, "  %-8s  %-6s %c%-3u", i ? "" : "operands", karat_source_name(read->source, read->cls),
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
const char *karat_evidence_text(const producer *p) {
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
    const karat_naming names = karat_naming_of(c);
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
                    p->read == EVIDENCE_MEM ? "right as an address" : karat_evidence_text(p));
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
bool karat_has_rerun(const karat_checker *c) {
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
void karat_put_first(FILE *out, const karat_checker *c) {
    const failure *x = &c->failure;
    const karat_naming names = karat_naming_of(c);
    const slot *s = karat_slot_of_failure(c);
    karat_walk walk;
    karat_walk_back(c, &walk);
    const page page = lay_out(c, s, &walk,
                              1 + x->has_warp + 2 * x->has_insn + (walk.cause[0] != 0) + further_lines(c) +
                                  (c->config.keep_going ? c->config.rerun != NULL : karat_has_rerun(c)));
    fprintf(out, "karat: %s: %s\n", karat_verdict_name(c->verdict), karat_failure_name(x->kind));
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
        karat_commit_text(c, &x->commit, text, sizeof text);
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
        karat_put_first(out, c);
    put_further(out, c);
    put_defects(out, c);
    if (karat_has_rerun(c))
        fprintf(out, "  rerun     %s\n", c->config.rerun);
}
