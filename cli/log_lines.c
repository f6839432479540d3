#include "log_lines.h"
#include "array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "input.h"
#include "results.h"

bool log_lines_open(log_lines *lines, const char *path, bool partial) {
    *lines = (log_lines){.path = path, .partial = partial};
    lines->at = lines->text = input_read(path, &lines->size);
    if (!lines->text)
        return false;
    if (memchr(lines->text, 0, lines->size)) {
        cli_error("%s: expected text", path);
        return false;
    }
    return true;
}

void log_lines_close(log_lines *lines) {
    free(lines->text);
    lines->text = lines->at = NULL;
}

char *log_lines_next(log_lines *lines) {
    char *line = lines->at, *end = line + strcspn(line, "\n");
    if (line == lines->text + lines->size)
        return NULL;
    lines->unended = !*end;
    lines->at = end + !lines->unended;
    lines->number++;
    *end = 0;
    if (end > line && end[-1] == '\r')
        end[-1] = 0;
    return line;
}

bool log_lines_refuse(log_lines *lines, uint32_t number, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(lines->expected, sizeof lines->expected, format, args);
    va_end(args);
    if (lines->partial)
        lines->stopped = number;
    else
        cli_error("%s:%" PRIu32 ": expected %s", lines->path, number, lines->expected);
    return false;
}

void log_lines_say_stopped(const log_lines *lines) {
    if (lines->stopped)
        results_note("partial: %s:%" PRIu32
                     " is not understood (expected %s): the log ends with line %" PRIu32,
                     lines->path, lines->stopped, lines->expected, lines->stopped - 1);
}

bool log_grow(void *array, size_t num, size_t size) {
    if (karat_grow(array, num, size))
        return true;
    cli_error("not enough memory");
    return false;
}
