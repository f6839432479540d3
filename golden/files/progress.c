#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 500, NEXT_MS = 200 };

static bool shown;
static struct timespec last;
static long wait_ms;

static void wait_for(long milliseconds) {
    clock_gettime(CLOCK_MONOTONIC, &last);
    wait_ms = milliseconds;
}

void karat_progress_begin(void) {
    wait_for(FIRST_MS);
}

bool karat_progress_due(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long ms = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
    return ms >= wait_ms && isatty(STDERR_FILENO);
}

void karat_progress_show(const char *format, ...) {
    va_list args;
    fflush(stdout);
    fputc('\r', stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\033[K", stderr);
    wait_for(NEXT_MS);
    shown = true;
}

void karat_progress_hide(void) {
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
