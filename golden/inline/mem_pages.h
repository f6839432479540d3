/* Device memory as pages (mem/mem.c): the model's, and that of the test bench. Not installed. */
#ifndef KARAT_MEM_PAGES_H
#define KARAT_MEM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KARAT_PAGE_BITS 12
#define KARAT_PAGE      (1u << KARAT_PAGE_BITS)

/* A run of pages at or above 4 GiB, which only pairs of registers can address. */
typedef struct karat_high {
    uint64_t first, num; /* Pages */
    uint8_t *bytes;
    uint8_t *written; /* A byte for each page: 1 where it was ever written */
} karat_high;

#define KARAT_TABLE_PAGES 1024u

/* The pages of 4 MiB. */
typedef struct karat_mem_table {
    uint8_t *page[KARAT_TABLE_PAGES];   /* NULL: not mapped */
    uint8_t written[KARAT_TABLE_PAGES]; /* 1: it was ever written */
} karat_mem_table;

/* Device memory: a two-level table over 32-bit addresses, and a sorted list of runs beyond. A page is zero
 * until it is written, and most of a large buffer never is: who walks all of memory looks at the pages that
 * were, and the system never allocates the others. */
typedef struct karat_memory {
    karat_mem_table *table[1024];
    karat_high *high;
    uint32_t num_high;
    struct karat_chunk *chunks; /* The allocation, for freeing */
} karat_memory;

/* Where writes is set, the page is written from now on. */
uint8_t *karat_high_page(const karat_memory *memory, uint64_t page, bool writes);

/* The page of that address, or NULL where it is not mapped, for reading or for writing. */
static inline __attribute__((always_inline)) uint8_t *karat_page_for(const karat_memory *memory,
                                                                     uint64_t addr, bool writes) {
    if (addr >> 32)
        return karat_high_page(memory, addr >> KARAT_PAGE_BITS, writes);
    karat_mem_table *level = memory->table[addr >> 22];
    const uint64_t page = addr >> KARAT_PAGE_BITS & (KARAT_TABLE_PAGES - 1);
    if (!level)
        return NULL;
    uint8_t *bytes = level->page[page];
    if (writes && bytes)
        level->written[page] = 1;
    return bytes;
}

static inline uint8_t *karat_page(const karat_memory *memory, uint64_t addr) {
    return karat_page_for(memory, addr, false);
}

/* Map num pages from page number first on; those mapped already stay. False, and nothing mapped, where memory
 * is short. */
bool karat_memory_map(karat_memory *memory, uint64_t first, uint64_t num);
/* The reverse of pages that are mapped; what they held is gone, and what held nothing else is freed. False,
 * and nothing unmapped, where memory is short. */
bool karat_memory_unmap(karat_memory *memory, uint64_t first, uint64_t num);
/* The lowest mapped page at or above *page, its number in *page; NULL where there is none. */
const uint8_t *karat_memory_next(const karat_memory *memory, uint64_t *page);
/* As karat_memory_next(), of the pages up to last that were ever written. */
const uint8_t *karat_memory_next_written(const karat_memory *memory, uint64_t *page, uint64_t last);
/* Whether all those bytes are mapped. */
bool karat_memory_has(const karat_memory *memory, uint64_t addr, uint64_t size);
/* False, without effect, where a byte is not mapped. */
bool karat_memory_read(const karat_memory *memory, uint64_t addr, void *bytes, size_t size);
bool karat_memory_write(karat_memory *memory, uint64_t addr, const void *bytes, size_t size);
void karat_memory_free(karat_memory *memory);

#endif
