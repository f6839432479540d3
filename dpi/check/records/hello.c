/* HELLO and BYE: beginning and end of the stream. */
#include "records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The model that HELLO sizes. */
static bool make_model(karat_checker *c, const karat_rec_hello *r) {
    karat_config *m = &c->config.model;
    m->num_thread = r->num_thread;
    m->translation = r->props & KARAT_PROP_SV39 ? KARAT_TRANSLATION_SV39 : KARAT_TRANSLATION_NONE;
    m->max_warp = m->max_workgroup = (uint32_t)r->num_sm * r->num_warp;
    karat_status status = KARAT_BAD_ARGUMENT;
    if (r->num_warp <= KARAT_PORT_SM_SLOTS && m->max_warp <= KARAT_PORT_SLOTS)
        c->model = karat_create(m, &status);
    if (c->model)
        return false;
    if (status == KARAT_NO_LEVEL)
        return karat_fail(c, BLAME(FAIL_STREAM), "KARAT_LEVEL names no level of this machine");
    return status == KARAT_NO_MEMORY
               ? karat_no_memory(c, NULL)
               : karat_fail(c, BLAME(FAIL_STREAM), "HELLO of %u SMs, %u warps, %u threads: out of range",
                            r->num_sm, r->num_warp, r->num_thread);
}

static bool make_slots(karat_checker *c, const karat_rec_hello *r) {
    const uint32_t num = c->num_slots = c->num_groups = c->config.model.max_warp;
    c->slots = calloc(num, sizeof *c->slots);
    c->groups = calloc(num, sizeof *c->groups);
    if (!c->slots || !c->groups || !karat_bridge_create(c))
        return karat_no_memory(c, NULL);
    for (uint32_t i = 0; i < num; i++) {
        c->slots[i].handle = i;
        c->slots[i].sm = i / r->num_warp;
        c->slots[i].index = i % r->num_warp;
    }
    return false;
}

/* Records that errors by policy need. */
static bool make_strict(karat_checker *c, const karat_rec_hello *r) {
    const uint32_t strict = c->config.strict;
    if (strict & KARAT_STRICT_ORDER &&
        (r->mem_order != KARAT_ORDER_PERFORMED || !karat_gives(c, KARAT_REC_MEM)))
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "%s cannot be errors: the core does not provide MEM in the order of performance",
                          strict & KARAT_STRICT_RACES ? "races" : "flags");
    return strict & KARAT_STRICT_SCALARS &&
           !(c->scalars = karat_scalars_create(c->num_slots, r->num_thread)) && karat_no_memory(c, NULL);
}

bool karat_check_hello(karat_checker *c, const karat_rec_hello *r) {
    if (c->hello_seen)
        return karat_fail(c, BLAME(FAIL_STREAM), "a second HELLO");
    if (r->version != KARAT_PORT_VERSION)
        return karat_fail(c, BLAME(FAIL_STREAM), "record stream version %u; this checker reads version %d",
                          r->version, KARAT_PORT_VERSION);
    if (make_model(c, r))
        return true;
    c->hello_seen = true;
    c->hello = *r;
    for (uint32_t kinds = r->gives; kinds; kinds &= kinds - 1)
        c->gives |= karat_rec_alike((unsigned)__builtin_ctz(kinds));
    karat_note_gap(c, GAP_MEM_ORDER, karat_gives(c, KARAT_REC_MEM) && r->mem_order != KARAT_ORDER_PERFORMED);
    c->hello.name[sizeof c->hello.name - 1] = 0;
    for (uint8_t *ch = c->hello.name; *ch; ch++)
        if (*ch <= ' ' || *ch > '~')
            *ch = '?'; /* The verdict line is words, and JSON is UTF-8 */
    if (c->config.core && strcmp(c->config.core, (const char *)c->hello.name) != 0)
        return karat_fail(c, BLAME(FAIL_STREAM), "HELLO is of core %s; the description is of core %s",
                          c->hello.name, c->config.core);
    if (karat_gives(c, KARAT_REC_AUDIT) && !karat_gives(c, KARAT_REC_WRITE))
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "HELLO lists audit and not write: the contents of registers cannot be known");
    if (!karat_gives(c, KARAT_REC_WRITE) && karat_bounds_sums(c))
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "the description has a bound of %s, which needs write, and HELLO does not list it",
                          KARAT_BOUND_OF_SUMS);
    if (karat_gives(c, KARAT_REC_TLB) && !karat_translates(c))
        return karat_fail(c, BLAME(FAIL_STREAM), "HELLO lists tlb and not sv39 among the properties");
    return make_slots(c, r) || make_strict(c, r);
}

/* Whether anything that instructions do was compared: a PASS says so of some of it at least. */
static bool has_compared(const karat_checker *c) {
    const checker_counts *n = &c->counts;
    return n->x || n->v || n->simt || n->mem || n->csr || n->read || n->audit || c->memory_compared;
}

bool karat_check_bye(karat_checker *c, const karat_rec_bye *r) {
    const bool done = r->reason == KARAT_BYE_DONE;
    if (r->records && r->records != c->counts.records)
        return karat_fail(c, BLAME(FAIL_STREAM), "BYE counts %" PRIu64 " records; %" PRIu64 " came",
                          r->records, c->counts.records);
    if (!c->kernel_seen)
        return karat_fail(c, BLAME(FAIL_INCOMPLETE), "no kernel ran");
    if (karat_check_time(c, r->h.cycle, done) ||
        (done && karat_check_all_complete(c, "the stream has ended")))
        return true;
    if (c->num_exited != c->num_expected)
        return karat_fail(c, BLAME(FAIL_INCOMPLETE),
                          "%s: %" PRIu64 " of %" PRIu64 " warps of kernel %" PRIu32 " have ended, %" PRIu64
                          " were launched",
                          r->reason == KARAT_BYE_CYCLE_LIMIT ? "cycle limit" : "the stream ended early",
                          c->num_exited, c->num_expected, c->kernel.index, c->num_started);
    if (karat_bridge_end(c))
        return true;
    if (!done) /* Results that are still pending might have come */
        return karat_fail(c, BLAME(FAIL_INCOMPLETE), "the test bench gave up");
    if (c->counts.unjudged)
        return karat_fail(c, BLAME(FAIL_INCOMPLETE),
                          "%" PRIu64 " results could not be judged, the first of %s", c->counts.unjudged,
                          c->unjudged);
    const bool flushed = c->hello.props & KARAT_PROP_FLUSHED;
    if (flushed && karat_check_memory(c, "after kernel"))
        return true;
    karat_note_gap(c, GAP_FINAL_MEMORY, !flushed || !karat_is_all_hashed(c));
    if (!c->num_failed && c->has_results && !has_compared(c))
        return karat_fail(c, BLAME(FAIL_NOTHING),
                          "no record shows a result of %" PRIu64 " instructions, and memory was not "
                          "compared: there are only their pcs, words and masks",
                          c->counts.instructions);
    if (!c->num_failed)
        c->verdict = KARAT_PASS;
    c->done = true;
    return true;
}
