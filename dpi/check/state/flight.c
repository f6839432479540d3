/* Instructions in flight, and what is still pending of them. */
#include "checker.h"
#include "names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>

#define FLIGHT_BLOCK 64

typedef struct flight_block {
    struct flight_block *next;
    flight flights[FLIGHT_BLOCK];
} flight_block;

flight *karat_flight_new(karat_checker *c, const slot *s, uint32_t seq, uint64_t cycle) {
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
    f->epoch = s->epoch;
    f->workgroup = s->workgroup;
    f->warp = s->warp;
    f->seq = seq;
    f->cycle = cycle;
    f->read_matched = 0;
    return f;
}

void karat_flight_blocks_free(karat_checker *c) {
    while (c->blocks) {
        flight_block *next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
}

flight *karat_flight_find(const slot *s, uint32_t epoch, uint32_t seq) {
    if (s->youngest && s->youngest->seq == seq && s->youngest->epoch == epoch)
        return s->youngest; /* Often: a READ comes after its ISSUE */
    for (flight *f = s->oldest; f; f = f->next)
        if (f->seq == seq && f->epoch == epoch)
            return f;
    return NULL;
}

flight *karat_flight_recent(const slot *s, uint32_t epoch, uint32_t seq) {
    flight *f = karat_flight_find(s, epoch, seq);
    for (uint32_t i = 0; i < NUM_COMPLETED; i++)
        if (s->completed[i] && s->completed[i]->seq == seq && s->completed[i]->epoch == epoch)
            f = s->completed[i];
    return f;
}

bool karat_flight_expects_write(const flight *f) {
    for (uint32_t i = 0; i < f->commit.num_writes; i++)
        if (f->pending_write[i])
            return true;
    return false;
}

bool karat_flight_is_pending(const flight *f) {
    return karat_flight_expects_write(f) || f->mem_bytes || f->pending_simt || f->pending_csr ||
           f->pending_arrive || f->pending_exit;
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

failure_kind karat_flight_first_pending(const flight *f, char *text, size_t size) {
    for (uint32_t i = 0; i < f->commit.num_writes; i++)
        if (f->pending_write[i]) {
            snprintf(text, size, "the write of %s, lanes %08" PRIx32,
                     karat_register_name(f->commit.write[i].cls, f->commit.write[i].reg).text,
                     f->pending_write[i]);
            return FAIL_WRITE_MISSING;
        }
    if (f->pending_csr) {
        snprintf(text, size, "its write of CSR %s", karat_csr_name(f->commit.csr));
        return FAIL_CSR_MISSING;
    }
    const struct {
        bool pending;
        failure_kind kind;
        const char *text;
    } others[] = {{f->pending_simt, FAIL_SIMT_MISSING, "its SIMT outcome"},
                  {f->pending_arrive, FAIL_BARRIER_MISSING, "its arrival at the barrier"},
                  {f->pending_exit, FAIL_EXIT_MISSING, "the end of the warp (EXIT)"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].pending) {
            snprintf(text, size, "%s", others[i].text);
            return others[i].kind;
        }
    karat_flight_memory(f, text, size);
    return FAIL_MEM_MISSING;
}

bool karat_fail_missing(karat_checker *c, const slot *s, const flight *f, bool may_go_on, const char *format,
                        ...) {
    char when[200], pending[160];
    va_list args;
    va_start(args, format);
    vsnprintf(when, sizeof when, format, args);
    va_end(args);
    return karat_fail(
        c, BLAME(karat_flight_first_pending(f, pending, sizeof pending), s, f, .may_go_on = may_go_on),
        "%s still pending is %s", when, pending);
}

void karat_flight_enter(slot *s, flight *f) {
    flight **end = s->youngest ? &s->youngest->next : &s->oldest;
    while (*end) /* Memory accesses of earlier epochs are there still */
        end = &(*end)->next;
    *end = f;
    s->youngest = f;
    s->in_flight++;
}

void karat_flight_complete(karat_checker *c, slot *s, flight *f) {
    if (f == s->youngest || karat_flight_is_pending(f))
        return;
    flight **link = &s->oldest;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    s->in_flight--;
    flight **kept = karat_bridge_may_store(c, f) ? &s->failed_sc[s->num_failed_sc++ % NUM_FAILED_SC]
                                                 : &s->completed[s->num_completed++ % NUM_COMPLETED];
    if (*kept)
        karat_flight_drop(c, *kept);
    *kept = f;
}

void karat_flight_revive(slot *s, flight *f) {
    flight **link = &s->oldest;
    while (*link && (*link)->event.at.step < f->event.at.step)
        link = &(*link)->next;
    f->next = *link;
    *link = f;
    s->in_flight++;
}
