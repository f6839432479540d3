/* Reports on a terminal: verdict and labels in colour. */
#ifndef KARAT_COLOUR_H
#define KARAT_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_COLOUR_WORDS "auto, always or never"

/* Takes "auto", "always" or "never" for all that follows; false for another word. At first it is auto: on a
 * terminal whose TERM is not dumb, where NO_COLOR is not set. */
bool karat_colour_take(const char *when);

/* A report that is written to that stream. */
typedef struct karat_coloured {
    FILE *out, *memory;
    char *text;
    size_t size;
} karat_coloured;

/* The stream to write it to: out itself where it has no colour. */
FILE *karat_colour_begin(karat_coloured *report, FILE *out);
void karat_colour_end(karat_coloured *report);

#ifdef __cplusplus
}
#endif
#endif
