#include "interrupt.h"

#include <signal.h>
#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "staged_file.h"

static volatile sig_atomic_t noted;
static struct timespec first; /* When it came */

/* timeout(1) and others signal the process and then its group, so that each signal comes twice: signals
 * within a second of the first one count as the same. */
enum { SAME_WISH_SECONDS = 1 };

static void note(int number) {
    struct timespec now;
    const int error = errno;
    clock_gettime(CLOCK_MONOTONIC, &now);
    errno = error;
    if (!noted) {
        first = now;
        noted = number;
    } else if (now.tv_sec - first.tv_sec > SAME_WISH_SECONDS ||
               (now.tv_sec - first.tv_sec == SAME_WISH_SECONDS && now.tv_nsec >= first.tv_nsec)) {
        karat_temporary_at_signal(number);
        raise(number); /* Once this handler has returned */
    }
}

void karat_interrupt_catch(void) {
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before, action = {.sa_handler = note, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
            sigaddset(&action.sa_mask, signals[k]);
        if (!sigaction(signals[i], NULL, &before) &&
            (before.sa_handler == SIG_DFL || karat_temporary_catches(signals[i])))
            sigaction(signals[i], &action, NULL);
    }
}

int karat_interrupted(void) {
    return noted;
}

const char *karat_interrupt_name(void) {
    return noted == SIGINT ? "SIGINT" : noted == SIGTERM ? "SIGTERM" : "";
}
