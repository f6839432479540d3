/* Where the core's warps are when a run ends that has not come to its end: the model's view of each, its last instructions, and what it
 * waits for (where.h). */
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* Of which failures that is said: those that are of all warps, or of others than the one at fault. */
static bool is_of_all(failure_kind kind, const flight *f) {
    return kind == FAIL_HANG || kind == FAIL_INCOMPLETE ||
           (kind == FAIL_PROGRAM && f && f->commit.error.kind == KARAT_ERR_BARRIER_EXIT);
}

/* False: memory is short. */
static bool add(const karat_checker *c, karat_places *p, const slot *s, const flight *f) {
    karat_warp_view view;
    if (karat_view(c->model, s->handle, &view) != KARAT_OK)
        return true;
    const past *last = karat_past(s, s->num_history - 1);
    view.waiting = karat_is_at_barrier(c, s);
    karat_warp_place *w =
        karat_places_add(p, c->model, c->config.model.profile, &view, last ? &last->pc : NULL);
    if (!w)
        return false;
    if (view.stopped && f && f->commit.error.kind == KARAT_ERR_BARRIER_EXIT &&
        karat_row_info(f->commit.row)->owes & KARAT_OWES_BARRIER)
        w->at_barrier = true; /* it has come after another had ended */
    w->workgroup = s->workgroup;
    w->warp = s->warp;
    w->in_slot = true;
    w->sm = s->sm;
    w->slot = s->index;
    w->heard = s->last_event;
    char waits[700];
    if (!w->at_barrier && karat_describe_wait(c, s, waits, sizeof waits))
        w->waits = strdup(waits);
    uint32_t pc[NUM_HISTORY], num = 0;
    for (uint32_t seq = s->num_history > NUM_HISTORY ? s->num_history - NUM_HISTORY : 0; seq < s->num_history;
         seq++)
        pc[num++] = karat_past(s, seq)->pc;
    w->loop = karat_loop_of(pc, num);
    return true;
}

void karat_note_places(karat_checker *c, failure_kind kind, const flight *f) {
    if (!is_of_all(kind, f) || !c->model)
        return;
    c->places.wg_size = c->kernel.wg_size;
    for (uint32_t i = 0; i < c->num_slots; i++)
        if (c->slots[i].live && !add(c, &c->places, &c->slots[i], f))
            break;
    karat_places_sort(&c->places);
}
