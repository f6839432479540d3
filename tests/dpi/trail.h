/* What a checker holds on the way, as a number: the model's memory and registers that a record is about, what the instructions under
 * way owe, and what is remembered of accesses that race. Where that is otherwise than it was reviewed, a report need not show it yet. */
#ifndef TRAIL_H
#define TRAIL_H

#include "synthetic_core.h"

struct karat_checker;

/* The number so far and the checker behind that record. */
uint64_t trail_behind(uint64_t so_far, const struct karat_checker *c, const record *r);

#endif
