/* Page faults.
 *
 * Where the model faults and the core does, too, the program is wrong.  A core finds a fault some cycles
 * after the ISSUE of its instruction, and may issue younger ones of that warp until then: their records
 * are not looked at.  Older instructions and other warps are compared on. The core has gone on where it
 * completes the instruction, ends the warp or the kernel, or nothing comes for too long: then its fault is
 * missing. */
#include "records.h"
#include "warp_places.h"
#include "names.h"

#include <inttypes.h>
#include <stdio.h>

_Static_assert(KARAT_USE_FETCH == KARAT_ACCESS_FETCH && KARAT_USE_LOAD == KARAT_ACCESS_LOAD &&
                   KARAT_USE_STORE == KARAT_ACCESS_STORE,
               "TLB.access is the model's");
_Static_assert(KARAT_FAULT_NOT_CANONICAL == KARAT_PAGE_NOT_CANONICAL &&
                   KARAT_FAULT_NO_LEAF == KARAT_PAGE_NO_LEAF &&
                   KARAT_FAULT_NOT_READABLE == KARAT_PAGE_NOT_READABLE &&
                   KARAT_FAULT_NOT_DIRTY == KARAT_PAGE_NOT_DIRTY,
               "TLB.reason is the model's");

static const char *use_name(unsigned use) {
    static const char *const names[] = {"fetch", "load", "store or AMO"};
    return names[use];
}

/* The model's fault, and a sentence on the core's. */
static bool fail_model(karat_checker *c, failure_kind kind, const slot *s, const flight *f,
                       const void *record, const char *core) {
    const karat_page_fault *m = &f->commit.fault;
    char text[1200] = "", lane[24] = "";
    page_walk walk;
    karat_walk_page(c->model, c->kernel_desc.ptbr, m->virt, m->use, &walk);
    karat_put_walk(&walk, text, sizeof text);
    if (f->commit.error.lane >= 0)
        snprintf(lane, sizeof lane, "lane %" PRId32 ", ", f->commit.error.lane);
    return karat_fail(c, BLAME(kind, s, f, record, .walk = &walk),
                      "page fault: %s: %s%s of 0x%08" PRIx64 "%s%s", karat_fault_name(m->reason), lane,
                      use_name(m->use), m->virt, core, text);
}

/* The core has dealt with a fault otherwise than the model: a failure. */
static bool end_fault(karat_checker *c, slot *s, failure_kind kind, const void *record, const char *core) {
    flight *f = s->fault;
    s->fault = NULL;
    c->num_faulting--;
    fail_model(c, kind, s, f, record, core);
    karat_flight_drop(c, f);
    return true;
}

/* The core has gone on. */
static bool fail_missing(karat_checker *c, slot *s, const void *record, const char *how) {
    char core[200];
    snprintf(core, sizeof core, "\nthe core does not fault: %s", how);
    return end_fault(c, s, FAIL_PAGE_FAULT_MISSING, record, core);
}

bool karat_page_fault_at(karat_checker *c, slot *s, flight *f) {
    if (!karat_gives(c, KARAT_REC_TLB))
        return fail_model(c, FAIL_PROGRAM, s, f, NULL, "");
    s->fault = f;
    c->num_faulting++;
    c->groups[s->wg].excluded = true; /* Its barriers are not the model's any more */
    if (f->commit.fault.use == KARAT_USE_FETCH)
        fail_missing(c, s, NULL, "it has issued the instruction");
    return true;
}

/* --- FAULT --- */

