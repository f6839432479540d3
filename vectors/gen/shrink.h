/* Making a failing program small.
 *
 * A caller decides whether a candidate still fails. Which candidates come, and in which order, depends on its
 * answers alone: given the same ones again, a run that was cut off comes back to where it was. */
#ifndef KARAT_SHRINK_H
#define KARAT_SHRINK_H

#include "prog.h"

typedef enum shrink_outcome { SHRINK_PASSES, SHRINK_FAILS, SHRINK_STOP } shrink_outcome;

typedef struct shrink_hooks {
    void *context;
    /* Whether that program still fails, and is one that runs: ends, does nothing undefined. */
    shrink_outcome (*fails)(void *context, prog *p);
    /* After each step that made it smaller; false: stop here. */
    bool (*smaller)(void *context, prog *p);
} shrink_hooks;

/* Reduce *p, which fails, until nothing more can be taken away: workgroups, warps, threads, instructions,
 * values, prefixes, operands, data. Returns false where memory is short or a hook said stop; *p fails as it
 * did, in any case. */
bool shrink(prog *p, const shrink_hooks *hooks);

#endif
