/* The hash of memory that REGION has (page_hash.c). */
#ifndef KARAT_PORT_PAGE_HASH_H
#define KARAT_PORT_PAGE_HASH_H

#include "karat/model.h"

/* Memory of which most is zero. */
typedef struct karat_pages {
    void *context;
    /* The lowest page from *addr to last that may hold anything but zeros: its 4096 bytes, until the next
     * call, and its address in *addr. NULL: none does. */
    const uint8_t *(*next)(void *context, uint64_t *addr, uint64_t last);
} karat_pages;

/* XXH3_64bits of whole pages. Its cost is that of the pages that next() returns. */
uint64_t karat_hash_pages(const karat_pages *pages, uint64_t base, uint64_t size);
/* The hash of the model's memory. */
uint64_t karat_hash_memory(const karat_model *model, uint64_t base, uint64_t size);

#endif
