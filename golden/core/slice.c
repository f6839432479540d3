/* Slices: many steps without their commits, of one warp or of several in turn. */
#include "step.h"

/* Steps one after the other in memory; of several, each without a prefix. */
typedef struct passage {
    uint32_t at, num;
} passage;

typedef struct slicing {
    karat_exec e;
    passage passage[KARAT_MAX_TRAIL]; /* The last passages, a ring */
    uint32_t num_passages;            /* Passages ever */
    karat_slice *slice;
    karat_reg_set *written, all; /* Registers all lanes of which are; of a caller that does not ask: all */
    bool settled;    /* The usual settings: elements of 32 bits, one register each, a valid rounding mode */
    uint64_t active; /* With settled: elements by thread mask and vl */
} slicing;

static inline bool is_settled(const karat_warp *warp) {
    return !(warp->unusual & (PLAN_VTYPE | PLAN_GROUP | PLAN_SEW | PLAN_FP));
}

static void settle(slicing *s) {
    const karat_warp *warp = s->e.warp;
    s->settled = is_settled(warp);
    s->active = warp->mask & warp->below_vl;
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
    const uint32_t all = s->e.model->lanes, mask = (uint32_t)lanes & all;
    return mask == 0 || mask == all || is_written(s->written, reg);
}

static void put_vector(slicing *s, uint32_t k, uint32_t reg, const uint32_t *r, uint64_t lanes) {
    const uint32_t all = s->e.model->lanes, mask = (uint32_t)lanes & all;
    if (mask)
        exchange(&s->e, k, reg, r, mask);
    if (mask == all)
        enter_written(s->written, reg);
}

/* Gather the operands of an instruction with vector registers, and find out what it writes. False:
 * karat_step() is to do it. */
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

/* Execute the instruction, whose operands are there. False: it is an error, which karat_step() is to report;
 * nothing has changed. */
static inline bool execute(karat_exec *e) {
    karat_commit *commit = e->commit;
    commit->has_mem = false;
    commit->mem.shape = KARAT_SHAPE_EACH;
    commit->mem.num = 0;
    e->insn->run(e);
    if (e->error) {
        e->error = KARAT_ERR_NONE;
        return false;
    }
    if (commit->has_mem && (e->warp->lds_size | e->warp->pds_size))
        karat_check_declared(e->model, e->warp, commit);
    return true;
}

/* The flags that an instruction has raised. */
static inline void enter_flags(karat_exec *e) {
    karat_commit *commit = e->commit;
    if (!(commit->flags_raised | commit->vxsat_raised))
        return;
    e->warp->fflags |= commit->flags_raised;
    e->warp->vxsat |= commit->vxsat_raised;
    commit->flags_raised = commit->vxsat_raised = 0;
}

/* Any instruction that may be taken without its commit. False: karat_step() is to do it; nothing has
 * changed. */
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
    e->n = d->elements;
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
    enter_flags(e);
    e->r = e->result;
    e->no_write = false;
    return true;
}

/* Whether the caller has to see the last step. */
static bool is_of_note(const karat_commit *commit) {
    return commit->warnings | commit->deviated | commit->flagged.kind ||
           (commit->csr_written && commit->csr == KARAT_CSR_BASE + KARAT_CSR_PRINT);
}

/* Execute an instruction that writes at most a vector register: all that it names are within the usage and
 * written, and the settings are the usual ones. False: karat_step() is to do it; nothing has changed. */
static inline __attribute__((always_inline)) bool take_vector(slicing *s, const karat_decoded *d) {
    karat_exec *e = &s->e;
    karat_warp *const warp = e->warp;
    const unsigned plan = d->plan;
    e->n = e->stride;
    /* Nobody looks at a source that the row has not. */
    e->v1 = warp->v[d->rs1];
    e->v2 = warp->v[d->rs2];
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
    bool done = true;
    if (d->slice == SLICE_MOVE)
        done = execute(e);
    else
        d->run(e);
    e->r = e->result;
    if (done && plan & PLAN_WV && e->active)
        exchange(e, 0, d->rd, take_place(e, 0), (uint32_t)e->active);
    enter_flags(e);
    return done;
}

typedef enum slice_end {
    SLICE_GOES_ON,
    SLICE_ENDS,
    SLICE_ENDS_BEFORE /* A step for karat_step() */
} slice_end;

/* Take max steps from that entry of the cache on: of a block, or one. Their scalar operands are within the
 * usage, and written; known_v: and so are all vector registers. Returns how many were taken; fewer where it
 * ends, where code was written, and where the SIMT stack leads elsewhere. */
