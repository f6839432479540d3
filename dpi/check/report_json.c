/* The report as JSON (docs/report.schema.json). */
#include "report.h"
#include "words.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_lanes(const uint32_t *value, uint32_t lanes) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < lanes; i++)
        json_array_append_new(array, json_integer(value[i]));
    return array;
}

static json_t *json_insn(const karat_checker *c, const karat_commit *m) {
    char text[128];
    karat_commit_text(c, m, text, sizeof text);
    json_t *insn =
        json_pack("{s:I, s:I, s:I, s:s, s:I, s:I}", "pc", (json_int_t)m->pc, "word", (json_int_t)m->word,
                  "prefix", (json_int_t)m->prefix, "text", text, "mask_before", (json_int_t)m->mask_before,
                  "mask_after", (json_int_t)m->mask_after);
    json_t *reads = json_array(), *writes = json_array(), *accesses = json_array();
    for (uint32_t i = 0; i < m->num_reads; i++) {
        const karat_reg_read *r = &m->read[i];
        json_array_append_new(reads, json_pack("{s:s, s:s, s:i, s:o, s:b}", "source",
                                               karat_source_name(r->source, r->cls), "class",
                                               r->cls ? "v" : "x", "register", r->reg, "value",
                                               json_lanes(r->value, r->cls ? c->hello.num_thread : 1),
                                               "alike", (int)(c->failure.read_alike >> i & 1)));
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
    const karat_naming names = karat_naming_of(c);
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
                               p->cls == CLASS_CSR ? "csr" : karat_source_name(p->source, p->cls), "class",
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
    json_object_set_new(object, "result", json_string(karat_evidence_text(p)));
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

json_t *karat_json_failure(const karat_checker *c) {
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
        const slot *s = karat_slot_of_failure(c);
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
        const karat_kernel *kernel = karat_running_kernel(c);
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
        const karat_naming names = karat_naming_of(c);
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
    karat_put_first(out, c);
    if (fclose(out)) {
        free(c->first_text);
        c->first_text = NULL;
    }
    c->first_json = karat_json_failure(c);
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
    for (unsigned i = 0, num = karat_list_unchecked(c, list); i < num; i++)
        json_array_append_new(unchecked, json_string(list[i]));
    json_t *root = json_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "version", 1, "verdict",
                             karat_verdict_name(c->verdict), "status", (int)c->verdict, "line", text, "core",
                             c->hello_seen ? (const char *)c->hello.name : "", "program",
                             c->config.program ? c->config.program : "", "cycles", (json_int_t)c->cycle,
                             "unchecked", unchecked, "counts", counts, "deviations", deviations);
    if (!root)
        return false;
    if (c->num_undefined)
        json_object_set_new(root, "undefined", json_undefined(c));
    if (c->failure.kind)
        json_object_set_new(root, "failure",
                            c->first_json ? json_incref(c->first_json) : karat_json_failure(c));
    if (c->num_further)
        json_object_set_new(root, "further", json_further(c));
    if (c->config.keep_going) {
        json_object_set_new(root, "mismatches", json_integer((json_int_t)c->num_mismatches));
        json_object_set_new(root, "defects", json_defects(c));
    }
    if (karat_has_rerun(c))
        json_object_set_new(root, "rerun", json_string(c->config.rerun));
    bool ok = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    return ok;
}
