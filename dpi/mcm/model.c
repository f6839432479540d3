/* A memory model: made, given events, and begun anew for each kernel. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

karat_mcm *mcm_create(const mcm_core *core, const mcm_env *env) {
    karat_mcm *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->core = *core;
    m->env = *env;
    m->wg_size = 1;
    m->warps = calloc(core->num_warp, sizeof *m->warps);
    m->words.table = (mcm_table){.size = sizeof(mcm_word), .max = MCM_MAX_WORDS};
    m->flags.words = (mcm_table){.size = sizeof(mcm_flag), .max = MCM_MAX_WORDS};
    m->evicted.words = (mcm_table){.size = sizeof(mcm_summary), .max = MCM_MAX_SUMMARY};
    if (m->warps && mcm_log_create(&m->log, core->num_part, !core->answers) &&
        (!core->finds_races || mcm_ring_create(&m->race_history, MCM_NUM_RACE_HISTORY, core->num_part)))
        return m;
    mcm_destroy(m);
    return NULL;
}

void mcm_destroy(karat_mcm *m) {
    if (!m)
        return;
    mcm_words_kernel(&m->words);
    mcm_search_destroy(m->words.search);
    mcm_table_clear(&m->evicted.words);
    mcm_table_clear(&m->flags.words);
    mcm_log_destroy(&m->log);
    mcm_ring_destroy(&m->race_history);
    free(m->warps);
    free(m);
}

void mcm_switch_off(karat_mcm *m, mcm_rule rule) {
    m->off |= 1u << rule;
}

void mcm_kernel(karat_mcm *m, uint32_t wg_size, uint64_t num_warps, bool known) {
    if (mcm_has(m, MCM_KERNEL)) {
        mcm_log_evict(m, m->log.writes.num);
        mcm_evicted_kernel(m, known);
        mcm_words_kernel(&m->words);
        mcm_order_kernel(m);
    }
    m->log.reads.first = m->log.reads.num;
    m->race_history.first = m->race_history.num;
    m->raced &= !known; /* Memory is the image's, and the new warps have nothing else of the old ones */
    mcm_flags_kernel(&m->flags);
    m->wg_size = wg_size;
    m->num_warps = num_warps;
    m->num_launched = 0;
}

/* Its extent, and its place among those of its warp that are under way. */
static void enter(karat_mcm *m, mcm_event *e) {
    e->low = UINT64_MAX;
    e->high = 0;
    for (uint32_t k = 0; k < e->num; k++) {
        const mcm_part *a = &e->part[k];
        e->low = a->addr < e->low ? a->addr : e->low;
        e->high = a->addr + a->bytes > e->high ? a->addr + a->bytes : e->high;
    }
    e->next = NULL;
    if (!m->core.reports || e->kind == MCM_SC || !e->num) /* An SC may fail: nothing waits for it */
        return;
    mcm_event **link = &m->warps[e->warp].oldest;
    while (*link)
        link = &(*link)->next;
    *link = e;
}

bool mcm_issue(karat_mcm *m, mcm_event *e) {
    mcm_warp *w = &m->warps[e->warp];
    e->epoch = w->epoch;
    e->num_fence = w->num_fence;
    e->reserved_by = e->logged = e->begun = e->last_cycle = e->open = 0;
    e->raced = 0;
    e->searched = e->write_reported = e->sc_failed = e->sc_succeeded = false;
    mcm_set_rules(m, e);
    enter(m, e);
    mcm_note_race(m, e, NULL);
    if (e->kind <= MCM_LR && mcm_has_one_value(m))
        e->open = mcm_first_pending(m);
    if (e->kind == MCM_LR || mcm_is_atomic(e))
        return mcm_enter_atomic(m, e);
    if (e->kind != MCM_STORE || !e->num)
        return true;
    mcm_log_add(m, e);
    return !m->words.table.used || mcm_reports_order(m) || mcm_searched_store(m, e);
}

/* As many bytes as an entry holds. */
static void host_write(karat_mcm *m, uint64_t addr, const uint8_t *bytes, uint32_t size, bool running,
                       uint64_t cycle) {
    mcm_part part[MCM_MAX_PART];
    mcm_event e = {.at = mcm_host_moment(m, running),
                   .kind = MCM_STORE,
                   .name = {.cycle = cycle},
                   .num = size,
                   .part = part,
                   .low = addr,
                   .high = addr + size,
                   .begun = ++m->reported};
    for (uint32_t k = 0; k < size; k++) {
        const mcm_place p = {.addr = addr + k};
        uint8_t old = 0;
        mcm_load(m, &p, &old, 1);
        part[k] = (mcm_part){.addr = p.addr, .performed = e.begun, .old = old, .value = bytes[k], .bytes = 1};
    }
    mcm_log_add(m, &e);
    for (mcm_place p = mcm_word_at((mcm_place){.addr = addr}); p.addr < addr + size; p.addr += 4) {
        mcm_word *w = mcm_find_word(m, p);
        if (!w)
            continue;
        mcm_searched_host(m, w, &e, bytes, addr, size);
        mcm_perform_host(m, w);
    }
    mcm_note_race(m, &e, mcm_log_entry(m, &e));
}

void mcm_host_write(karat_mcm *m, uint64_t addr, const uint8_t *bytes, uint32_t size, bool running,
                    uint64_t cycle) {
    const uint32_t room = m->log.writes.room_part;
    for (uint32_t done = 0; done < size; done += room)
        host_write(m, addr + done, bytes + done, size - done < room ? size - done : room, running, cycle);
}
