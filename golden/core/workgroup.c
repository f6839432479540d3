/* Workgroups, launch, barriers and the end of warps (sections 2.3 and 4.2.4). */
#include "core.h"

#include <string.h>

karat_status karat_workgroup_open(karat_model *model, uint32_t handle, uint32_t num_warp) {
    if (!model || handle >= model->config.max_workgroup || model->workgroups[handle].open || num_warp == 0)
        return KARAT_BAD_ARGUMENT;
    model->workgroups[handle] = (karat_workgroup){.open = true, .num_warp = num_warp};
    return KARAT_OK;
}

void karat_workgroup_enter(karat_workgroup *workgroup, uint32_t warp) {
    if (workgroup->first_warp >= workgroup->end_warp)
        workgroup->first_warp = workgroup->end_warp = warp;
    if (warp < workgroup->first_warp)
        workgroup->first_warp = warp;
    if (warp >= workgroup->end_warp)
        workgroup->end_warp = warp + 1;
}

karat_status karat_workgroup_close(karat_model *model, uint32_t handle) {
    if (!model || handle >= model->config.max_workgroup || !model->workgroups[handle].open)
        return KARAT_BAD_ARGUMENT;
    const karat_workgroup *workgroup = &model->workgroups[handle];
    for (uint32_t i = workgroup->first_warp; i < workgroup->end_warp; i++)
        if (model->warps[i].workgroup == handle) {
            model->warps[i].live = false;
            karat_unreserve(model, &model->warps[i]);
        }
    karat_lds_clear(&model->lds, handle);
    model->workgroups[handle].open = false;
    return KARAT_OK;
}

karat_status karat_launch(karat_model *model, uint32_t handle, const karat_launch_desc *desc) {
    if (!model || !desc)
        return KARAT_BAD_ARGUMENT;
    const karat_config *config = &model->config;
    if (handle >= config->max_warp || model->warps[handle].live || desc->workgroup >= config->max_workgroup)
        return KARAT_BAD_ARGUMENT;
    karat_workgroup *workgroup = &model->workgroups[desc->workgroup];
    uint32_t lanes = 0xffffffffu >> (32 - config->num_thread);
    if (!workgroup->open || workgroup->seen == workgroup->num_warp || desc->mask & ~lanes ||
        desc->sgprs > KARAT_NUM_X || desc->vgprs > KARAT_NUM_V ||
        (config->translation != KARAT_TRANSLATION_NONE && desc->ptbr & (KARAT_PAGE - 1)))
        return KARAT_BAD_ARGUMENT;
    karat_warp *warp = &model->warps[handle];
    const uint32_t dirty_v = warp->dirty_v;
    karat_unreserve(model, warp);
    memset(warp, 0, sizeof *warp);
    warp->known[KARAT_NUM_X + KARAT_NUM_V] = true;
    karat_reset_places(model, warp);
    warp->live = true;
    warp->workgroup = desc->workgroup;
    warp->pc = desc->pc;
    warp->mask = warp->initial_mask = desc->mask;
    warp->sgprs = desc->sgprs ? desc->sgprs : KARAT_NUM_X;
    warp->vgprs = desc->vgprs ? desc->vgprs : KARAT_NUM_V;
    if (config->translation != KARAT_TRANSLATION_NONE) {
        warp->ptbr = desc->ptbr;
        warp->asid = desc->asid;
    }
    warp->lds_base = desc->csr[KARAT_CSR_LDS];
    warp->lds_size = desc->lds_size;
    warp->local_base = desc->local_base;
    warp->local_size = desc->local_size;
    warp->pds_size = desc->pds_size;
    warp->vl = config->num_thread;
    warp->vtype = 2 << 3; /* SEW 32, LMUL 1 */
    warp->lmul = 1;
    warp->sew = KARAT_W32;
    karat_set_usual(warp);
    memcpy(warp->csr, desc->csr, sizeof warp->csr);
    if (desc->x)
        memcpy(warp->x, desc->x, sizeof warp->x);
    warp->x[0] = 0;
    const size_t size = config->num_thread * sizeof *desc->v;
    warp->dirty_v = desc->v || config->deviations & KARAT_DEV_USAGE_TOO_SMALL ? KARAT_NUM_V : warp->vgprs;
    for (uint32_t i = 0; i < (desc->v ? KARAT_NUM_V : dirty_v); i++)
        if (desc->v)
            memcpy(warp->v[i], desc->v + (size_t)i * config->num_thread, size);
        else
            memset(warp->v[i], 0, size);
    workgroup->seen++;
    karat_workgroup_enter(workgroup, handle);
    return KARAT_OK;
}

static bool is_diverged(const karat_warp *warp) {
    return warp->depth != 0; /* The mask is the initial one just where the stack is empty */
}

/* Whether the model has that deviation, which then counts: ended-warps-arrive where a barrier and the end
 * of a warp meet, diverged-warps-arrive at a barrier under divergence. */
static bool deviates(const karat_model *model, uint32_t deviation, karat_commit *commit) {
    commit->deviated |= model->config.deviations & deviation;
    return model->config.deviations & deviation;
}

/* Release all if none is missing. */
static bool release(karat_model *model, uint32_t handle) {
    karat_workgroup *workgroup = &model->workgroups[handle];
    if (workgroup->arrived + workgroup->ended < workgroup->num_warp)
        return false;
    workgroup->arrived = 0;
    for (uint32_t i = workgroup->first_warp; i < workgroup->end_warp; i++)
        if (model->warps[i].workgroup == handle)
            model->warps[i].waiting = false;
    return true;
}

karat_error_kind karat_barrier_arrive(karat_model *model, karat_warp *warp, karat_commit *commit) {
    karat_workgroup *workgroup = &model->workgroups[warp->workgroup];
    if (is_diverged(warp) && !deviates(model, KARAT_DEV_DIVERGED_WARPS_ARRIVE, commit))
        return KARAT_ERR_DIVERGED_BARRIER;
    if (workgroup->ended && !deviates(model, KARAT_DEV_ENDED_WARPS_ARRIVE, commit))
        return KARAT_ERR_BARRIER_EXIT;
    warp->waiting = true;
    workgroup->arrived++;
    commit->barrier = release(model, warp->workgroup) ? 2 : 1;
    return KARAT_ERR_NONE;
}

karat_error_kind karat_warp_end(karat_model *model, karat_warp *warp, karat_commit *commit) {
    karat_workgroup *workgroup = &model->workgroups[warp->workgroup];
    if (is_diverged(warp))
        return KARAT_ERR_DIVERGED_END;
    if (workgroup->arrived && !deviates(model, KARAT_DEV_ENDED_WARPS_ARRIVE, commit))
        return KARAT_ERR_BARRIER_EXIT;
    workgroup->ended++;
    if (workgroup->arrived && release(model, warp->workgroup))
        commit->barrier = 3;
    warp->live = false;
    karat_unreserve(model, warp);
    commit->ended = 1;
    return KARAT_ERR_NONE;
}
