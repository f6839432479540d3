/* HELLO and BYE: beginning and end of the stream. */
#include "records.h"
#include "hang.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool karat_check_hello(karat_checker *c, const karat_rec_hello *r) {
    if (c->hello_seen)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL, "a second HELLO");
    if (r->version != KARAT_PORT_VERSION)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "record stream version %u; this checker knows version %d", r->version,
                          KARAT_PORT_VERSION);
    karat_config *m = &c->config.model;
    m->num_thread = r->num_thread;
    m->max_warp = (uint32_t)r->num_sm * r->num_warp;
    m->max_workgroup = m->max_warp;
    karat_status status = KARAT_BAD_ARGUMENT;
    if (r->num_warp <= KARAT_PORT_SM_SLOTS && m->max_warp <= KARAT_PORT_SLOTS)
        c->model = karat_create(m, &status);
    if (!c->model && status == KARAT_NO_MEMORY)
        return karat_no_memory(c, NULL);
    if (!c->model)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HELLO of %u SMs, %u warps, %u threads: out of range", r->num_sm, r->num_warp,
                          r->num_thread);
    c->hello_seen = true;
    c->hello = *r;
    c->hello.name[sizeof c->hello.name - 1] = 0;
    for (uint8_t *ch = c->hello.name; *ch; ch++)
        if (*ch <= ' ' || *ch > '~')
            *ch = '?'; /* the verdict line is words, and JSON is UTF-8 */
    if (c->config.core && strcmp(c->config.core, (const char *)c->hello.name) != 0)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HELLO is of core %s; the description is of core %s", c->hello.name,
                          c->config.core);
    if (karat_gives(c, KARAT_REC_AUDIT) && !karat_gives(c, KARAT_REC_WRITE))
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "HELLO gives audit and not write: what a register holds cannot be told");
    c->num_slots = c->num_groups = m->max_warp;
    c->slots = calloc(c->num_slots, sizeof *c->slots);
    c->groups = calloc(c->num_groups, sizeof *c->groups);
    if (!c->slots || !c->groups || !karat_shared_create(c))
        return karat_no_memory(c, NULL);
    if (c->config.strict & KARAT_STRICT_ORDER &&
        (r->mem_order != KARAT_ORDER_PERFORMED || !karat_gives(c, KARAT_REC_MEM)))
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                              "%s cannot be errors: the core does not give MEM in the order of performance",
                              c->config.strict & KARAT_STRICT_RACES ? "races" : "flags");
    if (c->config.strict & KARAT_STRICT_SCALARS &&
        !(c->scalars = karat_scalars_create(c->num_slots, r->num_thread)))
        return karat_no_memory(c, NULL);
    for (uint32_t i = 0; i < c->num_slots; i++) {
        c->slots[i].handle = i;
        c->slots[i].sm = i / r->num_warp;
        c->slots[i].index = i % r->num_warp;
    }
    return false;
}

bool karat_check_bye(karat_checker *c, const karat_rec_bye *r) {
    if (r->records && r->records != c->counts.records)
        return karat_fail(c, FAIL_STREAM, NULL, NULL, NULL,
                          "BYE counts %" PRIu64 " records; %" PRIu64 " came", r->records, c->counts.records);
    if (!c->kernel_seen)
        return karat_fail(c, FAIL_INCOMPLETE, NULL, NULL, NULL, "no kernel ran");
    if (karat_check_time(c, r->h.cycle, r->reason == KARAT_BYE_DONE))
        return true;
    if (r->reason == KARAT_BYE_DONE && karat_check_debts(c, "the stream has ended"))
        return true;
    if (c->num_exited != c->num_expected)
        return karat_fail(c, FAIL_INCOMPLETE, NULL, NULL, NULL,
                          "%s: %" PRIu64 " of %" PRIu64 " warps of kernel %" PRIu32 " have ended, %" PRIu64
                          " were launched",
                          r->reason == KARAT_BYE_CYCLE_LIMIT ? "cycle limit" : "the stream ended early",
                          c->num_exited, c->num_expected, c->kernel.index, c->num_started);
    if (karat_shared_end(c))
        return true;
    if (r->reason != KARAT_BYE_DONE) /* what is still owed might have come */
        return karat_fail(c, FAIL_INCOMPLETE, NULL, NULL, NULL, "the test bench gave up");
    if (c->counts.unjudged)
        return karat_fail(c, FAIL_INCOMPLETE, NULL, NULL, NULL,
                          "%" PRIu64 " results could not be judged, the first of %s", c->counts.unjudged,
                          c->unjudged);
    const bool flushed = c->hello.props & KARAT_PROP_FLUSHED;
    if (flushed && karat_check_memory(c, "after kernel"))
        return true;
    if (!flushed || !karat_is_all_hashed(c))
        c->gaps |= 1u << GAP_FINAL_MEMORY;
    if (!c->num_failed)
        c->verdict = KARAT_PASS;
    c->done = true;
    return true;
}
