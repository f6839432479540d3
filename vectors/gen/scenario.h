/* Named scenarios: programs about what several instructions, threads or warps do together. */
#ifndef KARAT_SCENARIO_H
#define KARAT_SCENARIO_H

#include "directed.h"

uint32_t scenario_num(void);
/* What it is about, and its name. */
const char *scenario_about(uint32_t index, char name[DIRECTED_NAME]);
/* The number of a scenario; it has to be there. */
uint32_t scenario_find(const char *name);
/* Make it in *p, which the caller has begun and frees. False: p->why. */
bool scenario_make(const row_table *table, const directed_params *params, uint32_t index, prog *p);

/* --- One's own --- */

/* A dependence: see hazard_put(). */
typedef struct scenario_hazard {
    uint32_t older, younger, kind, cls, distance;
} scenario_hazard;

bool scenario_hazards(const row_table *table, const directed_params *params, const scenario_hazard *list,
                      uint32_t num, prog *p);
/* Trees of divergence whose shape the seed decides, and VBRANCHes of all kinds in them. */
bool scenario_forest(const row_table *table, const directed_params *params, uint64_t seed, prog *p);

#endif
