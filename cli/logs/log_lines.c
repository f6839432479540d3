#include "log_lines.h"
#include "array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cli.h"
#include "input.h"
#include "results.h"

bool log_lines_open(log_lines *lines, const char *path, log_rules rules) {
    *lines = (log_lines){.path = path, .rules = rules};
    lines->file = input_open(path);
    return lines->file;
}

void log_lines_close(log_lines *lines) {
    if (lines->file)
        fclose(lines->file);
    free(lines->line);
    lines->file = NULL;
    lines->line = NULL;
}

void log_lines_again(log_lines *lines) {
    rewind(lines->file);
    lines->number = lines->foreign = lines->stopped = 0;
    lines->begin = lines->end = (log_place){0};
    lines->unended = lines->failed = false;
}

bool log_lines_fail(log_lines *lines, const char *reason) {
    cli_error("%s: %s", lines->path, reason);
    lines->failed = true;
    return false;
}

bool log_lines_go(log_lines *lines, log_place place) {
    lines->number = place.lines;
    lines->begin = lines->end = place;
    return fseeko(lines->file, (off_t)place.offset, SEEK_SET) == 0 ||
           log_lines_fail(lines, "cannot be read again");
}

char *log_lines_next(log_lines *lines) {
    const ssize_t read = getline(&lines->line, &lines->room, lines->file);
    if (read < 0 && !feof(lines->file))
        log_lines_fail(lines, "cannot be read, or not enough memory");
    if (read < 0)
        return NULL;
    char *line = lines->line, *end = line + read;
    if (memchr(line, 0, (size_t)read)) {
        log_lines_fail(lines, "expected text");
        return NULL;
    }
    lines->number++;
    lines->begin = lines->end;
    lines->end = (log_place){lines->begin.offset + (uint64_t)read, lines->number};
    lines->unended = end[-1] != '\n';
    if (!lines->unended)
        *--end = 0;
    if (end > line && end[-1] == '\r')
        end[-1] = 0;
    const bool has_mark = lines->number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0; /* The mark of UTF-8 */
    return line + (has_mark ? 3 : 0);
}

bool log_lines_foreign(log_lines *lines, const char *expected) {
    if (lines->rules.strict)
        return log_lines_refuse(lines, lines->number, "%s", expected);
    if (!lines->foreign++)
        lines->first_foreign = lines->number;
    return true;
}

bool log_lines_refuse(log_lines *lines, uint32_t number, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(lines->expected, sizeof lines->expected, format, args);
    va_end(args);
    if (lines->rules.partial)
        lines->stopped = number;
    else
        cli_error("%s:%" PRIu32 ": expected %s", lines->path, number, lines->expected);
    return false;
}

void log_lines_say_foreign(const log_lines *lines) {
    if (lines->foreign)
        results_note("%s: lines with text of other programs, which is passed over: %" PRIu32
                     ", the first is line %" PRIu32,
                     lines->path, lines->foreign, lines->first_foreign);
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
