/* The stream: the form of records, and who takes them. */
#include "any.h"
#include "faults.h"
#include "freeze.h"
#include "held.h"
#include "records.h"

#include <inttypes.h>

/* Whether some lane's bytes are in two pages. */
static bool crosses_page(const karat_rec_access *r) {
    for (uint32_t m = r->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m), bytes = r->bytes[lane];
        if (!bytes)
            continue; /* that is the core's fault (memory.c) */
        const uint64_t first = r->phys[lane] + (uint32_t)__builtin_ctz(bytes),
                       last = r->phys[lane] + 31 - (uint32_t)__builtin_clz(bytes);
        if ((first ^ last) >> 12)
            return true;
    }
    return false;
}

/* The same of a HELLO. */
static const char *malformed_hello(const karat_rec_hello *r) {
    enum {
        PROPS = KARAT_PROP_COHERENT | KARAT_PROP_FLUSHED | KARAT_PROP_INTERLOCKED | KARAT_PROP_ASCENDING |
                KARAT_PROP_READS_MORE | KARAT_PROP_PRINTS | KARAT_PROP_SV39
    };
    if (r->version != KARAT_PORT_VERSION)
        return NULL; /* karat_check_hello() says which one it is */
    return r->mem_order > KARAT_ORDER_PERFORMED          ? "mem_order"
           : r->gives >> KARAT_REC_KINDS || r->gives & 1 ? "gives"
           : r->props & ~(uint32_t)PROPS                 ? "props"
                                                         : NULL;
}

static const char *malformed_tlb(const karat_rec_tlb *r) {
    return r->action > KARAT_TLB_FAULT                                        ? "action"
           : r->tlb > KARAT_TLB_SHARED                                        ? "tlb"
           : r->level > KARAT_LEVEL_ALL - (r->action != KARAT_TLB_INVALIDATE) ? "level"
           : r->action != KARAT_TLB_FAULT                                     ? NULL
           : r->access > KARAT_ACCESS_STORE                                   ? "access"
           : r->reason > KARAT_PAGE_NOT_DIRTY                                 ? "reason"
                                                                              : NULL;
}

static const char *malformed_mem(const karat_rec_mem *r) {
    return r->match > KARAT_MATCH_OTHER            ? "match"
           : r->op > KARAT_MEM_AMO                 ? "op"
           : r->space > KARAT_SPACE_PRIVATE        ? "space"
           : r->no_data > (r->op == KARAT_MEM_AMO) ? "no_data"
                                                   : NULL;
}

/* An ACCESS has the fields of a MEM first (port.h). */
static const char *malformed_access(const karat_any *r) {
    const char *field = malformed_mem(&r->mem);
    return field ? field : crosses_page(&r->access) ? "bytes" : NULL;
}

/* A field that holds a value that the port does not define, or NULL.  A core that sends such a record says something
 * that the checker would not understand. */
static const char *malformed(const karat_any *r) {
    switch (r->h.kind) {
    case KARAT_REC_HELLO: return malformed_hello(&r->hello);
    case KARAT_REC_LAUNCH:
        return r->launch.csr_given >> 12 ? "csr_given" : r->launch.regs > KARAT_REGS_UNKNOWN ? "regs" : NULL;
    case KARAT_REC_ISSUE: return r->issue.prefix_kind > KARAT_PREFIX_UNKNOWN ? "prefix_kind" : NULL;
    case KARAT_REC_READ: return r->read.bits > 32 ? "bits" : r->read.source > 3 ? "source" : NULL;
    case KARAT_REC_WRITE:
    case KARAT_REC_PAIR: return r->write.match > KARAT_MATCH_OTHER ? "match" : NULL;
    case KARAT_REC_SIMT: return r->simt.top_valid > 1 ? "top_valid" : NULL;
    case KARAT_REC_MEM: return malformed_mem(&r->mem);
    case KARAT_REC_ACCESS: return malformed_access(r);
    case KARAT_REC_PRINT: return r->print.stop > KARAT_PRINT_NO_BUFFER ? "stop" : NULL;
    case KARAT_REC_TLB: return malformed_tlb(&r->tlb);
    default: return NULL;
    }
}

