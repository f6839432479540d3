/* Walks of page tables, for comparisons and reports (page_walk.c). */
#ifndef KARAT_CHECK_PAGE_WALK_H
#define KARAT_CHECK_PAGE_WALK_H

#include "check.h"

enum { WALK_LEVELS = 3 };

/* The model's translation of an address, with the entries that it has read: step 0 is of level 2, the last
 * is that of end.level. */
typedef struct page_walk {
    uint64_t ptbr, virt;
    uint64_t phys; /* Where a leaf was found */
    uint32_t num;  /* Steps; 0 for an address that is not canonical */
    struct {
        uint64_t addr, entry;
    } step[WALK_LEVELS];
    karat_page_fault end; /* Reason NONE: it translates */
} page_walk;

/* Whether the walk found an aligned leaf, whatever it permits. */
bool karat_found_leaf(const page_walk *w);
void karat_walk_page(const karat_model *model, uint64_t ptbr, uint64_t virt, karat_page_use use,
                     page_walk *w);
/* A walk in words, a line for each level, each with a newline before it. Appended. */
void karat_put_walk(const page_walk *w, char *text, size_t size);
/* First byte and size of the page of that level that holds the address. */
static inline uint64_t karat_page_size(unsigned level) {
    return UINT64_C(4096) << 9 * level;
}

#endif
