/* Shared by the fuzzers: taking an input apart, files for code that reads files. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The side of libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An input that is being taken apart; after its end there are zeros. */
typedef struct input {
    const uint8_t *at;
    size_t left;
} input;
uint64_t take(input *in, unsigned bytes); /* Little-endian */

/* Write a file in a folder of this process, and return its path: the same text each time for one name. */
const char *hostile_file(const char *name, const void *bytes, size_t size);
/* Where such a file would be. */
const char *hostile_path(const char *name);

/* Properties that must hold for every input. */
#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            hostile_broken(__FILE__, __LINE__, #condition);                                                  \
    } while (0)
_Noreturn void hostile_broken(const char *file, int line, const char *what);

/* A subcommand of karat; the last argument is NULL. Its exit status is one of those that the manual has. */
typedef int subcommand(int argc, char **argv);
int hostile_run(subcommand *run, ...);

#endif
