/* Paged storage: device memory and LDS. */
#include "mem.h"

#include <stdlib.h>
#include <string.h>

typedef struct karat_chunk {
    struct karat_chunk *next;
    uint8_t bytes[];
} karat_chunk;

static uint8_t *chunk_alloc(karat_memory *memory, size_t size) {
    karat_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->next = memory->chunks;
    memory->chunks = chunk;
    return chunk->bytes;
}

#define LOW_PAGES (1u << 20) /* below 4 GiB: in the table */

/* The first run that ends behind that page. */
static uint32_t find_high(const karat_memory *memory, uint64_t page) {
    uint32_t low = 0, high = memory->num_high;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const karat_high *run = &memory->high[middle];
        if (page - run->first < run->num || page < run->first)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint8_t *karat_high_page(const karat_memory *memory, uint64_t page) {
    uint32_t i = find_high(memory, page);
    if (i == memory->num_high || page < memory->high[i].first)
        return NULL;
    return memory->high[i].bytes + ((page - memory->high[i].first) << KARAT_PAGE_BITS);
}

/* Enter a run of pages that are not mapped yet. */
static bool enter_run(karat_memory *memory, uint64_t first, uint64_t num, uint8_t *bytes) {
    if (first >= LOW_PAGES) {
        karat_high *more = realloc(memory->high, (memory->num_high + 1) * sizeof *more);
        if (!more)
            return false;
        memory->high = more;
        uint32_t i = find_high(memory, first);
        memmove(more + i + 1, more + i, (memory->num_high - i) * sizeof *more);
        more[i] = (karat_high){first, num, bytes};
        memory->num_high++;
        return true;
    }
    for (uint64_t page = first; page < first + num; page++, bytes += KARAT_PAGE) {
        uint8_t ***level = &memory->table[page >> 10];
        if (!*level && !(*level = calloc(1024, sizeof **level)))
            return false;
        (*level)[page & 1023] = bytes;
    }
    return true;
}

bool karat_memory_map(karat_memory *memory, uint64_t first, uint64_t num) {
    const uint64_t end = first + num;
    for (uint64_t page = first; page < end; page++) {
        if (karat_page(memory, page << KARAT_PAGE_BITS))
            continue;
        /* One chunk for the whole run of pages that are not mapped yet, on one side of 4 GiB. */
        uint64_t run = page;
        if (!karat_memory_next(memory, &run) || run > end)
            run = end;
        if (page < LOW_PAGES && run > LOW_PAGES)
            run = LOW_PAGES;
        if (run - page > SIZE_MAX / KARAT_PAGE - 1)
            return false;
        uint8_t *bytes = chunk_alloc(memory, (size_t)(run - page) << KARAT_PAGE_BITS);
        if (!bytes || !enter_run(memory, page, run - page, bytes))
            return false;
        page = run - 1;
    }
    return true;
}

const uint8_t *karat_memory_next(const karat_memory *memory, uint64_t *page) {
    uint64_t at = *page;
    while (at < LOW_PAGES) {
        uint8_t **level = memory->table[at >> 10];
        if (level && level[at & 1023]) {
            *page = at;
            return level[at & 1023];
        }
        at = level ? at + 1 : (at | 1023u) + 1;
    }
    uint32_t i = find_high(memory, at);
    if (i == memory->num_high)
        return NULL;
    *page = at < memory->high[i].first ? memory->high[i].first : at;
    return karat_high_page(memory, *page);
}

void karat_memory_free(karat_memory *memory) {
    for (unsigned i = 0; i < 1024; i++)
        free(memory->table[i]);
    free(memory->high);
    while (memory->chunks) {
        karat_chunk *next = memory->chunks->next;
        free(memory->chunks);
        memory->chunks = next;
    }
}

bool karat_lds_init(karat_lds *lds, uint32_t base, uint32_t size, uint32_t pool_bytes,
                    uint32_t num_workgroup) {
    memset(lds, 0, sizeof *lds);
    lds->base = base;
    lds->size = size;
    lds->window_pages = size >> KARAT_PAGE_BITS;
    lds->num_pages = (pool_bytes >> KARAT_PAGE_BITS) + 1;
    lds->fresh = 1;
    lds->pool = calloc(lds->num_pages, sizeof *lds->pool);
    lds->tables = calloc((size_t)num_workgroup * lds->window_pages + 1, sizeof *lds->tables);
    lds->first = calloc(num_workgroup, sizeof *lds->first);
    return lds->pool && lds->tables && lds->first;
}

void karat_lds_free(karat_lds *lds) {
    free(lds->pool);
    free(lds->tables);
    free(lds->first);
}

void karat_lds_clear(karat_lds *lds, uint32_t workgroup) {
    uint32_t index = lds->first[workgroup];
    while (index != KARAT_LDS_NONE) {
        karat_lds_page *page = &lds->pool[index];
        uint32_t next = page->next;
        lds->tables[(size_t)workgroup * lds->window_pages + page->number] = KARAT_LDS_NONE;
        page->next = lds->free_list;
        lds->free_list = index;
        index = next;
    }
    lds->first[workgroup] = KARAT_LDS_NONE;
}

karat_lds_page *karat_lds_take(karat_lds *lds, uint32_t workgroup, uint64_t addr) {
    karat_lds_page *page = karat_lds_find(lds, workgroup, addr);
    if (page)
        return page;
    uint32_t index;
    if (lds->free_list != KARAT_LDS_NONE) {
        index = lds->free_list;
        lds->free_list = lds->pool[index].next;
        memset(&lds->pool[index], 0, sizeof lds->pool[index]);
    } else if (lds->fresh < lds->num_pages) {
        index = lds->fresh++;
    } else {
        return NULL;
    }
    page = &lds->pool[index];
    page->number = (uint32_t)(addr - lds->base) >> KARAT_PAGE_BITS;
    page->next = lds->first[workgroup];
    lds->first[workgroup] = index;
    lds->tables[(size_t)workgroup * lds->window_pages + page->number] = index;
    return page;
}
