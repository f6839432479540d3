/* One architectural step: fetch, check, gather operands, run the semantic, write back, and report all of it
 * in the commit. */
#include "step.h"

/* The checks that do not depend on values, and the width of the elements. KARAT_ERR_NONE where the
 * instruction may run. */
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
    if (d->plan & PLAN_SINGLE && warp->lmul == 2)
        return karat_set_illegal(e, KARAT_ILLEGAL_LMUL);
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
    const karat_reg_read *read = &e->commit->read[e->commit->num_reads - 1];
    if (answer == KARAT_READ_KNOWN)
        e->warp->known[(read->cls == KARAT_CLASS_X ? 0 : KARAT_NUM_X) + read->reg] = true;
    return answer == KARAT_READ_CHANGED;
}

/* How the operands are fetched; known where the function is called, so that a case does not pay for what it
 * has not. */
typedef struct way {
    const karat_decoded *d;
    karat_warp *warp;
    karat_commit *commit;
    uint32_t plan;
    bool wide;   /* Some may be pairs */
    bool single; /* No operand is a group, and no semantic looks at one that its row has not */
    bool asks;   /* There is a read port */
} way;

static inline __attribute__((always_inline)) way way_of(const karat_exec *e) {
    return (way){e->insn, e->warp, e->commit, e->insn->plan, .wide = true, .asks = e->model->read_port};
}

/* Enter the operand into the commit as the one of that index. */
static inline __attribute__((always_inline)) void enter_read(uint32_t index, unsigned source, unsigned cls,
                                                             unsigned part, uint32_t reg,
                                                             const uint32_t *value, way w) {
    karat_reg_read *read = &w.commit->read[index];
    if (w.single)
        memcpy(read, &w.d->read[index], offsetof(karat_reg_read, value)); /* In one move */
    else
        *read = (karat_reg_read){(uint8_t)source, (uint8_t)cls, (uint8_t)part, (uint16_t)reg, NULL};
    read->value = value;
}

static inline __attribute__((always_inline)) uint32_t read_x(karat_exec *e, uint32_t index, unsigned source,
                                                             unsigned part, uint32_t reg, way w) {
    uint32_t *x = &w.warp->x[reg], *shown = &w.warp->read_x[index], x_value = *x;
    enter_read(index, source, KARAT_CLASS_X, part, reg, shown, w);
    *shown = x_value;
    if (w.asks) {
        uint32_t value[KARAT_MAX_THREAD];
        w.commit->num_reads = index + 1;
        const bool changed = ask_port(e, value);
        if (changed && reg)
            *x = value[0];
        *shown = x_value = changed ? value[0] : *x;
    }
    return x_value;
}

static inline __attribute__((always_inline)) const uint32_t *
read_v(karat_exec *e, uint32_t index, unsigned source, unsigned part, uint32_t reg, way w) {
    uint32_t *v = w.warp->v[reg];
    enter_read(index, source, KARAT_CLASS_V, part, reg, v, w);
    if (w.asks) {
        uint32_t value[KARAT_MAX_THREAD];
        w.commit->num_reads = index + 1;
        if (ask_port(e, value))
            copy(v, value, e->stride);
    }
    return v;
}

uint32_t karat_read_x(karat_exec *e, unsigned source, unsigned part, uint32_t reg) {
    return read_x(e, e->commit->num_reads++, source, part, reg, way_of(e));
}

const uint32_t *karat_read_v(karat_exec *e, unsigned source, unsigned part, uint32_t reg) {
    return read_v(e, e->commit->num_reads++, source, part, reg, way_of(e));
}

static inline bool is_pair(const karat_exec *e, unsigned source) {
    return e->pairs >> source & 1;
}

/* A register, the two of a group, whose elements follow one another, or the two of a pair: the high words
 * after the low ones. v0, as source 0, is no pair. */
static inline __attribute__((always_inline)) const uint32_t *
read_group(karat_exec *e, uint32_t *index, unsigned source, uint32_t reg, way w) {
    const uint32_t *v = read_v(e, (*index)++, source, 0, reg, w);
    if (w.single || (e->n <= e->stride && !(w.wide && source && is_pair(e, source))))
        return v;
    const uint32_t *second = read_v(e, (*index)++, source, 1, reg + 1, w);
    return join(e, source, v, second);
}

