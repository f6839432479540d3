/* Dispatch of records, failures, flights. */
#include "state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FLIGHT_BLOCK 64

typedef struct flight_block {
    struct flight_block *next;
    flight flights[FLIGHT_BLOCK];
} flight_block;

void karat_check_config_default(karat_check_config *config) {
    if (!config)
        return;
    memset(config, 0, sizeof *config);
    karat_config_default(&config->model);
    config->hang_cycles = 100000;
    config->max_failures = 1;
}

const char *karat_check_strict_word(unsigned i) {
    static const char *const words[] = {"registers", "lanes", "lds", "races", "scalars", "flags", "lds-size"};
    _Static_assert((1 << sizeof words / sizeof *words) - 1 == KARAT_STRICT_ALL, "words go by bit");
    return i < sizeof words / sizeof *words ? words[i] : NULL;
}

bool karat_check_strict(const char *list, uint32_t *strict) {
    if (!list || !strict)
        return false;
    for (const char *word = list;; word++) {
        const size_t length = strcspn(word, ",");
        unsigned i = 0;
        const char *known;
        while ((known = karat_check_strict_word(i)) &&
               (strlen(known) != length || strncmp(known, word, length) != 0))
            i++;
        if (!known)
            return false;
        *strict |= 1u << i;
        word += length;
        if (!*word)
            return true;
    }
}

const char *karat_check_strict_warning(uint32_t strict, const karat_commit *commit) {
    if (!commit)
        return NULL;
    if (commit->warnings & KARAT_WARN_LANES_DIFFER && strict & KARAT_STRICT_LANES)
        return "the lanes of the register that it moves differ";
    if (commit->warnings & KARAT_WARN_LDS_UNWRITTEN && strict & KARAT_STRICT_LDS)
        return "it loads local memory that nothing has written";
    if (commit->warnings & KARAT_WARN_LDS_BEYOND && strict & KARAT_STRICT_LDS_SIZE)
        return "it uses local memory that the launch does not declare (ldsSize, and its local buffers)";
    return NULL;
}

karat_checker *karat_checker_create(const karat_check_config *config) {
    karat_checker *c = config ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->config = *config;
    c->verdict = KARAT_INCOMPLETE;
    c->fence_row = karat_find_row("fence");
    if (!karat_make_bounds(c) || (config->keep_going && !karat_defects_init(c))) {
        karat_checker_destroy(c);
        return NULL;
    }
    return c;
}

