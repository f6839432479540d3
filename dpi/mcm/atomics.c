/* Which values may an atomic have found and written, where the order is reported; and whether an SC may
 * store. */
#include <string.h>

#include "model.h"

/* The values that a byte may hold: what was performed last, or what other lanes of that store have left. */
static uint32_t lane_values(const karat_mcm *m, mcm_place p, uint8_t *value) {
    const mcm_candidate *found = m->log.found;
    const uint32_t num = mcm_candidates(m, p), last = mcm_last_performed(found, num, UINT64_MAX);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < num; i++)
        if (i == last ||
            (found[i].event == found[last].event && found[i].part->performed == found[last].part->performed))
            value[kept++] = found[i].value;
    return kept;
}

/* The value that an AMO found which has written this, where the lanes of a store before it were in another
 * than ascending order. */
static bool find_lanes(const karat_mcm *m, const mcm_event *e, const mcm_word *w, uint32_t written,
                       uint32_t *old) {
    uint8_t byte[4][MCM_MAX_PART];
    uint32_t num[4];
    for (uint32_t b = 0; b < 4; b++) {
        mcm_place p = w->at.place;
        p.addr += b;
        num[b] = lane_values(m, p, byte[b]);
    }
    for (uint32_t n = 0; n < num[0] * num[1] * num[2] * num[3]; n++) {
        uint32_t value = 0;
        for (uint32_t b = 0, rest = n; b < 4; rest /= num[b++])
            value |= (uint32_t)byte[b][rest % num[b]] << 8 * b;
        if (m->env.amo(e->amo, value, e->operand) == written) {
            *old = value;
            return true;
        }
    }
    return false;
}

mcm_atomic mcm_amo_performed(karat_mcm *m, mcm_event *e, uint32_t old, bool has_data, uint32_t data) {
    mcm_atomic x = {.answer = {.is = MCM_ALLOWED}, .old = old, .value = e->part[0].value};
    mcm_word *w = mcm_word_of(m, e, mcm_place_of(m, e, e->part[0].addr));
    if (!w)
        return x;
    uint32_t value = m->env.amo(e->amo, w->value, e->operand);
    e->write_reported |= has_data;
    if (has_data && data != value && !mcm_ascending(m) && find_lanes(m, e, w, data, &w->value)) {
        value = data;
        x.answer.lanes = true;
    }
    if (w->value == old) /* The value written then is right, too */
        return x;
    x.old = w->value;
    x.value = value;
    mcm_set_value(m, e, 0, value);
    return x;
}

mcm_answer mcm_amo_found(karat_mcm *m, mcm_event *e, uint32_t old, uint32_t value, uint32_t *written) {
    mcm_answer x = {.is = MCM_FORBIDDEN};
    mcm_place p = mcm_place_of(m, e, e->part[0].addr);
    mcm_word *w = mcm_word_of(m, e, p);
    if (!w || !mcm_reports_order(m) || mcm_ascending(m) || !e->part[0].performed)
        return x;
    mcm_verdict is = MCM_ALLOWED;
    for (unsigned b = 0; b < 4 && is != MCM_FORBIDDEN; b++, p.addr++)
        if ((value ^ old) >> 8 * b & 0xff) {
            const mcm_answer byte = mcm_found_byte(m, e, p, (uint8_t)(value >> 8 * b), &x.lanes);
            is = byte.is == MCM_ALLOWED ? is : byte.is;
            x.reason = byte.is == MCM_UNKNOWN ? byte.reason : x.reason;
        }
    *written = m->env.amo(e->amo, value, e->operand);
    if (is == MCM_FORBIDDEN || (e->write_reported && *written != e->part[0].value))
        return x;
    x.is = is;
    mcm_set_value(m, e, 0, *written);
    if (w->written == e->part[0].performed) {
        w->value = *written;
        mcm_update_image(m, w);
    }
    return x;
}

/* --- SCs --- */

mcm_sc_answer mcm_sc_may_store(const karat_mcm *m, const mcm_event *e) {
    const mcm_word *w = mcm_word_of(m, e, mcm_place_of(m, e, e->part[0].addr));
    if (!w)
        return MCM_SC_DEAD;
    if (!mcm_has(m, MCM_RESERVATION))
        return MCM_SC_STORES;
    if (!e->reserved_by)
        return MCM_SC_NO_RESERVATION;
    return mcm_reports_order(m) && mcm_is_broken(w, mcm_reservation_of(m, e), e->at.uid) ? MCM_SC_BROKEN
                                                                                         : MCM_SC_STORES;
}