bool karat_check_form(karat_checker *c, const void *record, size_t size) {
    enum {
        OF_BENCH = 1 << KARAT_REC_HELLO | 1 << KARAT_REC_REGION | 1 << KARAT_REC_HOST |
                   1 << KARAT_REC_HOSTCSR | 1 << KARAT_REC_KERNEL | 1 << KARAT_REC_BYE |
                   1 << KARAT_REC_CONTENTS | 1 << KARAT_REC_PRINT | 1 << KARAT_REC_PAGING,
        /* Nothing can be compared without these: where the core does not provide them, they are what somebody has made of its log. */
        INFERRED = 1 << KARAT_REC_LAUNCH | 1 << KARAT_REC_ISSUE
    };
    const karat_rec_header *h = record;
    if (!h || size < sizeof *h || size != karat_rec_size(h->kind)) /* 0 of what is no kind */
        return karat_fail(c, FAULT(FAIL_STREAM),
                          "record %" PRIu64 ": kind %u of %zu bytes is no record of version %d",
                          c->counts.records, !h || size < 1 ? 0 : h->kind, size, KARAT_PORT_VERSION);
    if (!c->hello_seen && h->kind != KARAT_REC_HELLO)
        return karat_fail(c, FAULT(FAIL_STREAM), "%s before HELLO", karat_rec_name(h->kind));
    const char *field = h->flags ? "flags" : malformed(record);
    if (field)
        return karat_fail(c, FAULT(FAIL_STREAM), "record %" PRIu64 ": %s: field %s is out of range",
                          c->counts.records, karat_rec_name(h->kind), field);
    if (h->cycle < c->cycle)
        return karat_fail(c, FAULT(FAIL_STREAM), "%s at cycle %" PRIu64 " after cycle %" PRIu64,
                          karat_rec_name(h->kind), h->cycle, c->cycle);
    c->cycle = h->cycle;
    if (OF_BENCH >> h->kind & 1)
        return false;
    if (!c->kernel_seen)
        return karat_fail(c, FAULT(FAIL_STRAY, NULL, NULL, record),
                          "%s in cycle %" PRIu64 ", before any KERNEL", karat_rec_name(h->kind), h->cycle);
    return !(INFERRED >> h->kind & 1) && !(c->hello.gives >> h->kind & 1) &&
           karat_fail(c, FAULT(FAIL_STREAM), "%s, which HELLO says the core does not provide",
                      karat_rec_name(h->kind));
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

static void note_gap(karat_checker *c, unsigned gap, bool is_one) {
    c->gaps |= (uint32_t)is_one << gap;
}

/* A part that a record of a provided kind leaves out. */
static void note_gaps(karat_checker *c, const karat_any *r) {
    enum { ALL_CSRS = (1u << KARAT_LAUNCH_MSTATUS) - 1 }; /* mstatus is not compared */
    const bool gives = karat_gives(c, r->h.kind);
    switch (r->h.kind) {
    case KARAT_REC_HELLO:
        note_gap(c, GAP_MEM_ORDER,
                 karat_gives(c, KARAT_REC_MEM) && c->hello.mem_order != KARAT_ORDER_PERFORMED);
        break;
    case KARAT_REC_LAUNCH:
        note_gap(c, GAP_LAUNCH_CSR, gives && (r->launch.csr_given & ALL_CSRS) != ALL_CSRS);
        note_gap(c, GAP_RANGES,
                 gives && !(r->launch.sgpr_size && r->launch.vgpr_size &&
                            (r->launch.lds_size || !c->kernel.lds_size)));
        break;
    case KARAT_REC_ISSUE:
        note_gap(c, GAP_PREFIX, gives && r->issue.prefix_kind == KARAT_PREFIX_UNKNOWN);
        break;
    case KARAT_REC_WRITE:
    case KARAT_REC_PAIR: note_gap(c, GAP_SEQ, r->write.match != KARAT_MATCH_SEQ); break;
    case KARAT_REC_SIMT: note_gap(c, GAP_TOP, r->simt.depth && !r->simt.top_valid); break;
    case KARAT_REC_MEM:
    case KARAT_REC_ACCESS:
        note_gap(c, GAP_SEQ, r->mem.match != KARAT_MATCH_SEQ);
        note_gap(c, GAP_SPACE, r->mem.space == KARAT_SPACE_UNKNOWN);
        note_gap(c, GAP_AMO_DATA, r->mem.no_data != 0);
        break;
    default: break;
    }
}

/* Of a warp that is not compared, now or any more. */
static bool is_aside(karat_checker *c, const void *record) {
    return (c->num_faulting && karat_faulting_record(c, record)) ||
           (c->num_frozen && karat_frozen_record(c, record));
}

bool karat_checker_record(void *checker, const void *record, size_t size) {
    karat_checker *c = checker;
    if (!c || c->done || karat_check_form(c, record, size))
        return true;
    bool stop;
    const bool aside = (c->num_faulting | c->num_frozen) && is_aside(c, record);
    if (!aside && (!c->num_holding || !karat_intercept(c, record, size, &stop)))
        karat_check_record(c, record);
    note_gaps(c, record);
    c->counts.records++;
    return c->done;
}