/* Where the core's differs from the model's, in words; or nothing. */
static void differ(const karat_rec_tlb *r, const karat_page_fault *m, char *text, size_t size) {
    if (r->access != m->use)
        karat_append(text, size, "\nthe core's fault is of a %s", use_name(r->access));
    if (r->virt != m->virt)
        karat_append(text, size, "\nthe core's address is 0x%08" PRIx64, r->virt);
    if (r->reason != KARAT_PAGE_UNKNOWN && r->reason != (uint32_t)m->reason)
        karat_append(text, size, "\nthe core's reason: %s", karat_fault_name(r->reason));
    if (r->entry_addr && (r->entry_addr != m->entry_addr || r->entry != m->entry || r->level != m->level))
        karat_append(text, size, "\nthe core's entry: level %u, 0x%016" PRIx64 " at 0x%" PRIx64, r->level,
                     r->entry, r->entry_addr);
}

/* Both fault. */
static bool compare_faults(karat_checker *c, slot *s, const karat_rec_tlb *r) {
    char text[400] = "";
    differ(r, &s->fault->commit.fault, text, sizeof text);
    return *text ? end_fault(c, s, FAIL_PAGE_FAULT, r, text)
                 : end_fault(c, s, FAIL_PROGRAM, r, "\nthe core reports the same fault");
}

/* The core faults and the model does not. */
static bool fail_unexpected(karat_checker *c, const slot *s, const flight *f, const karat_rec_tlb *r) {
    char text[1200] = "";
    page_walk walk;
    karat_walk_page(c->model, c->kernel_desc.ptbr, r->virt, (karat_page_use)r->access, &walk);
    karat_put_walk(&walk, text, sizeof text);
    const karat_mem *mem = f ? &f->commit.mem : NULL;
    const bool accesses = f && f->commit.has_mem && r->access != KARAT_ACCESS_FETCH;
    uint32_t k = 0;
    while (accesses && k < mem->num && r->virt - mem->virt[k] >= mem->access[k].bytes)
        k++;
    if (accesses && k == mem->num)
        karat_append(text, sizeof text, "\nthe instruction accesses other addresses%s",
                     mem->num ? "" : ": none");
    else if (f && !accesses)
        karat_append(text, sizeof text, "\nthe instruction accesses no memory");
    else if (!f && r->access != KARAT_ACCESS_FETCH)
        karat_append(text, sizeof text, "\nseq %" PRIu32 " %s", r->seq,
                     r->seq < s->next_seq ? "has completed" : "was not issued");
    return karat_fail(c, BLAME(FAIL_PAGE_FAULT_UNEXPECTED, s, f, r, .walk = &walk),
                      "%s of 0x%08" PRIx64 ": core %s%s", use_name(r->access), r->virt,
                      r->reason == KARAT_PAGE_UNKNOWN ? "page fault" : karat_fault_name(r->reason), text);
}

/* Whether the model's next step of the warp ends with a page fault of its fetch. */
static bool faults_at_fetch(const karat_checker *c, const slot *s) {
    karat_warp_view view;
    uint64_t phys;
    uint32_t word, prefix;
    if (karat_view(c->model, s->handle, &view) != KARAT_OK || view.waiting)
        return false;
    if (karat_translate(c->model, view.ptbr, view.pc, KARAT_USE_FETCH, &phys, NULL) != KARAT_OK)
        return true;
    return karat_fetch_insn(c->model, view.ptbr, &view.pc, &prefix, &word) && !prefix &&
           karat_is_prefix(c->config.model.profile, word) && /* Of which the word could not be read */
           karat_translate(c->model, view.ptbr, view.pc + 4, KARAT_USE_FETCH, &phys, NULL) != KARAT_OK;
}

static bool check_fetch(karat_checker *c, slot *s, const karat_rec_tlb *r) {
    if (r->seq != s->next_seq || !s->live || !faults_at_fetch(c, s))
        return fail_unexpected(c, s, NULL, r);
    flight *f = karat_flight_new(c, s, r->seq, r->h.cycle);
    if (!f)
        return karat_no_memory(c, s);
    if (karat_step(c->model, s->handle, &f->commit) != KARAT_PROGRAM_ERROR) {
        karat_flight_drop(c, f);
        return fail_unexpected(c, s, NULL, r);
    }
    s->fault = f;
    c->num_faulting++;
    return compare_faults(c, s, r);
}

