/* Named scenarios: programs in which several instructions, threads or warps act together. The list is in
 * scenario/scene.h. Users: directed.c and cover.c. */
#ifndef KARAT_SCENARIO_H
#define KARAT_SCENARIO_H

#include "directed.h"

uint32_t scenario_num(void);
/* The scenario's text for --list; writes its name. NULL: there is none. */
const char *scenario_about(uint32_t index, char name[DIRECTED_NAME]);
/* The number of a scenario; it has to be there. */
uint32_t scenario_find(const char *name);
/* Make it in *p, which the caller has initialized and frees. False: p->why. */
bool scenario_make(const row_table *table, const directed_params *params, uint32_t index, prog *p);

/* --- For coverage --- */

/* A dependence: see hazard_put(). */
typedef struct scenario_hazard {
    uint32_t older, younger, kind, cls, distance;
} scenario_hazard;

bool scenario_hazards(const row_table *table, const directed_params *params, const scenario_hazard *list,
                      uint32_t num, prog *p);
/* Trees of divergence whose shape the seed decides, and uniform VBRANCHes in them. */
bool scenario_forest(const row_table *table, const directed_params *params, uint64_t seed, prog *p);

#endif
