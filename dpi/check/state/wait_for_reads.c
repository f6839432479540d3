/* Steps that wait for their READs, and the records that wait after them (values.c). */
#include "records.h"

#include <stdlib.h>
#include <string.h>

enum {
    WAITING_READS = 2 * KARAT_MAX_READ, /* Of one instruction: some twice, as cores may */
    WAITING_RECORDS = 32,               /* Other records of the warp that wait */
    WAITING_CYCLES = 4000 /* READs that take longer do not come; nor do those without which the warp hangs */
};

struct waiting_step {
    karat_rec_issue issue;
    uint32_t num_reads, num_records;
    karat_rec_read read[WAITING_READS];
    uint64_t record[WAITING_RECORDS][KARAT_REC_MAX_SIZE / 8];
};

/* The operand's READ, which has come before the step; NULL: not yet. */
const karat_rec_read *karat_waiting_read(const slot *s, const karat_reg_read *read) {
    const waiting_step *h = s->waiting;
    for (uint32_t i = 0; s->step_waits && i < h->num_reads; i++) {
        const karat_rec_read *r = &h->read[i];
        if (r->source == read->source && r->part == read->part && r->cls == read->cls)
            return r;
    }
    return NULL;
}

/* Whether a step that waits is a store, and waits for nothing but what it stores. */
static bool waits_for_data(const karat_checker *c, const karat_commit *commit) {
    const uint8_t data = karat_data_source(commit);
    bool alone = karat_row_info(commit->row)->owes ==
                 KARAT_OWES_MEM; /* Loads and atomics expect a register's write as well */
    for (uint32_t i = 0; i < commit->num_reads; i++)
        alone &= !(c->waits_for >> i & 1) || commit->read[i].source == data;
    return alone;
}

bool karat_wait_for_reads(karat_checker *c, slot *s, const karat_rec_issue *r, const karat_commit *commit) {
    s->data_waits = waits_for_data(c, commit);
    if (s->step_waits)
        return false; /* It is tried again */
    if (!s->waiting && !(s->waiting = malloc(sizeof *s->waiting)))
        return karat_no_memory(c, NULL);
    s->waiting->issue = *r;
    s->waiting->num_reads = s->waiting->num_records = 0;
    s->step_waits = true;
    c->num_waiting_steps++;
    return false;
}

void karat_stop_waiting(karat_checker *c, slot *s) {
    s->step_waits = s->data_waits = s->forced = s->late = false;
    c->num_waiting_steps--;
}

/* Try the waiting step again; force: whatever READs are missing.  Then what has waited after it. Returns true
 * after a failure. */
static bool resume(karat_checker *c, slot *s, bool force) {
    waiting_step *h = s->waiting;
    bool waits;
    s->forced = force;
    if (karat_take_step(c, s, &h->issue, &waits))
        return true;
    if (waits)
        return false;
    karat_stop_waiting(c, s);
    bool stop = false;
    for (uint32_t i = 0; i < h->num_reads && !stop; i++)
        stop = karat_check_read(c, &h->read[i]);
    for (uint32_t i = 0; i < h->num_records && !stop; i++)
        stop = karat_dispatch_record(c, h->record[i]);
    return stop;
}

/* Stores that no MEM reports, where their data's READs have not come with them: what they store may be
 * loaded from now on. */
static bool release_unreported(karat_checker *c, uint64_t cycle) {
    for (uint32_t i = 0; i < c->num_slots; i++) {
        slot *s = &c->slots[i];
        if (s->data_waits && cycle > s->waiting->issue.h.cycle && resume(c, s, true))
            return true;
    }
    return false;
}

bool karat_take_waiting_steps(karat_checker *c, uint64_t cycle, bool all) {
    for (uint32_t i = 0; c->num_waiting_steps && i < c->num_slots; i++) {
        slot *s = &c->slots[i];
        if (s->step_waits &&
            (all || cycle - s->waiting->issue.h.cycle > WAITING_CYCLES ||
             cycle - s->last_event > c->config.hang_cycles) &&
            resume(c, s, true))
            return true;
    }
    return false;
}

