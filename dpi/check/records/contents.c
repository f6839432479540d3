/* CONTENTS and the hashes of REGIONs: what memory holds at a kernel's end, compared with the model's, unless
 * a store may still be on its way there. */
#include "records.h"
#include "page_hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_zero(const uint8_t *page) {
    static const uint8_t zeros[4096];
    return memcmp(page, zeros, sizeof zeros) == 0;
}

/* Its pages that are not 0. False: there are too many of them to compare them with others. */
static bool find_pages(const karat_checker *c, const region *r, sparse *x) {
    const uint8_t *page;
    uint64_t addr = r->base;
    x->size = r->size;
    x->num = 0;
    while ((page = karat_next_written_page(c->model, &addr, r->base + (r->size - 1)))) {
        const uint64_t offset = addr - r->base;
        const bool zero = is_zero(page);
        if (!zero && (x->num == MAX_SPARSE_PAGES || r->size < (uint64_t)2 * MAX_SPARSE_PAGES * 4096))
            return false;
        if (!zero) {
            x->page[x->num] = offset;
            memcpy(x->bytes[x->num++], page, 4096);
        }
        if (offset == r->size - 4096)
            break;
        addr += 4096;
    }
    return true;
}

static bool is_same(const sparse *x, const sparse *y) {
    return x->size == y->size && x->num == y->num &&
           memcmp(x->page, y->page, x->num * sizeof *x->page) == 0 &&
           memcmp(x->bytes, y->bytes, x->num * sizeof *x->bytes) == 0;
}

void karat_sparse_hashes_free(sparse_hashes *x) {
    for (uint32_t i = 0; i < NUM_SPARSE; i++)
        free(x->known[i]);
    free(x->next);
}

/* The bytes of a region in the model, hashed as the test bench does; once, where few pages are not 0.
 * False: out of memory. */
static bool hash_region(karat_checker *c, const region *r, uint64_t *hash) {
    sparse_hashes *hashes = &c->sparse;
    sparse *x = hashes->next ? hashes->next : malloc(sizeof *x);
    if (!x)
        return false;
    hashes->next = x;
    const bool few = find_pages(c, r, x);
    for (uint32_t i = 0; few && i < NUM_SPARSE && hashes->known[i]; i++)
        if (is_same(x, hashes->known[i])) {
            *hash = hashes->known[i]->hash;
            return true;
        }
    x->hash = *hash = karat_hash_memory(c->model, r->base, r->size);
    if (few) {
        sparse **oldest = &hashes->known[hashes->num++ % NUM_SPARSE];
        hashes->next = *oldest;
        *oldest = x;
    }
    return true;
}

/* A store that is still on its way is in the model's memory and not yet in the test bench's. */
static bool has_pending_store(karat_checker *c) {
    bool pending = false;
    for (uint32_t i = 0; i < c->num_slots; i++)
        for (flight *f = c->slots[i].oldest, *next; f; f = next) {
            next = f->next;
            pending |= f->mem_bytes && f->commit.mem.op != KARAT_LOAD &&
                       !karat_bridge_sc_given_up(c, &c->slots[i], f);
        }
    return pending;
}

