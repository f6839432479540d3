/* The scheduler: which warp steps next (karat_sched_run()), and what a step does to the others of the run. */
#include "karat/sched.h"

#include <stdlib.h>
#include <string.h>

#include "endless.h"
#include "splitmix.h"
#include "unwritten.h"

typedef enum slot_state { SLOT_FREE, SLOT_RUNNABLE, SLOT_WAITING } slot_state;

/* A workgroup that is open, by handle. */
typedef struct group {
    uint32_t workgroup;
    uint32_t live; /* Warps */
} group;

/* A "slot" is a warp handle. */
struct karat_sched {
    karat_sched_config config;
    karat_sched_result result;
    uint32_t num_thread, num_slots;
    group *groups;
    uint8_t *state; /* The slot_state of each slot */
    uint64_t next_workgroup, num_workgroups;
    uint64_t live; /* Warps */
    uint64_t random;
    uint32_t (*trail)[KARAT_TRAIL]; /* By slot: the pcs of its last instructions, a ring */
    karat_slice *slices;            /* By slot; num_trail counts the pcs in the trail */
    karat_turn *turns;              /* Turns of the runnable slots, in ascending order */
    uint32_t num_runnable;
    endless endless;
    unwritten unwritten;
    uint64_t limit, pause; /* Steps at which to stop, and at which to look around */
};

static karat_sched_warp warp_of(const karat_sched *s, uint32_t slot) {
    const uint32_t wg_size = s->config.kernel->wg_size;
    return (karat_sched_warp){s->groups[slot / wg_size].workgroup, slot % wg_size, slot};
}

