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

/* The optional and required record kinds that this core does not give: what was not checked. */
static void put_unchecked(line *l, const karat_checker *c) {
    static const unsigned kinds[] = {KARAT_REC_LAUNCH,  KARAT_REC_ISSUE, KARAT_REC_READ, KARAT_REC_WRITE,
                                     KARAT_REC_AUDIT,   KARAT_REC_SIMT,  KARAT_REC_CSR,  KARAT_REC_MEM,
                                     KARAT_REC_BARRIER, KARAT_REC_EXIT};
    const char *separator = "";
    put(l, " unchecked=");
    if (!c->hello_seen)
        put(l, "all");
    for (size_t i = 0; c->hello_seen && i < sizeof kinds / sizeof *kinds; i++)
        if (!karat_gives(c, kinds[i])) {
            put(l, "%s%s", separator, karat_rec_name(kinds[i]));
            separator = ",";
        }
    if (c->hello_seen && !*separator)
        put(l, "none");
}

void karat_checker_line(const karat_checker *c, char *text, size_t size) {
    const checker_counts *n = &c->counts;
    line l = {text, size};
    if (size)
        text[0] = 0;
    put(&l, "karat: %s", verdict_name(c->verdict));
    if (c->failure.kind)
        put(&l, " (%s)", karat_failure_name(c->failure.kind));
    put(&l, " core=%s program=%s warps=%" PRIu64 " instructions=%" PRIu64,
        c->hello_seen ? (const char *)c->hello.name : "?", c->config.program ? c->config.program : "?",
        n->warps, n->instructions);
    put(&l,
        " x=%" PRIu64 " v=%" PRIu64 " simt=%" PRIu64 " mem=%" PRIu64 " csr=%" PRIu64 " barrier=%" PRIu64
        " exit=%" PRIu64 " read=%" PRIu64 " audit=%" PRIu64,
        n->x, n->v, n->simt, n->mem, n->csr, n->arrive + n->release, n->exits, n->read, n->audit);
    put_unchecked(&l, c);
    put(&l, " unordered=%" PRIu64 " adopted=%" PRIu64 " deviations=%" PRIu64, n->unordered, n->adopted,
        n->deviations);
    if (n->reordered)
        put(&l, " reordered=%" PRIu64, n->reordered);
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
    if (n->skipped_prefix)
        put(&l, " skipped-prefix=%" PRIu64, n->skipped_prefix);
    if (n->deep)
        put(&l, " stack-overflow=%" PRIu64, n->deep);
    put(&l, " cycles=%" PRIu64, c->cycle);
    if (c->config.has_seed)
        put(&l, " seed=%" PRIu64, c->config.seed);
}

/* --- The text report --- */

static void put_place(FILE *out, const karat_checker *c, uint32_t pc) {
    const karat_kernel *kernel = running(c);
    uint32_t offset;
    const karat_symbol *symbol = kernel ? karat_kernel_symbol(kernel, pc, &offset) : NULL;
    fprintf(out, "0x%08" PRIx32, pc);
    if (symbol)
        fprintf(out, " <%s+0x%" PRIx32 ">", symbol->name, offset);
}

static void disassemble(const karat_checker *c, const karat_commit *m, char *text, size_t size) {
    karat_disassemble(c->config.model.profile, m->pc, m->prefix, m->word, text, size);
}

/* Details have lines: indent all but the first. */
static void put_lines(FILE *out, const char *text, const char *indent) {
    for (; *text; text++) {
        fputc(*text, out);
        if (*text == '\n')
            fputs(indent, out);
    }
    fputc('\n', out);
}

static const char *source_name(unsigned source, unsigned cls) {
    static const char *const names[2][4] = {{"v0", "rs1", "rs2", "rs3"}, {"v0.t", "vs1", "vs2", "vs3/vd"}};
    return names[cls & 1][source & 3];
}

static const slot *slot_of_failure(const karat_checker *c) {
    return c->failure.has_warp ? &c->slots[c->failure.sm * c->hello.num_warp + c->failure.slot] : NULL;
}

