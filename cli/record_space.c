#include "record_space.h"
#include "array.h"

#include <stdlib.h>
#include <string.h>

#include "page_hash.h"
#include "retire.h"

enum { PAGE = 4096, NUM_ENTRIES = 32 /* of each TLB, by page number */ };

typedef struct tlb {
    bool used; /* since the last invalidation */
    struct {
        bool valid;
        uint64_t page;
    } entry[NUM_ENTRIES];
} tlb;

/* A page as it was when a kernel was about to be placed, or began. */
typedef struct noted {
    uint64_t addr, hash;
} noted;

struct record_space {
    const session *session;
    karat_port *port;
    uint32_t num_sm;
    tlb (*tlbs)[2]; /* of each SM: KARAT_TLB_INSTRUCTION, KARAT_TLB_DATA */
    const karat_kernel *kernel;
    noted *pages; /* in order of addresses */
    size_t num_pages;
};

record_space *record_space_create(const session *s, karat_port *port, uint32_t num_sm) {
    record_space *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (record_space){.session = s, .port = port, .num_sm = num_sm};
    r->tlbs = calloc(num_sm, sizeof *r->tlbs);
    if (r->tlbs)
        return r;
    record_space_destroy(r);
    return NULL;
}

void record_space_destroy(record_space *r) {
    if (r) {
        free(r->tlbs);
        free(r->pages);
    }
    free(r);
}

/* --- Memory --- */

static bool note_pages(record_space *r) {
    r->num_pages = 0;
    for (uint64_t addr = 0; karat_next_page(r->session->model, &addr); addr += PAGE) {
        if (!karat_grow(&r->pages, r->num_pages, sizeof *r->pages))
            return false;
        r->pages[r->num_pages++] = (noted){addr, karat_hash_memory(r->session->model, addr, PAGE)};
    }
    return true;
}

void record_host(karat_port *port, uint64_t addr, const uint8_t *bytes, size_t size, uint64_t cycle) {
    for (size_t at = 0; at < size;) {
        karat_rec_host h = {.h = {.kind = KARAT_REC_HOST, .cycle = cycle}, .addr = addr + at};
        h.length = size - at < sizeof h.data ? (uint32_t)(size - at) : (uint32_t)sizeof h.data;
        memcpy(h.data, bytes + at, h.length);
        karat_port_send(port, &h);
        at += h.length;
    }
}

/* A page that the last kernel has changed. */
static void send_contents(record_space *r, uint64_t addr, const uint8_t *page, uint64_t cycle) {
    karat_rec_contents c = {.h = {.kind = KARAT_REC_CONTENTS, .cycle = cycle}, .length = sizeof c.data};
    for (uint32_t at = 0; at < PAGE; at += sizeof c.data) {
        c.addr = addr + at;
        memcpy(c.data, page + at, sizeof c.data);
        karat_port_send(r->port, &c);
    }
}

/* For each page whose contents are not those noted (NULL: it is new): its address and contents. */
static void send_changed(record_space *r, uint64_t cycle,
                         void (*send)(record_space *r, uint64_t addr, const uint8_t *page, uint64_t cycle)) {
    size_t i = 0;
    uint64_t addr = 0;
    for (const uint8_t *page; (page = karat_next_page(r->session->model, &addr)); addr += PAGE) {
        while (i < r->num_pages && r->pages[i].addr < addr)
            i++;
        const bool old = i < r->num_pages && r->pages[i].addr == addr;
        if (!old || r->pages[i].hash != karat_hash_memory(r->session->model, addr, PAGE))
            send(r, addr, page, cycle);
    }
}

static void send_page(record_space *r, uint64_t addr, const uint8_t *page, uint64_t cycle) {
    record_host(r->port, addr, page, PAGE, cycle);
}

/* All memory, in runs of pages where they are hashed together, or page by page. Returns the number of REGIONs. */
static uint32_t send_regions(record_space *r, bool by_page, uint64_t cycle) {
    const karat_model *model = r->session->model;
    uint32_t num = 0;
    uint64_t addr = 0;
    for (bool more = karat_next_page(model, &addr); more; num++) {
        karat_rec_region region = {
            .h = {.kind = KARAT_REC_REGION, .cycle = cycle}, .base = addr, .hash_valid = 1};
        do {
            region.size += PAGE;
            addr += PAGE;
            more = karat_next_page(model, &addr);
        } while (more && !by_page && addr == region.base + region.size);
        region.hash = karat_hash_memory(model, region.base, region.size);
        karat_port_send(r->port, &region);
    }
    return num;
}

