/* The stream: the form of records, and who takes them. */
#include "records.h"

#include <inttypes.h>

/* Whether some lane's bytes are in two pages. */
static bool crosses_page(const karat_rec_access *r) {
    for (uint32_t m = r->mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m), bytes = r->bytes[lane];
        if (!bytes)
            continue; /* That is the core's fault (mem.c) */
        const uint64_t first = r->phys[lane] + (uint32_t)__builtin_ctz(bytes),
                       last = r->phys[lane] + 31 - (uint32_t)__builtin_clz(bytes);
        if ((first ^ last) >> 12)
            return true;
    }
    return false;
}

/* A field that is wrong, where its value alone is not enough to tell; or NULL. */
static const char *wrong_field(const karat_any *r) {
    return r->h.kind == KARAT_REC_ACCESS && crosses_page(&r->access) ? "bytes" : NULL;
}

bool karat_check_form(karat_checker *c, const void *record, size_t size) {
    const karat_rec_header *h = record;
    if (!h || size < sizeof *h || size != karat_rec_size(h->kind)) /* 0 of what is no kind */
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "record %" PRIu64 ": kind %u of %zu bytes is no record of version %d",
                          c->counts.records, !h || size < 1 ? 0 : h->kind, size, KARAT_PORT_VERSION);
    if (!c->hello_seen && h->kind != KARAT_REC_HELLO)
        return karat_fail(c, BLAME(FAIL_STREAM), "%s before HELLO", karat_rec_name(h->kind));
    const karat_any *r = record;
    const bool foreign = h->kind == KARAT_REC_HELLO && r->hello.version != KARAT_PORT_VERSION;
    const char *field =
        foreign ? NULL : karat_rec_malformed(record); /* karat_check_hello() says which version it is */
    if (field || (field = wrong_field(r)))
        return karat_fail(c, BLAME(FAIL_STREAM), "record %" PRIu64 ": %s: field %s is out of range",
                          c->counts.records, karat_rec_name(h->kind), field);
    if (h->cycle < c->cycle)
        return karat_fail(c, BLAME(FAIL_STREAM), "%s at cycle %" PRIu64 " after cycle %" PRIu64,
                          karat_rec_name(h->kind), h->cycle, c->cycle);
    c->cycle = h->cycle;
    if ((KARAT_RECS_OF_BENCH | KARAT_PORT_BIT(HELLO)) >> h->kind & 1)
        return false;
    if (!c->kernel_seen)
        return karat_fail(c, BLAME(FAIL_STRAY, NULL, NULL, record),
                          "%s in cycle %" PRIu64 ", before any KERNEL", karat_rec_name(h->kind), h->cycle);
    /* Required ones that the core does not provide are what somebody has made of its log. */
    return !((c->hello.gives | KARAT_RECS_REQUIRED) >> h->kind & 1) &&
           karat_fail(c, BLAME(FAIL_STREAM), "%s, which HELLO says the core does not provide",
                      karat_rec_name(h->kind));
}

bool karat_dispatch_record(karat_checker *c, const void *record) {
    switch (((const karat_rec_header *)record)->kind) {
#define CASE(name, NAME, kind, bytes)                                                                        \
    case KARAT_REC_##NAME: return karat_check_##name(c, record);
        KARAT_REC_EACH(CASE)
#undef CASE
    }
    return false;
}

bool karat_bypass_handlers(karat_checker *c, const void *record) {
    const karat_any *r = record;
    const karat_rec_subject about = karat_rec_about(r);
    slot *s = about == KARAT_ABOUT_WARP ? karat_slot_at(c, &r->h) : NULL;
    if (about == KARAT_ABOUT_RUN)
        return (c->num_faulting && karat_faulting_end(c, r)) ||
               (c->num_excluded && karat_excluded_record(c, r)) ||
               karat_take_waiting_steps(c, r->h.cycle, true);
    return (s && s->fault && karat_faulting_record(c, s, r)) ||
           (s && s->excluded && karat_excluded_record(c, r)) ||
           (c->num_waiting_steps && karat_intercept(c, s, r));
}

/* Nearly all records: of a kind that a core gives while a kernel runs, and well-formed. Each case tests the
 * form of its own kind alone. False, and nothing done, of others. */
static bool take_usual(karat_checker *c, const void *record, size_t size) {
    const karat_rec_header *h = record;
    if (h->cycle < c->cycle)
        return false;
    switch (h->kind) {
#define CASE(name, NAME, kind, bytes)                                                                        \
    case KARAT_REC_##NAME:                                                                                   \
        if (!(c->usual >> KARAT_REC_##NAME & 1) || size != (bytes) || karat_rec_malformed(record))           \
            return false;                                                                                    \
        c->cycle = h->cycle;                                                                                 \
        karat_check_##name(c, record);                                                                       \
        return true;
        KARAT_REC_EACH(CASE)
#undef CASE
    }
    return false;
}

/* False: it has no right form. */
static __attribute__((noinline)) bool take_any(karat_checker *c, const void *record, size_t size,
                                               bool some_wait) {
    if (karat_check_form(c, record, size))
        return false;
    if (!some_wait || !karat_bypass_handlers(c, record))
        karat_dispatch_record(c, record);
    return true;
}

bool karat_checker_record(void *checker, const void *record, size_t size) {
    karat_checker *c = checker;
    if (!c || c->done)
        return true;
    const bool some_wait = c->num_faulting | c->num_excluded | c->num_waiting_steps;
    if ((some_wait || !record || size < sizeof(karat_rec_header) || !take_usual(c, record, size)) &&
        !take_any(c, record, size, some_wait))
        return true;
    c->counts.records++;
    return c->done;
}