bool karat_check_fault(karat_checker *c, const karat_rec_tlb *r) {
    slot *s = karat_slot_of(c, &r->h, true);
    if (!s)
        return true;
    if (s->fault && r->seq >= s->fault->seq)
        return r->seq == s->fault->seq && compare_faults(c, s, r); /* A younger one's is not looked at */
    return r->access == KARAT_ACCESS_FETCH
               ? check_fetch(c, s, r)
               : fail_unexpected(c, s, karat_flight_recent(s, r->h.epoch, r->seq), r);
}

/* --- Until then --- */

/* A record that names its instruction: true where it is a younger one's. */
static bool is_younger(const slot *s, uint32_t seq) {
    return seq >= s->fault->seq;
}

static bool faulting_write(karat_checker *c, slot *s, const karat_rec_write *r) {
    bool ambiguous = false;
    if (r->match != KARAT_MATCH_SEQ)
        return !karat_writer(s, r, &ambiguous);
    const bool any = r->mask && (r->h.kind == KARAT_REC_PAIR || r->cls != KARAT_X || r->regno);
    if (r->seq == s->fault->seq && any)
        return fail_missing(c, s, r, "it has written the instruction's result");
    return is_younger(s, r->seq);
}

static bool faulting_mem(karat_checker *c, slot *s, const karat_rec_mem *r) {
    const bool named = r->match == KARAT_MATCH_SEQ;
    if (named ? r->seq < s->fault->seq : karat_accessing(s, r) != NULL)
        return false;
    if (named && r->seq == s->fault->seq && r->mask)
        return fail_missing(c, s, r, "it has performed the access");
    c->stored_after_fault |= r->op != KARAT_MEM_LOAD;
    return true;
}

static slot *first_faulting(const karat_checker *c) {
    uint32_t i = 0;
    while (!c->slots[i].fault)
        i++;
    return &c->slots[i];
}

bool karat_unshown_fault(karat_checker *c) {
    return c->num_faulting && end_fault(c, first_faulting(c), FAIL_PROGRAM, NULL,
                                        "\nthe run has ended before the core could report it");
}

bool karat_faulting_end(karat_checker *c, const karat_any *r) {
    const bool bye = r->h.kind == KARAT_REC_BYE;
    if (r->h.kind == KARAT_REC_CONTENTS)
        return true;
    if (bye && r->bye.reason != KARAT_BYE_DONE)
        return karat_unshown_fault(c);
    return c->done = fail_missing(c, first_faulting(c), NULL,
                                  bye ? "the stream has ended" : "the next kernel starts");
}

bool karat_faulting_record(karat_checker *c, slot *s, const karat_any *r) {
    const bool launch = r->h.kind == KARAT_REC_LAUNCH;
    uint32_t seq;
    if (r->h.kind == KARAT_REC_TLB || (!launch && r->h.epoch != s->epoch))
        return false; /* A fault: tlb.c compares it */
    if (launch || r->h.kind == KARAT_REC_EXIT)
        return fail_missing(c, s, r, "the warp has ended");
    if (karat_is_write(r->h.kind))
        return faulting_write(c, s, &r->write);
    if (karat_is_mem(r->h.kind))
        return faulting_mem(c, s, &r->mem);
    return !karat_rec_seq(r, &seq) || is_younger(s, seq);
}

bool karat_fault_lost(karat_checker *c, uint64_t cycle) {
    for (uint32_t i = 0; i < c->num_slots; i++) {
        slot *s = &c->slots[i];
        char how[80];
        if (!s->fault || cycle - s->fault->cycle <= c->config.hang_cycles)
            continue;
        snprintf(how, sizeof how, "nothing in the %" PRIu64 " cycles since its ISSUE",
                 cycle - s->fault->cycle);
        return fail_missing(c, s, NULL, how);
    }
    return false;
}