/* An SC that has failed in the image stores there after all. */
static void store_after_all(karat_mcm *m, mcm_event *e, const mcm_word *w) {
    e->stores_in_image = true;
    e->num = 1;
    e->low = e->part[0].addr;
    e->high = e->low + e->part[0].bytes;
    mcm_load(m, &w->at.place, &e->part[0].old, 4);
    mcm_log_add(m, e);
    mcm_store(m, &w->at.place, &e->operand, 4);
}

mcm_sc_answer mcm_sc_stored(karat_mcm *m, mcm_event *e, mcm_atomic *found) {
    const mcm_word *w = mcm_word_of(m, e, mcm_place_of(m, e, e->part[0].addr));
    *found = (mcm_atomic){.answer = {.is = MCM_ALLOWED}};
    if (!e->stores_in_image)
        store_after_all(m, e, w);
    mcm_event *entry = mcm_log_entry(m, e);
    if (entry)
        entry->sc_succeeded = true;
    mcm_word *searched = mcm_searched_word(m, e);
    return searched ? mcm_searched_sc(m, e, searched, found) : MCM_SC_STORES;
}

/* The write of an SC never was: the next one to each of its bytes has found what this one did. */
static void take_back(karat_mcm *m, const mcm_event *e, mcm_place p) {
    mcm_event *own = mcm_log_entry(m, e);
    if (!own)
        return;
    own->sc_failed = true;
    for (uint32_t i = 0; i < 4; i++, p.addr++) {
        mcm_part *next = NULL;
        for (mcm_write later = {0}; mcm_next_write(m, &p, 1, &later) && later.event != own;)
            if (!later.event->sc_failed)
                next = later.part;
        if (!next)
            continue;
        const unsigned to = 8 * (unsigned)(p.addr - next->addr);
        next->old = (next->old & ~(0xffu << to)) | (own->part[0].old >> 8 * i & 0xff) << to;
    }
}

void mcm_sc_failed(karat_mcm *m, mcm_event *e) {
    const mcm_place p = mcm_word_at(mcm_place_of(m, e, e->part[0].addr));
    mcm_word *w = mcm_word_of(m, e, p);
    take_back(m, e, p);
    e->num = 0;
    e->stores_in_image = false;
    if (w && w->serial)
        mcm_searched_failed(m, e, w);
    else if (w)
        mcm_update_image(m, w);
}

/* An entry has written the word after the LR: as the reports say, or in the order of issue. */
static bool is_since(const karat_mcm *m, const mcm_event *e, const mcm_reservation *lr, const mcm_event *sc) {
    if (!mcm_reports_order(m) || e->at.uid == MCM_HOST_UID)
        return e->at.step > lr->step && e->at.step < sc->at.step;
    for (uint32_t k = 0; k < e->num; k++)
        if (e->part[k].performed > lr->performed && (e->part[k].addr ^ sc->part[0].addr) < 4)
            return true;
    return false;
}

static bool is_earlier(const mcm_event *a, const mcm_event *b) {
    return a->begun && b->begun ? a->begun < b->begun : a->at.step < b->at.step;
}

mcm_since mcm_written_since(const karat_mcm *m, const mcm_event *sc) {
    const mcm_warp *own = &m->warps[sc->warp];
    const mcm_ring *r = &m->log.writes;
    const mcm_place word = mcm_word_at(mcm_place_of(m, sc, sc->part[0].addr));
    mcm_since x = {.lr = mcm_reservation_of(m, sc), .rule = MCM_RESERVATION};
    if (!sc->reserved_by && own->num_reservation && mcm_is_present(m, sc)) {
        x.last = &own->reservation[(own->num_reservation - 1) % MCM_NUM_RESERVATION];
        x.other_word = x.last->addr != word.addr;
    }
    for (uint64_t n = r->first; n < r->num && x.lr; n++) {
        const mcm_event *e = mcm_ring_at(r, n);
        if (!mcm_may_write(m, e, &word, 4) || e->at.uid == sc->at.uid || !is_since(m, e, x.lr, sc))
            continue;
        x.first = !x.first || is_earlier(e, x.first) ? e : x.first;
        x.num++;
    }
    return x;
}
