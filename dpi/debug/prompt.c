/* Commands of a person at a terminal, of a pipe, or of a list. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <editline/readline.h>

#include "commands.h"
#include "late.h"

enum { LINE = 4096, FAILED = 2 };

/* --- Interruption --- */

static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal) {
    (void)signal;
    interrupts = 1;
}

static void begin(void) {
    const struct sigaction catch = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &catch, NULL);
}

static bool interrupted(karat_debugger *d) {
    (void)d;
    const bool was = interrupts;
    interrupts = 0; /* Not in a snapshot of this event either */
    return was;
}

/* --- Lines. False: there is none --- */

/* The next command of the batch. */
static bool next_of_batch(karat_debugger *d, char line[LINE]) {
    size_t *done = &d->shared->prompt.done;
    *done += strspn(d->config.batch + *done, ";\n");
    const char *rest = d->config.batch + *done;
    const size_t length = strcspn(rest, ";\n");
    snprintf(line, LINE, "%.*s", (int)(length < LINE ? length : LINE - 1), rest);
    *done += length;
    return *rest;
}

/* Byte by byte: what is not read yet must stay in the pipe, for the process that goes on from an earlier
 * place. */
static bool next_of_pipe(char line[LINE]) {
    size_t length = 0;
    char byte = 0;
    ssize_t got;
    while (byte != '\n' && ((got = read(STDIN_FILENO, &byte, 1)) == 1 || (got < 0 && errno == EINTR)))
        if (got == 1 && byte != '\n' && length + 1 < LINE)
            line[length++] = byte;
    line[length] = 0;
    return length || byte == '\n';
}

/* The library libedit, which is loaded with the first line. */
#define LIBEDIT(X)                                                                                           \
    X(rl_line_buffer) X(rl_completion_entry_function) X(clear_history) X(add_history) X(readline)
static struct libedit { LIBEDIT(KARAT_LATE_POINTER) } edit;

static bool load_libedit(void) {
    static const char *const names[] = {LIBEDIT(KARAT_LATE_NAME)};
    return edit.readline || karat_load_late("libedit.so.2", names, sizeof names / sizeof *names, &edit);
}

/* The first word of a line is a command. */
static char *complete(const char *word, int i) {
    const char *name = strchr(*edit.rl_line_buffer, ' ') ? NULL : karat_debug_complete(word, (unsigned)i);
    return name ? strdup(name) : NULL;
}

/* A line of a terminal, with completion, and the history of all processes of the run. */
static bool next_of_terminal(karat_debugger *d, char line[LINE]) {
    char *history = d->shared->prompt.history;
    size_t *used = &d->shared->prompt.used;
    *edit.rl_completion_entry_function = complete;
    edit.clear_history();
    for (size_t at = 0; at < *used; at += strlen(history + at) + 1)
        edit.add_history(history + at);
    char *text = edit.readline("(karat) ");
    if (!text && interrupts) { /* It takes back the line only */
        putchar('\n');
        line[0] = 0;
        return true;
    }
    if (!text)
        return false;
    snprintf(line, LINE, "%s", text);
    free(text);
    const size_t length = strlen(line) + 1;
    if (*used + length > sizeof d->shared->prompt.history)
        *used = 0;
    if (length > 1) {
        memcpy(history + *used, line, length);
        *used += length;
    }
    return true;
}

/* --- The front end --- */

static void next(karat_debugger *d, const stop_reason *reason, karat_resume *resume) {
    const char *batch = d->config.batch;
    const bool terminal = !batch && isatty(STDIN_FILENO) && load_libedit();
    command_result result = COMMAND_DONE;
    char line[LINE];
    karat_debug_show_stop(d, reason, stdout);
    while (karat_debugger_flush() && (result == COMMAND_DONE || (result == COMMAND_FAILED && !batch))) {
        interrupts = 0;
        if (!(batch ? next_of_batch(d, line) : terminal ? next_of_terminal(d, line) : next_of_pipe(line)))
            break;
        if (!terminal)
            printf("(karat) %s\n", line + strspn(line, " \t"));
        result = karat_debug_command(d, line, stdout, resume);
    }
    if (result != COMMAND_RESUME)
        *resume = (karat_resume){.how = RESUME_QUIT, .count = batch && result == COMMAND_FAILED ? FAILED : 0};
}

const karat_front karat_prompt_front = {.begin = begin, .next = next, .interrupted = interrupted};
