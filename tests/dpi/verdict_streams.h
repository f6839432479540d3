/* The streams of test_verdicts.c, drawn from a seed: of several kinds of programs, whole and broken. */
#ifndef VERDICT_STREAMS_H
#define VERDICT_STREAMS_H

#include "judge.h"

enum family { PLAIN, DAMAGED, NEAR, MIXED, LITMUS, CROWDED, AGED, NUM_FAMILIES };
extern const char *const families[]; /* Their names */

typedef struct drawn {
    stream s;
    char done[80]; /* The edit in words */
    uint64_t tick; /* No BYE comes, but so much time passes */
    /* Before that record: stores of others, as many as are remembered or more; and so many HOST writes to
     * a word, which change nothing, that a search for an order has no room. */
    size_t at;
    uint32_t stores, writes;
    uint64_t addr;
} drawn;

/* FAMILY.SEED, or FAMILY.SEED.EDIT where the family has edits: 0 is the stream as it is. */
drawn draw_named(const char *name);
uint32_t num_edits(const char *family);
void put_between(const drawn *d, karat_checker *c);

#endif