static void send_locals(record_space *r, const karat_kernel *kernel, uint64_t cycle) {
    for (uint32_t i = 0; i < kernel->num_locals; i++)
        record_host(r->port, kernel->locals[i].base, kernel->locals[i].data, kernel->locals[i].size, cycle);
}

/* --- Kernels --- */

bool record_space_begin(record_space *r, uint64_t cycle) {
    if (r->kernel)
        send_changed(r, cycle, send_contents);
    return note_pages(r);
}

/* The page tables are others now, or have changed. */
static void invalidate(record_space *r, uint64_t cycle) {
    for (uint32_t sm = 0; sm < r->num_sm; sm++)
        for (unsigned kind = 0; kind < 2; kind++) {
            tlb *t = &r->tlbs[sm][kind];
            const karat_rec_tlb all = {
                .h = {.kind = KARAT_REC_TLB, .sm = (uint8_t)sm, .cycle = cycle},
                .action = KARAT_TLB_INVALIDATE,
                .tlb = (uint8_t)kind,
                .level = KARAT_LEVEL_ALL,
                .asid = KARAT_ASID_ALL,
            };
            if (t->used)
                karat_port_receive(r->port, &all);
            *t = (tlb){0};
        }
}

bool record_space_kernel(record_space *r, const karat_kernel *kernel, uint32_t index, uint64_t cycle) {
    r->kernel = kernel;
    const uint32_t regions = send_regions(r, false, cycle);
    send_changed(r, cycle, send_page);
    send_locals(r, kernel, cycle);
    const karat_rec_paging paging = {
        .h = {.kind = KARAT_REC_PAGING, .cycle = cycle}, .ptbr = kernel->ptbr, .asid = kernel->asid};
    karat_port_send(r->port, &paging);
    karat_rec_kernel k = {.h = {.kind = KARAT_REC_KERNEL, .cycle = cycle}};
    karat_retire_kernel(kernel, karat_get_config(r->session->model)->num_thread, index, regions, &k);
    karat_port_send(r->port, &k);
    invalidate(r, cycle);
    return note_pages(r);
}

void record_space_end(record_space *r, uint64_t cycle) {
    send_changed(r, cycle, send_contents);
    send_regions(r, true, cycle);
}

/* --- Accesses --- */

void record_space_use(record_space *r, const karat_rec_header *of, unsigned kind, uint64_t virt) {
    const karat_config *config = karat_get_config(r->session->model);
    const uint64_t page = virt / PAGE;
    tlb *t = &r->tlbs[of->sm][kind];
    if (virt - config->lds_base < config->lds_size ||
        (t->entry[page % NUM_ENTRIES].valid && t->entry[page % NUM_ENTRIES].page == page))
        return;
    karat_rec_tlb fill = {.h = {.kind = KARAT_REC_TLB, .sm = of->sm, .cycle = of->cycle},
                          .tlb = (uint8_t)kind,
                          .asid = r->kernel->asid};
    if (!karat_retire_fill(r->session->model, r->kernel->ptbr, virt, &fill))
        return;
    karat_port_receive(r->port, &fill);
    t->used = t->entry[page % NUM_ENTRIES].valid = true;
    t->entry[page % NUM_ENTRIES].page = page;
}

void record_space_host(record_space *r, uint64_t virt, const uint8_t *bytes, size_t size, uint64_t cycle) {
    for (size_t part; size; virt += part, bytes += part, size -= part) {
        uint64_t phys;
        part = PAGE - virt % PAGE < size ? PAGE - virt % PAGE : size;
        if (karat_translate(r->session->model, r->kernel->ptbr, virt, KARAT_USE_STORE, &phys, NULL) ==
            KARAT_OK)
            record_host(r->port, phys, bytes, part, cycle);
    }
}
