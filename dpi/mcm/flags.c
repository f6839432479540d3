#include "flags.h"

#include <string.h>

#include "model.h"

void mcm_flags_kernel(mcm_flags *g) {
    mcm_table_clear(&g->words);
    g->num_awaiting = 0;
}

mcm_flag *mcm_find_flag(const karat_mcm *m, mcm_place p) {
    p = mcm_word_at(p);
    return mcm_table_find(&m->flags.words, &p);
}

/* A write is performed: the moments up to which what its warp did is released with it. Each FENCE that
 * covers a kind of access which no later one does; where more are not remembered, the oldest counts as
 * covering all. Their number, at most two. */
static uint32_t releases_of(const karat_mcm *m, const mcm_event *e, mcm_moment moment[2]) {
    const mcm_warp *w = &m->warps[e->warp];
    uint32_t num = 0;
    uint8_t covered = 0;
    if (e->releases) {
        moment[0] = e->at;
        return 1;
    }
    for (uint32_t n = e->num_fence; n > 0 && covered != MCM_ALL; n--) {
        if (w->num_fence - (n - 1) > MCM_NUM_FENCE) {
            if (num)
                moment[num - 1].before = MCM_ALL;
            break;
        }
        const mcm_fence_at *fence = &w->fence[(n - 1) % MCM_NUM_FENCE];
        if (fence->at.uid != e->at.uid)
            break;
        if (!(fence->at.after & MCM_WRITES) || !(fence->at.before & ~covered))
            continue;
        covered |= fence->at.before;
        moment[num++] = fence->at;
    }
    return num;
}

static bool release(karat_mcm *m, const mcm_event *e, mcm_place p) {
    mcm_moment moment[2];
    const uint32_t num = releases_of(m, e, moment);
    p = mcm_word_at(p);
    mcm_flag *w = num ? mcm_table_enter(&m->flags.words, &p) : mcm_table_find(&m->flags.words, &p);
    if (!w)
        return !num;
    if (!mcm_is_atomic(e))
        w->releases.num = 0;
    for (uint32_t i = 0; i < num; i++)
        mcm_add_release(m, &w->releases, &moment[i]);
    return true;
}

/* The value that an access reads is ordered before later accesses of its warp, by a FENCE or by the access
 * itself, already. */
static bool acquires_now(const karat_mcm *m, const mcm_event *e) {
    const mcm_warp *w = &m->warps[e->warp];
    for (uint32_t n = e->num_fence; n < w->num_fence; n++) {
        const mcm_fence_at *fence = &w->fence[n % MCM_NUM_FENCE];
        if (w->num_fence - n > MCM_NUM_FENCE || (fence->at.uid == e->at.uid && fence->at.before & MCM_READS))
            return true;
    }
    return e->acquires;
}

/* Its warp's next FENCE will. Where there is no more room, the oldest one counts as if it had come. */
static void await(karat_mcm *m, const mcm_event *e, const mcm_place *at) {
    mcm_flags *g = &m->flags;
    if (g->num_awaiting == MCM_NUM_AWAITING) {
        mcm_flag *w = mcm_find_flag(m, g->awaiting[0].at);
        if (w)
            w->synchronises = true;
        memmove(g->awaiting, g->awaiting + 1, --g->num_awaiting * sizeof *g->awaiting);
    }
    g->awaiting[g->num_awaiting].uid = e->at.uid;
    g->awaiting[g->num_awaiting++].at = *at;
}

/* atomic_word.c has entered that release already. */
static bool is_known(const mcm_word *w, const mcm_moment *release) {
    for (uint32_t i = 0; w && i < w->releases.num; i++)
        if (w->releases.at[i].uid == release->uid && w->releases.at[i].step == release->step)
            return true;
    return false;
}

/* An access reads a word: what was released with its value, and is not ordered before it otherwise. */
static void acquire(karat_mcm *m, const mcm_event *e, mcm_place p) {
    mcm_flag *w = mcm_find_flag(m, p);
    mcm_releases fresh = {.num = 0};
    bool any = false;
    for (uint32_t i = 0; w && i < w->releases.num; i++) {
        const mcm_moment *from = &w->releases.at[i];
        const bool known = is_known(mcm_find_word(m, p), from);
        if (from->uid == e->at.uid || (!known && mcm_before(m, from, &e->at)))
            continue;
        any = true;
        if (!known)
            fresh.at[fresh.num++] = *from;
    }
    if (!any)
        return;
    mcm_acquire(m, e, fresh.at, fresh.num);
    if (acquires_now(m, e))
        w->synchronises = true;
    else if (mcm_is_present(m, e))
        await(m, e, &w->at.place);
}

void mcm_flags_fence(karat_mcm *m, uint32_t uid) {
    mcm_flags *g = &m->flags;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->num_awaiting; i++) {
        mcm_flag *w = mcm_find_flag(m, g->awaiting[i].at);
        if (g->awaiting[i].uid != uid)
            g->awaiting[kept++] = g->awaiting[i];
        else if (w)
            w->synchronises = true;
    }
    g->num_awaiting = kept;
}

bool mcm_flags_performed(karat_mcm *m, mcm_event *e, mcm_parts parts) {
    for (; parts.set && m->core.finds_races; mcm_drop_part(&parts)) {
        const mcm_place p = mcm_place_of(m, e, e->part[mcm_next_part(parts)].addr);
        if (mcm_is_dead(m, e, &p))
            continue;
        if (e->kind != MCM_STORE)
            acquire(m, e, p);
        if (e->kind >= MCM_STORE && !release(m, e, p))
            return false;
    }
    return true;
}