/* A scalar register, or the 64-bit value of a pair; the pair of x0 is 0. */
static inline __attribute__((always_inline)) uint64_t read_scalar(karat_exec *e, uint32_t *index,
                                                                  unsigned source, uint32_t reg, way w) {
    const uint64_t low = read_x(e, (*index)++, source, 0, reg, w);
    return w.wide && is_pair(e, source) && reg
               ? low | (uint64_t)read_x(e, (*index)++, source, 1, reg + 1, w) << 32
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
    value = (value ^ sign) - sign; /* Sign-extended */
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

/* Fetch the operands. */
static inline __attribute__((always_inline)) void gather(karat_exec *e, way w) {
    const karat_decoded *d = w.d;
    const uint32_t plan = w.plan;
    uint32_t index = 0;
    /* An immediate takes the place of a missing source register. */
    e->x1 = plan & PLAN_X1 ? read_scalar(e, &index, 1, d->rs1, w) : (uint64_t)(int64_t)d->imm[1];
    e->x2 = plan & PLAN_X2 ? read_scalar(e, &index, 2, d->rs2, w) : (uint64_t)(int64_t)d->imm[2];
    if (plan & PLAN_X3)
        e->x3 = read_scalar(e, &index, 3, d->rs3, w);
    if (!w.single)
        e->v1 = e->v2 = e->v3 = e->v0 = zeros;
    if (plan & PLAN_V1)
        e->v1 = read_group(e, &index, 1, d->rs1, w);
    if (plan & PLAN_V2)
        e->v2 = read_group(e, &index, 2, d->rs2, w);
    if (plan & PLAN_V3)
        e->v3 = read_group(e, &index, 3, d->rs3, w);
    if (plan & (PLAN_MASKED | PLAN_V0))
        e->v0 = read_group(e, &index, 0, 0, w);
    w.commit->num_reads = index;
    if (w.wide && plan & PLAN_MODIFIED)
        modify_sources(e);
    if (plan & PLAN_SPLAT1) {
        splat(e);
        for (uint32_t i = 0; w.wide && e->width == KARAT_W64 && i < e->n; i++)
            e->splat[i + e->stride] = (uint32_t)(e->x1 >> 32);
        e->v1 = e->splat;
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

/* Write number k of the step to a vector register. Where no lane is written, no record is expected. */
static inline __attribute__((always_inline)) void write_vector(karat_exec *e, uint32_t k, uint32_t reg,
                                                               const uint32_t *r, uint32_t mask) {
    if (!mask)
        return;
    exchange(e, k, reg, r, mask);
    e->commit->write[k] =
        (karat_reg_write){KARAT_CLASS_V, (uint16_t)reg, mask, e->warp->v[reg], e->warp->spare[k]};
    e->commit->num_writes = k + 1;
}

/* Results in more than one register: element i of a group, or word i / num_thread of a lane's results in
 * consecutive registers, is in r[i]. */
static __attribute__((noinline)) void write_more(karat_exec *e) {
    const karat_decoded *d = e->insn;
    const uint32_t num_thread = e->stride, lanes = e->model->lanes;
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
        write_vector(e, 0, d->rd, e->r, (uint32_t)e->active & e->model->lanes);
    else if (!(d->plan & PLAN_WX) || e->no_write || (d->rd == 0 && is_pair(e, 0)))
        return;
    else
        write_scalar(e, 0, d->rd, e->r[0]);
    if (e->words > 1 || e->n > e->stride)
        write_more(e);
}

/* The program error ends the warp. */
static __attribute__((noinline)) karat_status stop(karat_exec *e, karat_error_kind kind) {
    karat_commit *commit = e->commit;
    karat_warp *warp = e->warp;
    commit->error.kind = kind;
    commit->error.pc = commit->pc;
    commit->error.warp = e->warp_handle;
    commit->mem.num = 0;
    commit->next_pc = commit->pc;
    show_stack(commit, warp);
    warp->stopped = true;
    warp->live = false;
    karat_unreserve(e->model, warp);
    reset_exec(e, e->model);
    return KARAT_PROGRAM_ERROR;
}

/* The read port holds the step. */
static karat_status hold(karat_exec *e) {
    e->held = false;
    e->commit->next_pc = 0;
    return KARAT_HELD;
}

/* Whether all of so many bytes lies within LDS as the launch declares it: either of its ranges. */
static bool is_declared(const karat_warp *warp, uint64_t addr, uint32_t bytes) {
    return (addr - warp->lds_base < warp->lds_size && bytes <= warp->lds_size - (addr - warp->lds_base)) ||
           (addr - warp->local_base < warp->local_size &&
            bytes <= warp->local_size - (addr - warp->local_base));
}

/* Whether accesses at both addresses, and so those between them, lie within one of these ranges. */
static bool is_declared_span(const karat_warp *warp, uint64_t a, uint64_t b, uint32_t bytes) {
    const uint64_t first = a < b ? a : b, size = (a < b ? b - a : a - b) + bytes;
    return is_declared(warp, first, (uint32_t)size);
}

static void check_declared_lds(const karat_model *model, const karat_warp *warp, karat_commit *commit) {
    const karat_mem *mem = &commit->mem;
    if (mem->shape != KARAT_SHAPE_EACH) {
        if (!karat_in_lds(&model->lds, mem->base))
            return; /* Device memory */
        const uint32_t last = 31 - (uint32_t)__builtin_clz(mem->lanes);
        uint32_t left = mem->lanes;
        if (is_declared_span(warp, karat_mem_lane_addr(mem, (uint32_t)__builtin_ctz(left)),
                             karat_mem_lane_addr(mem, last), mem->bytes))
            return;
        for (; left; left &= left - 1)
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

/* A workgroup's private memory is in one piece, in which the words at an offset come after all those below
 * it. */
static void check_declared_private(const karat_model *model, const karat_warp *warp, karat_commit *commit) {
    const karat_mem *mem = &commit->mem;
    const bool translates = model->config.translation != KARAT_TRANSLATION_NONE;
    const uint64_t size = (uint64_t)warp->csr[KARAT_CSR_NUMW] * warp->csr[KARAT_CSR_NUMT] * warp->pds_size;
    for (uint32_t i = 0; i < mem->num; i++) {
        const karat_access a = karat_mem_access(mem, i);
        const uint64_t at = (translates ? mem->virt[i] : a.addr) - warp->csr[KARAT_CSR_PDS];
        if (at >= size || a.bytes > size - at)
            commit->warnings |= KARAT_WARN_PDS_BEYOND;
    }
}

void karat_check_declared(const karat_model *model, const karat_warp *warp, karat_commit *commit) {
    if (warp->pds_size && commit->mem.space == KARAT_PRIVATE)
        check_declared_private(model, warp, commit);
    if (warp->lds_size)
        check_declared_lds(model, warp, commit);
}

/* Where the instruction is, and which. */
static inline void enter_insn(karat_exec *e, const karat_decoded *d) {
    karat_commit *commit = e->commit;
    _Static_assert(offsetof(karat_commit, row) == 4 * sizeof d->at, "pc, word, prefix, next_pc");
    memcpy(commit, (const char *)d + offsetof(karat_decoded, at), offsetof(karat_commit, row)); /* One move */
    commit->row = d->row;
    e->insn = d;
    e->next_pc = d->next;
}

/* All after an instruction has been executed. */
static __attribute__((noinline)) karat_status finish_any(karat_exec *e) {
    karat_warp *warp = e->warp;
    karat_commit *commit = e->commit;
    if (e->error)
        return stop(e, e->error);
    if (commit->has_mem && (warp->lds_size | warp->pds_size))
        karat_check_declared(e->model, warp, commit);
    write_back(e);
    e->no_write = false;
    warp->fflags |= commit->flags_raised;
    warp->vxsat |= commit->vxsat_raised;
    warp->jumped = e->next_pc != commit->pc + 4;
    warp->pc = commit->next_pc = e->next_pc;
    commit->mask_after = warp->mask;
    show_stack(commit, warp);
    return KARAT_OK;
}

/* As finish_any(), of a step of the usual kind. Nothing is called, so that nothing is kept over a call. A
 * vector result comes without a jump, and without another mask. */
static inline __attribute__((always_inline)) karat_status finish(karat_exec *e, const karat_decoded *d,
                                                                 uint32_t plan) {
    karat_warp *warp = e->warp;
    karat_commit *commit = e->commit;
    const uint32_t mask = (uint32_t)e->active;
    if (e->error || (plan & PLAN_WX && e->no_write) ||
        (commit->has_mem && (warp->lds_size | warp->pds_size)) || (plan & PLAN_WV && mask != e->model->lanes))
        return finish_any(e);
    if (plan & PLAN_WV)
        write_vector(e, 0, d->rd, take_place(e, 0), mask);
    else if (plan & PLAN_WX)
        write_scalar(e, 0, d->rd, e->r[0]);
    if (commit->flags_raised | commit->vxsat_raised) {
        warp->fflags |= commit->flags_raised;
        warp->vxsat |= commit->vxsat_raised;
    }
    warp->pc = d->next;
    warp->jumped = false;
    if (!(plan & PLAN_WV)) {
        warp->pc = commit->next_pc = e->next_pc;
        warp->jumped = e->next_pc != d->next;
        commit->mask_after = warp->mask;
    }
    show_stack(commit, warp);
    return KARAT_OK;
}

/* A step of the usual kind: none of the warp's unusual bits is in its plan, and its registers are there. It
 * has elements of 32 bits, in one register each. */
static inline __attribute__((always_inline)) karat_status take(karat_exec *e, const karat_decoded *d,
                                                               uint32_t plan, bool asks) {
    karat_warp *warp = e->warp;
    karat_commit *commit = e->commit;
    enter_insn(e, d);
    e->n = d->elements;
    e->r = plan & PLAN_WV ? take_place(e, 0) : e->result;
    gather(e, (way){d, warp, commit, plan, .single = true, .asks = asks});
    if (asks && e->held)
        return hold(e);
    e->active = commit->active = warp->mask & warp->below_vl;
    commit->width = 32;
    commit->elements = d->elements;
    d->run(e);
    return finish(e, d, plan);
}

/* The operands and results of most instructions. */
#define USUAL_PLANS(DO)                                                                                      \
    DO(vv, PLAN_V1 | PLAN_V2 | PLAN_WV)                                                                      \
    DO(vi, PLAN_V2 | PLAN_SPLAT1 | PLAN_WV)                                                                  \
    DO(vx, PLAN_X1 | PLAN_V2 | PLAN_SPLAT1 | PLAN_WV)                                                        \
    DO(vvv, PLAN_V1 | PLAN_V2 | PLAN_V3 | PLAN_WV)                                                           \
    DO(one_v, PLAN_V1 | PLAN_WV)                                                                             \
    DO(two_v, PLAN_V1 | PLAN_V2)                                                                             \
    DO(load, PLAN_X1 | PLAN_WV)                                                                              \
    DO(store, PLAN_X1 | PLAN_V3)                                                                             \
    DO(xi, PLAN_X1 | PLAN_WX)                                                                                \
    DO(xx, PLAN_X1 | PLAN_X2 | PLAN_WX)                                                                      \
    DO(two_x, PLAN_X1 | PLAN_X2)

enum { KINDS = PLAN_OPERANDS | PLAN_WX | PLAN_WV };

#define TAKE(name, plan)                                                                                     \
    static karat_status take_##name(karat_exec *e, const karat_decoded *d) {                                 \
        return take(e, d, plan, false);                                                                      \
    }
USUAL_PLANS(TAKE)
TAKE(others, d->plan)
#undef TAKE

static karat_status take_asking(karat_exec *e, const karat_decoded *d) {
    return take(e, d, d->plan, true);
}

karat_take *karat_take_of(uint32_t plan) {
    switch (plan & KINDS) {
#define CASE(name, plan)                                                                                     \
    case plan: return take_##name;
        USUAL_PLANS(CASE)
#undef CASE
    default: return take_others;
    }
}

/* A step of the usual kind; the read port is asked for all of its operands, or for none. */
static inline karat_status take_usual(karat_exec *e, const karat_decoded *d) {
    const bool *known = e->warp->known;
    if (e->model->read_port && !(known[d->known[0]] & known[d->known[1]] & known[d->known[2]]))
        return take_asking(e, d);
    return d->take(e, d);
}

/* Prepares any instruction. KARAT_ERR_NONE where the instruction may run, unless it is held. */
static __attribute__((noinline)) karat_error_kind prepare_any(karat_exec *e) {
    const karat_decoded *d = e->insn;
    uint32_t deviated = d->deviated;
    const karat_error_kind error = check(e, &deviated);
    if (error)
        return error;
    e->commit->deviated = deviated;
    e->commit->width = (uint8_t)(8u << e->width);
    e->words = e->pairs & 1 ? 2 : 1;
    e->n = !d->max_v              ? 1 /* No vector register */
           : d->plan & PLAN_GROUP ? e->stride * e->warp->lmul
                                  : e->stride;
    /* Of 64-bit elements a semantic gives two words, also where one is kept, as of a compare. */
    const bool in_place = (d->plan & (PLAN_WV | PLAN_LONG)) == PLAN_WV && e->n == e->stride &&
                          e->words == 1 && e->width != KARAT_W64;
    e->r = in_place ? take_place(e, 0) : e->result;
    gather(e, way_of(e));
    e->active = active_elements(e);
    return KARAT_ERR_NONE;
}

static inline bool is_usual(const karat_warp *warp, const karat_decoded *d) {
    return !(d->plan & warp->unusual) && d->max_x <= warp->sgprs && d->max_v <= warp->vgprs;
}

/* Any step, after begin(). */
static __attribute__((noinline)) karat_status take_any(karat_exec *e) {
    karat_model *model = e->model;
    karat_warp *warp = e->warp;
    karat_commit *commit = e->commit;
    karat_error_kind error = KARAT_ERR_NONE;
    const karat_decoded *d = karat_cached(model, warp->pc);
    commit->pc = warp->pc;
    if (d->pc != warp->pc && !(d = karat_fetch_any(model, warp, &error, &commit->fault))) {
        commit->word = commit->prefix = 0;
        commit->row = KARAT_NO_ROW;
        return stop(e, error);
    }
    /* The program may have meant the word before a jump's target as its prefix. */
    if (warp->jumped &&
        (model->config.translation == KARAT_TRANSLATION_NONE ? d->after_prefix
                                                             : karat_follows_prefix(model, warp)))
        commit->warnings |= KARAT_WARN_SKIPPED_PREFIX;
    if (is_usual(warp, d))
        return take_usual(e, d);
    enter_insn(e, d);
    error = prepare_any(e);
    if (error)
        return stop(e, error);
    if (!e->held) {
        commit->active = e->active;
        commit->width = (uint8_t)(8u << e->width);
        commit->elements = e->n;
        d->semantic->run[e->width](e); /* Reads the remaining registers of pairs before it changes anything */
    }
    const karat_status status = e->held ? hold(e) : finish_any(e);
    e->width = KARAT_W32;
    e->pairs = 0;
    e->words = 1;
    return status;
}

karat_status karat_step(karat_model *model, uint32_t handle, karat_commit *commit) {
    if (!model || !commit || handle >= model->config.max_warp)
        return KARAT_BAD_ARGUMENT;
    karat_warp *warp = &model->warps[handle];
    if (!warp->live)
        return KARAT_ENDED;
    if (warp->waiting)
        return KARAT_WAITING;
    karat_exec *e = model->exec;
    e->warp = warp;
    e->warp_handle = handle;
    e->commit = commit;
    begin(commit, warp);
    forget_commit(e);
    const karat_decoded *d = karat_cached(model, warp->pc);
    return d->pc == warp->pc && is_usual(warp, d) ? take_usual(e, d) : take_any(e);
}

static inline void keep_value(const uint32_t **value, uint32_t *to, unsigned cls, uint32_t num_thread) {
    if (*value == to)
        return; /* Kept there before */
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

/* When an instruction's result is the same whatever an operand holds. */
typedef enum indifference {
    NEVER,
    TO_EQUALS,    /* Where sources 1 and 2 are the same registers: x ^ x, x < x */
    TO_FACTOR,    /* Where the other one of sources 1 and 2 is zero: x & 0, x * 0 */
    TO_BOUND,     /* To source 1, where source 2 is zero: x < 0, unsigned; to equals, too */
    TO_BOUND_OF_V /* To source 2, where source 1 is zero: the same of vectors */
} indifference;

static indifference indifference_of(int32_t row) {
    switch (row) {
    case KARAT_ROW_xor:
    case KARAT_ROW_sub:
    case KARAT_ROW_subw:
    case KARAT_ROW_slt:
    case KARAT_ROW_beq:
    case KARAT_ROW_bne:
    case KARAT_ROW_blt:
    case KARAT_ROW_bge:
    case KARAT_ROW_vbeq:
    case KARAT_ROW_vbne:
    case KARAT_ROW_vblt:
    case KARAT_ROW_vbge:
    case KARAT_ROW_vbltu:
    case KARAT_ROW_vbgeu:
    case KARAT_ROW_vxor_vv:
    case KARAT_ROW_vsub_vv:
    case KARAT_ROW_vmseq_vv:
    case KARAT_ROW_vmsne_vv:
    case KARAT_ROW_vmsltu_vv:
    case KARAT_ROW_vmslt_vv:
    case KARAT_ROW_vmsleu_vv:
    case KARAT_ROW_vmsle_vv:
    case KARAT_ROW_vmxor_mm:
    case KARAT_ROW_vmxnor_mm:
    case KARAT_ROW_vmandn_mm:
    case KARAT_ROW_vmorn_mm: return TO_EQUALS;
    case KARAT_ROW_and:
    case KARAT_ROW_andi:
    case KARAT_ROW_mul:
    case KARAT_ROW_mulh:
    case KARAT_ROW_mulhsu:
    case KARAT_ROW_mulhu:
    case KARAT_ROW_vand_vx:
    case KARAT_ROW_vand_vi:
    case KARAT_ROW_vmul_vx:
    case KARAT_ROW_vmulh_vx:
    case KARAT_ROW_vmulhu_vx:
    case KARAT_ROW_vmulhsu_vx: return TO_FACTOR;
    case KARAT_ROW_sltu:
    case KARAT_ROW_bltu:
    case KARAT_ROW_bgeu:
    case KARAT_ROW_sltiu: return TO_BOUND;
    case KARAT_ROW_vmsltu_vx:
    case KARAT_ROW_vminu_vx: return TO_BOUND_OF_V;
    default: return NEVER;
    }
}

/* Whether that source is x0, or 0 in its place. */
static bool is_zero(const karat_model *model, const karat_commit *commit, unsigned source) {
    for (uint32_t i = 0; i < commit->num_reads; i++)
        if (commit->read[i].source == source)
            return commit->read[i].cls == KARAT_CLASS_X && commit->read[i].reg == 0;
    karat_insn insn;
    karat_decode_prefixed(model->config.profile, commit->prefix, commit->word, &insn, NULL);
    const karat_row *row = karat_row_info(insn.row);
    for (unsigned i = 0; row && i < row->num_operands; i++)
        if (karat_operand_info(row->operands[i])->source == source)
            return insn.value[i] == 0;
    return false;
}

/* Whether sources 1 and 2 have the same value, whatever it is. */
static bool are_equal(const karat_commit *commit) {
    const karat_prefix prefix = karat_prefix_of(commit->prefix);
    const karat_reg_read *first = NULL, *second = NULL; /* The first registers of groups and pairs */
    for (uint32_t i = commit->num_reads; i-- > 0;) {
        first = commit->read[i].source == 1 ? &commit->read[i] : first;
        second = commit->read[i].source == 2 ? &commit->read[i] : second;
    }
    return first && second && first->cls == second->cls && first->reg == second->reg &&
           first->part == second->part && !((prefix.abs | prefix.neg) & 3);
}

static bool is_indifferent(const karat_model *model, const karat_commit *commit, unsigned source) {
    if (source != 1 && source != 2)
        return false;
    switch (indifference_of(commit->row)) {
    case TO_EQUALS: return are_equal(commit);
    case TO_FACTOR: return is_zero(model, commit, 3 - source);
    case TO_BOUND: return are_equal(commit) || (source == 1 && is_zero(model, commit, 2));
    case TO_BOUND_OF_V: return source == 2 && is_zero(model, commit, 1);
    default: return false;
    }
}

uint32_t karat_read_lanes(const karat_model *model, uint32_t handle, const karat_commit *commit,
                          uint32_t index) {
    const karat_row *row = commit ? karat_row_info(commit->row) : NULL;
    if (!model || !row || handle >= model->config.max_warp || index >= commit->num_reads ||
        commit->num_reads > KARAT_MAX_READ || is_indifferent(model, commit, commit->read[index].source))
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
        (uint32_t)(model->warps[handle].below_vl >> (group && read->part ? num_thread : 0));
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
