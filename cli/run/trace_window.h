/* Which steps `karat run --trace` prints: of some warps, from one step to another, in a range of the
 * program. */
#ifndef KARAT_TRACE_WINDOW_H
#define KARAT_TRACE_WINDOW_H

#include "run_session.h"

typedef struct trace_warp {
    bool any_workgroup;
    uint32_t workgroup, warp;
} trace_warp;

typedef struct trace_window {
    trace_warp *warps; /* NULL: all warps */
    uint32_t num_warps;
    uint64_t from, to; /* Steps of the run, from 1, both included; 0: no bound */
    char *pc[2];       /* The range as on the command line: addresses or symbols; NULL: all */
    bool given;        /* Some bound or warp was given */
    /* While it runs. */
    uint64_t step;        /* Steps of all kernels */
    uint64_t shown;       /* Steps that were shown */
    uint32_t first, last; /* First and last pc of the kernel that runs, both included; first > last: none */
} trace_window;

/* A child of a subcommand's parser: its input is a trace_window, zeroed. trace_window_free() in any case. */
extern const struct argp trace_window_argp;
void trace_window_free(trace_window *w);

/* Whether each symbol of the range is in one of the kernels: else an error was reported. */
bool trace_window_check(const trace_window *w, const session *s);
/* That kernel begins. */
void trace_window_begin(trace_window *w, const karat_kernel *kernel);
/* Count a step: whether it is to be printed. */
bool trace_window_shows(trace_window *w, const karat_sched_warp *warp, const karat_commit *commit);
/* The run has ended: say on standard error where the options left nothing to print. */
void trace_window_end(const trace_window *w);

#endif
