/* The hash of memory that REGION has, of the model's memory (page_hash.c). */
#ifndef KARAT_CHECK_PAGE_HASH_H
#define KARAT_CHECK_PAGE_HASH_H

#include "karat/model.h"

/* XXH3_64bits of whole pages, which are mapped. Its cost is that of the pages that were ever written. */
uint64_t karat_hash_pages(const karat_model *model, uint64_t base, uint64_t size);

#endif