/* Who wrote an operand's register last before the instruction at fault. */
static const past *find_producer(const slot *s, const karat_reg_read *read, uint32_t before) {
    const past *found = NULL;
    for (uint32_t i = 0; i < NUM_HISTORY && i < s->num_history; i++) {
        const past *p = &s->history[i];
        if (p->seq < before && p->num_writes && p->cls == read->cls && p->reg == read->reg &&
            (!found || p->seq > found->seq))
            found = p;
    }
    return found;
}

static void put_operands(FILE *out, const karat_checker *c) {
    const failure *x = &c->failure;
    const karat_commit *m = &x->commit;
    const slot *s = slot_of_failure(c);
    for (uint32_t i = 0; i < m->num_reads; i++) {
        const karat_reg_read *read = &m->read[i];
        fprintf(out, "  %-8s  %-6s %c%-3u", i ? "" : "operands", source_name(read->source, read->cls),
                read->cls ? 'v' : 'x', read->reg);
        uint32_t lanes = read->cls == KARAT_CLASS_X ? 1 : c->hello.num_thread;
        for (uint32_t lane = 0; lane < lanes; lane++)
            fprintf(out, "%s%08" PRIx32, lane && lane % 8 == 0 ? "\n                        " : " ",
                    read->value[lane]);
        const past *p = s ? find_producer(s, read, x->seq) : NULL;
        if (x->read_alike >> i & 1)
            fputs("  core: the same", out);
        if (p) {
            char text[96];
            karat_disassemble(c->config.model.profile, p->pc, p->prefix, p->word, text, sizeof text);
            fprintf(out, "\n                   from seq %" PRIu32 " 0x%08" PRIx32 " %s", p->seq, p->pc, text);
        }
        fputc('\n', out);
    }
}

static void put_accesses(FILE *out, const karat_mem *mem) {
    static const char *const ops[] = {"load", "store", "amo"};
    for (uint32_t k = 0; k < mem->num && k < 4; k++) {
        const karat_access *a = &mem->access[k];
        fprintf(out, "  %-8s  lane %2u %s %u bytes at 0x%08" PRIx64 ": %08" PRIx32 "%s\n", k ? "" : "memory",
                a->lane, ops[mem->op], a->bytes, a->addr, a->value,
                k == 3 && mem->num > 4 ? "  and more lanes" : "");
    }
}

static void put_stack(FILE *out, const failure *x) {
    fprintf(out, "  stack     %" PRIu32 " entries in the model%s\n", x->depth,
            x->depth ? ", top first: rpc, next, mask" : "");
    for (uint32_t i = 0; i < x->depth && i < 6; i++) {
        const karat_simt_entry *e = &x->stack[x->depth - 1 - i];
        fprintf(out, "            0x%08" PRIx32 " 0x%08" PRIx32 " %08" PRIx32 "\n", e->rpc, e->next, e->mask);
    }
}

static void put_history(FILE *out, const karat_checker *c, const slot *s) {
    uint32_t num = s->num_history < NUM_HISTORY ? s->num_history : NUM_HISTORY;
    for (uint32_t i = 0; i < num; i++) {
        const past *p = &s->history[(s->num_history - num + i) % NUM_HISTORY];
        char text[96], written[64] = "";
        karat_disassemble(c->config.model.profile, p->pc, p->prefix, p->word, text, sizeof text);
        if (p->num_writes)
            snprintf(written, sizeof written, "%c%u=%08" PRIx32 "%s", p->cls ? 'v' : 'x', p->reg, p->value0,
                     p->cls ? ".." : "");
        fprintf(out, "  %-8s %c%6" PRIu32 "  0x%08" PRIx32 "  %08" PRIx32 "  %-36s %s\n", i ? "" : "history",
                c->failure.has_insn && p->seq == c->failure.seq ? '>' : ' ', p->seq, p->pc, p->mask, text,
                written);
    }
}