void karat_checker_destroy(karat_checker *c) {
    if (!c)
        return;
    karat_destroy(c->model);
    karat_order_destroy(c->order);
    karat_races_destroy(c->races);
    karat_flags_destroy(c->flags);
    karat_scalars_destroy(c->scalars);
    for (uint32_t i = 0; c->slots && i < c->num_slots; i++)
        free(c->slots[i].held);
    free(c->ulp);
    free(c->slots);
    free(c->groups);
    free(c->started);
    free(c->locals);
    free(c->local_bytes);
    free(c->regions);
    free(c->further);
    free(c->touched);
    free(c->doubted);
    free(c->defects);
    karat_places_free(&c->places);
    karat_report_drop(c);
    while (c->blocks) {
        flight_block *next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
    free(c);
}

const char *karat_failure_name(failure_kind kind) {
    static const char *const names[FAIL_KINDS] = {[FAIL_NONE] = "none",
#define DO(id, text) [FAIL_##id] = text,
                                                  FAILURES(DO)
#undef DO
    };
    return names[kind];
}

static karat_verdict verdict_of(failure_kind kind) {
    switch (kind) {
    case FAIL_STREAM:
    case FAIL_NO_MEMORY: return KARAT_BAD_INPUT;
    case FAIL_PROGRAM:
    case FAIL_UNDEFINED: return KARAT_VERDICT_PROGRAM_ERROR;
    case FAIL_HANG: return KARAT_HANG;
    case FAIL_INCOMPLETE: return KARAT_INCOMPLETE;
    default: return KARAT_MISMATCH;
    }
}

/* Whether such a failure may come of a value that a race has made another than the model's: what is done
 * with values, not what is owed for an instruction whatever they are. */
static bool is_of_values(const karat_checker *c, failure_kind kind, const flight *f) {
    switch (kind) {
    case FAIL_READ:
    case FAIL_ISSUE_PC:
    case FAIL_ISSUE_MASK:
    case FAIL_SIMT:
    case FAIL_CSR:
    case FAIL_PRINT:
    case FAIL_PRINT_UNEXPECTED:
    case FAIL_PRINT_MISSING:
    case FAIL_MEM_DATA:
    case FAIL_MEM_ADDRESS:
    case FAIL_MEM_LANES:
    case FAIL_MEM_SPACE:
    case FAIL_PROGRAM: return true;
    case FAIL_MEM_UNEXPECTED:
    case FAIL_MEM_MISSING: return f && karat_row_info(f->commit.row)->unit != KARAT_UNIT_AMO; /* a mask */
    case FAIL_MEMORY: return !karat_gives(c, KARAT_REC_MEM); /* else MEM has told what was stored */
    default: return false;
    }
}

/* Why a failure may be none: a value that a race has made another than the model's, and that no WRITE tells, or not yet. NULL: it
 * is one. */
static const char *excuse(const karat_checker *c, failure_kind kind, const slot *s, const flight *f) {
    const bool of_values = is_of_values(c, kind, f), has_mem = f && f->commit.has_mem;
    if (c->raced && of_values)
        return "warps race, and the core gives no WRITE: this may come of a value that no record has told";
    /* Results, and, under another mask, that they come or do not. */
    const bool of_result = kind >= FAIL_WRITE_VALUE && kind <= FAIL_WRITE_MISSING;
    if (!of_values && !of_result && kind != FAIL_MEM_UNEXPECTED && kind != FAIL_MEMORY)
        return NULL;
    if (c->late_mem)
        return "MEMs came before READs of addresses that they wait for: the order of memory accesses is not "
               "known";
    if (s && karat_is_used_early(c, s, f, has_mem))
        return "warps race, and what one has loaded was used before its WRITE: this may come of a value that "
               "no record has told yet";
    return NULL;
}

/* Whether a record says which instruction it is of. */
static bool names_instruction(const void *record, uint32_t *seq) {
    switch (((const karat_rec_header *)record)->kind) {
    case KARAT_REC_READ: *seq = ((const karat_rec_read *)record)->seq; return true;
    case KARAT_REC_SIMT: *seq = ((const karat_rec_simt *)record)->seq; return true;
    case KARAT_REC_CSR: *seq = ((const karat_rec_csr *)record)->seq; return true;
    case KARAT_REC_WRITE: {
        const karat_rec_write *r = record;
        *seq = r->seq;
        return r->match == KARAT_MATCH_SEQ;
    }
    case KARAT_REC_MEM: {
        const karat_rec_mem *r = record;
        *seq = r->seq;
        return r->match == KARAT_MATCH_SEQ;
    }
    default: return false;
    }
}

/* An instruction of which too much comes, or none of that kind: what the warp's history has of it, where it is not at hand. */
static void describe_past(failure *x, const slot *s, uint32_t seq) {
    const past *p = karat_past(s, seq), *next = karat_past(s, seq + 1);
    if (!p)
        return;
    x->has_insn = x->is_past = true;
    x->seq = seq;
    x->commit = (karat_commit){.row = KARAT_NO_ROW,
                               .pc = p->pc,
                               .word = p->word,
                               .prefix = p->prefix,
                               .mask_before = p->mask,
                               .mask_after = next ? next->mask : p->mask};
}

/* All of a failure but what differs. */
static void describe(const karat_checker *c, failure *x, failure_kind kind, const slot *s, const flight *f,
                     const void *record) {
    uint32_t seq = 0;
    const bool named = s && !f && record && names_instruction(record, &seq);
    const karat_rec_header *h = record;
    if (named)
        f = karat_flight_recent(s, h->epoch, seq);
    x->kind = kind;
    x->cycle = x->look_at = c->cycle;
    if (s) {
        x->has_warp = true;
        x->sm = s->sm;
        x->slot = s->index;
        x->workgroup = s->workgroup;
        x->warp = s->warp;
        x->epoch = s->epoch;
        x->seq = s->next_seq;
        karat_warp_view view;
        bool present =
            !f || f->epoch == s->epoch; /* else the slot has a new owner: the stack is not of this warp */
        if (present && karat_view(c->model, s->handle, &view) == KARAT_OK) {
            x->depth = view.depth;
            memcpy(x->stack, view.stack, view.depth * sizeof *x->stack);
        }
    }
    if (f) {
        x->has_insn = true;
        x->commit = f->commit;
        x->seq = f->seq;
        x->epoch = f->epoch;
        x->workgroup = f->workgroup;
        x->warp = f->warp;
        x->issue_cycle = f->cycle;
        x->read_alike = f->read_alike;
    } else if (named && h->epoch == s->epoch) {
        describe_past(x, s, seq);
    }
    if (record) {
        x->has_record = true;
        memcpy(x->record, record, karat_rec_size(((const karat_rec_header *)record)->kind));
    }
}

bool karat_no_memory(karat_checker *c, const slot *s) {
    return karat_fail(c, FAIL_NO_MEMORY, s, NULL, NULL, "out of memory, the checker cannot go on");
}

bool karat_fail(karat_checker *c, failure_kind kind, const slot *s, const flight *f, const void *record,
                const char *format, ...) {
    if (c->done)
        return true;
    failure *x = &c->failure;
    const bool first = !c->num_failed++;
    char further[sizeof c->further->detail];
    char *detail = first ? x->detail : further;
    va_list args;
    va_start(args, format);
    vsnprintf(detail, first ? sizeof x->detail : sizeof further, format, args);
    va_end(args);
    karat_verdict verdict = verdict_of(kind);
    const char *why = excuse(c, kind, s, f);
    if (why) {
        karat_append(detail, first ? sizeof x->detail : sizeof further, "\n%s", why);
        verdict = KARAT_INCOMPLETE;
        c->keeps = false;
    }
    if (first) {
        describe(c, x, kind, s, f, record);
        karat_note_places(c, kind, f);
        c->verdict = verdict;
    }
    const bool mismatch = verdict == KARAT_MISMATCH, keeps = c->keeps; /* of a mismatch alone */
    if (c->config.keep_going && mismatch)
        karat_note_defect(c, kind, s, f, detail);
    else if (!first && kind != FAIL_INCOMPLETE)
        karat_note_further(c, kind, s, f, detail);
    c->keeps = false;
    c->kept_lanes = 0;
    c->done = !keeps && ((first && !mismatch) || !karat_freeze(c, s, f, record));
    return true;
}

void karat_suspect(const karat_checker *c, failure *x, failure_kind kind, const slot *s, const flight *f,
                   const char *text) {
    memset(x, 0, sizeof *x);
    snprintf(x->detail, sizeof x->detail, "%s", text);
    describe(c, x, kind, s, f, NULL);
}

bool karat_fail_as(karat_checker *c, const failure *x) {
    if (c->num_failed)
        return karat_fail(c, x->kind, NULL, NULL, NULL, "%s", x->detail);
    c->num_failed++;
    c->failure = *x;
    c->verdict = verdict_of(x->kind);
    return c->done = true;
}

bool karat_fail_in(karat_checker *c, uint32_t lanes) {
    if (c->num_failed == 1)
        c->failure.lanes = lanes & karat_all_lanes(c); /* a core may name some that it has not */
    return true;
}

bool karat_fail_lanes(karat_checker *c, unsigned cls, unsigned reg, uint32_t lanes) {
    if (c->num_failed == 1) {
        c->failure.cls = (uint8_t)cls;
        c->failure.reg = (uint16_t)reg;
    }
    return karat_fail_in(c, lanes);
}

/* --- Flights --- */

flight *karat_flight_new(karat_checker *c) {
    if (!c->free_flights) {
        /* More in flight than ever before: grow once, keep for good. */
        flight_block *block = malloc(sizeof *block);
        if (!block)
            return NULL;
        block->next = c->blocks;
        c->blocks = block;
        for (unsigned i = 0; i < FLIGHT_BLOCK; i++) {
            block->flights[i].next = c->free_flights;
            c->free_flights = &block->flights[i];
        }
    }
    flight *f = c->free_flights;
    c->free_flights = f->next;
    f->next = NULL;
    return f;
}

flight *karat_flight_find(const slot *s, uint32_t epoch, uint32_t seq) {
    for (flight *f = s->oldest; f; f = f->next)
        if (f->seq == seq && f->epoch == epoch)
            return f;
    return NULL;
}

flight *karat_flight_recent(const slot *s, uint32_t epoch, uint32_t seq) {
    flight *f = karat_flight_find(s, epoch, seq);
    for (uint32_t i = 0; i < NUM_SETTLED; i++)
        if (s->settled[i] && s->settled[i]->seq == seq && s->settled[i]->epoch == epoch)
            f = s->settled[i];
    return f;
}

bool karat_flight_owes_write(const flight *f) {
    for (uint32_t i = 0; i < f->commit.num_writes; i++)
        if (f->owes_write[i])
            return true;
    return false;
}

bool karat_flight_owes(const flight *f) {
    return karat_flight_owes_write(f) || f->mem_bytes || f->owes_simt || f->owes_csr || f->owes_arrive ||
           f->owes_exit;
}

void karat_flight_drop(karat_checker *c, flight *f) {
    f->next = c->free_flights;
    c->free_flights = f;
}

void karat_flight_memory(const flight *f, char *text, size_t size) {
    const karat_access *first = f->commit.mem.access;
    uint32_t lanes = 0;
    for (uint32_t k = f->commit.mem.num; k-- > 0;)
        if (f->mem_left[k]) {
            first = &f->commit.mem.access[k];
            lanes |= 1u << first->lane;
        }
    snprintf(text, size,
             "%u bytes of its memory accesses, lanes %08" PRIx32 ", first lane %u at 0x%08" PRIx64,
             f->mem_bytes, lanes, first->lane, first->addr);
}

failure_kind karat_flight_debt(const flight *f, char *text, size_t size) {
    for (uint32_t i = 0; i < f->commit.num_writes; i++)
        if (f->owes_write[i]) {
            snprintf(text, size, "the write of %c%u, lanes %08" PRIx32, f->commit.write[i].cls ? 'v' : 'x',
                     f->commit.write[i].reg, f->owes_write[i]);
            return FAIL_WRITE_MISSING;
        }
    if (f->owes_simt) {
        snprintf(text, size, "its SIMT outcome");
        return FAIL_SIMT_MISSING;
    }
    if (f->owes_csr) {
        snprintf(text, size, "its write of CSR %s", karat_csr_name(f->commit.csr));
        return FAIL_CSR_MISSING;
    }
    if (f->owes_arrive) {
        snprintf(text, size, "its arrival at the barrier");
        return FAIL_BARRIER_MISSING;
    }
    if (f->owes_exit) {
        snprintf(text, size, "the end of the warp (EXIT)");
        return FAIL_EXIT_MISSING;
    }
    karat_flight_memory(f, text, size);
    return FAIL_MEM_MISSING;
}

void karat_flight_settle(karat_checker *c, slot *s, flight *f) {
    if (f == s->youngest || karat_flight_owes(f))
        return;
    flight **link = &s->oldest;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    s->in_flight--;
    flight **kept = karat_order_may_store(c, f) ? &s->failed_sc[s->num_failed_sc++ % NUM_FAILED_SC]
                                                : &s->settled[s->num_settled++ % NUM_SETTLED];
    if (*kept) {
        (*kept)->next = c->free_flights;
        c->free_flights = *kept;
    }
    *kept = f;
}

void karat_flight_revive(slot *s, flight *f) {
    flight **link = &s->oldest;
    while (*link && (*link)->at.step < f->at.step)
        link = &(*link)->next;
    f->next = *link;
    *link = f;
    s->in_flight++;
}

/* --- Slots --- */

/* The probe says of whom a record is as the core has it; HOSTCSR and PRINT are the test bench's. */
static failure_kind stray(const karat_rec_header *h) {
    return h->kind == KARAT_REC_HOSTCSR || h->kind == KARAT_REC_PRINT ? FAIL_STREAM : FAIL_STRAY;
}

bool karat_check_slot(karat_checker *c, const karat_rec_header *h) {
    return (h->sm >= c->hello.num_sm || h->slot >= c->hello.num_warp) &&
           karat_fail(c, stray(h), NULL, NULL, h,
                      "%s in cycle %" PRIu64 ": sm %u slot %u; HELLO says %u SMs of %u slots",
                      karat_rec_name(h->kind), h->cycle, h->sm, h->slot, c->hello.num_sm, c->hello.num_warp);
}

/* Whether a record is of something that a warp does: not of what its registers hold, nor of a result that is none. */
static bool gets_further(const karat_rec_header *h) {
    switch (h->kind) {
    case KARAT_REC_AUDIT: return false;
    case KARAT_REC_MEM: return ((const karat_rec_mem *)h)->mask != 0;
    case KARAT_REC_WRITE: {
        const karat_rec_write *r = (const karat_rec_write *)h;
        return r->mask && (r->cls != KARAT_X || r->regno);
    }
    default: return true;
    }
}

slot *karat_slot_of(karat_checker *c, const karat_rec_header *h) {
    if (karat_check_slot(c, h))
        return NULL;
    slot *s = &c->slots[h->sm * c->hello.num_warp + h->slot];
    if (!s->launched) {
        karat_fail(c, stray(h), NULL, NULL, h, "%s in cycle %" PRIu64 ": sm %u slot %u was never launched",
                   karat_rec_name(h->kind), h->cycle, h->sm, h->slot);
        return NULL;
    }
    /* Only MEM may come under an epoch that is over. */
    if (h->epoch != s->epoch && !(h->kind == KARAT_REC_MEM && h->epoch < s->epoch)) {
        karat_fail(c, stray(h), s, NULL, h, "%s: epoch %" PRIu32 "; the slot is in epoch %" PRIu32,
                   karat_rec_name(h->kind), h->epoch, s->epoch);
        return NULL;
    }
    if (gets_further(h))
        s->last_event = h->cycle;
    return s;
}

/* A field that holds what version 1 does not define, or NULL.  A core that sends such a record says something
 * that the checker would not understand. */
static const char *malformed(const void *record) {
    switch (((const karat_rec_header *)record)->kind) {
    case KARAT_REC_HELLO: {
        const karat_rec_hello *r = record;
        return r->mem_order > KARAT_ORDER_PERFORMED          ? "mem_order"
               : r->gives >> KARAT_REC_KINDS || r->gives & 1 ? "gives"
               : r->props & ~(uint32_t)(KARAT_PROP_COHERENT | KARAT_PROP_FLUSHED | KARAT_PROP_INTERLOCKED |
                                        KARAT_PROP_ASCENDING | KARAT_PROP_READS_MORE | KARAT_PROP_PRINTS)
                   ? "props"
                   : NULL;
    }
    case KARAT_REC_LAUNCH: {
        const karat_rec_launch *r = record;
        return r->csr_given >> 12 ? "csr_given" : r->regs > KARAT_REGS_UNKNOWN ? "regs" : NULL;
    }
    case KARAT_REC_ISSUE:
        return ((const karat_rec_issue *)record)->prefix_kind > KARAT_PREFIX_UNKNOWN ? "prefix_kind" : NULL;
    case KARAT_REC_READ: {
        const karat_rec_read *r = record;
        return r->bits > 32 ? "bits" : r->source > 3 ? "source" : NULL;
    }
    case KARAT_REC_WRITE:
        return ((const karat_rec_write *)record)->match > KARAT_MATCH_OTHER ? "match" : NULL;
    case KARAT_REC_SIMT: return ((const karat_rec_simt *)record)->top_valid > 1 ? "top_valid" : NULL;
    case KARAT_REC_MEM: {
        const karat_rec_mem *r = record;
        return r->match > KARAT_MATCH_OTHER            ? "match"
               : r->op > KARAT_MEM_AMO                 ? "op"
               : r->space > KARAT_SPACE_PRIVATE        ? "space"
               : r->no_data > (r->op == KARAT_MEM_AMO) ? "no_data"
                                                       : NULL;
    }
    case KARAT_REC_PRINT:
        return ((const karat_rec_print *)record)->stop > KARAT_PRINT_NO_BUFFER ? "stop" : NULL;
    default: return NULL;
    }
}

/* --- The stream --- */

bool karat_check_record(karat_checker *c, const void *record) {
    switch (((const karat_rec_header *)record)->kind) {
#define CASE(name, NAME, kind, bytes)                                                                        \
    case KARAT_REC_##NAME: return karat_check_##name(c, record);
        KARAT_REC_EACH(CASE)
#undef CASE
    }
    return false;
}

bool karat_check_form(karat_checker *c, const void *record, size_t size) {
    const karat_rec_header *h = record;
    if (!h || size < sizeof *h || size != karat_rec_size(h->kind)) /* 0 of what is no kind */
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "record %" PRIu64 ": kind %u of %zu bytes is no record of version %d",
                          c->counts.records, !h || size < 1 ? 0 : h->kind, size, KARAT_PORT_VERSION);
    if (!c->hello_seen && h->kind != KARAT_REC_HELLO)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "%s before HELLO", karat_rec_name(h->kind));
    const char *field = h->flags ? "flags" : malformed(record);
    if (field)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "record %" PRIu64 ": %s: field %s is out of range", c->counts.records,
                          karat_rec_name(h->kind), field);
    if (h->cycle < c->cycle)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "%s at cycle %" PRIu64 " after cycle %" PRIu64,
                          karat_rec_name(h->kind), h->cycle, c->cycle);
    c->cycle = h->cycle;
    bool probe = h->kind != KARAT_REC_BYE && h->kind != KARAT_REC_CONTENTS && h->kind != KARAT_REC_REGION &&
                 h->kind != KARAT_REC_HOST && h->kind != KARAT_REC_HOSTCSR && h->kind != KARAT_REC_KERNEL &&
                 h->kind != KARAT_REC_PRINT && h->kind != KARAT_REC_HELLO;
    if (probe && !c->kernel_seen)
        return karat_fail(c, FAIL_STRAY, NULL, NULL, record, "%s in cycle %" PRIu64 ", before any KERNEL",
                          karat_rec_name(h->kind), h->cycle);
    /* Nothing can be compared without LAUNCH and ISSUE: where the core does not give them, they are what somebody
     * has made of its log. */
    bool inferred = h->kind == KARAT_REC_LAUNCH || h->kind == KARAT_REC_ISSUE;
    if (probe && !inferred && !karat_gives(c, h->kind))
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "%s, which HELLO says the core does not give",
                          karat_rec_name(h->kind));
    return false;
}

