/* Scenarios for each unit: dependences, and results that arrive together. scenario.c uses them, also for coverage. */
#ifndef KARAT_SCENARIO_UNITS_H
#define KARAT_SCENARIO_UNITS_H

#include "scene.h"

/* Whether the device can run instructions of that unit. */
bool units_usable(const scene *s, uint32_t unit);
/* Instructions of this unit after those of every unit, with all dependences. */
void units_hazards(scene *s, karat_unit younger);
/* Results of a slow unit, then of faster units, so many instructions later that some arrive together. */
void units_collisions(scene *s, karat_unit slow);

#endif
