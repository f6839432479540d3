/* Making a failing program small.
 *
 * A caller tells whether a candidate still fails; everything here is deterministic, so that a run that was cut off ends where it
 * would have ended when it is started again from the smallest program so far. */
#ifndef KARAT_SHRINK_H
#define KARAT_SHRINK_H

#include "prog.h"

typedef struct shrink_hooks {
    void *context;
    /* Whether that program still fails, and is one that runs: ends, does nothing undefined. */
    bool (*fails)(void *context, prog *p);
    /* After each step that made it smaller; false: stop here. */
    bool (*smaller)(void *context, prog *p);
} shrink_hooks;

/* Reduce *p, which fails, until nothing more can be taken away: workgroups, warps, threads, instructions, prefixes, operands,
 * data. Returns false where memory is short or a hook said stop; *p fails as it did, in any case. */
bool shrink(prog *p, const shrink_hooks *hooks);

#endif
