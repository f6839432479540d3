#include "endless.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STATE = 64 << 20 };

void endless_begin(endless *e, const karat_model *model) {
    *e = (endless){.model = model, .slot = UINT32_MAX};
    for (uint64_t addr = 0; karat_next_page(model, &addr); addr += 4096)
        e->pages++;
    endless_forget(e, 0);
}

void endless_end(endless *e) {
    free(e->state);
    free(e->other);
    e->state = e->other = NULL;
}

/* A snapshot costs as much as so many steps, with what it takes to find out that most mapped pages are 0. */
static uint64_t cost(const endless *e) {
    return e->size / 8 + e->pages * 8 + ENDLESS_PACE;
}

void endless_forget(endless *e, uint64_t steps) {
    e->slot = UINT32_MAX;
    e->gap = cost(e);
    e->next = steps + e->gap;
}

/* Room for two snapshots of the model as it is. */
static bool make_room(endless *e) {
    const size_t size = karat_save_size(e->model);
    if (size == e->size)
        return true;
    endless_end(e);
    e->size = size;
    if (size > MAX_STATE)
        return false;
    e->state = malloc(size);
    e->other = malloc(size);
    return e->state && e->other;
}

void endless_mark(endless *e, uint64_t steps, uint32_t slot, uint32_t pc) {
    if (steps < e->next || e->off)
        return;
    e->slot = UINT32_MAX;
    e->off = !make_room(e) || karat_view(e->model, slot, &e->view) != KARAT_OK ||
             karat_save(e->model, e->state, e->size) != KARAT_OK;
    if (e->off)
        return;
    memcpy(e->x, e->view.x, sizeof e->x);
    e->slot = slot;
    e->pc = pc;
    e->marked = steps;
    e->compare = 0;
    e->gap = 2 * e->gap > cost(e) ? 2 * e->gap : cost(e);
    e->next = steps + e->gap;
}

bool endless_same(endless *e, uint64_t steps) {
    karat_warp_view view;
    if (karat_view(e->model, e->slot, &view) != KARAT_OK || view.pc != e->view.pc ||
        view.mask != e->view.mask || view.depth != e->view.depth || memcmp(view.x, e->x, sizeof e->x) != 0 ||
        steps < e->compare)
        return false;
    e->compare = steps + cost(e);
    if (karat_save_size(e->model) != e->size || karat_save(e->model, e->other, e->size) != KARAT_OK ||
        memcmp(e->state, e->other, e->size) != 0)
        return false;
    e->again = steps;
    return true;
}
