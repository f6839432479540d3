/* The stream: the form of records, and who takes them. */
#include "records.h"
#include "freeze.h"
#include "held.h"

#include <inttypes.h>

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

bool karat_check_record(karat_checker *c, const void *record) {
    switch (((const karat_rec_header *)record)->kind) {
#define CASE(name, NAME, kind, bytes)                                                                        \
    case KARAT_REC_##NAME: return karat_check_##name(c, record);
        KARAT_REC_EACH(CASE)
#undef CASE
    }
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
