/* The lines of a log that another simulator has printed. */
#ifndef KARAT_LOG_LINES_H
#define KARAT_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct log_lines {
    const char *path;
    char *text, *at; /* the whole file; the next line */
    size_t size;
    uint32_t number; /* of the line that was taken last */
    bool unended;    /* no newline ends it: it may be cut off */
    bool partial;    /* the first line that is not understood ends the log: */
    uint32_t stopped;
    char expected[128]; /* in it */
} log_lines;

/* Read that file ("-": standard input), packed or not.  False: an error was reported.  log_lines_close() in any case. */
bool log_lines_open(log_lines *lines, const char *path, bool partial);
void log_lines_close(log_lines *lines);
/* The next line, without its end; NULL: there is none. */
char *log_lines_next(log_lines *lines);

/* That line is not the expected one: an error is reported, or it ends the log (stopped).  Returns false. */
bool log_lines_refuse(log_lines *lines, uint32_t number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A note about where the log was ended (partial). */
void log_lines_say_stopped(const log_lines *lines);

/* karat_grow().  False: memory is short, and an error was reported. */
bool log_grow(void *array, size_t num, size_t size);

#endif
