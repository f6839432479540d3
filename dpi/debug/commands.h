/* The debugger's commands: of a prompt, of a script (--batch), and of gdb's `monitor`. One table has them
 * all. */
#ifndef KARAT_DEBUG_COMMANDS_H
#define KARAT_DEBUG_COMMANDS_H

#include "debugger.h"

typedef enum command_result {
    COMMAND_DONE,
    COMMAND_RESUME, /* The run goes on: *resume */
    COMMAND_FAILED  /* One line was written */
} command_result;

/* Carry out one command. resume NULL: commands that make the run go on are refused (gdb has its own). */
command_result karat_debug_command(karat_debugger *debugger, const char *line, FILE *out,
                                   karat_resume *resume);

/* The reason of a stop and the place of the selected warp: two lines. */
void karat_debug_show_stop(karat_debugger *debugger, const stop_reason *reason, FILE *out);

/* The names of commands that begin so, one after the other (from 0): for completion. NULL: no more. */
const char *karat_debug_complete(const char *begin, unsigned i);

#endif
