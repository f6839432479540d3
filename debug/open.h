/* Who debugs: by options of a command line, a prompt, a batch of commands, or gdb, which is waited for or started. */
#ifndef KARAT_DEBUG_OPEN_H
#define KARAT_DEBUG_OPEN_H

#include "gdb.h"
#include "prompt.h"

/* Zeros: commands from standard input. */
typedef struct karat_debug_options {
    const char *batch; /* NULL: none */
    bool gdb;          /* start it */
    bool serve, everywhere;
    uint16_t port;      /* serve: at that one, 0: any */
    const char *socket; /* NULL: none */
    unsigned snapshots; /* 0: the default */
} karat_debug_options;

typedef struct karat_debug_session {
    karat_debugger *debugger;
    karat_front front;
    karat_prompt prompt;
    karat_gdb gdb;
    char *path; /* of the Unix socket, which is removed */
} karat_debug_session;

/* Make the debugger, and wait for gdb where it is to come. config: all but snapshots and shared_size. elf: the program for gdb to load; NULL:
 * none. *session must not move afterwards. False with one line in *diag; karat_debug_close() in any case. */
bool karat_debug_open(karat_debug_session *session, const karat_debug_options *options,
                      const karat_debug_config *config, const char *elf, karat_diag *diag);
void karat_debug_close(karat_debug_session *session);

#endif
