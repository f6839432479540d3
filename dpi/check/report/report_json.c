/* The report as JSON (docs/report.schema.json). */
#include "report.h"
#include "bridge.h"
#include "names.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define INT(x) ((json_int_t)(x)) /* The type that json_pack() takes for I */

static const char *class_name(unsigned cls) {
    static const char *const names[] = {"x", "v", "csr"};
    return names[cls];
}

static json_t *json_lanes(const karat_checker *c, unsigned cls, const uint32_t *value) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < (cls ? c->hello.num_thread : 1); i++)
        json_array_append_new(array, json_integer(value[i]));
    return array;
}

static json_t *json_text(const karat_checker *c, uint32_t pc, uint32_t prefix, uint32_t word) {
    return json_string(karat_insn_text(c->config.model.profile, pc, prefix, word).text);
}

/* Of 64 bits: JSON integers are signed. */
static json_t *json_hex(uint64_t value) {
    return json_sprintf("0x%" PRIx64, value);
}

static json_t *json_insn(const karat_checker *c, const karat_commit *m) {
    json_t *reads = json_array(), *writes = json_array(), *accesses = json_array();
    for (uint32_t i = 0; i < m->num_reads; i++) {
        const karat_reg_read *r = &m->read[i];
        json_array_append_new(reads,
                              json_pack("{s:s, s:s, s:i, s:o, s:b}", "source",
                                        karat_source_name(r->source, r->cls), "class", class_name(r->cls),
                                        "register", r->reg, "value", json_lanes(c, r->cls, r->value), "alike",
                                        (int)(c->failure.read_matched >> i & 1)));
    }
    for (uint32_t i = 0; i < m->num_writes; i++) {
        const karat_reg_write *w = &m->write[i];
        json_array_append_new(writes,
                              json_pack("{s:s, s:i, s:I, s:o, s:o}", "class", class_name(w->cls), "register",
                                        w->reg, "mask", INT(w->mask), "old", json_lanes(c, w->cls, w->old),
                                        "value", json_lanes(c, w->cls, w->value)));
    }
    for (uint32_t k = 0; m->has_mem && k < m->mem.num; k++) {
        const karat_access *a = &m->mem.access[k];
        json_t *access = json_pack("{s:i, s:I, s:i, s:I}", "lane", a->lane, "address", INT(a->addr), "bytes",
                                   a->bytes, "value", INT(a->value));
        if (karat_translates(c))
            json_object_set_new(access, "virt", json_hex(m->mem.virt[k]));
        json_array_append_new(accesses, access);
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, s:o}", "pc", INT(m->pc), "word", INT(m->word),
                     "prefix", INT(m->prefix), "text", json_text(c, m->pc, m->prefix, m->word), "mask_before",
                     INT(m->mask_before), "mask_after", INT(m->mask_after), "reads", reads, "writes", writes,
                     "memory", accesses);
}

static json_t *json_producer(const karat_checker *c, const producer *p) {
    static const char *const origins[] = {
        [ORIGIN_INSN] = "instruction", [ORIGIN_LAUNCH] = "launch", [ORIGIN_FORGOTTEN] = "forgotten"};
    json_t *object = json_pack("{s:I, s:i, s:s, s:s, s:i, s:i, s:s, s:s}", "reader", INT(p->reader), "depth",
                               (int)p->depth, "source", karat_source_name(p->source, p->cls), "class",
                               class_name(p->cls), "register", p->reg, "lane", (int)p->lane, "read",
                               p->read == EVIDENCE_READ    ? "alike"
                               : p->read == EVIDENCE_WRONG ? "wrong"
                               : p->read == EVIDENCE_MEM   ? "address right"
                                                           : "not reported",
                               "origin", origins[p->origin]);
    if (p->has_value)
        json_object_set_new(object, "value", json_integer(p->value));
    if (p->origin != ORIGIN_INSN)
        return object;
    json_object_update_new(object, json_pack("{s:I, s:I, s:o, s:s}", "seq", INT(p->seq), "pc", INT(p->pc),
                                             "text", json_text(c, p->pc, p->prefix, p->word), "result",
                                             karat_evidence_text(p)));
    const karat_naming names = karat_naming_of(c);
    karat_json_line(object, &names, p->pc);
    return object;
}