static inline __attribute__((always_inline)) uint32_t take_all(slicing *s, const karat_decoded *const first,
                                                               uint32_t max, bool known_v, slice_end *end) {
    karat_exec *e = &s->e;
    karat_commit *commit = e->commit;
    uint32_t *const x = e->warp->x;
    const uint64_t generation = e->model->generation;
    bool usual = known_v && s->settled;
    *end = SLICE_GOES_ON;
    for (const karat_decoded *d = first, *const last = first + max; d < last; d++) {
        e->insn = d;
        commit->pc = d->at;
        e->next_pc = d->next;
        /* The field of a missing register is 0, and so is the immediate beside a register; x0 is 0. */
        e->x1 = x[d->rs1 & (KARAT_NUM_X - 1)] + (uint32_t)d->imm[1];
        e->x2 = x[d->rs2 & (KARAT_NUM_X - 1)] + (uint32_t)d->imm[2];
        if (d->slice <= SLICE_JUMP) {
            d->run(e);
            if (d->rd)
                x[d->rd] = e->r[0];
            continue;
        }
        bool taken;
        if (d->slice == SLICE_ACCESS) {
            e->n = 1;
            taken = execute(e);
            if (taken && d->rd)
                x[d->rd] = e->r[0];
        } else if (d->slice != SLICE_ANY && usual) {
            taken = take_vector(s, d);
            if (d->slice == SLICE_VECTOR)
                continue;
        } else {
            taken = take_any(s);
            usual = known_v && s->settled;
        }
        if (!taken) {
            *end = SLICE_ENDS_BEFORE;
            return (uint32_t)(d - first);
        }
        const bool noted = is_of_note(commit);
        *end = noted ? SLICE_ENDS : SLICE_GOES_ON;
        commit->csr_written &= noted; /* Of this step alone, and seen where it is one of note */
        if (noted || e->next_pc != d->next || e->model->generation != generation)
            return (uint32_t)(d - first) + 1;
    }
    return max;
}

/* Takes a block of any length; its code is there once. */
static __attribute__((noinline)) uint32_t take_block(slicing *s, const karat_decoded *first, uint32_t max,
                                                     bool known_v, slice_end *end) {
    return take_all(s, first, max, known_v, end);
}

