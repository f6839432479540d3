#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "atomics.h"
#include "array.h"

#define PAGE_BITS  12
#define PAGE_SIZE  (1u << PAGE_BITS)
#define TABLE_BITS 10 /* pages in a table */
#define NUM_TABLES (1u << (32 - PAGE_BITS - TABLE_BITS))
#define PHYS_END   (UINT64_C(1) << 56)

typedef struct page_table {
    uint8_t *page[1u << TABLE_BITS];
    bool written[1u << TABLE_BITS]; /* ever */
} page_table;

/* Pages from 4 GiB on, by number: hashed, with the next free place for the next of one hash. */
typedef struct high_page {
    uint64_t number;
    uint8_t *bytes; /* NULL: none is here */
    bool written;   /* ever */
} high_page;

struct karat_ram {
    page_table *tables[NUM_TABLES];
    high_page *high;
    uint64_t num_high, room_high; /* room: a power of two, or 0 */
    uint8_t **blocks; /* memory that pages are in, a range at once: most of a large one is never touched */
    size_t num_blocks;
    karat_reservations reserved;
};

karat_ram *karat_ram_create(void) {
    return calloc(1, sizeof(karat_ram));
}

void karat_ram_destroy(karat_ram *memory) {
    if (!memory)
        return;
    for (uint32_t t = 0; t < NUM_TABLES; t++)
        free(memory->tables[t]);
    free(memory->high);
    for (size_t i = 0; i < memory->num_blocks; i++)
        free(memory->blocks[i]);
    free(memory->blocks);
    free(memory);
}

/* --- Bytes --- */

/* Where that page is, or where it would be entered. */
static high_page *find_high(const karat_ram *memory, uint64_t number) {
    uint64_t i = number * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (memory->high[i & (memory->room_high - 1)].bytes &&
           memory->high[i & (memory->room_high - 1)].number != number)
        i++;
    return &memory->high[i & (memory->room_high - 1)];
}

/* NULL where it is not mapped. *written: that of the page. */
static uint8_t *look_up(const karat_ram *memory, uint64_t addr, bool **written) {
    if (addr >> 32) {
        high_page *page = memory->room_high ? find_high(memory, addr >> PAGE_BITS) : NULL;
        if (!page)
            return NULL;
        *written = &page->written;
        return page->bytes;
    }
    page_table *table = memory->tables[addr >> (PAGE_BITS + TABLE_BITS)];
    if (!table)
        return NULL;
    *written = &table->written[addr >> PAGE_BITS & ((1u << TABLE_BITS) - 1)];
    return table->page[addr >> PAGE_BITS & ((1u << TABLE_BITS) - 1)];
}

static uint8_t *find_page(const karat_ram *memory, uint64_t addr) {
    bool *written;
    return look_up(memory, addr, &written);
}

static uint8_t *find_page_to_write(karat_ram *memory, uint64_t addr) {
    bool *written;
    uint8_t *page = look_up(memory, addr, &written);
    if (page)
        *written = true;
    return page;
}

bool karat_ram_next_written(const karat_ram *memory, uint64_t *addr, uint64_t last) {
    for (uint64_t number = *addr >> PAGE_BITS; number <= last >> PAGE_BITS; number++) {
        bool *written;
        if (!look_up(memory, number << PAGE_BITS, &written) || !*written)
            continue;
        *addr = number << PAGE_BITS;
        return true;
    }
    return false;
}

/* At most half of the places are taken. */
static bool grow_high(karat_ram *memory) {
    if (2 * memory->num_high < memory->room_high)
        return true;
    karat_ram larger = {.room_high = memory->room_high ? 2 * memory->room_high : 64};
    larger.high = calloc(larger.room_high, sizeof *larger.high);
    if (!larger.high)
        return false;
    for (uint64_t i = 0; i < memory->room_high; i++)
        if (memory->high[i].bytes)
            *find_high(&larger, memory->high[i].number) = memory->high[i];
    free(memory->high);
    memory->high = larger.high;
    memory->room_high = larger.room_high;
    return true;
}

static bool enter_page(karat_ram *memory, uint64_t addr, uint8_t *bytes) {
    if (addr >> 32) {
        if (!grow_high(memory))
            return false;
        *find_high(memory, addr >> PAGE_BITS) = (high_page){addr >> PAGE_BITS, bytes, false};
        memory->num_high++;
        return true;
    }
    page_table **table = &memory->tables[addr >> (PAGE_BITS + TABLE_BITS)];
    if (!*table)
        *table = calloc(1, sizeof **table);
    if (*table)
        (*table)->page[addr >> PAGE_BITS & ((1u << TABLE_BITS) - 1)] = bytes;
    return *table;
}

