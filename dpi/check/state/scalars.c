#include "scalars.h"
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The register, for lanes whose paths have not written the present contents. */
typedef struct shadow {
    uint32_t lanes; /* Lanes for which the register holds its value */
    uint64_t step;  /* Of the last write, counted by the warp */
    karat_scalar_place write;
    uint32_t meant[KARAT_MAX_THREAD]; /* Values that the paths of all other lanes have left in it */
} shadow;

/* An entry of the SIMT stack. A divergence pushes two: where its paths meet, and the path that waits. */
typedef struct parting {
    bool meets;
    uint64_t step;
    karat_scalar_place branch;
} parting;

typedef struct warp {
    uint64_t step;
    uint64_t
        /* Registers that were written since the warp parted: bits. Of others all lanes have what is there. */
        written;
    uint32_t depth;
    parting stack[KARAT_MAX_STACK];
    shadow x[KARAT_NUM_X];
} warp;

struct karat_scalars {
    uint32_t num, num_thread;
    struct {
        uint32_t seq; /* Steps since its launch */
        warp *parted; /* Made when it first diverges; else NULL */
    } warps[];
};

karat_scalars *karat_scalars_create(uint32_t num_warp, uint32_t num_thread) {
    karat_scalars *s = calloc(1, sizeof *s + num_warp * sizeof *s->warps);
    if (s) {
        s->num = num_warp;
        s->num_thread = num_thread;
    }
    return s;
}

void karat_scalars_destroy(karat_scalars *s) {
    for (uint32_t i = 0; s && i < s->num; i++)
        free(s->warps[i].parted);
    free(s);
}

void karat_scalars_launch(karat_scalars *s, uint32_t handle) {
    if (!s || handle >= s->num)
        return;
    s->warps[handle].seq = 0;
    if (s->warps[handle].parted)
        s->warps[handle].parted->depth = 0;
}

/* The divergence that parted the readers from who wrote what is there: the innermost one since which that
 * was. */
static const parting *find_parting(const warp *w, const shadow *x) {
    for (uint32_t i = w->depth; i-- > 0;)
        if (w->stack[i].meets && w->stack[i].step < x->step)
            return &w->stack[i];
    return NULL;
}

/* The lanes that use a scalar operand: of a vector instruction, those that it writes or accesses. */
static uint32_t lanes_of(const karat_commit *m, uint32_t num_thread) {
    return m->elements == 1 ? m->mask_before
                            : (uint32_t)(m->active | m->active >> num_thread) & m->mask_before;
}

static bool check_read(const warp *w, const karat_reg_read *read, uint32_t lanes, karat_scalar_use *use) {
    const shadow *x = &w->x[read->reg];
    uint32_t wrong = 0;
    for (uint32_t m = lanes & ~x->lanes; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        wrong |= (uint32_t)(x->meant[lane] != read->value[0]) << lane;
    }
    const parting *at = wrong ? find_parting(w, x) : NULL;
    if (!at)
        return false;
    *use = (karat_scalar_use){.reg = read->reg,
                              .lanes = wrong,
                              .value = read->value[0],
                              .meant = x->meant[__builtin_ctz(wrong)],
                              .write = x->write,
                              .apart = at->branch};
    return true;
}

/* Lanes whose value this was until now keep it, but those that write. */
static void enter_write(warp *w, const karat_reg_write *write, uint32_t mask, const karat_scalar_place *at) {
    shadow *x = &w->x[write->reg];
    if (!(w->written >> write->reg & 1)) {
        w->written |= UINT64_C(1) << write->reg;
        x->lanes = UINT32_MAX;
    }
    for (uint32_t m = x->lanes & ~mask; m; m &= m - 1)
        x->meant[__builtin_ctz(m)] = write->old[0];
    x->lanes = mask;
    x->step = w->step;
    x->write = *at;
}

static void part(warp *w, uint32_t depth, const karat_scalar_place *at) {
    w->stack[depth - 2] = (parting){true, w->step, *at};
    w->stack[depth - 1] = (parting){false, w->step, *at};
}

/* The paths of a divergence have met: what was written since it is there for all of them. */
static void meet(warp *w, const parting *at, uint32_t mask) {
    for (uint64_t m = w->written; m; m &= m - 1) {
        shadow *x = &w->x[__builtin_ctzll(m)];
        if (x->step > at->step)
            x->lanes |= mask;
    }
}

/* Of a warp that has diverged, or does now. */
static bool step(warp *w, uint32_t num_thread, uint32_t seq, const karat_commit *m, karat_scalar_use *use) {
    const karat_scalar_place at = {seq, m->pc, m->word, m->prefix};
    bool found = false;
    if (!w->depth)
        w->written = 0;
    w->step++;
    for (uint32_t i = 0; i < m->num_reads && !found; i++)
        if (m->read[i].cls == KARAT_CLASS_X && w->written >> m->read[i].reg & 1)
            found = check_read(w, &m->read[i], lanes_of(m, num_thread), use);
    for (uint32_t i = 0; i < m->num_writes; i++)
        if (m->write[i].cls == KARAT_CLASS_X)
            enter_write(w, &m->write[i], m->mask_before, &at);
    if (m->simt == KARAT_SIMT_DIVERGE)
        part(w, m->depth, &at);
    else if (m->simt == KARAT_SIMT_POP && w->stack[m->depth].meets)
        meet(w, &w->stack[m->depth], m->mask_after);
    w->depth = m->depth;
    return found;
}

karat_scalar_answer karat_scalars_step(karat_scalars *s, uint32_t handle, const karat_commit *m,
                                       karat_scalar_use *use) {
    if (!s || handle >= s->num || !m || !use)
        return KARAT_SCALARS_RIGHT;
    const uint32_t seq = s->warps[handle].seq++;
    warp **w = &s->warps[handle].parted;
    if (m->simt != KARAT_SIMT_DIVERGE && !(*w && (*w)->depth))
        return KARAT_SCALARS_RIGHT; /* Nearly always */
    if (!*w && !(*w = calloc(1, sizeof **w)))
        return KARAT_SCALARS_NO_MEMORY;
    return step(*w, s->num_thread, seq, m, use) ? KARAT_SCALARS_USED : KARAT_SCALARS_RIGHT;
}

void karat_scalars_describe(const karat_scalar_use *use, karat_profile profile, char *text, size_t size) {
    if (!use || !text)
        return;
    const karat_scalar_place *write = &use->write, *apart = &use->apart;
    snprintf(text, size,
             "it reads x%u = %08" PRIx32
             " of %s, which is on another path of the divergence of %s; for lanes %08" PRIx32
             " it was %08" PRIx32,
             use->reg, use->value,
             karat_step_text(profile, write->seq, write->pc, write->prefix, write->word).text,
             karat_step_text(profile, apart->seq, apart->pc, apart->prefix, apart->word).text, use->lanes,
             use->meant);
}
