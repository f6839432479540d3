/* Commands of a person at a terminal, of a pipe, or of a list: a front end of the debugger (debugger.h). */
#ifndef KARAT_DEBUG_PROMPT_H
#define KARAT_DEBUG_PROMPT_H

#include "debugger.h"

typedef struct karat_prompt {
    const char *
        batch; /* commands between ';' or newlines; NULL: from standard input, with a prompt where that is a terminal */
    FILE *out;
} karat_prompt;

/* Memory that the front end shares with the run (karat_debug_config.shared_size). */
size_t karat_prompt_shared_size(void);
/* *prompt must outlive the run. A batch ends the run at its end, or at a command that fails: then with status 2. */
karat_front karat_prompt_front(karat_prompt *prompt);

#endif