/* A WRITE or PAIR of an instruction before the waiting step: what that one waits for, perhaps. */
static bool older_result(const slot *s, const karat_rec_write *r) {
    bool ambiguous = false;
    karat_rec_write upper = {.h = r->h, .seq = r->seq, .match = r->match, .cls = r->cls};
    upper.regno = (uint16_t)(r->regno + 1);
    return karat_writer(s, r, &ambiguous) ||
           (r->h.kind == KARAT_REC_PAIR && karat_writer(s, &upper, &ambiguous));
}

/* A MEM or ACCESS of an instruction before the waiting step: it was performed now, before what other warps
 * do next. */
static bool older_access(const slot *s, const karat_rec_mem *r) {
    if (r->match == KARAT_MATCH_SEQ)
        return r->h.epoch == s->epoch && r->seq < s->waiting->issue.seq;
    return karat_accessing(s, r);
}

/* An AUDIT of a register that no WRITE is of which waits after the waiting step: it shows what is there
 * now, not after the WRITEs to come. */
static bool present_contents(const waiting_step *h, const karat_rec_audit *r) {
    if (r->cls > KARAT_V)
        return false; /* That one is after all that was issued */
    for (uint32_t i = 0; i < h->num_records; i++) {
        const karat_rec_write *w = (const void *)h->record[i];
        if (karat_is_write(w->h.kind) && w->cls == r->cls &&
            (uint32_t)r->regno - w->regno < 1u + (w->h.kind == KARAT_REC_PAIR))
            return false;
    }
    return true;
}

/* After which the warp goes on: what READs there are have come. Or it stores, and others may load that:
 * MEM reports the data as well. */
static bool goes_on(const slot *s, const karat_any *r) {
    return r->h.kind == KARAT_REC_ISSUE || r->h.kind == KARAT_REC_EXIT || r->h.kind == KARAT_REC_LAUNCH ||
           r->h.kind == KARAT_REC_PRINT ||
           (karat_is_mem(r->h.kind) && r->h.epoch == s->epoch && s->data_waits) ||
           (r->h.kind == KARAT_REC_TLB && r->tlb.seq >= s->waiting->issue.seq);
}

bool karat_intercept(karat_checker *c, slot *s, const karat_any *r) {
    if (!karat_gives(c, KARAT_REC_MEM) && release_unreported(c, r->h.cycle))
        return true;
    const bool is_mem = karat_is_mem(r->h.kind);
    for (uint32_t i = 0; s && is_mem && i < c->num_slots; i++)
        c->mem_passed_wait |= c->slots[i].late && &c->slots[i] != s;
    if (!s || !s->step_waits)
        return false;
    waiting_step *x = s->waiting;
    if (r->h.kind == KARAT_REC_PRINT && karat_print_asked(s))
        return false; /* Memory is as the host has found it now */
    if (r->h.kind == KARAT_REC_READ && r->h.epoch == s->epoch && r->read.seq == x->issue.seq &&
        x->num_reads < WAITING_READS) {
        s->last_event = r->h.cycle;
        x->read[x->num_reads++] = r->read;
        resume(c, s, false);
        return true;
    }
    if ((karat_is_write(r->h.kind) && older_result(s, &r->write)) || (is_mem && older_access(s, &r->mem)) ||
        (r->h.kind == KARAT_REC_AUDIT && present_contents(x, &r->audit))) {
        if (!karat_dispatch_record(c, r))
            resume(c, s, false);
        return true;
    }
    if (goes_on(s, r) || x->num_records == WAITING_RECORDS)
        return resume(c, s, true);
    if (r->h.epoch != s->epoch || r->h.kind == KARAT_REC_TLB)
        return false; /* A memory access of an earlier warp; a page fault of an older instruction */
    s->last_event = r->h.cycle;
    s->late |= is_mem;
    memcpy(x->record[x->num_records++], r, karat_rec_size(r->h.kind));
    return true;
}
