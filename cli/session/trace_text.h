/* A step of a warp as one line of text: karat run --trace, karat gen --commits. */
#ifndef KARAT_TRACE_TEXT_H
#define KARAT_TRACE_TEXT_H

#include "run_session.h"

/* One line: the effects of a step of the kernel of that name. */
void trace_step(FILE *f, const session *s, const char *name, const karat_sched_warp *warp,
                const karat_commit *commit);

#endif
