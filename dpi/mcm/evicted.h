/* Summary of evicted log entries: per word, for cores where a load's value is one of several; for others,
 * of writes that were still under way when they were evicted, or whose lanes have no order.
 *
 * Of each word there is the last of its evicted writes, which all the others come before unless its bytes
 * are in doubt; and of each byte the values that these writes found and left. A load after that last
 * write, of a byte that is not in doubt, gets what the log says was there before its own writes. Any other
 * load may get one of the values: some of them may be hidden from it, but none that is legal is missing. */
#ifndef KARAT_MCM_EVICTED_H
#define KARAT_MCM_EVICTED_H

#include "word_table.h"

enum {
    MCM_MAX_SUMMARY = 1 << 22, /* Room for words, see mcm_table */
    MCM_NUM_VALUE = 8          /* Of a byte */
};

typedef struct mcm_summary {
    mcm_entry at;
    mcm_moment last; /* Of its evicted writes */
    uint64_t place;  /* The highest report; where no order is reported, the last in the coherence order */
    uint8_t bytes;   /* Bytes that its evicted writes have written */
    uint8_t by_last, doubtful;
    bool earlier;         /* All in earlier kernels */
    uint8_t num_value[4]; /* Of a byte; more than there is room for: any */
    uint8_t value[4][MCM_NUM_VALUE];
} mcm_summary;

typedef struct mcm_evicted {
    mcm_table words; /* mcm_summary */
    bool lost;       /* Some evicted writes are in no summary */
} mcm_evicted;

/* An entry is about to leave the log: the oldest. */
void mcm_summarise(karat_mcm *m, const mcm_event *e);
/* The summary of a byte's word; NULL: no evicted write was to that byte. */
const mcm_summary *mcm_summary_of(const karat_mcm *m, mcm_place p);
/* Whether a reading at that moment may have got that byte from an evicted write that is not the last. */
mcm_verdict mcm_may_be_evicted(const karat_mcm *m, mcm_place p, const mcm_moment *at, uint8_t value);
/* A kernel has ended: all have been performed. known: and memory is the image's. */
void mcm_evicted_kernel(karat_mcm *m, bool known);
#endif
