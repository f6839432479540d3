/* Paged storage: device memory and LDS. */
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of one run of pages. */
typedef struct karat_chunk {
    struct karat_chunk *next;
    uint64_t first, num; /* Pages */
    uint64_t left;       /* Pages of the run that are mapped still */
    uint64_t room;       /* Pages that there are bytes for: at least num */
    uint8_t bytes[];
} karat_chunk;

#define LOW_PAGES (1u << 20) /* Below 4 GiB: in the table */

/* The first run that ends after that page. */
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

uint8_t *karat_high_page(const karat_memory *memory, uint64_t page, bool writes) {
    uint32_t i = find_high(memory, page);
    if (i == memory->num_high || page < memory->high[i].first)
        return NULL;
    const karat_high *run = &memory->high[i];
    if (writes)
        run->written[page - run->first] = 1;
    return run->bytes + ((page - run->first) << KARAT_PAGE_BITS);
}

/* The next run of pages in [*page, end) that are not mapped yet, on one side of 4 GiB; 0 where there is
 * none. */
static uint64_t next_run(const karat_memory *memory, uint64_t *page, uint64_t end) {
    while (*page < end && karat_page(memory, *page << KARAT_PAGE_BITS))
        ++*page;
    uint64_t run = *page + 1;
    if (run < end && (!karat_memory_next(memory, &run) || run > end))
        run = end;
    if (*page < LOW_PAGES && run > LOW_PAGES)
        run = LOW_PAGES;
    return *page < end ? run - *page : 0;
}

/* Whether a run of that number of pages follows those of the newest chunk. */
static bool follows(const karat_memory *memory, uint64_t first, uint64_t num) {
    const karat_chunk *newest = memory->chunks;
    return newest && newest->first + newest->num == first && first + num <= LOW_PAGES;
}

/* Pages to allocate for a run. Translation maps page after page: each chunk of such runs has room for twice
 * as many as the last, of which those that are never mapped are never touched. */
static uint64_t room_for(const karat_memory *memory, uint64_t first, uint64_t num) {
    const uint64_t most = 4096, twice = follows(memory, first, num) ? 2 * memory->chunks->room : 0;
    return twice > most ? (num > most ? num : most) : twice > num ? twice : num;
}

/* Memory for every run, newest first in *chunks, and room for entering them. */
static bool allocate_runs(karat_memory *memory, uint64_t first, uint64_t end, karat_chunk **chunks) {
    uint32_t num_high = 0;
    for (uint64_t page = first, num; (num = next_run(memory, &page, end)) != 0; page += num) {
        const size_t page_size = KARAT_PAGE + (page >= LOW_PAGES); /* With its written */
        const uint64_t room = room_for(memory, page, num);
        karat_chunk *chunk =
            room > SIZE_MAX / page_size - 1 ? NULL : calloc(1, sizeof *chunk + (size_t)room * page_size);
        if (!chunk)
            return false;
        chunk->next = *chunks;
        chunk->first = page;
        chunk->num = chunk->left = num;
        chunk->room = room;
        *chunks = chunk;
        num_high += page >= LOW_PAGES;
        for (uint64_t i = page / KARAT_TABLE_PAGES;
             page < LOW_PAGES && i <= (page + num - 1) / KARAT_TABLE_PAGES; i++)
            if (!memory->table[i] && !(memory->table[i] = calloc(1, sizeof **memory->table)))
                return false;
    }
    if (num_high) {
        karat_high *more = realloc(memory->high, (memory->num_high + num_high) * sizeof *more);
        if (!more)
            return false;
        memory->high = more;
    }
    return true;
}

static void enter_run(karat_memory *memory, uint64_t first, uint64_t num, uint8_t *bytes) {
    if (first >= LOW_PAGES) {
        uint32_t i = find_high(memory, first);
        memmove(memory->high + i + 1, memory->high + i, (memory->num_high - i) * sizeof *memory->high);
        memory->high[i] = (karat_high){first, num, bytes, bytes + (num << KARAT_PAGE_BITS)};
        memory->num_high++;
        return;
    }
    for (uint64_t page = first; page < first + num; page++, bytes += KARAT_PAGE)
        memory->table[page / KARAT_TABLE_PAGES]->page[page & (KARAT_TABLE_PAGES - 1)] = bytes;
}

