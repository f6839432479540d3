/* Named scenarios: programs about what several instructions, threads or warps do together. */
#ifndef KARAT_SCENARIO_H
#define KARAT_SCENARIO_H

#include "directed.h"

uint32_t scenario_num(void);
/* What it is about, and its name. */
const char *scenario_about(uint32_t index, char name[DIRECTED_NAME]);
/* Make it in *p, which the caller has begun and frees. False: p->why. */
bool scenario_make(const row_table *table, const directed_params *params, uint32_t index, prog *p);

#endif
