#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "whole.h"

static volatile sig_atomic_t noted;

static void note(int signal) {
    noted = signal;
    karat_doomed_at(signal); /* the next one */
}

void karat_interrupt_catch(void) {
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before, action = {.sa_handler = note, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
        sigemptyset(&action.sa_mask);
        if (!sigaction(signals[i], NULL, &before) &&
            (before.sa_handler == SIG_DFL || karat_doomed_catches(signals[i])))
            sigaction(signals[i], &action, NULL);
    }
}

int karat_interrupted(void) {
    return noted;
}

const char *karat_interrupt_name(void) {
    return noted == SIGINT ? "SIGINT" : noted == SIGTERM ? "SIGTERM" : "";
}
