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
/* Before a failure after which its warp can go on with the core's value: lanes that differ, 0 where none are meant. */
void karat_keep(karat_checker *c, uint32_t lanes);
/* Behind it: the core's value has to be taken now. */
bool karat_kept(karat_checker *c);
void karat_note_defect(karat_checker *c, failure_kind kind, const slot *s, const flight *f,
                       const char *detail);

#endif
