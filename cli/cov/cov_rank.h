/* Command karat cov rank: the files of coverage in the order in which each adds the most bins to those before
 * it. */
#ifndef KARAT_CLI_COV_RANK_H
#define KARAT_CLI_COV_RANK_H

#include "cov.h"

typedef struct cov_rank {
    const char *path;
    uint64_t hit;   /* Bins that this file has hit */
    uint64_t added; /* Bins that this file has hit and no file before it */
    uint64_t total; /* Bins hit by this file and all before it */
    uint64_t *bits; /* A bit for each bin of all groups */
} cov_rank;

/* Zero it before. */
typedef struct cov_ranks {
    cov_rank *files;
    uint32_t num;
    size_t words;
} cov_ranks;

/* A further file. False: memory is short. The path must live as long as the ranks. All files must be of one
 * profile. */
bool cov_ranks_add(cov_ranks *ranks, const char *path, const karat_cov *cov);
/* Greedy: the next file is the one that adds the most, of equal ones the first. */
void cov_ranks_sort(cov_ranks *ranks);
void cov_ranks_free(cov_ranks *ranks);

#endif