static void set_walk(json_t *object, const karat_checker *c) {
    karat_producers w;
    karat_find_producers(c, &w);
    json_t *producers = json_array(), *suspects = json_array();
    for (uint32_t i = 0; i < w.num; i++)
        json_array_append_new(producers, json_producer(c, &w.at[i]));
    json_object_set_new(object, "producers", producers);
    for (uint32_t i = 0; i < w.num_suspects; i++)
        json_array_append_new(suspects, json_integer(w.suspect[i]));
    if (w.cause[0])
        json_object_set_new(
            object, "cause",
            json_pack("{s:s, s:O, s:b}", "text", w.cause, "suspects", suspects, "open", w.open));
    json_decref(suspects);
}

/* The warp: where it is, its stack and its last instructions. */
static void set_warp(json_t *object, const karat_checker *c, const slot *s) {
    const failure *x = &c->failure;
    json_t *stack = json_array(), *history = json_array();
    for (uint32_t i = x->depth; i-- > 0;)
        json_array_append_new(stack, json_pack("{s:I, s:I, s:I}", "rpc", INT(x->stack[i].rpc), "next",
                                               INT(x->stack[i].next), "mask", INT(x->stack[i].mask)));
    for (uint32_t i = x->epoch == s->epoch ? at_most(s->num_history, NUM_HISTORY) : 0; i > 0; i--) {
        const uint32_t seq = s->num_history - i;
        const past *p = karat_past(s, seq);
        json_array_append_new(history,
                              json_pack("{s:I, s:I, s:I, s:o}", "seq", INT(seq), "pc", INT(p->pc), "mask",
                                        INT(p->mask), "text", json_text(c, p->pc, p->prefix, p->word)));
    }
    json_object_update_new(object,
                           json_pack("{s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I}, s:o, s:o}", "where", "kernel",
                                     INT(c->kernel.index), "workgroup", INT(x->workgroup), "warp",
                                     INT(x->warp), "sm", INT(x->sm), "slot", INT(x->slot), "epoch",
                                     INT(x->epoch), "seq", INT(x->seq), "stack", stack, "history", history));
}

static void set_insn(json_t *object, const karat_checker *c) {
    const failure *x = &c->failure;
    const karat_naming names = karat_naming_of(c);
    json_t *insn = json_insn(c, &x->commit);
    karat_json_names(insn, &names, x->commit.pc);
    if (!x->is_past)
        json_object_set_new(insn, "issue_cycle", json_integer(INT(x->issue_cycle)));
    json_object_set_new(object, "instruction", insn);
    set_walk(object, c);
}

static void set_record(json_t *object, const failure *x) {
    const karat_rec_header *h = (const karat_rec_header *)x->record;
    char hex[2 * KARAT_REC_MAX_SIZE + 1];
    for (size_t i = 0; i < karat_rec_size(h->kind); i++)
        snprintf(hex + 2 * i, 3, "%02x", ((const uint8_t *)x->record)[i]);
    json_object_set_new(object, "record",
                        json_pack("{s:s, s:s}", "kind", karat_rec_name(h->kind), "bytes", hex));
}

static void set_rules(json_t *object, uint32_t rules) {
    json_t *names = json_array();
    for (; rules; rules &= rules - 1)
        json_array_append_new(names, json_string(karat_bridge_rule_name((unsigned)__builtin_ctz(rules))));
    json_object_set_new(object, "rule", names);
}

/* The translation of an address, as the model walks, and the core's. */
static void set_translation(json_t *object, const failure *x) {
    const page_walk *w = &x->walk;
    json_t *steps = json_array();
    for (uint32_t i = 0; i < w->num; i++)
        json_array_append_new(steps,
                              json_pack("{s:i, s:o, s:o}", "level", (int)(WALK_LEVELS - 1 - i), "addr",
                                        json_hex(w->step[i].addr), "entry", json_hex(w->step[i].entry)));
    json_t *walk = json_pack("{s:o, s:o}", "ptbr", json_hex(w->ptbr), "steps", steps);
    if (w->end.reason == KARAT_FAULT_NONE)
        json_object_set_new(walk, "phys", json_hex(w->phys));
    else
        json_object_set_new(walk, "fault", json_string(karat_fault_name(w->end.reason)));
    json_object_update_new(object, json_pack("{s:o, s:o}", "virt", json_hex(w->virt), "walk", walk));
    if (x->has_phys)
        json_object_set_new(object, "phys", json_hex(x->phys));
}

