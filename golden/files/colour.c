#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAIN "\033[0m"
#define LABEL "\033[36m"

static enum { AUTO, ALWAYS, NEVER } mode;

bool karat_colour_take(const char *when) {
    static const char *const words[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(when, words[i]) == 0) {
            mode = i;
            return true;
        }
    return false;
}

static bool is_on(FILE *out) {
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return mode == ALWAYS ||
           (mode == AUTO && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(out)));
}

FILE *karat_colour_begin(karat_coloured *report, FILE *out) {
    *report = (karat_coloured){.out = out};
    if (is_on(out))
        report->memory = open_memstream(&report->text, &report->size);
    return report->memory ? report->memory : out;
}

/* "karat: MISMATCH ...": where the verdict ends, or NULL. */
static const char *verdict_of(const char *line, const char **colour) {
    static const struct {
        const char *word, *colour;
    } verdicts[] = {{"PASS", "\033[1;32m"}, {"INCOMPLETE", "\033[1;33m"},    {"MISMATCH", "\033[1;31m"},
                    {"HANG", "\033[1;31m"}, {"PROGRAM ERROR", "\033[1;31m"}, {"BAD INPUT", "\033[1;31m"}};
    static const char name[] = "karat: ";
    if (strncmp(line, name, sizeof name - 1) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (strncmp(line + sizeof name - 1, verdicts[i].word, strlen(verdicts[i].word)) == 0) {
            *colour = verdicts[i].colour;
            return line + sizeof name - 1 + strlen(verdicts[i].word);
        }
    return NULL;
}

/* "  where     ...": where the label ends, or NULL. */
static const char *label_of(const char *line) {
    const size_t length = strncmp(line, "  ", 2) ? 0 : strspn(line + 2, "abcdefghijklmnopqrstuvwxyz-");
    return length && line[2 + length] == ' ' ? line + 2 + length : NULL;
}

void karat_colour_end(karat_coloured *report) {
    if (!report->memory)
        return;
    fclose(report->memory);
    for (const char *line = report->text, *next; line && *line; line = next) {
        const char *colour = LABEL, *end = verdict_of(line, &colour);
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (!end)
            end = label_of(line);
        if (end)
            fprintf(report->out, "%s%.*s" PLAIN, colour, (int)(end - line), line);
        else
            end = line;
        fwrite(end, 1, (size_t)(next - end), report->out);
    }
    free(report->text);
}
