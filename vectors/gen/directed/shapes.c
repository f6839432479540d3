/* Shapes of the thread mask: which threads run an instruction. */
#include "dir.h"

/* A shape of a group's elements that vl makes, because a device of few threads cannot: all elements but the
 * last. */
static bool is_by_length(const dir *d, shape s) {
    const uint32_t lanes = d->params->num_thread;
    return d->apart == 2 && ((lanes == 1 && s == SINGLE) || (lanes == 2 && s == OTHER));
}

region shape_enter(dir *d, shape s) {
    region r = {s, PROG_NONE, PROG_NONE};
    if (s == EMPTY)
        dir_set_length(d, 0);
    if (is_by_length(d, s))
        dir_set_length(d, 2 * (int32_t)d->params->num_thread - 1);
    if (s == FULL || s == EMPTY || is_by_length(d, s))
        return r;
    tables_vector(d, V_PATTERN, PATTERNS, s);
    prog_add(d->p, "vmv.v.i", V_ZERO, 0);
    r.place = prog_la(d->p, X_RPC);
    prog_add(d->p, "setrpc", 0, X_RPC, 0);
    r.skip = prog_add(d->p, "vbeq", V_PATTERN, V_ZERO, 0);
    return r;
}

void shape_leave(dir *d, region r) {
    if (r.shape == EMPTY || is_by_length(d, r.shape))
        dir_set_length(d, 64);
    if (r.skip == PROG_NONE)
        return;
    prog_lead(d->p, r.skip, (int32_t)d->p->num);
    prog_lead(d->p, r.place, (int32_t)d->p->num);
    prog_add(d->p, "join");
}

void shape_mask(dir *d, shape s) {
    for (uint32_t reg = 0; reg < d->apart; reg++)
        tables_vector(d, reg, PATTERNS, s);
}
