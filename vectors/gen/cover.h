/* Programs that aim at bins of the coverage model (vectors/cov). */
#ifndef KARAT_COVER_H
#define KARAT_COVER_H

#include "cov.h"
#include "directed.h"

typedef struct cover_bin {
    uint32_t group, at[KARAT_COV_AXES];
} cover_bin;

/* Coverage of a device with room for all warps of the model; NULL where memory is short. */
karat_cov *cover_start(karat_profile profile, uint32_t num_thread);

/* The kind of program for a bin: bins of the same kind go into one, as many as COVER_BINS. */
#define COVER_BINS 64
uint32_t cover_kind(const row_table *table, const karat_cov *cov, const cover_bin *bin);
/* Make a program for these bins, all of one kind, in *p, which the caller frees in any case. False:
 * p->why. */
bool cover_make(const row_table *table, const directed_params *params, const karat_cov *cov,
                const cover_bin *bins, uint32_t num, prog *p);
/* The programs tried for a bin that was not reached. */
const char *cover_tried(const cover_bin *bin);

#endif
