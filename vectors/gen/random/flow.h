/* Branches, jumps, calls and loops with scalar conditions, and workgroups that end early. Users: random.c, and diverge.c for
 * regions. */
#ifndef KARAT_RANDOM_FLOW_H
#define KARAT_RANDOM_FLOW_H

#include "block.h"

/* Whether a region that may not run may change vl and vtype; then they are set again after it. */
bool flow_keeps(gen *g, const context *c);
/* Make the function in the last words of device memory; nothing is mapped after it, although a core may fetch ahead of it. */
void flow_make_edge(gen *g);
/* Some workgroups end with their first instructions: those that do not take the returned branch. Some of them are a few
 * instructions late, and end at the same time as workgroups that began later. */
int32_t flow_leave_at_once(gen *g);

#endif
