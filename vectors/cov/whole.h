/* A file that is whole or not there: until its end it is written under another name beside it; or kept in memory, where
 * the name is that of a device or a pipe, which nothing can take back. */
#ifndef KARAT_WHOLE_H
#define KARAT_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "karat/karat.h"

typedef struct karat_whole {
    FILE *file; /* to write to */
    const char *path;
    char *next; /* the other name; NULL: in memory */
    char *text;
    size_t size;
} karat_whole;

/* False with one line in *diag: it cannot be written; then neither of the others is for calling. */
bool karat_whole_begin(karat_whole *w, const char *path, karat_diag *diag);
/* Now it is there. False with one line in *diag, and it is not: something could not be written. */
bool karat_whole_end(karat_whole *w, karat_diag *diag);
/* Nothing comes of it. */
void karat_whole_drop(karat_whole *w);

#endif
