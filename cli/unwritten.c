#include "unwritten.h"

#include <stdlib.h>
#include <string.h>

bool unwritten_begin(unwritten *u, const karat_model *model) {
    *u = (unwritten){.written = calloc(karat_get_config(model)->max_warp, sizeof *u->written)};
    return u->written != NULL;
}

void unwritten_end(unwritten *u) {
    free(u->written);
    u->written = NULL;
}

void unwritten_launch(unwritten *u, uint32_t handle) {
    memset(u->written[handle], 0, sizeof u->written[handle]);
    u->written[handle][0] = 1; /* x0 */
}

static void note(unwritten *u, uint32_t pc, const karat_reg_read *read) {
    u->uses++;
    uint32_t i = 0;
    while (i < u->num_places &&
           (u->place[i].pc != pc || u->place[i].cls != read->cls || u->place[i].reg != read->reg))
        i++;
    if (i == UNWRITTEN_PLACES)
        return;
    if (i == u->num_places)
        u->place[u->num_places++] = (unwritten_use){.pc = pc, .cls = read->cls, .reg = read->reg};
    u->place[i].count++;
}

static uint32_t *lanes_of(unwritten *u, uint32_t handle, unsigned cls, unsigned reg) {
    return &u->written[handle][(cls == KARAT_CLASS_X ? 0 : KARAT_NUM_X) + reg];
}

void unwritten_step(unwritten *u, const karat_model *model, uint32_t handle, const karat_commit *commit) {
    const uint32_t all = 0xffffffffu >> (32 - karat_get_config(model)->num_thread);
    for (uint32_t i = 0; i < commit->num_reads; i++) {
        const karat_reg_read *read = &commit->read[i];
        uint32_t *written = lanes_of(u, handle, read->cls, read->reg);
        if ((*written & (read->cls == KARAT_CLASS_X ? 1 : all)) == (read->cls == KARAT_CLASS_X ? 1 : all))
            continue; /* nearly always */
        const uint32_t lanes = karat_read_lanes(model, handle, commit, i) & ~*written;
        if (lanes)
            note(u, commit->pc, read);
        *written |= lanes;
    }
    for (uint32_t i = 0; i < commit->num_writes; i++)
        *lanes_of(u, handle, commit->write[i].cls, commit->write[i].reg) |= commit->write[i].mask;
}
