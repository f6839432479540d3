/* Memory as the test bench has laid it out, and what it holds in the end (regions.c). */
#ifndef KARAT_CHECK_REGIONS_H
#define KARAT_CHECK_REGIONS_H

#include "check.h"

/* A REGION since the last KERNEL.  Written by regions.c; base and size are in bytes, whole pages. */
typedef struct region {
    uint64_t base, size, hash;
    bool hash_valid;
} region;

enum { MAX_SPARSE_PAGES = 16, NUM_SPARSE = 4 };

/* Contents of few pages that are not 0, and their hash. Memory of a kernel is like that, and hashed over and over. */
typedef struct sparse {
    uint64_t size, hash;
    uint32_t num;
    uint64_t page[MAX_SPARSE_PAGES]; /* offsets */
    uint8_t bytes[MAX_SPARSE_PAGES][4096];
} sparse;

typedef struct sparse_hashes {
    sparse *known[NUM_SPARSE]; /* NULL: not used yet */
    uint32_t num;              /* ever */
} sparse_hashes;

void karat_sparse_hashes_free(sparse_hashes *x);
/* Memory against the hashes of the last REGION records, when no store is owed any more. True where they differ. */
bool karat_check_memory(karat_checker *c, const char *when);
/* Whether the REGIONs that came hash every page which any has mapped; at the end of the stream, for it joins them, and their hashes are
 * lost. */
bool karat_is_all_hashed(karat_checker *c);

#endif
