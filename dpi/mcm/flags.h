/* Flags of plain accesses, where races are looked for: words by which one warp orders what it did before
 * another's with FENCEs, loads and stores alone.
 *
 * A store after a FENCE releases what is before the FENCE; a load of another warp that reads its value,
 * with a FENCE after it, acquires that. What is before the one FENCE is then ordered before what is after
 * the other, as by .rl and .aq of atomics (atomic_word.c, which knows the words of atomics only). The
 * accesses to the flag itself are not ordered: they are synchronisation, and no race of data (race.c). */
#ifndef KARAT_MCM_FLAGS_H
#define KARAT_MCM_FLAGS_H

#include "atomic_word.h"

enum { MCM_NUM_AWAITING = 64 };

typedef struct mcm_flag {
    mcm_entry at;
    mcm_releases releases; /* Of its value */
    bool synchronises;     /* Some warp has acquired one */
} mcm_flag;

typedef struct mcm_flags {
    mcm_table words; /* mcm_flag: those that a release was ever stored to */
    struct {
        uint32_t uid;
        mcm_place at;
    } awaiting[MCM_NUM_AWAITING]; /* A warp has read a word's release, and no FENCE of it has come since */
    uint32_t num_awaiting;
} mcm_flags;

void mcm_flags_kernel(mcm_flags *g); /* A kernel begins; or nothing any more */
/* Parts of e have been performed. False: out of memory. */
bool mcm_flags_performed(karat_mcm *m, mcm_event *e, mcm_parts parts);
/* A warp's FENCE is issued, with reads before it. */
void mcm_flags_fence(karat_mcm *m, uint32_t uid);
/* The flag at that place; NULL: no release was ever stored to the word. */
mcm_flag *mcm_find_flag(const karat_mcm *m, mcm_place p);
#endif
