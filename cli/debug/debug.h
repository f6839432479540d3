/* `karat debug run`: kernels on the model alone. */
#ifndef KARAT_CLI_DEBUG_H
#define KARAT_CLI_DEBUG_H

#include "cli.h"
#include "open.h"
#include "run_session.h"

/* The exit status. Takes the session's options over. */
int debug_run(session_options *options, const karat_debug_options *how);
/* The exit status after a run of that status: -1 is none. */
int debug_status(int status);

#endif