/* Those pages are the newest chunk's from now on, if they follow its own and it has room for them. */
static bool extend_newest(karat_memory *memory, uint64_t first, uint64_t num) {
    karat_chunk *newest = memory->chunks;
    uint64_t page = first;
    if (!follows(memory, first, num) || newest->room - newest->num < num ||
        first % KARAT_TABLE_PAGES + num > KARAT_TABLE_PAGES || !memory->table[first / KARAT_TABLE_PAGES] ||
        next_run(memory, &page, first + num) != num)
        return false;
    enter_run(memory, first, num, newest->bytes + (newest->num << KARAT_PAGE_BITS));
    newest->num += num;
    newest->left += num;
    return true;
}

bool karat_memory_map(karat_memory *memory, uint64_t first, uint64_t num) {
    karat_chunk *chunks = NULL;
    if (extend_newest(memory, first, num))
        return true;
    bool good = allocate_runs(memory, first, first + num, &chunks);
    while (chunks) {
        karat_chunk *chunk = chunks;
        chunks = chunk->next;
        if (!good) {
            free(chunk);
            continue;
        }
        enter_run(memory, chunk->first, chunk->num, chunk->bytes);
        chunk->next = memory->chunks;
        memory->chunks = chunk;
    }
    return good;
}

/* Pages below 4 GiB. */
static void leave_low(karat_memory *memory, karat_chunk *chunk, uint64_t first, uint64_t end) {
    for (uint64_t page = first; page < end; page++) {
        karat_mem_table *level = memory->table[page / KARAT_TABLE_PAGES];
        const uint32_t at = page & (KARAT_TABLE_PAGES - 1);
        if (level->page[at] != chunk->bytes + ((page - chunk->first) << KARAT_PAGE_BITS))
            continue; /* The page is not mapped, or it is another chunk's */
        level->page[at] = NULL;
        level->written[at] = 0;
        chunk->left--;
    }
}

/* Runs of pages from 4 GiB on: one that the range is in the middle of becomes two, for which there is
 * room. */
static void leave_high(karat_memory *memory, karat_chunk *chunk, uint64_t first, uint64_t end) {
    const uint8_t *const chunk_end = chunk->bytes + (chunk->num << KARAT_PAGE_BITS);
    for (uint32_t i = find_high(memory, first); i < memory->num_high && memory->high[i].first < end;) {
        karat_high *run = &memory->high[i];
        const uint64_t run_end = run->first + run->num, from = first > run->first ? first : run->first,
                       to = end < run_end ? end : run_end, skipped = to - run->first;
        const karat_high rest = {to, run_end - to, run->bytes + (skipped << KARAT_PAGE_BITS),
                                 run->written + skipped};
        if (run->bytes < chunk->bytes || run->bytes >= chunk_end) {
            i++;
            continue;
        }
        chunk->left -= to - from;
        run->num = from - run->first;
        const uint32_t keeps = run->num != 0, at = i + keeps, more = rest.num != 0;
        memmove(memory->high + at + more, memory->high + i + 1, (memory->num_high - i - 1) * sizeof *run);
        memory->num_high += keeps + more - 1;
        if (more)
            memory->high[at] = rest;
        i = at + more;
    }
}

bool karat_memory_unmap(karat_memory *memory, uint64_t first, uint64_t num) {
    const uint64_t end = first + num;
    if (memory->num_high) {
        karat_high *more = realloc(memory->high, (memory->num_high + 1) * sizeof *more);
        if (!more)
            return false;
        memory->high = more;
    }
    for (karat_chunk **link = &memory->chunks; *link;) {
        karat_chunk *chunk = *link;
        const uint64_t from = first > chunk->first ? first : chunk->first,
                       to = end < chunk->first + chunk->num ? end : chunk->first + chunk->num;
        if (from < to)
            (chunk->first < LOW_PAGES ? leave_low : leave_high)(memory, chunk, from, to);
        if (chunk->left) {
            link = &chunk->next;
            continue;
        }
        *link = chunk->next;
        free(chunk);
    }
    return true;
}