static int compare_regions(const void *a, const void *b) {
    const region *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

/* Neighbours that came one after the other become one REGION: there may be one for each page. Their hashes
 * are lost. */
static void join_neighbours(karat_checker *c) {
    uint32_t num = 0;
    for (uint32_t i = 0; i < c->num_regions; i++) {
        const region *r = &c->regions[i];
        region *last = num ? &c->regions[num - 1] : NULL;
        if (last && r->base == last->base + last->size && r->base) /* Not over the end of all addresses */
            last->size += r->size;
        else
            c->regions[num++] = *r;
    }
    c->num_regions = num;
}

bool karat_is_all_hashed(karat_checker *c) {
    bool valid = true;
    uint64_t pages = 0, end = 0;
    for (uint32_t i = 0; i < c->num_regions; i++)
        valid &= c->regions[i].hash_valid != 0;
    join_neighbours(c);
    qsort(c->regions, c->num_regions, sizeof *c->regions, compare_regions);
    for (uint32_t i = 0; i < c->num_regions; i++) {
        const region *r = &c->regions[i];
        const uint64_t last = r->base + r->size, from = r->base > end ? r->base : end;
        pages += last > from ? (last - from) / 4096 : 0;
        end = last > end ? last : end;
    }
    return valid && pages == c->num_pages;
}

bool karat_check_memory(karat_checker *c, const char *when) {
    for (uint32_t i = 0; i < c->num_regions; i++) {
        const region *r = &c->regions[i];
        uint64_t hash;
        if (!r->hash_valid)
            continue;
        if (!hash_region(c, r, &hash))
            return karat_no_memory(c, NULL);
        c->memory_compared |= c->counts.instructions != 0;
        if (hash != r->hash)
            return karat_fail(c, BLAME(c->unreported_memory ? FAIL_INCOMPLETE : FAIL_MEMORY),
                              "%s %" PRIu32 ": region 0x%" PRIx64 " of 0x%" PRIx64
                              " bytes: the test bench's memory has hash %016" PRIx64
                              ", the model's %016" PRIx64
                              ": an earlier store went wrong, or a HOST record is missing",
                              when, c->kernel.index, r->base, r->size, r->hash, hash);
    }
    return false;
}

/* A byte that is another than the model's, or that no order leaves there: false where it is right anyway,
 * and the model's now. */
static bool check_byte(karat_checker *c, const karat_rec_contents *r, const uint8_t *model, uint32_t i,
                       bool *reordered) {
    const uint64_t addr = r->addr + i;
    uint32_t differ = 0;
    char text[400];
    bool lanes;
    if (karat_bridge_left(c, addr, r->data[i], &lanes, text, sizeof text)) {
        c->counts.lane_race += lanes;
        *reordered |= !lanes;
    } else if (karat_is_in(c->unreported_memory, addr)) {
        karat_unjudged_memory(c, addr, "no record reports the value stored there");
    } else {
        for (uint32_t k = i; k < r->length; k++)
            differ += model[k] != r->data[k];
        return karat_fail(c, BLAME(FAIL_MEMORY),
                          "after kernel %" PRIu32 ": byte 0x%08" PRIx64
                          ": core %02x  model %02x  xor %02x, and %" PRIu32 " more in the %" PRIu32
                          " bytes from 0x%08" PRIx64 " on%s",
                          c->kernel.index, addr, r->data[i], model[i], r->data[i] ^ model[i], differ - 1,
                          r->length, r->addr, text);
    }
    karat_write(c->model, addr, &r->data[i], 1);
    return false;
}

bool karat_check_contents(karat_checker *c, const karat_rec_contents *r) {
    uint8_t model[sizeof r->data];
    if (r->length == 0 || r->length > sizeof r->data)
        return karat_fail(c, BLAME(FAIL_STREAM), "CONTENTS of %" PRIu32 " bytes; 1 to %zu are possible",
                          r->length, sizeof r->data);
    const bool pending = has_pending_store(c); /* First: SCs that have failed have stored in the model */
    if (!c->kernel_seen || karat_read(c->model, r->addr, model, r->length) != KARAT_OK)
        return karat_fail(c, BLAME(FAIL_STREAM), "CONTENTS of 0x%" PRIx64 ", which no REGION maps", r->addr);
    if (!(c->hello.props & KARAT_PROP_FLUSHED) || pending)
        return false; /* A store that is missing is found by itself */
    bool reordered = false;
    c->memory_compared = true;
    for (uint32_t i = 0; i < r->length; i++)
        if ((model[i] != r->data[i] || karat_bridge_never_left(c, r->addr + i, r->data[i])) &&
            check_byte(c, r, model, i, &reordered))
            return true;
    c->counts.unordered += reordered;
    return false;
}
