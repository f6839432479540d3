/* Device memory and LDS storage, both as 4 KiB pages. */
#ifndef KARAT_MEM_H
#define KARAT_MEM_H

#include <string.h>

#include "mem_pages.h"

/* One page of LDS, and which of its bytes the workgroup has written. */
typedef struct karat_lds_page {
    uint8_t bytes[KARAT_PAGE];
    uint8_t written[KARAT_PAGE / 8];
    uint32_t next;   /* Next page of the same workgroup, or next free one */
    uint32_t number; /* Page number within the window */
} karat_lds_page;

#define KARAT_LDS_NONE 0u

/* LDS: each workgroup sees its own bytes in the window.  Pages come from a pool that is allocated once, so
 * that a step never allocates; page index 0 means none. */
typedef struct karat_lds {
    uint32_t base, size, window_pages, num_workgroup;
    uint32_t num_pages, fresh, free_list; /* The first page never used, still all zero, is fresh */
    karat_lds_page *pool;
    /* For each page of the window num_workgroup entries: the first pages, which most use, lie together */
    uint32_t *tables;
    uint32_t *first; /* Per workgroup: first page of its list */
} karat_lds;

bool karat_lds_init(karat_lds *lds, uint32_t base, uint32_t size, uint32_t pool_bytes,
                    uint32_t num_workgroup);
void karat_lds_free(karat_lds *lds);
void karat_lds_clear(karat_lds *lds, uint32_t workgroup);

static inline bool karat_in_lds(const karat_lds *lds, uint64_t addr) {
    return addr >= lds->base && addr - lds->base < lds->size;
}

/* The index of a page of the window; KARAT_LDS_NONE where nothing was written there yet. */
static inline uint32_t *karat_lds_entry(const karat_lds *lds, uint32_t workgroup, uint32_t number) {
    return &lds->tables[(size_t)number * lds->num_workgroup + workgroup];
}

/* The page of that window address, or NULL. */
static inline karat_lds_page *karat_lds_find(const karat_lds *lds, uint32_t workgroup, uint64_t addr) {
    const uint32_t number = (uint32_t)(addr - lds->base) >> KARAT_PAGE_BITS,
                   index = *karat_lds_entry(lds, workgroup, number);
    return index == KARAT_LDS_NONE ? NULL : &lds->pool[index];
}

/* The page of LDS, taken from the pool where there is none yet; NULL where the pool is empty. */
karat_lds_page *karat_lds_take(karat_lds *lds, uint32_t workgroup, uint64_t addr);
/* Back to the pool: the pages taken since the workgroup's list began with that page index (KARAT_LDS_NONE:
 * all). */
void karat_lds_give_back(karat_lds *lds, uint32_t workgroup, uint32_t first);

/* Whether so many bytes from addr on, 1, 2 or 4 and aligned, have all been written. */
static inline bool karat_lds_is_written(const karat_lds_page *page, uint64_t addr, unsigned bytes) {
    const unsigned offset = addr & (KARAT_PAGE - 1);
    return !(~page->written[offset / 8] >> offset % 8 & ((1u << bytes) - 1));
}

static inline void karat_lds_mark(karat_lds_page *page, uint64_t addr, unsigned bytes) {
    const unsigned offset = addr & (KARAT_PAGE - 1);
    page->written[offset / 8] |= (uint8_t)(((1u << bytes) - 1) << offset % 8);
}

/* Whether so many words from addr on, within the page, have been written: bytes of eight bits in between, and
 * at most half of one at either end. */
static inline bool karat_lds_are_written(const karat_lds_page *page, uint64_t addr, uint32_t words) {
    bool all = true;
    if (words && addr & 4) {
        all = karat_lds_is_written(page, addr, 4);
        addr += 4;
        words--;
    }
    const uint8_t *written = page->written + (addr & (KARAT_PAGE - 1)) / 8;
    uint8_t common = 0xff;
    for (uint32_t i = 0; i < words / 2; i++)
        common &= written[i];
    return all && common == 0xff && (words % 2 == 0 || karat_lds_is_written(page, addr + 4 * (words - 1), 4));
}

static inline void karat_lds_mark_words(karat_lds_page *page, uint64_t addr, uint32_t words) {
    if (words && addr & 4) {
        karat_lds_mark(page, addr, 4);
        addr += 4;
        words--;
    }
    memset(page->written + (addr & (KARAT_PAGE - 1)) / 8, 0xff, words / 2);
    if (words % 2)
        karat_lds_mark(page, addr + 4 * (words - 1), 4);
}

/* Little-endian values of 1, 2 or 4 bytes, on any host. */
static inline uint32_t karat_get(const uint8_t *p, unsigned bytes) {
    uint32_t value = p[0];
    if (bytes > 1)
        value |= (uint32_t)p[1] << 8;
    if (bytes > 2)
        value |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return value;
}

static inline void karat_put(uint8_t *p, uint32_t value, unsigned bytes) {
    p[0] = (uint8_t)value;
    if (bytes > 1)
        p[1] = (uint8_t)(value >> 8);
    if (bytes > 2) {
        p[2] = (uint8_t)(value >> 16);
        p[3] = (uint8_t)(value >> 24);
    }
}

/* Consecutive words. */
static inline void karat_get_words(uint32_t *to, const uint8_t *p, uint32_t num) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, p, num * sizeof *to);
#else
    for (uint32_t i = 0; i < num; i++)
        to[i] = karat_get(p + 4 * i, 4);
#endif
}

static inline void karat_put_words(uint8_t *p, const uint32_t *from, uint32_t num) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, from, num * sizeof *from);
#else
    for (uint32_t i = 0; i < num; i++)
        karat_put(p + 4 * i, from[i], 4);
#endif
}

#endif