/* Memory of that size, whole pages, that lives as long as the pages in it. */
static uint8_t *make_block(karat_ram *memory, uint64_t size) {
    if (!karat_grow(&memory->blocks, memory->num_blocks, sizeof *memory->blocks))
        return NULL;
    uint8_t *block = calloc(size, 1);
    if (block)
        memory->blocks[memory->num_blocks++] = block;
    return block;
}

bool karat_ram_map(karat_ram *memory, uint64_t base, uint64_t size) {
    if (base >= PHYS_END || size > PHYS_END - base)
        return false;
    const uint64_t end = base + size;
    for (uint64_t from = base & ~(uint64_t)(PAGE_SIZE - 1), to; from < end; from = to) {
        for (to = from; to < end && !find_page(memory, to); to += PAGE_SIZE)
            ;
        uint8_t *block = to > from ? make_block(memory, to - from) : NULL;
        if (to > from && !block)
            return false;
        for (uint64_t addr = from; addr < to; addr += PAGE_SIZE)
            if (!enter_page(memory, addr, block + (addr - from)))
                return false;
        while (to < end && find_page(memory, to))
            to += PAGE_SIZE;
    }
    return true;
}

static bool mapped(const karat_ram *memory, uint64_t addr, size_t size) {
    if (addr >= PHYS_END || size > PHYS_END - addr)
        return false;
    uint64_t end = addr + size;
    for (uint64_t page = addr & ~(uint64_t)(PAGE_SIZE - 1); page < end; page += PAGE_SIZE)
        if (!find_page(memory, page))
            return false;
    return true;
}

bool karat_ram_read(const karat_ram *memory, uint64_t addr, void *bytes, size_t size) {
    if (!mapped(memory, addr, size))
        return false;
    for (uint8_t *to = bytes; size;) {
        size_t offset = addr & (PAGE_SIZE - 1), n = PAGE_SIZE - offset < size ? PAGE_SIZE - offset : size;
        memcpy(to, find_page(memory, addr) + offset, n);
        addr += n, to += n, size -= n;
    }
    return true;
}

bool karat_ram_write(karat_ram *memory, uint64_t addr, const void *bytes, size_t size) {
    if (!mapped(memory, addr, size))
        return false;
    karat_reservations_break(&memory->reserved, addr, size);
    for (const uint8_t *from = bytes; size;) {
        size_t offset = addr & (PAGE_SIZE - 1), n = PAGE_SIZE - offset < size ? PAGE_SIZE - offset : size;
        memcpy(find_page_to_write(memory, addr) + offset, from, n);
        addr += n, from += n, size -= n;
    }
    return true;
}

/* --- Requests --- */

static uint32_t load_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store_word(uint8_t *bytes, uint32_t value, uint8_t enable) {
    for (uint32_t b = 0; b < 4; b++)
        if (enable >> b & 1)
            bytes[b] = (uint8_t)(value >> 8 * b);
}

/* The words from addr on, which are on one page. */
static void perform_words(const karat_ram *memory, uint64_t addr, uint32_t words, const karat_ram_req *req,
                          karat_ram_rsp *rsp) {
    *rsp = (karat_ram_rsp){.id = req->id};
    const uint8_t *page = find_page(memory, addr);
    rsp->error = !page;
    for (uint32_t i = 0; i < words; i++)
        rsp->data[i] = page ? load_word(page + (addr & (PAGE_SIZE - 1)) + 4 * i) : 0;
}

void karat_ram_perform_line(const karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp) {
    perform_words(memory, req->addr[0] & ~(KARAT_RAM_LINE_WORDS * UINT64_C(4) - 1), KARAT_RAM_LINE_WORDS, req,
                  rsp);
}

void karat_ram_perform_entry(const karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp) {
    perform_words(memory, req->addr[0] & ~UINT64_C(7), 2, req, rsp);
}

/* Lanes in ascending order: of two that store to one byte, the higher one's value stays. */
void karat_ram_perform_lanes(karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp) {
    *rsp = (karat_ram_rsp){.id = req->id};
    uint8_t *word[KARAT_RAM_LANES];
    for (uint32_t lane = 0; lane < KARAT_RAM_LANES; lane++) {
        if (!(req->lanes >> lane & 1))
            continue;
        uint8_t *page = karat_ram_stores(req->op) ? find_page_to_write(memory, req->addr[lane])
                                                  : find_page(memory, req->addr[lane]);
        if (!page) {
            rsp->error = true;
            rsp->error_lane = lane;
            return;
        }
        word[lane] = page + (req->addr[lane] & (PAGE_SIZE - 1) & ~3u);
    }
    for (uint32_t lane = 0; lane < KARAT_RAM_LANES; lane++) {
        if (!(req->lanes >> lane & 1))
            continue;
        const karat_word done = karat_word_perform(&memory->reserved, req, lane, load_word(word[lane]));
        rsp->data[lane] = done.answer;
        if (done.store)
            store_word(word[lane], done.value, req->be[lane]);
    }
}
