/* AMOs, LR and SC. race.c uses them. */
#ifndef KARAT_RANDOM_ATOMIC_H
#define KARAT_RANDOM_ATOMIC_H

#include "gen.h"

/* At the address in scalar register base. pair: after REGPAIR. */
void atomic_put(gen *g, const row_use *u, uint32_t base, bool pair);

#endif
