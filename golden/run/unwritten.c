#include "unwritten.h"

#include <stdlib.h>
#include <string.h>

bool unwritten_begin(unwritten *u, const karat_model *model) {
    const uint32_t num = karat_get_config(model)->max_warp;
    *u = (unwritten){.written = calloc(num, sizeof *u->written), .whole = calloc(num, sizeof *u->whole)};
    return u->written && u->whole;
}

void unwritten_end(unwritten *u) {
    free(u->written);
    free(u->whole);
    u->written = NULL;
    u->whole = NULL;
}

void unwritten_launch(unwritten *u, uint32_t handle) {
    memset(u->written[handle], 0, sizeof u->written[handle]);
    u->whole[handle] = (karat_reg_set){.x = 1}; /* Only x0 */
}

static __attribute__((noinline)) void note(karat_unwritten_uses *u, uint32_t pc, const karat_reg_read *read) {
    u->uses++;
    uint32_t i = 0;
    while (i < u->num_places &&
           (u->place[i].pc != pc || u->place[i].cls != read->cls || u->place[i].reg != read->reg))
        i++;
    if (i == KARAT_UNWRITTEN_PLACES)
        return;
    if (i == u->num_places)
        u->place[u->num_places++] = (karat_unwritten_use){.pc = pc, .cls = read->cls, .reg = read->reg};
    u->place[i].count++;
}

static bool is_whole(const karat_reg_set *set, unsigned cls, unsigned reg) {
    return (cls == KARAT_CLASS_X ? set->x >> reg : set->v[reg / 64] >> (reg % 64)) & 1;
}

/* Lanes of a register that is not whole count as written from now on. Returns those that had not been. Not
 * inline: it is rare. */
static __attribute__((noinline)) uint32_t enter(unwritten *u, const karat_model *model, uint32_t handle,
                                                unsigned cls, unsigned reg, uint32_t lanes) {
    const bool scalar = cls == KARAT_CLASS_X;
    const uint32_t all = scalar ? 1 : 0xffffffffu >> (32 - karat_get_config(model)->num_thread);
    karat_reg_set *set = &u->whole[handle];
    uint32_t *written = &u->written[handle][(scalar ? 0 : KARAT_NUM_X) + reg];
    const uint32_t further = lanes & ~*written;
    *written |= lanes;
    if ((*written & all) == all)
        *(scalar ? &set->x : &set->v[reg / 64]) |= UINT64_C(1) << (reg % 64);
    return further;
}

void unwritten_step(unwritten *u, const karat_model *model, uint32_t handle, const karat_commit *commit,
                    karat_unwritten_uses *uses) {
    const karat_reg_set *set = &u->whole[handle];
    for (uint32_t i = 0; i < commit->num_reads; i++) {
        const karat_reg_read *read = &commit->read[i];
        if (!is_whole(set, read->cls, read->reg) && /* Rarely */
            enter(u, model, handle, read->cls, read->reg, karat_read_lanes(model, handle, commit, i)))
            note(uses, commit->pc, read);
    }
    for (uint32_t i = 0; i < commit->num_writes; i++) {
        const karat_reg_write *write = &commit->write[i];
        if (!is_whole(set, write->cls, write->reg))
            enter(u, model, handle, write->cls, write->reg, write->mask);
    }
}
