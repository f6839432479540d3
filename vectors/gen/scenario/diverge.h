/* Trees of divergence. scenario.c uses it for coverage. */
#ifndef KARAT_SCENARIO_DIVERGE_H
#define KARAT_SCENARIO_DIVERGE_H

#include "scene.h"

/* Trees whose shape the seed decides, and uniform VBRANCHes in them. */
void diverge_forest(scene *s, uint64_t seed);

#endif
