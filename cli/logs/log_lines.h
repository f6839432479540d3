/* The lines of a log that another simulator has printed. */
#ifndef KARAT_LOG_LINES_H
#define KARAT_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How lines are taken that are not understood. */
typedef struct log_rules {
    bool partial; /* The first line that is not understood ends the log */
    bool strict;  /* A line of another program is none that may be passed over */
} log_rules;

/* A place between two lines. */
typedef struct log_place {
    uint64_t offset; /* Bytes before it */
    uint32_t lines;  /* Lines before it */
} log_place;

typedef struct log_lines {
    const char *path;
    FILE *file;
    char *line; /* The line that was taken last */
    size_t room;
    uint32_t number;      /* The number of that line */
    log_place begin, end; /* Where it begins and ends */
    bool unended;         /* No newline ends it: it may be cut off */
    bool failed;          /* The file cannot be read, which was reported */
    log_rules rules;
    uint32_t foreign,
        first_foreign;  /* Lines with text of other programs: how many, the number of the first */
    uint32_t stopped;   /* The line that ended the log (partial); 0: none */
    char expected[128]; /* Text that was expected in that line */
} log_lines;

/* Open that file ("-": standard input), packed or not.  False: an error was reported.  log_lines_close() in
 * any case. */
bool log_lines_open(log_lines *lines, const char *path, log_rules rules);
void log_lines_close(log_lines *lines);
/* Begin again with the first line. */
void log_lines_again(log_lines *lines);
/* The next line is the one behind that place, which was a begin or end.  False: an error was reported. */
bool log_lines_go(log_lines *lines, log_place place);
/* An error of the file is reported (failed).  Returns false. */
bool log_lines_fail(log_lines *lines, const char *reason);
/* The next line, without its end, until the next call; NULL: there is none. */
char *log_lines_next(log_lines *lines);

/* The line has text of another program: it is counted.  False: the rules forbid it, as log_lines_refuse(). */
bool log_lines_foreign(log_lines *lines, const char *expected);
/* That line is not the expected one: an error is reported, or it ends the log (stopped).  Returns false. */
bool log_lines_refuse(log_lines *lines, uint32_t number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes about the lines of other programs, and about where the log was ended (partial). */
void log_lines_say_foreign(const log_lines *lines);
void log_lines_say_stopped(const log_lines *lines);

/* Grows as karat_grow().  False: memory is short, and an error was reported. */
bool log_grow(void *array, size_t num, size_t size);

#endif
