/* Operands and results of a step, and the fields of its commit that karat_step() and slices set alike. */
#ifndef KARAT_STEP_H
#define KARAT_STEP_H

#include "core.h"
#include "../exec/exec.h"

#include <string.h>

/* The operand of a source that the instruction has not. */
static const uint32_t zeros[KARAT_MAX_ELEMENT];

static inline void copy(uint32_t *restrict to, const uint32_t *restrict from, uint32_t num_thread) {
#define COPY(n) memcpy(to, from, (n) * sizeof *to)
    KARAT_AT_NUM_THREAD(num_thread, COPY)
#undef COPY
}

#ifdef KARAT_SANITIZED
/* Use of a commit's old values after the warp's next step is an error in this build, and its scalars have
 * changed. */
static inline void forget_commit(karat_exec *e) {
    for (uint32_t k = 0; k < KARAT_MAX_WRITE; k++)
        karat_close_place(e->model, e->warp->spare[k]);
    memset(e->warp->read_x, 0xdb, sizeof e->warp->read_x);
    memset(e->warp->old_x, 0xdb, sizeof e->warp->old_x);
}
#else
#define forget_commit(e) ((void)0)
#endif

/* The place for the new value of the step's register write number k. */
static inline uint32_t *take_place(const karat_exec *e, uint32_t k) {
    karat_open_place(e->model, e->warp->spare[k]);
    return e->warp->spare[k];
}

/* Two registers as one operand. */
static inline const uint32_t *join(karat_exec *e, unsigned source, const uint32_t *first,
                                   const uint32_t *second) {
    if (second == first + e->stride)
        return first;
    uint32_t *group = e->group[source];
    copy(group, first, e->stride);
    copy(group + e->stride, second, e->stride);
    return group;
}

/* Source 1 is a scalar for every lane. */
static inline void splat(karat_exec *e) {
#define SPLAT(n)                                                                                             \
    for (uint32_t i = 0; i < (n); i++)                                                                       \
    e->splat[i] = (uint32_t)e->x1
    KARAT_AT_NUM_THREAD(e->n, SPLAT)
#undef SPLAT
}

/* Elements that the instruction writes or accesses: thread mask, vl, v0.t.  VBRANCH and JOIN, which vl does
 * not affect, go by the thread mask itself. */
static inline uint64_t active_elements(const karat_exec *e) {
    const karat_warp *warp = e->warp;
    uint32_t num_thread = e->model->config.num_thread;
    uint64_t active = warp->mask;
    if (e->n > num_thread)
        active |= active << num_thread;
    active &= warp->below_vl;
    if (e->insn->plan & PLAN_MASKED)
        for (uint32_t i = 0; i < e->n; i++)
            active &= ~((uint64_t)(~e->v0[i] & 1) << i);
    return active;
}

/* Lanes outside mask get the old value; the bits come from a table so that it stays a vector loop. */
static inline __attribute__((always_inline)) void
keep_old_of(uint32_t *restrict v, const uint32_t *restrict old, uint32_t mask, uint32_t num_thread) {
    static const uint32_t bit[KARAT_MAX_THREAD] = {
#define ROW4(i) UINT32_C(1) << (i), UINT32_C(2) << (i), UINT32_C(4) << (i), UINT32_C(8) << (i)
        ROW4(0), ROW4(4), ROW4(8), ROW4(12), ROW4(16), ROW4(20), ROW4(24), ROW4(28),
#undef ROW4
    };
    for (uint32_t i = 0; i < num_thread; i++) {
        const uint32_t taken = mask & bit[i] ? 0xffffffffu : 0;
        v[i] = (v[i] & taken) | (old[i] & ~taken);
    }
}

/* Apart, for the registers of the host that it needs. */
static __attribute__((noinline)) void keep_old(uint32_t *v, const uint32_t *old, uint32_t mask,
                                               uint32_t num_thread) {
#define KEEP_OLD(n) keep_old_of(v, old, mask, n)
    KARAT_AT_NUM_THREAD(num_thread, KEEP_OLD)
#undef KEEP_OLD
}

/* Register write number k: the register takes those lanes of r, which is in the place that it takes, or
 * elsewhere; another place keeps its old value. */
static inline __attribute__((always_inline)) void exchange(karat_exec *e, uint32_t k, uint32_t reg,
                                                           const uint32_t *r, uint32_t mask) {
    karat_warp *warp = e->warp;
    uint32_t *v = take_place(e, k), *old = warp->v[reg];
    if (r != v)
        copy(v, r, e->stride);
    if (mask != e->model->lanes)
        keep_old(v, old, mask, e->stride);
    warp->v[reg] = v;
    warp->spare[k] = old;
}

/* The state before each step. Sources that its row has not are those of a step before, or zeros: they are
 * there to be read, and nothing depends on their values. */
static inline void reset_exec(karat_exec *e, karat_model *model) {
    e->model = model;
    e->v1 = e->v2 = e->v3 = e->v0 = zeros;
    e->stride = model->config.num_thread;
    e->width = KARAT_W32;
    e->pairs = 0;
    e->words = 1;
    e->x3 = 0;
    e->r = e->result;
    e->error = KARAT_ERR_NONE;
    e->held = e->no_write = false;
}

/* Clear all that a step need not fill in: not what is before active. */
static inline void begin(karat_commit *commit, const karat_warp *warp) {
    /* In three, which become a few stores each; more than 80 bytes at once are a loop in microcode that takes
     * longer than all else here. */
    enum {
        FIRST = offsetof(karat_commit, active),
        END = offsetof(karat_commit, mem) + offsetof(karat_mem, lane_value),
        THIRD = ((END - FIRST) / 3 + 15) & ~15
    };
    memset((char *)commit + FIRST, 0, THIRD);
    memset((char *)commit + FIRST + THIRD, 0, THIRD);
    memset((char *)commit + FIRST + 2 * THIRD, 0, END - FIRST - 2 * THIRD);
    commit->error.lane = -1;
    commit->mask_before = commit->mask_after = warp->mask;
}

static inline void show_stack(karat_commit *commit, const karat_warp *warp) {
    commit->depth = (uint16_t)warp->depth;
    if (warp->depth)
        commit->top = warp->stack[warp->depth - 1];
}

/* Count accesses to LDS and to private memory outside of the launch's declaration. */
void karat_check_declared(const karat_model *model, const karat_warp *warp, karat_commit *commit);

#endif