void karat_checker_report(const karat_checker *c, FILE *out) {
    const failure *x = &c->failure;
    if (!x->kind)
        return;
    const karat_kernel *kernel = running(c);
    fprintf(out, "karat: %s: %s\n", verdict_name(c->verdict), karat_failure_name(x->kind));
    if (x->has_warp) {
        fprintf(out,
                "  where     workgroup %" PRIu32 " warp %" PRIu32 " (sm %" PRIu32 " slot %" PRIu32
                " epoch %" PRIu32 ") seq %" PRIu32 ", found in cycle %" PRIu64,
                x->workgroup, x->warp, x->sm, x->slot, x->epoch, x->seq, x->cycle);
        if (c->kernel_seen)
            fprintf(out, ", kernel %" PRIu32 "%s%s", c->kernel.index, kernel ? " " : "",
                    kernel ? kernel->name : "");
        fputc('\n', out);
    }
    if (x->has_insn) {
        char text[128];
        disassemble(c, &x->commit, text, sizeof text);
        fputs("  at        ", out);
        put_place(out, c, x->commit.pc);
        fprintf(out, "  %s  (word %08" PRIx32 ", issued in cycle %" PRIu64 ")\n", text, x->commit.word,
                x->issue_cycle);
    }
    fputs("  what      ", out);
    put_lines(out, x->detail, "            ");
    if (x->has_insn) {
        fprintf(out, "  mask      %08" PRIx32 " before, %08" PRIx32 " after\n", x->commit.mask_before,
                x->commit.mask_after);
        put_operands(out, c);
        if (x->commit.has_mem)
            put_accesses(out, &x->commit.mem);
    }
    if (x->has_warp) {
        put_stack(out, x);
        put_history(out, c, slot_of_failure(c));
    }
    if (c->config.rerun)
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
                              json_pack("{s:s, s:s, s:i, s:o}", "source", source_name(r->source, r->cls),
                                        "class", r->cls ? "v" : "x", "register", r->reg, "value",
                                        json_lanes(r->value, r->cls ? c->hello.num_thread : 1)));
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

static json_t *json_failure(const karat_checker *c) {
    const failure *x = &c->failure;
    json_t *object = json_pack("{s:s, s:s, s:I}", "kind", karat_failure_name(x->kind), "detail", x->detail,
                               "cycle", (json_int_t)x->cycle);
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
        uint32_t num = s->num_history < NUM_HISTORY ? s->num_history : NUM_HISTORY;
        for (uint32_t i = 0; i < num; i++) {
            const past *p = &s->history[(s->num_history - num + i) % NUM_HISTORY];
            char text[96];
            karat_disassemble(c->config.model.profile, p->pc, p->prefix, p->word, text, sizeof text);
            json_array_append_new(history,
                                  json_pack("{s:I, s:I, s:I, s:s}", "seq", (json_int_t)p->seq, "pc",
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
        json_object_set_new(insn, "issue_cycle", json_integer((json_int_t)x->issue_cycle));
        json_object_set_new(object, "instruction", insn);
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

bool karat_checker_report_json(const karat_checker *c, FILE *out) {
    const checker_counts *n = &c->counts;
    char text[1024];
    karat_checker_line(c, text, sizeof text);
    json_t *counts = json_object();
#define COUNT(name) json_object_set_new(counts, #name, json_integer((json_int_t)n->name))
    COUNT(warps), COUNT(instructions), COUNT(x), COUNT(v), COUNT(x0), COUNT(empty), COUNT(simt), COUNT(mem),
        COUNT(csr);
    COUNT(read), COUNT(audit), COUNT(arrive), COUNT(release), COUNT(exits), COUNT(adopted), COUNT(undefined);
    COUNT(lanes_differ), COUNT(lds_unwritten), COUNT(skipped_prefix), COUNT(records), COUNT(deep),
        COUNT(deviations), COUNT(ulp), COUNT(unordered), COUNT(reordered), COUNT(sc_failed);
#undef COUNT
    json_t *root = json_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:I, s:o}", "version", 1, "verdict",
                             verdict_name(c->verdict), "status", (int)c->verdict, "line", text, "core",
                             c->hello_seen ? (const char *)c->hello.name : "", "program",
                             c->config.program ? c->config.program : "", "cycles", (json_int_t)c->cycle,
                             "counts", counts);
    if (!root)
        return false;
    if (c->num_undefined)
        json_object_set_new(root, "undefined", json_undefined(c));
    if (c->failure.kind)
        json_object_set_new(root, "failure", json_failure(c));
    if (c->config.rerun)
        json_object_set_new(root, "rerun", json_string(c->config.rerun));
    bool ok = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    return ok;
}
