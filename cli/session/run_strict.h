/* Command karat run --strict: errors by policy, in kernels that run on the model alone. */
#ifndef KARAT_RUN_STRICT_H
#define KARAT_RUN_STRICT_H

#include "check.h"
#include "run_session.h"

typedef struct run_strict run_strict;
/* strict: KARAT_STRICT_*. The session's model and kernels must outlive it. NULL: out of memory. */
run_strict *run_strict_create(uint32_t strict, const session *s);
void run_strict_destroy(run_strict *strict); /* May be NULL */

/* Some errors show only where accesses of all warps, or all uses of registers, are compared: the lockstep
 * checker finds these, and has to get the run's records (run_record.h). strict: KARAT_STRICT_*. */
bool run_strict_wants_records(uint32_t strict);
/* A karat_port_sink; of such words only. */
bool run_strict_record(void *strict, const void *record, size_t size);
/* The records show an error. */
bool run_strict_stands(const run_strict *strict); /* May be NULL */

void run_strict_launch(run_strict *strict, uint32_t handle);
/* A warp has taken a step. False: it is an error. */
bool run_strict_step(run_strict *strict, const karat_sched_warp *warp, const karat_commit *commit);
/* That error in one line, without a newline. */
const char *run_strict_describe(const run_strict *strict, const session *s, const karat_kernel *kernel,
                                const karat_sched_result *result, char text[SCHED_TEXT_SIZE]);

#endif
