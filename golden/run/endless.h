/* Detection of a run on the model that will never end, because its whole state equals that of an earlier
 * step.
 *
 * The state is saved as a snapshot (karat_save()) at steps of growing distance, and compared where the same
 * warp has stepped from the same pc again, registers first: the result is exact. Equal states continue
 * equally if they determine the next warp to step: where it is drawn at random, there must be a single
 * candidate. */
#ifndef KARAT_ENDLESS_H
#define KARAT_ENDLESS_H

#include "karat/model.h"

enum { ENDLESS_PACE = 1 << 16 /* Steps between two calls of endless_mark(), at least */ };

typedef struct endless {
    const karat_model *model;
    uint32_t slot, pc;       /* The last step at the mark; slot UINT32_MAX: there is no mark */
    uint64_t marked;         /* Steps at the mark */
    uint64_t next, gap;      /* Step of the next mark; how far on the one after that is */
    uint64_t compare, again; /* First step at which all may be compared; step that has the mark's state */
    uint8_t *state, *other;  /* Snapshots, of size bytes each */
    size_t size;
    uint64_t pages;          /* Mapped when the run began */
    karat_warp_view view;    /* View of the warp */
    uint32_t x[KARAT_NUM_X]; /* Copies of the warp's registers */
    bool off;                /* The state is too large, or memory is short: nothing is looked for */
} endless;

void endless_begin(endless *e, const karat_model *model);
void endless_end(endless *e);
/* Something has happened that does not come back (a warp has ended): the mark is of no use any more. */
void endless_forget(endless *e, uint64_t steps);
/* Now and then, after so many steps, the last of them of that warp handle at that pc: mark this state where
 * it is time. */
void endless_mark(endless *e, uint64_t steps, uint32_t slot, uint32_t pc);
/* That handle has stepped from that pc, as at the mark: whether the state is the same. Then e->marked and
 * e->again have the steps. */
bool endless_same(endless *e, uint64_t steps);

/* After every step. */
static inline bool endless_step(endless *e, uint64_t steps, uint32_t slot, uint32_t pc) {
    return slot == e->slot && pc == e->pc && endless_same(e, steps);
}

#endif
