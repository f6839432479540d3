/* One architectural step: fetch, check, gather operands, run the semantic, write back, and report all of it in the commit. */
#include "core.h"
#include "../exec/exec.h"

#include <string.h>

static const uint32_t zeros[KARAT_MAX_ELEMENT];

static inline void copy(uint32_t *restrict to, const uint32_t *restrict from, uint32_t num_thread) {
#define COPY(n) memcpy(to, from, (n) * sizeof *to)
    KARAT_AT_NUM_THREAD(num_thread, COPY)
#undef COPY
}

#ifdef KARAT_SANITIZED
/* Use of a commit's old values after the warp's next step is an error in this build, and its scalars have changed. */
static void forget_commit(karat_exec *e) {
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

/* The checks that do not depend on values, and the width of the elements.  KARAT_ERR_NONE where the instruction may run. */
static karat_error_kind check(karat_exec *e, uint32_t *deviated) {
    const karat_decoded *d = e->insn;
    const karat_warp *warp = e->warp;
    if (d->error)
        return d->error == KARAT_ERR_ILLEGAL ? karat_set_illegal(e, KARAT_ILLEGAL_WORD)
                                             : (karat_error_kind)d->error;
    if (d->plan & PLAN_VTYPE && warp->vtype & KARAT_VTYPE_VILL)
        return karat_set_illegal(e, KARAT_ILLEGAL_VILL);
    if (d->plan & PLAN_FP && warp->frm > 4)
        return karat_set_illegal(e, KARAT_ILLEGAL_ROUNDING);
    uint32_t max_x = d->max_x, max_v = d->max_v;
    e->width = KARAT_W32;
    e->pairs = 0;
    if (d->plan & PLAN_WIDTH) {
        e->width = d->plan & PLAN_SEW ? warp->sew : d->width;
        if (!(d->widths >> e->width & 1))
            return karat_set_illegal(e, KARAT_ILLEGAL_WIDTH);
        if (e->width == (d->plan & PLAN_DOUBLED ? KARAT_W32 : KARAT_W64)) {
            if (d->odd_pair)
                return karat_set_illegal(e, KARAT_ILLEGAL_ODD_PAIR);
            /* The second register of a group would be that of a pair. */
            if (d->plan & PLAN_GROUP && warp->lmul == 2)
                return karat_set_illegal(e, KARAT_ILLEGAL_PAIR_GROUP);
            e->pairs = d->pairs;
            max_x = d->pair_max_x;
            max_v = d->pair_max_v;
        }
    }
    if (d->plan & PLAN_GROUP && warp->lmul == 2) {
        if (d->odd_v & 1)
            return karat_set_illegal(e, KARAT_ILLEGAL_ODD_GROUP);
        max_v++;
    }
    return karat_beyond_usage(e->model, warp, max_x, max_v, deviated) ? KARAT_ERR_REGISTER : KARAT_ERR_NONE;
}

/* Show the last operand to the read port. Returns whether the register is to take that value. */
static __attribute__((noinline)) bool ask_port(karat_exec *e, uint32_t value[KARAT_MAX_THREAD]) {
    karat_read_answer answer = e->model->read_port(e->model->read_context, e->warp_handle, e->commit, value);
    e->held |= answer == KARAT_READ_HOLD;
    return answer == KARAT_READ_CHANGED;
}

/* Enter the operand into the commit as the one of that index. asks: there is a read port. */
static inline __attribute__((always_inline)) uint32_t read_x(karat_exec *e, uint32_t index, unsigned source,
                                                             unsigned part, uint32_t reg, bool asks) {
    uint32_t *x = &e->warp->x[reg], *shown = &e->warp->read_x[index], x_value = *x;
    e->commit->read[index] =
        (karat_reg_read){(uint8_t)source, KARAT_CLASS_X, (uint8_t)part, (uint16_t)reg, shown};
    *shown = x_value;
    if (asks) {
        uint32_t value[KARAT_MAX_THREAD];
        e->commit->num_reads = index + 1;
        const bool changed = ask_port(e, value);
        if (changed && reg)
            *x = value[0];
        *shown = x_value = changed ? value[0] : *x;
    }
    return x_value;
}

static inline __attribute__((always_inline)) const uint32_t *
read_v(karat_exec *e, uint32_t index, unsigned source, unsigned part, uint32_t reg, bool asks) {
    uint32_t *v = e->warp->v[reg];
    e->commit->read[index] =
        (karat_reg_read){(uint8_t)source, KARAT_CLASS_V, (uint8_t)part, (uint16_t)reg, v};
    if (asks) {
        uint32_t value[KARAT_MAX_THREAD];
        e->commit->num_reads = index + 1;
        if (ask_port(e, value))
            copy(v, value, e->stride);
    }
    return v;
}

uint32_t karat_read_x(karat_exec *e, unsigned source, unsigned part, uint32_t reg) {
    return read_x(e, e->commit->num_reads++, source, part, reg, e->model->read_port);
}

const uint32_t *karat_read_v(karat_exec *e, unsigned source, unsigned part, uint32_t reg) {
    return read_v(e, e->commit->num_reads++, source, part, reg, e->model->read_port);
}

static inline bool is_pair(const karat_exec *e, unsigned source) {
    return e->pairs >> source & 1;
}

/* How the operands are fetched; known where the function is called, so that a case does not pay for what it has not. */
typedef struct way {
    uint32_t plan;
    bool wide;   /* some may be pairs */
    bool single; /* no operand is a group */
    bool asks;   /* there is a read port */
} way;

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

/* A register, the two of a group, whose elements follow one another, or the two of a pair: the high words after the low ones. v0, as
 * source 0, is no pair. */
static inline __attribute__((always_inline)) const uint32_t *
read_group(karat_exec *e, uint32_t *index, unsigned source, uint32_t reg, way w) {
    const uint32_t *v = read_v(e, (*index)++, source, 0, reg, w.asks);
    if (w.single || (e->n <= e->stride && !(w.wide && source && is_pair(e, source))))
        return v;
    const uint32_t *second = read_v(e, (*index)++, source, 1, reg + 1, w.asks);
    return join(e, source, v, second);
}

/* A scalar register, or the 64-bit value of a pair; the pair of x0 is 0. */
static inline __attribute__((always_inline)) uint64_t read_scalar(karat_exec *e, uint32_t *index,
                                                                  unsigned source, uint32_t reg, way w) {
    const uint64_t low = read_x(e, (*index)++, source, 0, reg, w.asks);
    return w.wide && is_pair(e, source) && reg
               ? low | (uint64_t)read_x(e, (*index)++, source, 1, reg + 1, w.asks) << 32
               : low;
}

/* ABS, then NEG, of a value of that width (decisions, "Prefixes"). */
static uint64_t modify(uint64_t value, karat_width width, bool is_float, bool abs, bool neg) {
    const uint64_t sign = UINT64_C(1) << ((8u << width) - 1);
    if (is_float) {
        value = abs ? value & ~sign : value;
        return neg ? value ^ sign : value;
    }
    value &= sign | (sign - 1);
    value = (value ^ sign) - sign; /* sign-extended */
    value = abs && value >> 63 ? 0 - value : value;
    return neg ? 0 - value : value;
}

/* The operands after ABS and NEG. */
static void modify_sources(karat_exec *e) {
    const karat_decoded *d = e->insn;
    const bool is_float = karat_row_is_float(&karat_rows[d->row]);
    uint64_t *const x[] = {&e->x1, &e->x2, &e->x3};
    const uint32_t **const v[] = {&e->v1, &e->v2, &e->v3};
    for (unsigned s = 0; s < 3; s++) {
        const bool abs = d->prefixed.abs >> s & 1, neg = d->prefixed.neg >> s & 1;
        if (!abs && !neg)
            continue;
        const karat_width width = e->width + (d->plan & PLAN_DOUBLED && d->pairs >> (s + 1) & 1);
        *x[s] = modify(*x[s], width, is_float, abs, neg);
        const uint32_t *from = *v[s];
        uint32_t *to = e->modified[s];
        for (uint32_t i = 0; i < e->n; i++) {
            const uint64_t high = width == KARAT_W64 ? from[i + e->stride] : 0;
            const uint64_t value = modify(from[i] | high << 32, width, is_float, abs, neg);
            to[i] = (uint32_t)value;
            if (width == KARAT_W64)
                to[i + e->stride] = (uint32_t)(value >> 32);
        }
        *v[s] = to;
    }
}

/* Source 1 is a scalar for every lane. */
static inline void splat(karat_exec *e) {
#define SPLAT(n)                                                                                             \
    for (uint32_t i = 0; i < (n); i++)                                                                       \
    e->splat[i] = (uint32_t)e->x1
    KARAT_AT_NUM_THREAD(e->n, SPLAT)
#undef SPLAT
}

/* Fetch the operands. */
static inline __attribute__((always_inline)) void gather(karat_exec *e, way w) {
    const karat_decoded *d = e->insn;
    const uint32_t plan = w.plan;
    uint32_t index = 0;
    /* An immediate takes the place of a missing source register. */
    e->x1 = plan & PLAN_X1 ? read_scalar(e, &index, 1, d->rs1, w) : (uint64_t)(int64_t)d->imm[1];
    e->x2 = plan & PLAN_X2 ? read_scalar(e, &index, 2, d->rs2, w) : (uint64_t)(int64_t)d->imm[2];
    e->x3 = plan & PLAN_X3 ? read_scalar(e, &index, 3, d->rs3, w) : 0;
    e->v1 = plan & PLAN_V1 ? read_group(e, &index, 1, d->rs1, w) : zeros;
    e->v2 = plan & PLAN_V2 ? read_group(e, &index, 2, d->rs2, w) : zeros;
    e->v3 = plan & PLAN_V3 ? read_group(e, &index, 3, d->rs3, w) : zeros;
    e->v0 = plan & (PLAN_MASKED | PLAN_V0) ? read_group(e, &index, 0, 0, w) : zeros;
    e->commit->num_reads = index;
    if (w.wide && plan & PLAN_MODIFIED)
        modify_sources(e);
    if (plan & PLAN_SPLAT1) {
        splat(e);
        for (uint32_t i = 0; w.wide && e->width == KARAT_W64 && i < e->n; i++)
            e->splat[i + e->stride] = (uint32_t)(e->x1 >> 32);
        e->v1 = e->splat;
    }
}

/* The elements below vl. */
static uint64_t below(uint32_t vl) {
    return vl < 64 ? (UINT64_C(1) << vl) - 1 : ~UINT64_C(0);
}

/* Elements that the instruction writes or accesses: thread mask, vl, v0.t.  VBRANCH and JOIN, which vl does
 * not affect, go by the thread mask itself. */
static uint64_t active_elements(const karat_exec *e) {
    const karat_warp *warp = e->warp;
    uint32_t num_thread = e->model->config.num_thread;
    uint64_t active = warp->mask;
    if (e->n > num_thread)
        active |= active << num_thread;
    active &= below(warp->vl);
    if (e->insn->plan & PLAN_MASKED)
        for (uint32_t i = 0; i < e->n; i++)
            active &= ~((uint64_t)(~e->v0[i] & 1) << i);
    return active;
}

/* Lanes outside mask get the old value; the bits come from a table so that it stays a vector loop. */
static inline __attribute__((always_inline)) void keep_old(uint32_t *restrict v, const uint32_t *restrict old,
                                                           uint32_t mask, uint32_t num_thread) {
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

/* Write number k of the step. */
static inline void write_scalar(karat_exec *e, uint32_t k, uint32_t reg, uint32_t value) {
    karat_warp *warp = e->warp;
    if (reg == 0)
        return;
    e->commit->num_writes = k + 1;
    warp->old_x[k] = warp->x[reg];
    warp->x[reg] = value;
    e->commit->write[k] = (karat_reg_write){KARAT_CLASS_X, (uint16_t)reg, 1, &warp->x[reg], &warp->old_x[k]};
}

/* Register write number k: the register takes those lanes of r, which is in the place that it takes, or elsewhere; another place keeps its
 * old value. */
static inline __attribute__((always_inline)) void exchange(karat_exec *e, uint32_t k, uint32_t reg,
                                                           const uint32_t *r, uint32_t mask) {
    karat_warp *warp = e->warp;
    uint32_t *v = take_place(e, k), *old = warp->v[reg];
    if (r != v)
        copy(v, r, e->stride);
    if (mask != 0xffffffffu >> (32 - e->stride)) {
#define KEEP_OLD(n) keep_old(v, old, mask, n)
        KARAT_AT_NUM_THREAD(e->stride, KEEP_OLD)
#undef KEEP_OLD
    }
    warp->v[reg] = v;
    warp->spare[k] = old;
}

/* The same of a vector register. Where no lane is written, nothing is owed. */
static inline __attribute__((always_inline)) void write_vector(karat_exec *e, uint32_t k, uint32_t reg,
                                                               const uint32_t *r, uint32_t mask) {
    if (!mask)
        return;
    exchange(e, k, reg, r, mask);
    e->commit->write[k] =
        (karat_reg_write){KARAT_CLASS_V, (uint16_t)reg, mask, e->warp->v[reg], e->warp->spare[k]};
    e->commit->num_writes = k + 1;
}

/* Results in more than one register: element i of a group, or word i / num_thread of a lane's results in consecutive registers, is
 * in r[i]. */
static __attribute__((noinline)) void write_more(karat_exec *e) {
    const karat_decoded *d = e->insn;
    const uint32_t num_thread = e->stride, lanes = 0xffffffffu >> (32 - num_thread);
    for (unsigned k = 1; k < e->words; k++)
        if (d->plan & PLAN_WX)
            write_scalar(e, e->commit->num_writes, d->rd + k, e->r[k * num_thread]);
        else
            write_vector(e, e->commit->num_writes, d->rd + k, e->r + k * num_thread,
                         (uint32_t)e->active & lanes);
    if (e->n > num_thread && d->plan & PLAN_WV)
        write_vector(e, e->commit->num_writes, d->rd + 1u, e->r + num_thread,
                     (uint32_t)(e->active >> num_thread) & lanes);
}

static inline void write_back(karat_exec *e) {
    const karat_decoded *d = e->insn;
    if (d->plan & PLAN_WV)
        write_vector(e, 0, d->rd, e->r, (uint32_t)e->active & 0xffffffffu >> (32 - e->stride));
    else if (!(d->plan & PLAN_WX) || e->no_write || (d->rd == 0 && is_pair(e, 0)))
        return;
    else
        write_scalar(e, 0, d->rd, e->r[0]);
    if (e->words > 1 || e->n > e->stride)
        write_more(e);
}

/* Clear all that a step need not fill in: not what is before active. */
static void begin(karat_commit *commit, const karat_warp *warp) {
    /* In three, which become a few stores each; more than 80 bytes at once are a loop in microcode that takes longer than all else here. */
    enum {
        FIRST = offsetof(karat_commit, active),
        END = offsetof(karat_commit, mem) + offsetof(karat_mem, lane_value),
        THIRD = ((END - FIRST) / 3 + 15) & ~15
    };
    memset((char *)commit + FIRST, 0, THIRD);
    memset((char *)commit + FIRST + THIRD, 0, THIRD);
    memset((char *)commit + FIRST + 2 * THIRD, 0, END - FIRST - 2 * THIRD);
    commit->error.lane = -1;
    commit->pc = warp->pc;
    commit->mask_before = commit->mask_after = warp->mask;
}

static void show_stack(karat_commit *commit, const karat_warp *warp) {
    commit->depth = (uint16_t)warp->depth;
    if (warp->depth)
        commit->top = warp->stack[warp->depth - 1];
}

static __attribute__((noinline)) karat_status stop(karat_model *model, karat_warp *warp, karat_commit *commit,
                                                   karat_error_kind kind) {
    commit->error.kind = kind;
    commit->error.pc = commit->pc;
    commit->error.warp = (uint32_t)(warp - model->warps);
    commit->mem.num = 0;
    commit->next_pc = commit->pc;
    show_stack(commit, warp);
    warp->stopped = true;
    warp->live = false;
    karat_unreserve(model, warp);
    return KARAT_PROGRAM_ERROR;
}

/* Whether all of so many bytes lies within LDS as the launch declares it: either of its ranges. */
static bool is_declared(const karat_warp *warp, uint64_t addr, uint32_t bytes) {
    return (addr - warp->lds_base < warp->lds_size && bytes <= warp->lds_size - (addr - warp->lds_base)) ||
           (addr - warp->local_base < warp->local_size &&
            bytes <= warp->local_size - (addr - warp->local_base));
}

/* Whether LDS was accessed outside of the launch's declaration. */
static __attribute__((noinline)) void check_declared_lds(const karat_model *model, const karat_warp *warp,
                                                         karat_commit *commit) {
    const karat_mem *mem = &commit->mem;
    if (mem->shape != KARAT_SHAPE_EACH) {
        if (!karat_in_lds(&model->lds, mem->base))
            return; /* device memory */
        for (uint32_t left = mem->lanes; left; left &= left - 1)
            if (!is_declared(warp, karat_mem_lane_addr(mem, (uint32_t)__builtin_ctz(left)), mem->bytes))
                commit->warnings |= KARAT_WARN_LDS_BEYOND;
        return;
    }
    for (uint32_t i = 0; i < mem->num; i++) {
        const karat_access *a = &mem->access[i];
        if (karat_in_lds(&model->lds, a->addr) && !is_declared(warp, a->addr, a->bytes))
            commit->warnings |= KARAT_WARN_LDS_BEYOND;
    }
}

/* The operands of most instructions. */
#define USUAL_OPERANDS(DO)                                                                                   \
    DO(PLAN_V1 | PLAN_V2)                                                                                    \
    DO(PLAN_V2 | PLAN_SPLAT1)                                                                                \
    DO(PLAN_X1 | PLAN_V2 | PLAN_SPLAT1)                                                                      \
    DO(PLAN_V1 | PLAN_V2 | PLAN_V3)                                                                          \
    DO(PLAN_V1)                                                                                              \
    DO(PLAN_X1 | PLAN_V3)                                                                                    \
    DO(PLAN_X1)                                                                                              \
    DO(PLAN_X1 | PLAN_X2)                                                                                    \
    DO(0)

/* All before an instruction is executed, where none of the warp's unusual bits is in its plan, and its registers are there: elements of
 * 32 bits, in one register each. */
static inline __attribute__((always_inline)) void prepare_usual(karat_exec *e, bool asks) {
    const karat_decoded *d = e->insn;
    e->width = KARAT_W32;
    e->pairs = 0;
    e->words = 1;
    e->n = d->max_v ? e->stride : 1;
    e->r = d->plan & PLAN_WV ? take_place(e, 0) : e->result;
    if (asks)
        gather(e, (way){.plan = d->plan, .single = true, .asks = true});
    else
        switch (d->plan & PLAN_OPERANDS) {
#define CASE(operands)                                                                                       \
    case operands: gather(e, (way){.plan = operands, .single = true}); break;
            USUAL_OPERANDS(CASE)
#undef CASE
        default: gather(e, (way){.plan = d->plan, .single = true});
        }
    e->active = e->warp->mask & below(e->warp->vl);
    e->commit->deviated = d->deviated;
}

/* The same with a read port. */
static __attribute__((noinline)) void prepare_asking(karat_exec *e) {
    prepare_usual(e, true);
}

/* The same for any. KARAT_ERR_NONE where the instruction may run, unless it is held. */
static __attribute__((noinline)) karat_error_kind prepare_any(karat_exec *e) {
    const karat_decoded *d = e->insn;
    uint32_t deviated = d->deviated;
    const karat_error_kind error = check(e, &deviated);
    if (error)
        return error;
    e->commit->deviated = deviated;
    e->commit->width = (uint8_t)(8u << e->width);
    e->words = e->pairs & 1 ? 2 : 1;
    e->n = !d->max_v              ? 1 /* no vector register */
           : d->plan & PLAN_GROUP ? e->stride * e->warp->lmul
                                  : e->stride;
    /* Of 64-bit elements a semantic gives two words, also where one is kept, as of a compare. */
    const bool in_place = (d->plan & (PLAN_WV | PLAN_LONG)) == PLAN_WV && e->n == e->stride &&
                          e->words == 1 && e->width != KARAT_W64;
    e->r = in_place ? take_place(e, 0) : e->result;
    gather(e, (way){.plan = d->plan, .wide = true, .asks = e->model->read_port});
    e->active = active_elements(e);
    return KARAT_ERR_NONE;
}

static inline bool is_usual(const karat_warp *warp, const karat_decoded *d) {
    return !(d->plan & warp->unusual) && !d->error && d->max_x <= warp->sgprs && d->max_v <= warp->vgprs;
}

karat_status karat_step(karat_model *model, uint32_t handle, karat_commit *commit) {
    if (!model || !commit || handle >= model->config.max_warp)
        return KARAT_BAD_ARGUMENT;
    karat_warp *warp = &model->warps[handle];
    if (!warp->live)
        return KARAT_ENDED;
    if (warp->waiting)
        return KARAT_WAITING;

    begin(commit, warp);
    karat_error_kind error = KARAT_ERR_NONE;
    const karat_decoded *d = karat_fetch(model, warp, &error, &commit->fault);
    if (!d) {
        commit->word = commit->prefix = 0;
        commit->row = KARAT_NO_ROW;
        return stop(model, warp, commit, error);
    }
    commit->pc = d->at;
    commit->word = d->word;
    commit->prefix = d->prefix;
    commit->row = d->row;
    /* The program may have meant the word before a jump's target as its prefix. */
    if (warp->jumped &&
        (model->config.translation == KARAT_TRANSLATION_NONE ? d->after_prefix
                                                             : karat_follows_prefix(model, warp)))
        commit->warnings |= KARAT_WARN_SKIPPED_PREFIX;
    karat_exec e;
    e.model = model;
    e.warp = warp;
    e.warp_handle = handle;
    e.insn = d;
    e.commit = commit;
    e.stride = model->config.num_thread;
    e.next_pc = commit->pc + 4;
    e.error = KARAT_ERR_NONE;
    e.held = e.no_write = false;
    forget_commit(&e);
    if (!is_usual(warp, d))
        error = prepare_any(&e);
    else if (model->read_port)
        prepare_asking(&e);
    else
        prepare_usual(&e, false);
    if (error)
        return stop(model, warp, commit, error);
    if (!e.held) {
        commit->active = e.active;
        commit->width = (uint8_t)(8u << e.width);
        commit->elements = e.n;
        d->semantic->run[e.width](&e); /* reads the remaining registers of pairs before it changes anything */
    }
    if (e.held) {
        commit->next_pc = 0;
        return KARAT_HELD;
    }
    if (e.error)
        return stop(model, warp, commit, e.error);

    if (commit->has_mem && warp->lds_size)
        check_declared_lds(model, warp, commit);
    write_back(&e);
    warp->fflags |= commit->flags_raised;
    warp->vxsat |= commit->vxsat_raised;
    warp->jumped = e.next_pc != commit->pc + 4;
    warp->pc = commit->next_pc = e.next_pc;
    commit->mask_after = warp->mask;
    show_stack(commit, warp);
    return KARAT_OK;
}

static inline void keep_value(const uint32_t **value, uint32_t *to, unsigned cls, uint32_t num_thread) {
    if (*value == to)
        return; /* kept there before */
    if (cls == KARAT_CLASS_X)
        to[0] = **value;
    else
        memcpy(to, *value, num_thread * sizeof *to);
    *value = to;
}

static inline __attribute__((always_inline)) void
keep_values(karat_commit *commit, karat_commit_values *values, uint32_t num_thread) {
    for (uint32_t i = 0; i < commit->num_reads; i++)
        keep_value(&commit->read[i].value, values->read[i], commit->read[i].cls, num_thread);
    for (uint32_t i = 0; i < commit->num_writes; i++) {
        keep_value(&commit->write[i].value, values->value[i], commit->write[i].cls, num_thread);
        keep_value(&commit->write[i].old, values->old[i], commit->write[i].cls, num_thread);
    }
}

void karat_commit_keep(const karat_model *model, karat_commit *commit, karat_commit_values *values) {
    if (!model || !commit || !values || commit->num_reads > KARAT_MAX_READ ||
        commit->num_writes > KARAT_MAX_WRITE)
        return;
#define KEEP(n) keep_values(commit, values, n)
    KARAT_AT_NUM_THREAD(model->config.num_thread, KEEP)
#undef KEEP
}

/* --- Slices --- */

/* Steps one after the other in memory; of several, each without a prefix. */
typedef struct passage {
    uint32_t at, num;
} passage;

typedef struct slicing {
    karat_exec e;
    passage passage[KARAT_MAX_TRAIL]; /* the last ones, a ring */
    uint32_t num_passages;            /* ever */
    karat_slice *slice;
    karat_reg_set *written, all; /* registers all lanes of which are; of a caller that does not ask: all */
    bool settled;    /* the usual settings: elements of 32 bits, one register each, a valid rounding mode */
    uint64_t active; /* then, elements by thread mask and vl */
} slicing;

static void settle(slicing *s) {
    const karat_warp *warp = s->e.warp;
    s->settled = !(warp->unusual & (PLAN_VTYPE | PLAN_GROUP | PLAN_SEW | PLAN_FP));
    s->active = warp->mask & below(warp->vl);
}

static bool is_written(const karat_reg_set *set, uint32_t v) {
    return set->v[v / 64] >> (v % 64) & 1;
}

static void enter_written(karat_reg_set *set, uint32_t v) {
    set->v[v / 64] |= UINT64_C(1) << (v % 64);
}

/* A vector operand; false: some lanes of it were never written. */
static inline bool take_group(slicing *s, unsigned source, uint32_t reg, const uint32_t **v) {
    karat_exec *e = &s->e;
    *v = e->warp->v[reg];
    if (e->n > e->stride) {
        if (!is_written(s->written, reg + 1))
            return false;
        *v = join(e, source, *v, e->warp->v[reg + 1]);
    }
    return is_written(s->written, reg);
}

/* Whether a write to these lanes leaves all of the register written. */
static bool covers(const slicing *s, uint32_t reg, uint64_t lanes) {
    const uint32_t all = 0xffffffffu >> (32 - s->e.stride), mask = (uint32_t)lanes & all;
    return mask == 0 || mask == all || is_written(s->written, reg);
}

static void put_vector(slicing *s, uint32_t k, uint32_t reg, const uint32_t *r, uint64_t lanes) {
    const uint32_t all = 0xffffffffu >> (32 - s->e.stride), mask = (uint32_t)lanes & all;
    if (mask)
        exchange(&s->e, k, reg, r, mask);
    if (mask == all)
        enter_written(s->written, reg);
}

/* Gather the operands of an instruction with vector registers, and find out what it writes. False: karat_step() is to do it. */
static bool gather_vectors(slicing *s) {
    karat_exec *e = &s->e;
    const karat_decoded *d = e->insn;
    const karat_warp *warp = e->warp;
    const unsigned plan = d->plan;
    const bool group = plan & PLAN_GROUP && warp->lmul == 2;
    e->n = group ? 2 * e->stride : e->stride;
    if (d->max_v + (uint32_t)group > warp->vgprs || (group && d->odd_v & 1))
        return false;
    e->v1 = e->v2 = e->v3 = e->v0 = zeros;
    if ((plan & PLAN_V1 && !take_group(s, 1, d->rs1, &e->v1)) ||
        (plan & PLAN_V2 && !take_group(s, 2, d->rs2, &e->v2)) ||
        (plan & PLAN_V3 && !take_group(s, 3, d->rs3, &e->v3)) ||
        (plan & (PLAN_MASKED | PLAN_V0) && !take_group(s, 0, 0, &e->v0)))
        return false;
    if (plan & PLAN_SPLAT1) {
        splat(e);
        e->v1 = e->splat;
    }
    e->active = active_elements(e);
    if (plan & PLAN_WV && !group)
        e->r = take_place(e, 0);
    return !(plan & PLAN_WV) ||
           (covers(s, d->rd, e->active) && (!group || covers(s, d->rd + 1u, e->active >> e->stride)));
}

/* Execute the instruction, whose operands are there. False: it is an error, which karat_step() is to report; nothing has changed. */
static inline bool execute(karat_exec *e) {
    karat_commit *commit = e->commit;
    commit->has_mem = false;
    commit->mem.shape = KARAT_SHAPE_EACH;
    commit->mem.num = 0;
    e->insn->semantic->run[KARAT_W32](e);
    if (e->error) {
        e->error = KARAT_ERR_NONE;
        return false;
    }
    if (commit->has_mem && e->warp->lds_size)
        check_declared_lds(e->model, e->warp, commit);
    return true;
}

/* After an instruction with vector registers. */
static inline bool finish_vector(slicing *s, bool done) {
    karat_exec *e = &s->e;
    karat_commit *commit = e->commit;
    e->no_write = false;
    e->n = 1;
    e->active = 1;
    e->r = e->result; /* no longer the register's place */
    e->warp->fflags |= commit->flags_raised;
    e->warp->vxsat |= commit->vxsat_raised;
    commit->flags_raised = commit->vxsat_raised = 0;
    return done;
}

/* Any instruction that may be taken without its commit. False: karat_step() is to do it; nothing has changed. */
static bool take_any(slicing *s) {
    karat_exec *e = &s->e;
    const karat_decoded *d = e->insn;
    karat_warp *warp = e->warp;
    const unsigned plan = d->plan;
    if (plan & warp->unusual & (PLAN_VTYPE | PLAN_SEW | PLAN_FP))
        return false;
    e->x1 = plan & PLAN_X1 ? warp->x[d->rs1] : (uint64_t)(int64_t)d->imm[1];
    e->x2 = plan & PLAN_X2 ? warp->x[d->rs2] : (uint64_t)(int64_t)d->imm[2];
    e->x3 = plan & PLAN_X3 ? warp->x[d->rs3] : 0;
    if ((d->max_v && !gather_vectors(s)) || !execute(e))
        return false;
    if (plan & PLAN_WV && !e->no_write) {
        put_vector(s, 0, d->rd, e->r, e->active);
        if (e->n > e->stride)
            put_vector(s, 1, d->rd + 1u, e->r + e->stride, e->active >> e->stride);
    } else if (plan & PLAN_WX && !e->no_write && d->rd) {
        warp->x[d->rd] = e->r[0];
        s->written->x |= UINT64_C(1) << d->rd;
    }
    settle(s);
    return finish_vector(s, true);
}

/* Whether the caller has to see the last step. */
static bool is_of_note(const karat_commit *commit) {
    return commit->warnings | commit->deviated | commit->flagged.kind ||
           (commit->csr_written && commit->csr == KARAT_CSR_BASE + KARAT_CSR_PRINT);
}

/* Execute an instruction that writes at most a vector register: all that it names are within the usage and written, and the settings
 * are the usual ones. False: karat_step() is to do it; nothing has changed. */
static inline bool take_vector(slicing *s, uint32_t x1, uint32_t x2) {
    karat_exec *e = &s->e;
    const karat_decoded *d = e->insn;
    karat_warp *warp = e->warp;
    const unsigned plan = d->plan;
    e->n = e->stride;
    e->x1 = x1;
    e->x2 = x2;
    e->v1 = e->v2 = e->v3 = e->v0 = zeros;
    if (plan & PLAN_V1)
        e->v1 = warp->v[d->rs1];
    if (plan & PLAN_V2)
        e->v2 = warp->v[d->rs2];
    if (plan & PLAN_V3)
        e->v3 = warp->v[d->rs3];
    if (plan & PLAN_SPLAT1) {
        splat(e);
        e->v1 = e->splat;
    }
    e->active = s->active;
    if (plan & (PLAN_MASKED | PLAN_V0)) {
        e->v0 = warp->v[0];
        e->active = active_elements(e);
    }
    e->r = take_place(e, 0);
    bool done;
    if (d->slice == SLICE_MOVE) {
        done = execute(e);
    } else {
        d->semantic->run[KARAT_W32](e);
        done = !e->error;
        e->error = KARAT_ERR_NONE;
    }
    if (done && plan & PLAN_WV && e->active && !e->no_write)
        exchange(e, 0, d->rd, e->r, (uint32_t)e->active);
    return finish_vector(s, done);
}

typedef enum slice_end {
    SLICE_GOES_ON,
    SLICE_ENDS,
    SLICE_ENDS_BEFORE /* a step for karat_step() */
} slice_end;

/* Take max steps from that entry of the cache on: of a block, or one. Their scalar operands are within the usage, and written; known_v: and so are
 * all vector registers. Returns how many were taken; fewer where it ends, where code was written, and where the SIMT stack leads elsewhere. */
static inline uint32_t take_block(slicing *s, const karat_decoded *const first, uint32_t max, bool known_v,
                                  slice_end *end) {
    karat_exec *e = &s->e;
    karat_commit *commit = e->commit;
    uint32_t *const x = e->warp->x;
    const uint64_t generation = e->model->generation;
    *end = SLICE_GOES_ON;
    for (const karat_decoded *d = first, *const last = first + max; d < last; d++) {
        e->insn = d;
        commit->pc = d->at;
        /* The field of a missing register is 0, and so is the immediate beside a register; x0 is 0. */
        const uint32_t x1 = x[d->rs1 & (KARAT_NUM_X - 1)] + (uint32_t)d->imm[1],
                       x2 = x[d->rs2 & (KARAT_NUM_X - 1)] + (uint32_t)d->imm[2];
        if (d->slice <= SLICE_JUMP) {
            e->x1 = x1;
            e->x2 = x2;
            e->next_pc = d->at + 4;
            d->semantic->run[KARAT_W32](e);
            if (d->rd)
                x[d->rd] = e->r[0];
            continue;
        }
        e->next_pc = d->at + 4;
        if (d->slice == SLICE_ACCESS) {
            e->x1 = x1;
            e->x2 = x2;
            if (!execute(e))
                *end = SLICE_ENDS_BEFORE;
            else if (d->rd)
                x[d->rd] = e->r[0];
        } else if (d->slice != SLICE_ANY && known_v && s->settled) {
            if (!take_vector(s, x1, x2))
                *end = SLICE_ENDS_BEFORE;
            else if (d->slice == SLICE_VECTOR)
                continue;
        } else if (!take_any(s)) {
            *end = SLICE_ENDS_BEFORE;
        }
        if (*end == SLICE_ENDS_BEFORE)
            return (uint32_t)(d - first);
        const bool noted = is_of_note(commit);
        *end = noted ? SLICE_ENDS : SLICE_GOES_ON;
        commit->csr_written = noted;
        if (noted || e->next_pc != d->at + 4 || e->model->generation != generation)
            return (uint32_t)(d - first) + 1;
    }
    return max;
}

/* These steps, one after the other in the cache, have been taken. */
static inline void enter_steps(slicing *s, const karat_decoded *first, uint32_t num) {
    const uint64_t writes = first->block.writes_x;
    s->passage[s->num_passages++ % KARAT_MAX_TRAIL] = (passage){first->at, num};
    if (!(writes & ~s->written->x) && first->block.num)
        return; /* nearly always */
    for (uint32_t k = 0; k < num; k++)
        s->written->x |= first[k].slice <= SLICE_ACCESS ? UINT64_C(1) << first[k].rd : 0;
}

/* Enter the last steps into the trail, where there is one. */
static void enter_trail(const slicing *s) {
    const karat_slice *slice = s->slice;
    uint64_t left = slice->steps < slice->trail_size ? slice->steps : slice->trail_size,
             number = slice->num_trail;
    for (uint32_t i = s->num_passages; slice->trail && left && i && i + KARAT_MAX_TRAIL > s->num_passages;
         i--) {
        const passage *p = &s->passage[(i - 1) % KARAT_MAX_TRAIL];
        for (uint32_t k = p->num; k && left; k--, left--)
            slice->trail[--number & (slice->trail_size - 1)] = p->at + 4 * (k - 1);
    }
}

/* Take steps without their commits, until one is to be taken by karat_step(), or the slice ends. Returns whether it ends. */
static inline bool take_steps(slicing *s) {
    karat_model *model = s->e.model;
    karat_warp *warp = s->e.warp;
    karat_slice *slice = s->slice;
    const uint32_t until_pc = slice->until_x ? slice->until_pc : 1 /* misaligned: no instruction's */;
    slice_end end = SLICE_GOES_ON;
    while (end == SLICE_GOES_ON && slice->steps < slice->max) {
        const uint32_t pc = warp->pc;
        karat_decoded *first = karat_cached(model, pc);
        karat_error_kind error;
        if (first->pc != pc && !karat_fetch_any(model, warp, &error, &s->e.commit->fault))
            return false;
        if (!first->slice || (warp->jumped && first->after_prefix))
            return false;
        const karat_block *block = karat_block_at(model, first);
        uint64_t num = block->num;
        if (!num || block->reads_x & ~s->written->x || block->max_x > warp->sgprs) {
            if (first->reads_x & ~s->written->x || first->max_x > warp->sgprs)
                return false;
            num = 1;
        }
        if (num > slice->max - slice->steps)
            num = slice->max - slice->steps;
        if (until_pc - pc < 4 * num) /* then it has no prefix */
            num = (until_pc - pc) / 4 + 1;
        bool known_v = block->max_v <= warp->vgprs;
        for (unsigned i = 0; i < KARAT_NUM_V / 64; i++)
            known_v = known_v && !(block->names_v[i] & ~s->written->v[i]);
        const uint32_t taken = take_block(s, first, (uint32_t)num, known_v && block->num, &end);
        if (!taken)
            return false;
        enter_steps(s, first, taken);
        slice->steps += taken;
        slice->num_trail += taken;
        const uint32_t at = first[taken - 1].at;
        warp->pc = end == SLICE_ENDS_BEFORE ? at + 4 : s->e.next_pc;
        warp->jumped = warp->pc != at + 4;
        if (at == until_pc && memcmp(warp->x, slice->until_x, sizeof warp->x) == 0)
            return true;
    }
    return end != SLICE_ENDS_BEFORE;
}

/* The commit of a step that was taken without it. */
static void finish_slice(slicing *s) {
    const karat_decoded *d = s->e.insn;
    const karat_warp *warp = s->e.warp;
    karat_commit *commit = s->e.commit;
    commit->word = d->word;
    commit->prefix = d->prefix;
    commit->row = d->row;
    commit->next_pc = warp->pc;
    commit->mask_before = commit->mask_after = warp->mask;
    commit->has_mem = false;
    commit->mem.num = 0;
    commit->simt = KARAT_SIMT_NONE;
    show_stack(commit, warp);
}

static bool is_slice(const karat_slice *slice) {
    return slice && (!slice->trail || (slice->trail_size && !(slice->trail_size & (slice->trail_size - 1)) &&
                                       slice->trail_size <= KARAT_MAX_TRAIL));
}

/* Whether somebody has to see every step of the model. */
static bool is_watched(const karat_model *model) {
    return model->port || model->read_port || model->config.translation != KARAT_TRANSLATION_NONE;
}

static void begin_slices(slicing *s, karat_model *model, karat_commit *commit) {
    s->e.model = model;
    s->e.commit = commit;
    s->e.width = KARAT_W32;
    s->e.pairs = 0;
    s->e.words = 1;
    s->e.stride = model->config.num_thread;
    s->e.error = KARAT_ERR_NONE;
    s->e.held = s->e.no_write = false;
    s->e.n = 1; /* where no vector register is named */
    s->e.active = 1;
    s->e.x3 = 0;
    s->e.r = s->e.result;
    memset(&s->all, 0xff, sizeof s->all);
}

static void select_warp(slicing *s, uint32_t handle, karat_slice *slice) {
    s->e.warp = &s->e.model->warps[handle];
    s->e.warp_handle = handle;
    s->slice = slice;
    s->written = slice->written ? slice->written : &s->all;
    forget_commit(&s->e);
}

static void enter_step(karat_slice *slice, uint32_t pc) {
    if (slice->trail)
        slice->trail[slice->num_trail & (slice->trail_size - 1)] = pc;
    slice->num_trail++;
    slice->steps++;
}

/* A step with its commit. */
static karat_status take_whole(karat_model *model, uint32_t handle, karat_slice *slice,
                               karat_commit *commit) {
    slice->whole = true;
    const karat_status status = karat_step(model, handle, commit);
    if (status == KARAT_OK)
        enter_step(slice, commit->pc);
    return status;
}

karat_status karat_run_slice(karat_model *model, uint32_t handle, karat_slice *slice, karat_commit *commit) {
    if (!model || !commit || handle >= model->config.max_warp || !is_slice(slice) || !slice->max)
        return KARAT_BAD_ARGUMENT;
    slice->steps = 0;
    slice->whole = false;
    const karat_warp *warp = &model->warps[handle];
    if (!warp->live)
        return KARAT_ENDED;
    if (warp->waiting)
        return KARAT_WAITING;
    if (!is_watched(model)) {
        slicing s;
        begin(commit, warp);
        begin_slices(&s, model, commit);
        select_warp(&s, handle, slice);
        settle(&s);
        s.num_passages = 0;
        const bool ends = take_steps(&s);
        enter_trail(&s);
        if (ends) {
            finish_slice(&s);
            return KARAT_OK;
        }
    }
    return take_whole(model, handle, slice, commit);
}

/* Whether all vector registers that it names are within the usage, and written. */
static bool names_written(const slicing *s, const karat_decoded *d) {
    const unsigned plan = d->plan;
    return d->max_v <= s->e.warp->vgprs && (!(plan & PLAN_V1) || is_written(s->written, d->rs1)) &&
           (!(plan & PLAN_V2) || is_written(s->written, d->rs2)) &&
           (!(plan & PLAN_V3) || is_written(s->written, d->rs3)) &&
           (!(plan & (PLAN_MASKED | PLAN_V0)) || is_written(s->written, 0)) &&
           (!(plan & PLAN_WV) || is_written(s->written, d->rd));
}

/* One step of the selected warp. False: karat_step() is to do it; nothing has changed. */
static inline bool take_turn(slicing *s, slice_end *end) {
    karat_warp *warp = s->e.warp;
    const karat_decoded *d = karat_cached(s->e.model, warp->pc);
    if (d->pc != warp->pc || !d->slice || !warp->live || warp->waiting || (warp->jumped && d->after_prefix) ||
        d->reads_x & ~s->written->x || d->max_x > warp->sgprs)
        return false;
    if (d->slice > SLICE_ACCESS)
        settle(s);
    if (!take_block(s, d, 1, d->slice > SLICE_ACCESS && names_written(s, d), end))
        return false;
    if (d->slice <= SLICE_ACCESS)
        s->written->x |= UINT64_C(1) << d->rd;
    enter_step(s->slice, d->at);
    warp->pc = s->e.next_pc;
    warp->jumped = warp->pc != d->at + 4;
    if (s->slice->until_x && d->at == s->slice->until_pc &&
        memcmp(warp->x, s->slice->until_x, sizeof warp->x) == 0)
        *end = SLICE_ENDS;
    return true;
}

karat_status karat_run_turns(karat_model *model, const karat_turn *turns, uint32_t num, uint32_t *at,
                             uint64_t max, uint64_t *steps, karat_commit *commit) {
    if (!model || !turns || !at || *at >= num || !max || !steps || !commit)
        return KARAT_BAD_ARGUMENT;
    for (uint32_t i = 0; i < num; i++)
        if (turns[i].warp >= model->config.max_warp || !is_slice(turns[i].slice))
            return KARAT_BAD_ARGUMENT;
    const bool watched = is_watched(model);
    slicing s;
    begin_slices(&s, model, commit);
    begin(commit, &model->warps[turns[*at].warp]);
    *steps = 0;
    for (;; *at = *at + 1 == num ? 0 : *at + 1) {
        const karat_turn *turn = &turns[*at];
        slice_end end = SLICE_GOES_ON;
        select_warp(&s, turn->warp, turn->slice);
        if (watched || !take_turn(&s, &end)) {
            const karat_status status = take_whole(model, turn->warp, turn->slice, commit);
            *steps += status == KARAT_OK;
            return status;
        }
        turn->slice->whole = false;
        if (++*steps == max || end != SLICE_GOES_ON) {
            finish_slice(&s);
            return KARAT_OK;
        }
    }
}

uint32_t karat_read_lanes(const karat_model *model, uint32_t handle, const karat_commit *commit,
                          uint32_t index) {
    const karat_row *row = commit ? karat_row_info(commit->row) : NULL;
    if (!model || !row || handle >= model->config.max_warp || index >= commit->num_reads ||
        commit->num_reads > KARAT_MAX_READ)
        return 0;
    const karat_reg_read *read = &commit->read[index];
    const uint32_t num_thread = model->config.num_thread;
    if (read->cls == KARAT_CLASS_X)
        return 1;
    if (row->unit == KARAT_UNIT_TENSOR)
        return 0xffffffffu >> (32 - num_thread);
    if (row->owes & KARAT_OWES_SIMT)
        return commit->mask_before;
    const bool group = commit->elements > num_thread;
    const uint32_t below_vl =
        (uint32_t)(below(model->warps[handle].vl) >> (group && read->part ? num_thread : 0));
    if (read->source == 0 || !(row->owes & (KARAT_OWES_V | KARAT_OWES_MEM)) || commit->error.kind)
        return commit->mask_before & below_vl;
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < commit->num_writes; i++)
        if (!group || (commit->write[i].reg & 1) == read->part)
            lanes |= commit->write[i].mask;
    if (commit->mem.shape != KARAT_SHAPE_EACH)
        lanes |= commit->mem.lanes;
    else
        for (uint32_t k = 0; k < commit->mem.num; k++)
            if (!group || commit->mem.access[k].reg == read->part)
                lanes |= UINT32_C(1) << commit->mem.access[k].lane;
    return lanes & below_vl;
}