/* The words of a text up to a colon. */
static json_t *json_words(const char *text) {
    json_t *array = json_array();
    for (size_t n; n = strcspn(text, " :"), n; text += n + (text[n] == ' '))
        json_array_append_new(array, json_stringn(text, n));
    return array;
}

json_t *karat_json_failure(const karat_checker *c) {
    const failure *x = &c->failure;
    const karat_naming names = karat_naming_of(c);
    const karat_rec_header *h = (const karat_rec_header *)x->record;
    const char *shown = x->kind == FAIL_STRAY
                            ? karat_rec_name(h->kind)
                            : karat_failure_shown(x->kind == FAIL_HANG ? x->missing : x->kind);
    json_t *object = json_pack("{s:s, s:s, s:I, s:o, s:o}", "kind", karat_failure_name(x->kind), "detail",
                               x->detail, "cycle", INT(x->cycle), "records", json_words(shown), "fields",
                               json_words(strchr(shown, ':') ? strchr(shown, ':') + 2 : ""));
    if (x->lanes)
        json_object_set_new(object, "lanes", json_integer(x->lanes));
    if (x->rules)
        set_rules(object, x->rules);
    if (x->has_warp)
        set_warp(object, c, karat_slot_of_failure(c));
    if (x->has_insn)
        set_insn(object, c);
    if (x->has_walk)
        set_translation(object, x);
    if (c->places.num)
        json_object_set_new(object, "warps", karat_places_json(&c->places, &names));
    if (x->has_record)
        set_record(object, x);
    return object;
}

/* The places at which registers were used that nothing had written. */
static json_t *json_undefined(const karat_checker *c) {
    json_t *uses = json_array();
    for (uint32_t i = 0; i < c->num_undefined; i++) {
        const undefined_use *u = &c->undefined[i];
        json_array_append_new(uses, json_pack("{s:I, s:I, s:s, s:i, s:I}", "kernel", INT(u->kernel), "pc",
                                              INT(u->pc), "class", class_name(u->cls), "register", u->reg,
                                              "uses", INT(u->count)));
    }
    return uses;
}

/* The last deed of the machine. NULL: none. */
static json_t *json_last(const karat_checker *c) {
    const slot *last = karat_last_heard(c);
    if (!last)
        return NULL;
    const past *p = karat_past(last, last->num_history - 1);
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I, s:b}", "cycle", INT(last->last_event), "workgroup",
                               INT(last->workgroup), "warp", INT(last->warp), "sm", INT(last->sm), "slot",
                               INT(last->index), "ended", !last->live);
    if (p)
        json_object_update_new(object,
                               json_pack("{s:I, s:I, s:o}", "seq", INT(last->num_history - 1), "pc",
                                         INT(p->pc), "text", json_text(c, p->pc, p->prefix, p->word)));
    return object;
}

static json_t *json_further(const karat_checker *c, const further_failure *x) {
    json_t *object = json_pack("{s:s, s:s, s:I}", "kind", karat_failure_name(x->kind), "detail", x->detail,
                               "cycle", INT(x->cycle));
    if (x->has_warp)
        json_object_update_new(object, json_pack("{s:I, s:I, s:I, s:I, s:I}", "workgroup", INT(x->workgroup),
                                                 "warp", INT(x->warp), "sm", INT(x->sm), "slot", INT(x->slot),
                                                 "seq", INT(x->seq)));
    if (x->has_insn)
        json_object_update_new(object, json_pack("{s:I, s:o}", "pc", INT(x->pc), "text",
                                                 json_text(c, x->pc, x->prefix, x->word)));
    if (x->follows)
        json_object_set_new(object, "follows", json_integer(INT(x->follows_addr)));
    return object;
}

