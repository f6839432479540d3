#include "atomic_word.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

/* --- The table --- */

void mcm_words_kernel(mcm_words *x) {
    uint32_t i = 0;
    for (const mcm_word *w; (w = mcm_table_next(&x->table, &i));)
        mcm_serial_destroy(w->serial);
    mcm_table_clear(&x->table);
}

mcm_word *mcm_find_word(const karat_mcm *m, mcm_place p) {
    p = mcm_word_at(p);
    return mcm_table_find(&m->words.table, &p);
}

mcm_word *mcm_word_of(const karat_mcm *m, const mcm_event *e, mcm_place p) {
    return mcm_is_dead(m, e, &p) ? NULL : mcm_find_word(m, p);
}

/* --- Reservations --- */

mcm_reservation *mcm_reservation_of(const karat_mcm *m, const mcm_event *sc) {
    const mcm_warp *w = &m->warps[sc->warp];
    for (uint32_t i = 0; i < MCM_NUM_RESERVATION && sc->reserved_by && mcm_is_present(m, sc); i++)
        if (w->reservation[i].step == sc->reserved_by)
            return (mcm_reservation *)&w->reservation[i];
    return NULL;
}

bool mcm_is_broken(const mcm_word *w, const mcm_reservation *lr, uint32_t uid) {
    const uint64_t others = w->writer == uid ? w->written_by_others : w->written;
    return lr && lr->performed && lr->performed < others;
}

/* LRs reserve a word, and an SC takes the last one's reservation. */
static void reserve(karat_mcm *m, mcm_event *e, uint64_t word) {
    mcm_warp *w = &m->warps[e->warp];
    e->reserved_by = 0;
    if (e->kind == MCM_LR) {
        w->reservation[w->num_reservation++ % MCM_NUM_RESERVATION] =
            (mcm_reservation){.addr = word, .step = e->at.step, .name = e->name};
        w->reserves = true;
    } else if (e->kind == MCM_SC) {
        const mcm_reservation *lr = &w->reservation[(w->num_reservation - 1) % MCM_NUM_RESERVATION];
        if (w->reserves && lr->addr == word)
            e->reserved_by = lr->step;
        w->reserves = false;
    }
}

/* --- The value --- */

static uint32_t performed_word(const karat_mcm *m, mcm_place p) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++, p.addr++) {
        const mcm_candidate *found = m->log.found;
        const uint32_t num = mcm_candidates(m, p);
        value |= (uint32_t)found[mcm_last_performed(found, num, UINT64_MAX)].value << 8 * i;
    }
    return value;
}

/* An SC that was not performed yet and cannot store any more: since its LR another warp has written the
 * word. */
static bool must_fail(const karat_mcm *m, const mcm_word *w, const mcm_event *e) {
    return e->kind == MCM_SC && m->warps[e->warp].live &&
           mcm_is_broken(w, mcm_reservation_of(m, e), e->at.uid);
}

void mcm_update_image(karat_mcm *m, const mcm_word *w) {
    const mcm_ring *r = &m->log.writes;
    uint32_t value = w->value;
    for (uint64_t n = mcm_first_pending(m); n < r->num; n++) {
        const mcm_event *e = mcm_ring_at(r, n);
        if (!mcm_may_write(m, e, &w->at.place, 4) || must_fail(m, w, e))
            continue;
        for (uint32_t k = 0; k < e->num; k++) {
            const mcm_part *a = &e->part[k];
            if (a->performed || a->addr - w->at.place.addr >= 4)
                continue;
            value =
                mcm_is_atomic(e) ? m->env.amo(e->amo, value, e->operand) : mcm_in_word(a, a->value, value);
        }
    }
    mcm_set_word(m, &w->at.place, value);
}

bool mcm_enter_atomic(karat_mcm *m, mcm_event *e) {
    const mcm_place p = mcm_word_at(mcm_place_of(m, e, e->part[0].addr));
    const bool first = !mcm_find_word(m, p);
    mcm_word *w = mcm_table_enter(&m->words.table, &p);
    if (!w)
        return false;
    reserve(m, e, p.addr);
    if (first && !mcm_reports_order(m) && !mcm_searched_begin(m, e, w))
        return false;
    if (e->kind != MCM_LR && e->num)
        mcm_log_add(m, e);
    if (first)
        w->value = performed_word(m, p); /* Now: e is performed in the image already */
    return !w->serial || mcm_searched_atomic(m, e, w);
}

/* --- Releases --- */

void mcm_add_release(karat_mcm *m, mcm_releases *all, const mcm_moment *from) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->num; i++)
        if (!mcm_before(m, &all->at[i], from) || from->before != MCM_ALL)
            all->at[kept++] = all->at[i];
    all->num = kept;
    if (kept < MCM_NUM_RELEASE)
        all->at[all->num++] = *from;
    else
        m->order.horizon = m->steps;
}

/* A write was performed: what its value stands for. A read-modify-write goes on with what it has read, and
 * takes along what is ordered before its own release. */
static void release(karat_mcm *m, mcm_releases *of, const mcm_event *e) {
    if (!mcm_is_atomic(e))
        of->num = 0;
    bool all = mcm_is_atomic(e) && e->releases;
    if (all)
        mcm_add_release(m, of, &e->at);
    for (uint32_t n = e->num_fence; n > 0 && !all; n--) {
        const mcm_fence_at *fence = mcm_fence_of(m, e, n - 1);
        if (!fence)
            break;
        if (!(fence->at.after & MCM_WRITES))
            continue;
        mcm_add_release(m, of, &fence->at);
        all = fence->at.before == MCM_ALL;
    }
}

static void note_writer(const karat_mcm *m, mcm_word *w, uint32_t uid) {
    if (w->writer != uid)
        w->written_by_others = w->written;
    w->writer = uid;
    w->written = m->reported;
}

void mcm_perform_word(karat_mcm *m, mcm_event *e, const mcm_part *a) {
    mcm_word *w = mcm_word_of(m, e, mcm_place_of(m, e, a->addr));
    if (!w)
        return;
    if (e->kind != MCM_STORE)
        mcm_acquire(m, e, w->releases.at, w->releases.num);
    if (e->kind <= MCM_LR) {
        mcm_warp *own = &m->warps[e->warp];
        for (uint32_t i = 0; i < MCM_NUM_RESERVATION && mcm_is_present(m, e); i++)
            if (own->reservation[i].step == e->at.step) /* Of an LR */
                own->reservation[i].performed = m->reported;
        return;
    }
    w->value = mcm_in_word(a, a->value, w->value);
    note_writer(m, w, e->at.uid);
    release(m, &w->releases, e);
    mcm_update_image(m, w);
}

void mcm_perform_host(karat_mcm *m, mcm_word *w) {
    note_writer(m, w, MCM_HOST_UID);
    w->releases.num = 0;
}
