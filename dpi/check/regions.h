/* Memory as the test bench has laid it out, and what it holds in the end (regions.c). */
#ifndef KARAT_CHECK_REGIONS_H
#define KARAT_CHECK_REGIONS_H

#include "check.h"

/* A REGION since the last KERNEL.  Written by regions.c; base and size are in bytes, whole pages. */
typedef struct region {
    uint64_t base, size, hash;
    bool hash_valid;
} region;

/* Memory against the hashes of the last REGION records, when no store is owed any more. True where they differ. */
bool karat_check_memory(karat_checker *c, const char *when);
/* Whether the REGIONs that came hash every page which any has mapped; puts them in order of their addresses. */
bool karat_is_all_hashed(karat_checker *c);

#endif