const uint8_t *karat_memory_next(const karat_memory *memory, uint64_t *page) {
    uint64_t at = *page;
    while (at < LOW_PAGES) {
        const karat_mem_table *level = memory->table[at / KARAT_TABLE_PAGES];
        const uint8_t *bytes = level ? level->page[at & (KARAT_TABLE_PAGES - 1)] : NULL;
        if (bytes) {
            *page = at;
            return bytes;
        }
        at = level ? at + 1 : (at | (KARAT_TABLE_PAGES - 1)) + 1;
    }
    uint32_t i = find_high(memory, at);
    if (i == memory->num_high)
        return NULL;
    *page = at < memory->high[i].first ? memory->high[i].first : at;
    return karat_page(memory, *page << KARAT_PAGE_BITS);
}

/* The first from number at on, before end, that is 1; end: none. */
static uint64_t find_written(const uint8_t *written, uint64_t at, uint64_t end) {
    const uint8_t *found = at < end ? memchr(written + at, 1, end - at) : NULL;
    return found ? (uint64_t)(found - written) : end;
}

const uint8_t *karat_memory_next_written(const karat_memory *memory, uint64_t *page, uint64_t last) {
    uint64_t at = *page;
    for (uint64_t first; at < LOW_PAGES && at <= last; at = first + KARAT_TABLE_PAGES) {
        first = at & ~(uint64_t)(KARAT_TABLE_PAGES - 1);
        const karat_mem_table *level = memory->table[first / KARAT_TABLE_PAGES];
        const uint64_t end = last - first < KARAT_TABLE_PAGES ? last - first + 1 : KARAT_TABLE_PAGES;
        const uint64_t found = level ? find_written(level->written, at - first, end) : end;
        if (found < end) {
            *page = first + found;
            return level->page[found];
        }
    }
    for (uint32_t i = find_high(memory, at); i < memory->num_high && memory->high[i].first <= last; i++) {
        const karat_high *run = &memory->high[i];
        const uint64_t end = last - run->first < run->num ? last - run->first + 1 : run->num;
        const uint64_t found = find_written(run->written, at > run->first ? at - run->first : 0, end);
        if (found < end) {
            *page = run->first + found;
            return run->bytes + (found << KARAT_PAGE_BITS);
        }
    }
    return NULL;
}

bool karat_memory_has(const karat_memory *memory, uint64_t addr, uint64_t size) {
    if (size == 0)
        return true;
    uint64_t last = addr + (size - 1);
    if (last < addr)
        return false;
    for (uint64_t page = addr >> KARAT_PAGE_BITS; page <= last >> KARAT_PAGE_BITS; page++)
        if (!karat_page(memory, page << KARAT_PAGE_BITS))
            return false;
    return true;
}

/* The bytes from addr on that are on its page. */
static size_t part_of(uint64_t addr, size_t size) {
    const size_t left = KARAT_PAGE - (addr & (KARAT_PAGE - 1));
    return left < size ? left : size;
}

bool karat_memory_read(const karat_memory *memory, uint64_t addr, void *bytes, size_t size) {
    if (!karat_memory_has(memory, addr, size))
        return false;
    uint8_t *to = bytes;
    for (size_t part; size; to += part, addr += part, size -= part) {
        part = part_of(addr, size);
        memcpy(to, karat_page(memory, addr) + (addr & (KARAT_PAGE - 1)), part);
    }
    return true;
}

bool karat_memory_write(karat_memory *memory, uint64_t addr, const void *bytes, size_t size) {
    if (!karat_memory_has(memory, addr, size))
        return false;
    const uint8_t *from = bytes;
    for (size_t part; size; from += part, addr += part, size -= part) {
        part = part_of(addr, size);
        memcpy(karat_page_for(memory, addr, true) + (addr & (KARAT_PAGE - 1)), from, part);
    }
    return true;
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
    lds->num_workgroup = num_workgroup;
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
    karat_lds_give_back(lds, workgroup, KARAT_LDS_NONE);
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
    *karat_lds_entry(lds, workgroup, page->number) = index;
    return page;
}

void karat_lds_give_back(karat_lds *lds, uint32_t workgroup, uint32_t first) {
    while (lds->first[workgroup] != first) {
        uint32_t index = lds->first[workgroup];
        karat_lds_page *page = &lds->pool[index];
        *karat_lds_entry(lds, workgroup, page->number) = KARAT_LDS_NONE;
        lds->first[workgroup] = page->next;
        page->next = lds->free_list;
        lds->free_list = index;
    }
}
