/* Shared by the files of dpi/mcm: the state of one memory model. Each structure is declared in the header
 * of its owner; this one holds them together. */
#ifndef KARAT_MCM_MODEL_H
#define KARAT_MCM_MODEL_H

#include "evicted.h"
#include "flags.h"
#include "log.h"
#include "mcm.h"
#include "order.h"
#include "atomic_word.h"

struct karat_mcm {
    mcm_core core;
    mcm_env env;
    uint32_t off; /* Bit i: rule i is switched off */
    uint32_t wg_size;
    uint64_t num_warps, num_launched; /* Of this kernel */
    uint64_t steps;                   /* Instructions issued, of all warps */
    uint64_t reported;                /* Reports of performed accesses */
    uint32_t num_ignored;             /* Warps, ever */
    mcm_warp *warps;                  /* One for each slot */
    bool raced;                       /* See mcm_raced() */
    mcm_order order;
    mcm_log log;
    mcm_ring race_history; /* Accesses that have been performed, where races are looked for */
    mcm_words words;
    mcm_evicted evicted;
    mcm_flags flags;
};

static inline bool mcm_has(const karat_mcm *m, mcm_rule rule) {
    return !(m->off >> rule & 1);
}

/* The core reports accesses in the order of performance. */
static inline bool mcm_reports_order(const karat_mcm *m) {
    return m->core.reports_order && mcm_has(m, MCM_PERFORMED);
}

/* A load gets the last value that was performed before it: the reports say which, and no cache holds an
 * older one. */
static inline bool mcm_has_one_value(const karat_mcm *m) {
    return mcm_reports_order(m) && m->core.coherent;
}

static inline bool mcm_ascending(const karat_mcm *m) {
    return m->core.ascending && mcm_has(m, MCM_LANES);
}

static inline bool mcm_is_lds(const karat_mcm *m, uint64_t addr) {
    return addr - m->core.lds_base < m->core.lds_size;
}

static inline mcm_place mcm_word_at(mcm_place p) {
    p.addr &= ~UINT64_C(3);
    return p;
}

static inline mcm_place mcm_place_of(const karat_mcm *m, const mcm_event *e, uint64_t addr) {
    const bool lds = e->at.uid != MCM_HOST_UID && mcm_is_lds(m, addr);
    return (mcm_place){addr, lds ? 1 + e->at.uid / m->wg_size : 0, e->group};
}

static inline uint32_t mcm_hash(const mcm_place *p) {
    const uint64_t h = (p->addr >> 2 ^ (uint64_t)p->lds << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

/* The lowest of some parts, and the others. */
static inline uint32_t mcm_next_part(mcm_parts parts) {
    return parts.first + (uint32_t)__builtin_ctzll(parts.set);
}
static inline void mcm_drop_part(mcm_parts *parts) {
    parts->set &= parts->set - 1;
}

static inline bool mcm_same_place(const mcm_place *a, const mcm_place *b) {
    return a->addr == b->addr && a->lds == b->lds;
}

/* Its warp is the one in its slot: not an earlier one. */
static inline bool mcm_is_present(const karat_mcm *m, const mcm_event *e) {
    return e->epoch == m->warps[e->warp].epoch;
}

/* An access to a workgroup's local memory after its end: nothing depends on it. */
static inline bool mcm_is_dead(const karat_mcm *m, const mcm_event *e, const mcm_place *p) {
    return p->lds && !mcm_is_present(m, e);
}

/* Of one lane's access. */
static inline mcm_moment mcm_moment_of(const mcm_event *e, const mcm_part *a) {
    mcm_moment at = e->at;
    at.part = (uint8_t)(a - e->part);
    return at;
}

static inline bool mcm_is_atomic(const mcm_event *e) {
    return e->kind == MCM_AMO || e->kind == MCM_SC;
}

static inline bool mcm_writes_byte(const mcm_part *a, uint64_t addr) {
    return addr - a->addr < a->bytes;
}

static inline bool mcm_overlap(const mcm_part *a, const mcm_part *b) {
    return a->addr < b->addr + b->bytes && b->addr < a->addr + a->bytes;
}

static inline uint32_t mcm_low_bytes(unsigned bytes) { /* 1 to 4 */
    return 0xffffffffu >> (32 - 8 * bytes);
}

/* The bits of its word that a part has to do with, and its value there. */
static inline uint32_t mcm_bits(const mcm_part *a) {
    return mcm_low_bytes(a->bytes) << 8 * (a->addr & 3);
}

static inline uint32_t mcm_in_word(const mcm_part *a, uint32_t value, uint32_t before) {
    const uint32_t bits = mcm_bits(a);
    return (before & ~bits) | (value << 8 * (a->addr & 3) & bits);
}

static inline void mcm_load(const karat_mcm *m, const mcm_place *p, void *bytes, size_t size) {
    m->env.load(m->env.context, p, bytes, size);
}

static inline void mcm_store(const karat_mcm *m, const mcm_place *p, const void *bytes, size_t size) {
    m->env.store(m->env.context, p, bytes, size);
}

/* The image's word becomes that. */
static inline void mcm_set_word(const karat_mcm *m, const mcm_place *p, uint32_t value) {
    uint32_t image = 0;
    mcm_load(m, p, &image, 4);
    if (image != value)
        mcm_store(m, p, &value, 4);
}

/* A core that does not answer: e may race with what came before it (race.c). own: e's entry in the log, of
 * the host. */
void mcm_note_race(karat_mcm *m, const mcm_event *e, const mcm_event *own);

#endif
