#include "memory.h"

#include <stdlib.h>

#include "atomics.h"
#include "mem_pages.h"

#define PHYS_END (UINT64_C(1) << 56)

struct karat_ram {
    karat_memory pages;
    karat_reservations reserved;
};

karat_ram *karat_ram_create(void) {
    return calloc(1, sizeof(karat_ram));
}

void karat_ram_destroy(karat_ram *memory) {
    if (!memory)
        return;
    karat_memory_free(&memory->pages);
    free(memory);
}

bool karat_ram_next_written(const karat_ram *memory, uint64_t *addr, uint64_t last) {
    uint64_t page = *addr >> KARAT_PAGE_BITS;
    if (!karat_memory_next_written(&memory->pages, &page, last >> KARAT_PAGE_BITS))
        return false;
    *addr = page << KARAT_PAGE_BITS;
    return true;
}

bool karat_ram_map(karat_ram *memory, uint64_t base, uint64_t size) {
    if (base >= PHYS_END || size > PHYS_END - base)
        return false;
    const uint64_t first = base >> KARAT_PAGE_BITS;
    return !size ||
           karat_memory_map(&memory->pages, first, ((base + size - 1) >> KARAT_PAGE_BITS) - first + 1);
}

bool karat_ram_read(const karat_ram *memory, uint64_t addr, void *bytes, size_t size) {
    return karat_memory_read(&memory->pages, addr, bytes, size);
}

bool karat_ram_write(karat_ram *memory, uint64_t addr, const void *bytes, size_t size) {
    if (!karat_memory_write(&memory->pages, addr, bytes, size))
        return false;
    karat_reservations_break(&memory->reserved, addr, size);
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
    const uint8_t *page = karat_page(&memory->pages, addr);
    rsp->error = !page;
    for (uint32_t i = 0; i < words; i++)
        rsp->data[i] = page ? load_word(page + (addr & (KARAT_PAGE - 1)) + 4 * i) : 0;
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
        uint8_t *page = karat_page_for(&memory->pages, req->addr[lane], karat_ram_stores(req->op));
        if (!page) {
            rsp->error = true;
            rsp->error_lane = lane;
            return;
        }
        word[lane] = page + (req->addr[lane] & (KARAT_PAGE - 1) & ~3u);
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