/* The index of the first runnable slot from that one on, or num_runnable. */
static uint32_t first_from(const karat_sched *s, uint32_t slot) {
    uint32_t first = 0, end = s->num_runnable;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (s->turns[middle].warp < slot)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void set_state(karat_sched *s, uint32_t slot, slot_state state) {
    const bool was = s->state[slot] == SLOT_RUNNABLE, is = state == SLOT_RUNNABLE;
    s->state[slot] = (uint8_t)state;
    if (was == is)
        return;
    const uint32_t at = first_from(s, slot);
    karat_turn *turn = &s->turns[at];
    const size_t behind = (s->num_runnable - at - was) * sizeof *turn;
    memmove(turn + is, turn + was, behind);
    if (is)
        *turn = (karat_turn){slot, &s->slices[slot]};
    s->num_runnable += is - was;
}

/* The index of the first runnable slot after that one, or of the first of all. */
static uint32_t first_behind(const karat_sched *s, uint32_t slot) {
    const uint32_t i = first_from(s, slot + 1);
    return i < s->num_runnable ? i : 0;
}

/* The run ends there. */
static void end_at(karat_sched *s, uint32_t slot, karat_sched_end end) {
    s->result.end = end;
    s->result.at = warp_of(s, slot);
}

static void fail(karat_sched *s, uint32_t slot, const char *failed, karat_status status) {
    end_at(s, slot, KARAT_SCHED_FAILED);
    s->result.failed = failed;
    s->result.status = status;
}

/* Make the next workgroup of the grid live under that handle. */
static bool open_group(karat_sched *s, uint32_t handle) {
    const karat_kernel *k = s->config.kernel;
    const karat_sched_hooks *hooks = &s->config.hooks;
    const uint32_t first = handle * k->wg_size;
    const uint32_t workgroup = (uint32_t)s->next_workgroup++;
    s->groups[handle] = (group){workgroup, karat_kernel_group_warps(k, s->num_thread, workgroup)};
    karat_status status = karat_kernel_open(k, s->config.model, handle, workgroup);
    if (status != KARAT_OK) {
        fail(s, first, "a workgroup cannot be opened", status);
        return false;
    }
    for (uint32_t slot = first; slot < first + k->wg_size; slot++) {
        const karat_sched_warp warp = warp_of(s, slot);
        karat_launch_desc desc;
        karat_kernel_launch(k, s->num_thread, warp.workgroup, warp.warp, &desc);
        if (!desc.mask)
            continue;
        if (k->pds_slots)
            desc.csr[KARAT_CSR_PDS] = karat_kernel_pds(k, s->num_thread, handle);
        desc.workgroup = handle;
        if (s->config.counts_unwritten)
            unwritten_launch(&s->unwritten, slot);
        if (hooks->launch)
            hooks->launch(hooks->context, &warp, &desc);
        status = karat_launch(s->config.model, slot, &desc);
        if (status != KARAT_OK) {
            fail(s, slot, "a warp cannot be launched", status);
            return false;
        }
        set_state(s, slot, SLOT_RUNNABLE);
        s->slices[slot].num_trail = 0;
        s->live++;
    }
    return true;
}

/* A warp has written CSR_PRINT: hand its text over and clear both (decisions, "Registers, CSRs, launch"). */
static bool serve_print(karat_sched *s, uint32_t slot) {
    const karat_sched_hooks *hooks = &s->config.hooks;
    const karat_sched_warp warp = warp_of(s, slot);
    const uint32_t csr = KARAT_CSR_BASE + KARAT_CSR_PRINT;
    karat_print print;
    karat_status status = karat_print_take(&s->config.memory, s->config.kernel->knl, &print);
    if (status == KARAT_OK && hooks->print && print.length)
        hooks->print(hooks->context, &warp, print.text, print.length);
    free(print.text);
    if (status == KARAT_OK)
        status = karat_csr_write(s->config.model, slot, csr, 0);
    if (status == KARAT_OK && hooks->host_csr)
        hooks->host_csr(hooks->context, &warp, csr, 0);
    if (status == KARAT_OK)
        return true;
    fail(s, slot, "CSR_PRINT was written, but there is no print buffer to read", status);
    if (status == KARAT_NOT_MAPPED)
        s->result.end = KARAT_SCHED_PRINT_ERROR;
    return false;
}

/* A warp has ended; the next workgroup begins where it was the last of its own. */
static bool end_warp(karat_sched *s, uint32_t slot) {
    const uint32_t handle = slot / s->config.kernel->wg_size;
    endless_forget(&s->endless, s->result.steps);
    set_state(s, slot, SLOT_FREE);
    s->live--;
    s->result.warps++;
    if (--s->groups[handle].live)
        return true;
    s->result.workgroups++;
    const karat_status status = karat_workgroup_close(s->config.model, handle);
    if (status != KARAT_OK) {
        fail(s, slot, "a workgroup cannot be closed", status);
        return false;
    }
    return s->next_workgroup == s->num_workgroups || open_group(s, handle);
}

/* Updates the set of runnable warps after a step. False: the run is over. */
static bool after_step(karat_sched *s, uint32_t slot) {
    const karat_commit *c = &s->result.commit;
    const uint32_t wg_size = s->config.kernel->wg_size, first = slot / wg_size * wg_size;
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        s->result.warnings[i] += c->warnings >> i & 1;
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        s->result.deviations[i] += c->deviated >> i & 1;
    if (c->flagged.kind && !s->result.flagged.kind) {
        s->result.flagged = c->flagged;
        s->result.flagged_at = warp_of(s, slot);
    }
    if (c->csr_written && c->csr == KARAT_CSR_BASE + KARAT_CSR_PRINT && c->csr_value && !serve_print(s, slot))
        return false;
    if (!c->barrier && !c->ended)
        return true;
    if (c->barrier && s->config.schedule == KARAT_RANDOM_WARP)
        endless_forget(&s->endless, s->result.steps); /* More warps to draw from */
    if (c->barrier >= 2) {
        for (uint32_t w = first; w < first + wg_size; w++)
            if (s->state[w] == SLOT_WAITING)
                set_state(s, w, SLOT_RUNNABLE);
    } else if (c->barrier) {
        set_state(s, slot, SLOT_WAITING);
    }
    return !c->ended || end_warp(s, slot);
}

static bool goes_on(const karat_sched *s, uint32_t slot) {
    const karat_sched_hooks *hooks = &s->config.hooks;
    if (!hooks->goes_on)
        return true;
    const karat_sched_warp warp = warp_of(s, slot);
    return hooks->goes_on(hooks->context, &warp);
}

/* Whether which warp steps next follows from the model's state. */
static bool is_determined(const karat_sched *s) {
    return s->config.schedule != KARAT_RANDOM_WARP || s->num_runnable == 1;
}

/* So many steps are done, the last of that slot, and the next is to be that of another. False: stop here. */
static bool look_around(karat_sched *s, uint32_t last, uint32_t next) {
    const karat_sched_hooks *hooks = &s->config.hooks;
    const uint64_t steps = s->result.steps;
    const karat_sched_progress progress = {steps, s->result.workgroups, s->num_workgroups};
    if (steps == s->limit) {
        end_at(s, next, KARAT_SCHED_MAX_STEPS);
        return false;
    }
    if (hooks->tick && !hooks->tick(hooks->context, &progress)) {
        end_at(s, next, KARAT_SCHED_INTERRUPTED);
        return false;
    }
    if (is_determined(s))
        endless_mark(&s->endless, steps, last, s->result.commit.pc);
    s->pause = s->limit - steps > ENDLESS_PACE ? steps + ENDLESS_PACE : s->limit;
    return true;
}

/* Steps were taken, the last of which left that commit; whole: with all of its effects. False: the run is
 * over. */
static bool took_steps(karat_sched *s, uint32_t slot, bool whole) {
    const karat_commit *commit = &s->result.commit;
    const karat_sched_hooks *hooks = &s->config.hooks;
    if (whole && s->config.counts_unwritten)
        unwritten_step(&s->unwritten, s->config.model, slot, commit, &s->result.unwritten);
    if (hooks->commit) {
        const karat_sched_warp warp = warp_of(s, slot);
        if (!hooks->commit(hooks->context, &warp, commit)) {
            end_at(s, slot, KARAT_SCHED_STOPPED);
            return false;
        }
    }
    const bool more =
        commit->ended | commit->barrier | commit->csr_written | ((commit->warnings | commit->deviated) != 0);
    if (more && !after_step(s, slot))
        return false;
    if (endless_step(&s->endless, s->result.steps, slot, commit->pc)) {
        s->result.again[0] = s->endless.marked;
        s->result.again[1] = s->endless.again;
        end_at(s, slot, KARAT_SCHED_ENDLESS);
        return false;
    }
    return true;
}

/* Steps in slices: of that runnable warp, or from it on of all in turn. *i: the one that has stepped last. */
static karat_status take_slices(karat_sched *s, uint32_t *i, bool in_turn, bool *whole) {
    karat_slice *slice = &s->slices[s->turns[*i].warp];
    karat_commit *commit = &s->result.commit;
    karat_slice *marked = s->endless.slot < s->num_slots ? &s->slices[s->endless.slot] : NULL;
    const uint64_t left = s->pause - s->result.steps;
    uint64_t steps;
    karat_status status;
    if (marked)
        marked->until_x = s->endless.x, marked->until_pc = s->endless.pc;
    if (in_turn && s->num_runnable > 1) {
        status = karat_run_turns(s->config.model, s->turns, s->num_runnable, i, left, &steps, commit);
        slice = &s->slices[s->turns[*i].warp];
    } else {
        slice->max = s->config.schedule == KARAT_RANDOM_WARP ? 1 : left;
        status = karat_run_slice(s->config.model, s->turns[*i].warp, slice, commit);
        steps = slice->steps;
    }
    if (marked)
        marked->until_x = NULL;
    s->result.steps += steps;
    *whole = slice->whole;
    return status;
}

static karat_status take_step(karat_sched *s, uint32_t slot) {
    const karat_status status = karat_step(s->config.model, slot, &s->result.commit);
    if (status == KARAT_OK) {
        s->result.steps++;
        s->trail[slot][s->slices[slot].num_trail++ % KARAT_TRAIL] = s->result.commit.pc;
    }
    return status;
}

static void cannot_step(karat_sched *s, uint32_t slot, karat_status status) {
    if (status == KARAT_PROGRAM_ERROR)
        end_at(s, slot, KARAT_SCHED_PROGRAM_ERROR);
    else
        fail(s, slot, "a warp cannot step", status);
}

/* No warp can step any more. */
static void end_run(karat_sched *s) {
    s->result.end = s->live ? KARAT_SCHED_DEADLOCK : KARAT_SCHED_DONE;
    for (uint32_t slot = s->num_slots; slot-- > 0;)
        if (s->state[slot] == SLOT_WAITING) {
            s->result.waiting++;
            s->result.at = warp_of(s, slot);
        }
}

const karat_sched_result *karat_sched_run(karat_sched *s) {
    const karat_commit *commit = &s->result.commit;
    const karat_sched_hooks *hooks = &s->config.hooks;
    const karat_schedule schedule = s->config.schedule;
    const bool sliced = !hooks->commit && !hooks->goes_on && !s->config.single_steps;
    uint32_t i = 0, slot = 0;
    while (s->result.end == KARAT_SCHED_RUNS && s->num_runnable) {
        if (schedule == KARAT_RANDOM_WARP)
            i = karat_random_below(&s->random, s->num_runnable);
        if (s->result.steps >= s->pause && !look_around(s, slot, s->turns[i].warp))
            break;
        slot = s->turns[i].warp;
        if (!goes_on(s, slot)) {
            set_state(s, slot, SLOT_WAITING);
            i = first_behind(s, slot);
            continue;
        }
        bool whole = true;
        const karat_status status =
            sliced ? take_slices(s, &i, schedule == KARAT_ROUND_ROBIN, &whole) : take_step(s, slot);
        slot = s->turns[i].warp;
        if (status != KARAT_OK) {
            cannot_step(s, slot, status);
            break;
        }
        if (!took_steps(s, slot, whole))
            break;
        if (commit->ended | commit->barrier)
            i = schedule == KARAT_WARP_BY_WARP ? 0 : first_behind(s, slot);
        else if (schedule == KARAT_ROUND_ROBIN && ++i == s->num_runnable)
            i = 0;
    }
    if (s->result.end == KARAT_SCHED_RUNS)
        end_run(s);
    return &s->result;
}

karat_status karat_sched_step(karat_sched *s, uint32_t handle) {
    if (!s || handle >= s->num_slots || s->result.end != KARAT_SCHED_RUNS)
        return KARAT_BAD_ARGUMENT;
    const karat_status status = take_step(s, handle);
    if (status == KARAT_WAITING || status == KARAT_ENDED || status == KARAT_HELD)
        return status;
    if (status != KARAT_OK) {
        cannot_step(s, handle, status);
        return status;
    }
    if (took_steps(s, handle, true) && !s->live)
        end_run(s);
    return s->result.status;
}

const karat_sched_result *karat_sched_get(const karat_sched *s) {
    return &s->result;
}

bool karat_sched_find(const karat_sched *s, uint32_t handle, karat_sched_warp *warp, const uint32_t **trail,
                      uint64_t *num) {
    if (!s || handle >= s->num_slots || s->state[handle] == SLOT_FREE)
        return false;
    if (warp)
        *warp = warp_of(s, handle);
    if (trail)
        *trail = s->trail[handle];
    if (num)
        *num = s->slices[handle].num_trail;
    return true;
}

karat_sched *karat_sched_create(const karat_sched_config *config, karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    *status = KARAT_BAD_ARGUMENT;
    const karat_config *device = config ? karat_get_config(config->model) : NULL;
    const uint32_t wg_size = device && config->kernel ? config->kernel->wg_size : 0;
    if (!wg_size || !config->resident || config->resident > device->max_workgroup ||
        config->resident > device->max_warp / wg_size ||
        (config->kernel->pds_slots && config->resident > config->kernel->pds_slots))
        return NULL;
    *status = KARAT_NO_MEMORY;
    karat_sched *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->config = *config;
    s->num_thread = device->num_thread;
    s->num_slots = config->resident * wg_size;
    s->num_workgroups = karat_kernel_workgroups(config->kernel);
    s->random = config->seed;
    s->groups = calloc(config->resident, sizeof *s->groups);
    s->state = calloc(s->num_slots, sizeof *s->state);
    s->trail = calloc(s->num_slots, sizeof *s->trail);
    s->slices = calloc(s->num_slots, sizeof *s->slices);
    s->turns = calloc(s->num_slots, sizeof *s->turns);
    if (!s->groups || !s->state || !s->trail || !s->slices || !s->turns ||
        (config->counts_unwritten && !unwritten_begin(&s->unwritten, config->model))) {
        karat_sched_destroy(s);
        return NULL;
    }
    for (uint32_t slot = 0; slot < s->num_slots; slot++)
        s->slices[slot] =
            (karat_slice){.written = config->counts_unwritten ? unwritten_set(&s->unwritten, slot) : NULL,
                          .trail = s->trail[slot],
                          .trail_size = KARAT_TRAIL};
    *status = KARAT_OK;
    bool good = true;
    for (uint32_t handle = 0; good && handle < config->resident && handle < s->num_workgroups; handle++)
        good = open_group(s, handle);
    endless_begin(&s->endless, config->model);
    s->limit = config->max_steps;
    s->pause = s->limit < ENDLESS_PACE ? s->limit : ENDLESS_PACE;
    return s;
}

void karat_sched_destroy(karat_sched *s) {
    if (!s)
        return;
    endless_end(&s->endless);
    unwritten_end(&s->unwritten);
    free(s->groups);
    free(s->state);
    free(s->trail);
    free(s->slices);
    free(s->turns);
    free(s);
}
