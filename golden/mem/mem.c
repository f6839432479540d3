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

bool karat_memory_map(karat_memory *memory, uint64_t base, uint64_t size) {
    uint64_t first = base >> KARAT_PAGE_BITS, end = (base + size + KARAT_PAGE - 1) >> KARAT_PAGE_BITS;
    for (uint64_t page = first; page < end; page++) {
        if (karat_page(memory, page << KARAT_PAGE_BITS))
            continue;
        /* One chunk for the whole run of pages that are not mapped yet. */
        uint64_t run = page + 1;
        while (run < end && !karat_page(memory, run << KARAT_PAGE_BITS))
            run++;
        uint8_t *bytes = chunk_alloc(memory, (size_t)(run - page) << KARAT_PAGE_BITS);
        if (!bytes)
            return false;
        for (; page < run; page++, bytes += KARAT_PAGE) {
            uint8_t ***level = &memory->table[page >> 10];
            if (!*level && !(*level = calloc(1024, sizeof **level)))
                return false;
            (*level)[page & 1023] = bytes;
        }
        page--; /* the loop's own step */
    }
    return true;
}

void karat_memory_free(karat_memory *memory) {
    for (unsigned i = 0; i < 1024; i++)
        free(memory->table[i]);
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
