#include "prompt.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

enum { HISTORY = 1 << 16, LINE = 4096, FAILED = 2 };

/* What does not go back with the run: how much of the batch has been done, and the lines that were entered. */
typedef struct shared {
    size_t done;
    bool ended;
    size_t used;
    char history[HISTORY]; /* lines, each with a newline; the oldest go first */
} shared;

size_t karat_prompt_shared_size(void) {
    return sizeof(shared);
}

/* --- Interruption --- */

static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal) {
    (void)signal;
    interrupts = 1;
}

static bool interrupted(void *context, karat_debugger *d) {
    (void)context, (void)d;
    const bool was = interrupts;
    interrupts = 0; /* not in a snapshot of this event either */
    return was;
}

static void catch_interrupts(void) {
    const struct sigaction catch = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &catch, NULL);
}

/* --- Lines --- */

/* The next command of the batch; false: there is none. */
static bool next_of_batch(const karat_prompt *p, shared *s, char line[LINE]) {
    const char *rest = p->batch + s->done;
    while (*rest == ';' || *rest == '\n')
        rest++;
    if (!*rest)
        return false;
    const size_t length = strcspn(rest, ";\n");
    snprintf(line, LINE, "%.*s", (int)(length < LINE ? length : LINE - 1), rest);
    s->done = (size_t)(rest - p->batch) + length;
    return true;
}

/* Byte by byte: what is not read yet must stay in the pipe, for the process that goes on from an earlier place. */
static bool next_of_pipe(char line[LINE]) {
    size_t length = 0;
    char byte;
    ssize_t got;
    while ((got = read(STDIN_FILENO, &byte, 1)) == 1 || (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        if (byte == '\n') {
            line[length] = 0;
            return true;
        }
        if (length + 1 < LINE)
            line[length++] = byte;
    }
    line[length] = 0;
    return length != 0;
}

static char *prompt_text(EditLine *el) {
    (void)el;
    static char text[] = "(karat) ";
    return text;
}

/* Tab: the rest of the only command that begins so, or the list. */
static unsigned char complete(EditLine *el, int key) {
    (void)key;
    const LineInfo *line = el_line(el);
    char begin[64];
    const size_t length = (size_t)(line->cursor - line->buffer);
    if (length >= sizeof begin || memchr(line->buffer, ' ', length))
        return CC_ERROR;
    memcpy(begin, line->buffer, length);
    begin[length] = 0;
    const char *first = karat_debug_complete(begin, 0);
    if (!first)
        return CC_ERROR;
    if (!karat_debug_complete(begin, 1)) {
        el_insertstr(el, first + length);
        el_insertstr(el, " ");
        return CC_REFRESH;
    }
    putchar('\n');
    for (unsigned i = 0; (first = karat_debug_complete(begin, i)); i++)
        printf("%s  ", first);
    putchar('\n');
    fflush(stdout);
    return CC_REDISPLAY;
}

static void remember(shared *s, const char *line) {
    const size_t length = strlen(line);
    if (!length || length > HISTORY / 2)
        return;
    while (s->used + length > HISTORY) {
        const char *end = memchr(s->history, '\n', s->used);
        const size_t first = end ? (size_t)(end - s->history) + 1 : s->used;
        memmove(s->history, s->history + first, s->used - first);
        s->used -= first;
    }
    memcpy(s->history + s->used, line, length);
    s->used += length;
}

static void recall(const shared *s, History *list) {
    HistEvent event;
    char line[LINE];
    for (size_t at = 0; at < s->used;) {
        const char *end = memchr(s->history + at, '\n', s->used - at);
        const size_t length = end ? (size_t)(end - s->history) - at + 1 : s->used - at;
        snprintf(line, sizeof line, "%.*s", (int)(length < LINE ? length : LINE - 1), s->history + at);
        history(list, &event, H_ENTER, line);
        at += length;
    }
}

/* A line of a terminal, with history and completion. */
static bool next_of_terminal(shared *s, char line[LINE]) {
    int length = 0;
    bool good = false;
    EditLine *el = el_init("karat", stdin, stdout, stderr);
    if (!el)
        return next_of_pipe(line);
    History *list = history_init();
    HistEvent event;
    if (list) {
        history(list, &event, H_SETSIZE, 500);
        recall(s, list);
        el_set(el, EL_HIST, history, list);
    }
    el_set(el, EL_PROMPT, prompt_text);
    el_set(el, EL_EDITOR, "emacs");
    el_set(el, EL_SIGNAL, 1);
    el_set(el, EL_ADDFN, "karat-complete", "complete a command", complete);
    el_set(el, EL_BIND, "^I", "karat-complete", NULL);
    const char *text = el_gets(el, &length);
    if (text && length > 0) {
        remember(s, text);
        snprintf(line, LINE, "%.*s", (int)strcspn(text, "\n"), text);
        good = true;
    } else if (interrupts) { /* it takes back the line only */
        putchar('\n');
        line[0] = 0;
        good = true;
    }
    if (list)
        history_end(list);
    el_end(el);
    return good;
}

/* --- The front end --- */

static void quit(karat_resume *resume, int status) {
    *resume = (karat_resume){.how = RESUME_QUIT, .count = (uint64_t)status};
}

static void next(void *context, karat_debugger *d, const stop_reason *reason, karat_resume *resume) {
    const karat_prompt *p = context;
    shared *s = karat_debugger_shared(d);
    char line[LINE];
    karat_debug_show_stop(d, reason, p->out);
    catch_interrupts();
    for (;;) {
        fflush(p->out);
        interrupts = 0;
        const bool terminal = !p->batch && isatty(STDIN_FILENO);
        if (!(p->batch   ? next_of_batch(p, s, line)
              : terminal ? next_of_terminal(s, line)
                         : next_of_pipe(line))) {
            quit(resume, 0);
            return;
        }
        if (!terminal)
            fprintf(p->out, "(karat) %s\n", line + strspn(line, " \t"));
        const command_result result = karat_debug_command(d, line, p->out, resume);
        if (result == COMMAND_RESUME)
            return;
        if (result == COMMAND_FAILED && p->batch) {
            quit(resume, FAILED);
            return;
        }
    }
}

karat_front karat_prompt_front(karat_prompt *prompt) {
    catch_interrupts(); /* for the first snapshot, which is before the first stop */
    return (karat_front){.context = prompt, .next = next, .interrupted = interrupted};
}