static json_t *json_defect(const karat_checker *c, const defect *d) {
    const karat_row *row = karat_row_info(d->signature.row);
    const char *kind = karat_failure_name(d->first.kind);
    char text[SIGNATURE_ROOM];
    karat_signature_text(&d->signature, kind, text, sizeof text);
    json_t *object = json_pack("{s:s, s:I, s:s, s:s, s:s, s:o}", "signature", text, "count", INT(d->count),
                               "kind", kind, "operands", d->signature.operands, "lanes", d->signature.lanes,
                               "first", json_further(c, &d->first));
    if (d->value.is_known)
        json_object_update_new(object, json_pack("{s:s, s:I, s:I, s:I}", "differs", d->signature.differs,
                                                 "lane", INT(d->value.lane), "model", INT(d->value.model),
                                                 "core", INT(d->value.core)));
    if (d->signature.producer)
        json_object_set_new(object, "producer", json_string(d->signature.producer->mnemonic));
    if (row)
        json_object_update_new(
            object, json_pack("{s:s, s:s}", "instruction", row->mnemonic, "section", row->section));
    return object;
}

/* Mismatches of each known bug. */
static json_t *json_known(const karat_checker *c) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < c->config.num_known; i++)
        json_object_set_new(object, c->config.known[i].name, json_integer(INT(c->known[i])));
    return object;
}

static json_t *json_counts(const checker_counts *n) {
    json_t *counts = json_object();
#define COUNT(name) json_object_set_new(counts, #name, json_integer(INT(n->name)))
    COUNT(warps), COUNT(instructions), COUNT(x), COUNT(v), COUNT(x0), COUNT(empty), COUNT(simt), COUNT(mem),
        COUNT(csr), COUNT(read), COUNT(audit), COUNT(arrive), COUNT(release), COUNT(exits), COUNT(adopted),
        COUNT(undefined), COUNT(lanes_differ), COUNT(lds_unwritten), COUNT(skipped_prefix), COUNT(lds_beyond),
        COUNT(pds_beyond), COUNT(records), COUNT(deep), COUNT(deviations), COUNT(ulp), COUNT(unordered),
        COUNT(reordered), COUNT(sc_failed), COUNT(lane_race), COUNT(unjudged);
#undef COUNT
    return counts;
}

bool karat_checker_report_json(const karat_checker *c, FILE *out) {
    if (!c || !out)
        return false;
    char text[KARAT_LINE_ROOM];
    const char *list[MAX_UNCHECKED];
    json_t *deviations = json_object(), *unchecked = json_array(), *further = json_array(),
           *defects = json_array();
    karat_checker_line(c, text, sizeof text);
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        json_object_set_new(deviations, karat_deviation_name(i), json_integer(INT(c->counts.deviated[i])));
    for (unsigned i = 0, num = karat_list_unchecked(c, list); i < num; i++)
        json_array_append_new(unchecked, json_string(list[i]));
    for (uint32_t i = 0; i < c->num_further; i++)
        json_array_append_new(further, json_further(c, &c->further[i]));
    for (uint32_t i = 0; i < c->num_defects; i++)
        json_array_append_new(defects, json_defect(c, &c->defects[i]));
    json_t *root = json_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:I, s:o, s:o, s:o}", "version", 1, "verdict",
                             karat_verdict_name(c->verdict), "status", (int)c->verdict, "line", text, "core",
                             c->hello_seen ? (const char *)c->hello.name : "", "program",
                             c->config.program ? c->config.program : "", "cycles", INT(c->cycle), "unchecked",
                             unchecked, "counts", json_counts(&c->counts), "deviations", deviations);
    json_t *last = json_last(c);
    if (last)
        json_object_set_new(root, "last", last);
    if (c->num_undefined)
        json_object_set_new(root, "undefined", json_undefined(c));
    if (c->failure.kind)
        json_object_set_new(root, "failure",
                            c->first_json ? json_incref(c->first_json) : karat_json_failure(c));
    if (c->num_further)
        json_object_set(root, "further", further);
    if (c->config.keep_going) {
        json_object_set_new(root, "mismatches", json_integer(INT(c->num_mismatches)));
        json_object_set(root, "defects", defects);
    }
    if (c->config.num_known)
        json_object_set_new(root, "known", json_known(c));
    if (karat_has_rerun(c))
        json_object_set_new(root, "rerun", json_string(c->config.rerun));
    const bool ok = root && json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    json_decref(further);
    json_decref(defects);
    return ok;
}
