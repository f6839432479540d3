/* The part of `karat debug` that its sources share: options, and who asks. */
#ifndef KARAT_CLI_DEBUG_H
#define KARAT_CLI_DEBUG_H

#include "cli.h"
#include "gdb.h"
#include "prompt.h"
#include "sched.h"

typedef struct debug_options {
    session_options session; /* the files; the rest is of a run of the model */
    bool is_check;           /* a recording, else kernels */
    bool sourced;
    const char *batch; /* NULL: none */
    bool gdb;          /* start it */
    bool serve, everywhere;
    uint64_t port;
    const char *socket;
    uint64_t snapshots;
} debug_options;

typedef struct debug_front {
    karat_debugger *debugger;
    karat_front front;
    karat_prompt prompt;
    karat_gdb gdb;
    char *path; /* of the Unix socket, which is removed */
} debug_front;

/* Make the debugger, and wait for gdb where it is to come. config: all but snapshots and shared_size. elf: the program for gdb to load;
 * NULL: none. False: an error was reported. */
bool debug_open(debug_front *f, const debug_options *options, const karat_debug_config *config,
                const char *elf);
void debug_close(debug_front *f);
/* The exit status after a run of that status: reports where it is none. */
int debug_status(int status);

/* The sources. They take the session's options over. */
int debug_run(debug_options *options);
int debug_check(debug_options *options);

#endif
