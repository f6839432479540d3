/* karat run --strict: errors by policy, in kernels that run on the model alone. */
#ifndef KARAT_RUN_STRICT_H
#define KARAT_RUN_STRICT_H

#include "check.h"
#include "sched.h"

/* The others need a core's order of accesses, or its registers: karat check has them. */
enum { RUN_STRICT = KARAT_STRICT_WARNINGS | KARAT_STRICT_SCALARS };
#define RUN_STRICT_WORDS "lanes, lds, lds-size, pds-size, scalars"

/* Take the option's list: 0, or an error of argp after one line. */
int run_strict_words(const char *list, uint32_t *strict);

typedef struct run_strict run_strict;
run_strict *run_strict_create(uint32_t strict, const karat_model *model); /* NULL: out of memory */
void run_strict_destroy(run_strict *strict);                              /* may be NULL */
void run_strict_launch(run_strict *strict, uint32_t handle);
/* A warp has taken a step. False: it is an error. */
bool run_strict_step(run_strict *strict, const karat_sched_warp *warp, const karat_commit *commit);
/* That error in one line, without a newline. */
const char *run_strict_describe(const run_strict *strict, const session *s, const karat_kernel *kernel,
                                const karat_sched_result *result, char text[SCHED_TEXT_SIZE]);

#endif
