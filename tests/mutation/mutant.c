/* The switches, in every test that is linked with mutated code:
 *
 *     KARAT_MUTANT=17           switches that mutant on
 *     KARAT_MUTANT_REACHED=FILE gets the numbers of all mutants whose places were executed
 *     KARAT_MUTANT_TEST=NAME    runs only that test of a cmocka program; KARAT_MUTANT_LEFT_OUT=NAME: all
 *                               others
 *     KARAT_MUTANT_SECONDS=5    the CPU time after which it has gone astray */
#include "mutant.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MEMORY ((rlim_t)16 << 30) /* Of addresses: QEMU reserves 4 GiB for its guest */

unsigned karat_mutant;
unsigned char karat_reached[KARAT_MAX_MUTANT];

/* Not every test has cmocka. */
void cmocka_set_test_filter(const char *pattern) __attribute__((weak));
void cmocka_set_skip_filter(const char *pattern) __attribute__((weak));

static unsigned number(const char *name) {
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void switch_on(void) {
    const char *test = getenv("KARAT_MUTANT_TEST"), *left_out = getenv("KARAT_MUTANT_LEFT_OUT");
    const unsigned seconds = number("KARAT_MUTANT_SECONDS");
    karat_mutant = number("KARAT_MUTANT");
    if (test && cmocka_set_test_filter)
        cmocka_set_test_filter(test);
    if (left_out && cmocka_set_skip_filter)
        cmocka_set_skip_filter(left_out);
    if (seconds) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
        setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY, MEMORY});
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    }
}

__attribute__((destructor)) static void say_reached(void) {
    const char *path = getenv("KARAT_MUTANT_REACHED");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    for (unsigned i = 1; i < KARAT_MAX_MUTANT; i++)
        if (karat_reached[i])
            fprintf(file, "%u\n", i);
    fclose(file);
}
