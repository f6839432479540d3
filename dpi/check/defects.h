/* Many mismatches in one run, by their signatures (defects.c). */
#ifndef KARAT_CHECK_DEFECTS_H
#define KARAT_CHECK_DEFECTS_H

#include "failure.h"
#include "signature.h"

/* Mismatches of one signature.  Written by defects.c. */
typedef struct defect {
    karat_signature signature; /* and first.kind */
    uint64_t count;
    further_failure first;
} defect;
#define NUM_DEFECT 512 /* signatures that are kept */

/* With config.keep_going. False: memory is short. */
bool karat_defects_init(karat_checker *c);
/* A mismatch: count it under its signature. */
void karat_note_defect(karat_checker *c, const fault *x, const char *detail);

#endif
