/* Whether the machine has the level that a test is compiled for. */
#ifndef KARAT_TESTS_FP_RUNNABLE_H
#define KARAT_TESTS_FP_RUNNABLE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "karat/model.h"

/* The level's name: v2 and so on, or portable. */
static inline const char *level_of_test(void) {
#ifdef KARAT_AT
#define KARAT_TEXT(x)     #x
#define KARAT_EXPANDED(x) KARAT_TEXT(x)
    return KARAT_EXPANDED(KARAT_AT);
#else
    return "portable";
#endif
}

static inline bool is_runnable(void) {
    const char *name;
    if (strcmp(level_of_test(), "portable") == 0)
        return true;
    for (unsigned i = 1; (name = karat_level_name(i)); i++)
        if (strcmp(name + sizeof "x86-64-" - 1, level_of_test()) == 0)
            return true;
    printf("skipped: this machine has no x86-64-%s\n", level_of_test());
    return false;
}

#endif
