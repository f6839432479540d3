/* Who debugs: by options of a command line, a prompt, a batch of commands, or gdb, which is waited for or
 * started. */
#ifndef KARAT_DEBUG_OPEN_H
#define KARAT_DEBUG_OPEN_H

#include "debugger.h"

/* Zeros: commands from standard input. */
typedef struct karat_debug_options {
    const char *batch; /* NULL: none */
    bool gdb;          /* Start it: this process becomes gdb, and another one goes on here and ends with it */
    bool serve, everywhere;
    uint16_t port;      /* Serve: at that one, 0: any */
    const char *socket; /* NULL: none */
    bool lanes;         /* Each lane of a warp is a thread of gdb */
    unsigned snapshots; /* 0: the default */
} karat_debug_options;

/* Make the debugger, and wait for gdb where it is to come. config: num_warp, source, report and context.
 * elf: the program for gdb to load; NULL: none. What they point to must outlive it. NULL with one line in
 * *diag. */
karat_debugger *karat_debug_open(const karat_debug_options *options, const karat_debug_config *config,
                                 const char *elf, karat_diag *diag);

#endif