/* What a record leaves out, of a kind that the core gives. */
static void note_gaps(karat_checker *c, const void *record) {
    enum { ALL_CSRS = (1u << KARAT_LAUNCH_MSTATUS) - 1 }; /* mstatus is not compared */
    switch (((const karat_rec_header *)record)->kind) {
    case KARAT_REC_HELLO:
        c->gaps |= (uint32_t)(karat_gives(c, KARAT_REC_MEM) && c->hello.mem_order != KARAT_ORDER_PERFORMED)
                   << GAP_MEM_ORDER;
        break;
    case KARAT_REC_LAUNCH: {
        const karat_rec_launch *r = record;
        const bool ranges = r->sgpr_size && r->vgpr_size && (r->lds_size || !c->kernel.lds_size);
        if (karat_gives(c, KARAT_REC_LAUNCH))
            c->gaps |= (uint32_t)((r->csr_given & ALL_CSRS) != ALL_CSRS) << GAP_LAUNCH_CSR |
                       (uint32_t)!ranges << GAP_RANGES;
        break;
    }
    case KARAT_REC_ISSUE:
        c->gaps |= (uint32_t)(karat_gives(c, KARAT_REC_ISSUE) &&
                              ((const karat_rec_issue *)record)->prefix_kind == KARAT_PREFIX_UNKNOWN)
                   << GAP_PREFIX;
        break;
    case KARAT_REC_WRITE:
        c->gaps |= (uint32_t)(((const karat_rec_write *)record)->match != KARAT_MATCH_SEQ) << GAP_SEQ;
        break;
    case KARAT_REC_SIMT: {
        const karat_rec_simt *r = record;
        c->gaps |= (uint32_t)(r->depth && !r->top_valid) << GAP_TOP;
        break;
    }
    case KARAT_REC_MEM: {
        const karat_rec_mem *r = record;
        c->gaps |= (uint32_t)(r->match != KARAT_MATCH_SEQ) << GAP_SEQ |
                   (uint32_t)(r->space == KARAT_SPACE_UNKNOWN) << GAP_SPACE |
                   (uint32_t)(r->no_data != 0) << GAP_AMO_DATA;
        break;
    }
    default: break;
    }
}

