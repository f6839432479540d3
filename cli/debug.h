/* The sources of `karat debug`. */
#ifndef KARAT_CLI_DEBUG_H
#define KARAT_CLI_DEBUG_H

#include "cli.h"
#include "open.h"
#include "sched.h"

typedef struct debug_options {
    session_options session; /* the files; the rest is of a run of the model */
    bool is_check;           /* a recording, else kernels */
    bool sourced;            /* that was said */
    karat_debug_options how;
} debug_options;

/* They take the session's options over. */
int debug_run(debug_options *options);
int debug_check(debug_options *options);
/* The exit status after a run of that status: reports where it is none. */
int debug_status(int status);

#endif