/* These steps, one after the other in the cache, have been taken. */
static inline void enter_steps(slicing *s, const karat_decoded *first, uint32_t num) {
    const uint64_t writes = first->block.writes_x;
    s->passage[s->num_passages++ % KARAT_MAX_TRAIL] = (passage){first->at, num};
    if (!(writes & ~s->written->x) && first->block.num)
        return; /* Nearly always */
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

/* Whether all vector registers that the block names are within the usage, and written. */
static inline bool knows_vectors(const slicing *s, const karat_block *block) {
    bool known = block->max_v <= s->e.warp->vgprs;
    for (unsigned i = 0; i < KARAT_NUM_V / 64; i++)
        known = known && !(block->names_v[i] & ~s->written->v[i]);
    return known;
}

/* Take steps without their commits, until one is to be taken by karat_step(), or the slice ends. Returns
 * whether it ends. */
static inline bool take_steps(slicing *s) {
    karat_model *model = s->e.model;
    karat_warp *warp = s->e.warp;
    karat_slice *slice = s->slice;
    const uint32_t until_pc = slice->until_x ? slice->until_pc : 1 /* Misaligned: no instruction's */;
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
        bool known_v = true;
        if (block->known != model->num_slices) {
            known_v = num && knows_vectors(s, block);
            const bool known_x = num && !(block->reads_x & ~s->written->x) && block->max_x <= warp->sgprs;
            if (known_x && known_v) {
                first->block.known = model->num_slices;
            } else if (!known_x) {
                if (first->reads_x & ~s->written->x || first->max_x > warp->sgprs)
                    return false;
                num = 1;
            }
        }
        if (num > slice->max - slice->steps)
            num = slice->max - slice->steps;
        if (until_pc - pc < 4 * num) /* Then it has no prefix */
            num = (until_pc - pc) / 4 + 1;
        const uint32_t taken = take_block(s, first, (uint32_t)num, known_v, &end);
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

/* The commit of a step that was taken without it: nothing but what the caller may rely on. */
static void finish_slice(slicing *s) {
    const karat_decoded *d = s->e.insn;
    const karat_warp *warp = s->e.warp;
    karat_commit *commit = s->e.commit;
    commit->word = d->word;
    commit->prefix = d->prefix;
    commit->row = d->row;
    commit->next_pc = warp->pc;
    commit->mask_before = 0;
    commit->mask_after = warp->mask;
    commit->has_mem = false;
    commit->mem.num = 0;
    commit->simt = KARAT_SIMT_NONE;
    show_stack(commit, warp);
}

static bool is_slice(const karat_slice *slice) {
    return slice && (!slice->trail || (slice->trail_size && !(slice->trail_size & (slice->trail_size - 1)) &&
                                       slice->trail_size <= KARAT_MAX_TRAIL));
}

static bool is_turn(const karat_model *model, const karat_turn *turn) {
    return turn->warp < model->config.max_warp && is_slice(turn->slice);
}

/* Whether somebody has to see every step of the model. */
static bool is_watched(const karat_model *model) {
    return model->port || model->read_port || model->config.translation != KARAT_TRANSLATION_NONE;
}

static void begin_slices(slicing *s, karat_model *model, karat_commit *commit) {
    reset_exec(&s->e, model);
    s->e.commit = commit;
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
        model->num_slices++;
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
    if (!take_all(s, d, 1, d->slice > SLICE_ACCESS && names_written(s, d), end))
        return false;
    if (d->slice <= SLICE_ACCESS)
        s->written->x |= UINT64_C(1) << d->rd;
    enter_step(s->slice, d->at);
    warp->pc = s->e.next_pc;
    warp->jumped = warp->pc != d->next;
    if (s->slice->until_x && d->at == s->slice->until_pc &&
        memcmp(warp->x, s->slice->until_x, sizeof warp->x) == 0)
        *end = SLICE_ENDS;
    return true;
}

/* How many steps the selected warp can take from its pc on that see and change its own registers alone, end
 * nothing, and are none for karat_step(): whether they are taken before or after steps of other warps makes
 * no difference. */
static inline uint32_t count_own(const slicing *s) {
    const karat_model *model = s->e.model;
    const karat_warp *warp = s->e.warp;
    karat_decoded *d = karat_cached(model, warp->pc);
    if (d->pc != warp->pc || !d->slice || !warp->live || warp->waiting || (warp->jumped && d->after_prefix) ||
        !is_settled(warp))
        return 0;
    const karat_block *block = karat_block_at(model, d);
    if (!block->own || block->reads_x & ~s->written->x || block->max_x > warp->sgprs ||
        !knows_vectors(s, block))
        return 0;
    const uint32_t before = s->slice->until_x ? (s->slice->until_pc - warp->pc) / 4 : UINT32_MAX;
    return block->own < before ? block->own : before;
}

/* Take that many of these steps. */
static __attribute__((noinline)) void take_own(slicing *s, uint32_t num) {
    karat_warp *warp = s->e.warp;
    karat_slice *slice = s->slice;
    const karat_decoded *const first = karat_cached(s->e.model, warp->pc), *const last = first + num - 1;
    slice_end end;
    settle(s);
    take_block(s, first, num, true, &end);
    for (uint32_t k = 0; slice->trail && k < num; k++)
        slice->trail[(slice->num_trail + k) & (slice->trail_size - 1)] = first->at + 4 * k;
    if (first->block.writes_x & ~s->written->x)
        for (uint32_t k = 0; k < num; k++)
            s->written->x |= first[k].slice <= SLICE_ACCESS ? UINT64_C(1) << first[k].rd : 0;
    slice->num_trail += num;
    slice->steps += num;
    slice->whole = false;
    warp->pc = s->e.next_pc;
    warp->jumped = warp->pc != last->at + 4;
}

/* Take rounds, in which each warp takes one step: as many as all warps can take of those that they alone see,
 * and left allows; none where the turns do not ascend, as a warp may be in them twice. Each warp takes its
 * steps of all rounds one after the other. Returns the rounds. */
static uint64_t take_rounds(slicing *s, const karat_turn *turns, uint32_t num, uint64_t left) {
    uint64_t rounds = left / num;
    for (uint32_t i = 0; i < num && rounds; i++) {
        if (!is_turn(s->e.model, &turns[i]) || (i && turns[i].warp <= turns[i - 1].warp))
            return 0;
        select_warp(s, turns[i].warp, turns[i].slice);
        const uint32_t own = count_own(s);
        rounds = own < 2 ? 0 : own < rounds ? own : rounds; /* A single one costs less as a turn */
    }
    for (uint32_t i = 0; i < num && rounds; i++) {
        select_warp(s, turns[i].warp, turns[i].slice);
        take_own(s, (uint32_t)rounds);
    }
    return rounds;
}

karat_status karat_run_turns(karat_model *model, const karat_turn *turns, uint32_t num, uint32_t *at,
                             uint64_t max, uint64_t *steps, karat_commit *commit) {
    if (!model || !turns || !at || *at >= num || !max || !steps || !commit)
        return KARAT_BAD_ARGUMENT;
    if (!is_turn(model, &turns[*at]))
        return KARAT_BAD_ARGUMENT;
    const bool watched = is_watched(model);
    slicing s;
    begin_slices(&s, model, commit);
    begin(commit, &model->warps[turns[*at].warp]);
    *steps = 0;
    for (;; *at = *at + 1 == num ? 0 : *at + 1) {
        if (*at == 0 && !watched) {
            *steps += num * take_rounds(&s, turns, num, max - *steps);
            if (*steps == max) {
                *at = num - 1;
                finish_slice(&s);
                return KARAT_OK;
            }
        }
        const karat_turn *turn = &turns[*at];
        slice_end end = SLICE_GOES_ON;
        if (!is_turn(model, turn)) {
            finish_slice(&s);
            return KARAT_BAD_ARGUMENT;
        }
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