bool karat_checker_record(void *checker, const void *record, size_t size) {
    karat_checker *c = checker;
    if (!c || c->done || karat_check_form(c, record, size))
        return true;
    bool stop;
    const bool frozen = c->num_frozen && karat_frozen_record(c, record);
    if (!frozen && (!c->num_holding || !karat_intercept(c, record, size, &stop)))
        karat_check_record(c, record);
    note_gaps(c, record);
    c->counts.records++;
    return c->done;
}

bool karat_checker_object(karat_checker *c, uint64_t cycle, const char *text) {
    if (!c)
        return true;
    if (cycle > c->cycle)
        c->cycle = cycle;
    char quoted[512]; /* what simulators say has names in it */
    karat_quote(text ? text : "(no text)", quoted, sizeof quoted);
    return karat_fail(c, FAIL_BENCH, NULL, NULL, NULL, "%s", quoted);
}

void karat_checker_cut(karat_checker *c, const char *text) {
    if (!c || (!c->done && karat_release_held(c, c->cycle, true)))
        return; /* what waits behind a step is still judged */
    karat_fail(c, FAIL_INCOMPLETE, NULL, NULL, NULL, "%s", text ? text : "(no text)");
}

uint64_t karat_checker_look_at(const karat_checker *c) {
    return !c ? 0 : c->failure.kind ? c->failure.look_at : c->cycle;
}

karat_verdict karat_checker_verdict(const karat_checker *c) {
    return c ? c->verdict : KARAT_BAD_INPUT;
}
