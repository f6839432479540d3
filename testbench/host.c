#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_hash.h"
#include "paging.h"
#include "array.h"

#define PAGE         4096u
#define CHUNK        (UINT64_C(1) << 32) /* of memory, for a map of its pages */
#define CHUNKS       80 /* address spaces have their pages and tables below 256 GiB or right above */
#define PAGES_OF(of) ((of) / PAGE)

/* Memory of kernels: whole pages. */
typedef struct range {
    uint64_t base, size;
} range;

typedef struct range_list {
    range *at;
    uint32_t num;
} range_list;

struct karat_host {
    karat_host_config config;
    uint32_t next;                 /* kernel to start next */
    const karat_kernel *kernel;    /* that runs; NULL before the first */
    uint32_t total, offered, done; /* its workgroups */
    karat_workgroup workgroup;     /* the one on offer, where offered < total */
    bool *ended;                   /* by workgroup */
    char lost_print[128];          /* the first; empty: none */
    bool
        owes_prints; /* HELLO: the core shows every print, and the checker looks for those that it does not */
    karat_paging *paging; /* NULL: kernels run without translation */
    range_list regions;   /* memory of the last kernel */
    range_list all;       /* of all kernels so far, each page once where paging is used */
    range_list written;   /* bytes that were written to place it, where paging is used */
    bool places;          /* it is being placed */
    uint64_t *noted;      /* hashes of all pages, as the last kernel found them; see next_page() */
    uint32_t num_noted;
    uint8_t stored[PAGES_OF(CHUNK) /
                   8];            /* pages below 4 GiB that the core has stored to since then, a bit each; */
    uint8_t *stored_high[CHUNKS]; /* and in each further chunk, where it has stored to one; */
    bool stored_all;              /* or all, as memory is short */
    struct resident {
        bool seen, live, prints; /* prints: CSR_PRINT was written, and the core has not shown it */
        uint32_t epoch, workgroup, warp;
    } * slots; /* the contents of LAUNCH and CSR records, num_warp for each SM */
};

static bool map_ram(void *ram, uint64_t base, uint64_t size) {
    return karat_ram_map(ram, base, size);
}
static bool read_ram(void *ram, uint64_t addr, void *bytes, size_t size) {
    return karat_ram_read(ram, addr, bytes, size);
}
static bool write_ram(void *ram, uint64_t addr, const void *bytes, size_t size) {
    return karat_ram_write(ram, addr, bytes, size);
}

static bool next_written_ram(void *ram, uint64_t *addr, uint64_t last) {
    return karat_ram_next_written(ram, addr, last);
}

karat_host_memory karat_host_ram(karat_ram *ram) {
    return (karat_host_memory){ram, map_ram, read_ram, write_ram, next_written_ram};
}

/* Where next_page() is. */
typedef struct page_walk {
    uint32_t range;
    uint64_t at, page;
} page_walk;

/* NULL where the core has no such slot. */
static struct resident *find_slot(const karat_host *host, uint32_t sm, uint32_t slot) {
    if (sm >= host->config.num_sm || slot >= host->config.num_warp)
        return NULL;
    return &host->slots[sm * host->config.num_warp + slot];
}

/* Registers that a workgroup takes: of each warp, whole granules. */
static uint32_t registers(const karat_host_config *config, const karat_kernel *kernel, uint32_t used,
                          uint32_t all) {
    uint32_t each = used ? (used + config->reg_granule - 1) / config->reg_granule * config->reg_granule : all;
    return kernel->wg_size * each;
}

/* A local buffer with contents other than 0: they cannot be put into a core's LDS. */
static const karat_buffer *filled_local(const karat_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->num_locals; i++)
        for (uint32_t at = 0; at < kernel->locals[i].size; at++)
            if (kernel->locals[i].data[at])
                return &kernel->locals[i];
    return NULL;
}

static bool fits(const karat_host_config *config, const karat_kernel *kernel, karat_diag *diag) {
    uint32_t threads = karat_kernel_wf_size(kernel, config->num_thread);
    const karat_buffer *local = config->fills_lds ? NULL : filled_local(kernel);
    if (local)
        snprintf(diag->text, sizeof diag->text,
                 "%s: buffer %u (base 0x%08x, %u bytes) is local memory that begins with other than zeros; "
                 "a core's local memory is empty at the start",
                 kernel->name, local->number, local->base, local->size);
    else if (kernel->wg_size > config->num_warp)
        snprintf(diag->text, sizeof diag->text, "%s: workgroups of %u warps; the core has %u warp slots",
                 kernel->name, kernel->wg_size, config->num_warp);
    else if (threads > config->num_thread)
        snprintf(diag->text, sizeof diag->text, "%s: warps of %u threads; the core has %u lanes",
                 kernel->name, threads, config->num_thread);
    else if (kernel->lds_size > config->lds_bytes)
        snprintf(diag->text, sizeof diag->text, "%s: %u bytes of local memory; the core has %u", kernel->name,
                 kernel->lds_size, config->lds_bytes);
    else if (registers(config, kernel, kernel->sgprs, KARAT_NUM_X) > config->num_sgpr)
        snprintf(diag->text, sizeof diag->text,
                 "%s: %u scalar registers for each of %u warps; the core has %u for a workgroup",
                 kernel->name, kernel->sgprs ? kernel->sgprs : KARAT_NUM_X, kernel->wg_size,
                 config->num_sgpr);
    else if (registers(config, kernel, kernel->vgprs, KARAT_NUM_V) > config->num_vgpr)
        snprintf(diag->text, sizeof diag->text,
                 "%s: %u vector registers for each of %u warps; the core has %u for a workgroup",
                 kernel->name, kernel->vgprs ? kernel->vgprs : KARAT_NUM_V, kernel->wg_size,
                 config->num_vgpr);
    else
        return true;
    return false;
}

static bool add_range(range_list *list, uint64_t base, uint64_t size) {
    if (!karat_grow(&list->at, list->num, sizeof *list->at))
        return false;
    list->at[list->num++] = (range){base, size};
    return true;
}

/* --- Memory of address spaces --- */

static bool map_page(void *context, uint64_t base, uint64_t size) {
    const karat_host_memory *memory = &((karat_host *)context)->config.memory;
    return memory->map(memory->context, base, size);
}

static bool read_page(void *context, uint64_t addr, void *bytes, size_t size) {
    const karat_host_memory *memory = &((karat_host *)context)->config.memory;
    return memory->read(memory->context, addr, bytes, size);
}

static bool write_page(void *context, uint64_t addr, const void *bytes, size_t size) {
    karat_host *host = context;
    const karat_host_memory *memory = &host->config.memory;
    return (!host->places || add_range(&host->written, addr, size)) &&
           memory->write(memory->context, addr, bytes, size);
}

karat_host *karat_host_create(const karat_host_config *config, karat_diag *diag) {
    for (uint32_t i = 0; i < config->num_kernels; i++)
        if (!fits(config, config->kernels[i], diag))
            return NULL;
    karat_host *host = calloc(1, sizeof *host);
    if (host)
        host->slots = calloc((size_t)config->num_sm * config->num_warp, sizeof *host->slots);
    if (host && config->sv39)
        host->paging = karat_paging_create(&(karat_host_memory){host, map_page, read_page, write_page, NULL},
                                           config->num_thread, config->layout);
    if (!host || !host->slots || !host->paging != !config->sv39) {
        snprintf(diag->text, sizeof diag->text, "out of memory");
        karat_host_destroy(host);
        return NULL;
    }
    host->config = *config;
    return host;
}

void karat_host_destroy(karat_host *host) {
    if (host) {
        karat_paging_destroy(host->paging);
        free(host->ended);
        free(host->slots);
        free(host->noted);
        free(host->regions.at);
        free(host->all.at);
        free(host->written.at);
        for (uint32_t i = 0; i < CHUNKS; i++)
            free(host->stored_high[i]);
    }
    free(host);
}

/* --- Records --- */

static karat_rec_header header(uint8_t kind, uint64_t cycle) {
    return (karat_rec_header){.kind = kind, .cycle = cycle};
}

/* --- Addresses --- */

/* Up to size bytes at addr, as kernels address it, that are together in memory: their number, and where. 0: it is not mapped. */
static size_t find(const karat_host *host, uint64_t addr, size_t size, uint64_t *phys) {
    if (host->paging)
        return karat_space_find(karat_paging_space(host->paging), addr, size, phys);
    *phys = addr;
    return size;
}

bool karat_host_read(const karat_host *host, uint64_t addr, void *bytes, size_t size) {
    const karat_host_memory *memory = &host->config.memory;
    if (host->paging)
        return karat_space_read(karat_paging_space(host->paging), addr, bytes, size) == KARAT_OK;
    return memory->read(memory->context, addr, bytes, size);
}

static bool write_memory(const karat_host *host, uint64_t addr, const void *bytes, size_t size) {
    const karat_host_memory *memory = &host->config.memory;
    if (host->paging)
        return karat_space_write(karat_paging_space(host->paging), addr, bytes, size) == KARAT_OK;
    return memory->write(memory->context, addr, bytes, size);
}

/* HOST records of bytes in memory, or in the LDS window; NULL: zeros. */
static void send_bytes(const karat_host *host, uint64_t phys, const uint8_t *bytes, size_t size,
                       uint64_t cycle) {
    for (size_t at = 0; at < size;) {
        karat_rec_host r = {.h = header(KARAT_REC_HOST, cycle), .addr = phys + at};
        r.length = size - at < sizeof r.data ? (uint32_t)(size - at) : (uint32_t)sizeof r.data;
        if (bytes)
            memcpy(r.data, bytes + at, r.length);
        karat_port_send(host->config.port, &r);
        at += r.length;
    }
}

/* The same at addr, as kernels address it. */
static void send_written(const karat_host *host, uint64_t addr, const uint8_t *bytes, size_t size,
                         uint64_t cycle) {
    uint64_t phys;
    for (size_t at = 0, part; at < size && (part = find(host, addr + at, size - at, &phys)); at += part)
        send_bytes(host, phys, bytes ? bytes + at : NULL, part, cycle);
}

/* --- Contents of memory --- */

static int compare_ranges(const void *a, const void *b) {
    const range *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

/* In ascending order, each page once, and adjacent ranges as one. */
static void merge_ranges(range_list *list) {
    uint32_t num = 0;
    if (list->num)
        qsort(list->at, list->num, sizeof *list->at, compare_ranges);
    for (uint32_t i = 0; i < list->num; i++) {
        const range *r = &list->at[i];
        range *last = num ? &list->at[num - 1] : NULL;
        if (!last || r->base > last->base + last->size)
            list->at[num++] = *r;
        else if (r->base + r->size > last->base + last->size)
            last->size = r->base + r->size - last->base;
    }
    list->num = num;
}

/* Pages of memory as its hash reads them. */
typedef struct page_source {
    const karat_host_memory *memory;
    bool failed;
    uint8_t bytes[PAGE];
} page_source;

static const uint8_t *read_next(void *context, uint64_t *addr, uint64_t last) {
    page_source *s = context;
    const karat_host_memory *m = s->memory;
    if (m->next_written && !m->next_written(m->context, addr, last))
        return NULL;
    s->failed |= !m->read(m->context, *addr, s->bytes, sizeof s->bytes);
    return s->bytes;
}

/* The hash of mapped pages, as in REGION; false where they cannot be read. */
static bool hash_region(const karat_host_memory *memory, uint64_t base, uint64_t size, uint64_t *hash) {
    page_source source; /* its bytes are read first */
    source.memory = memory;
    source.failed = false;
    *hash = karat_hash_pages(&(karat_pages){&source, read_next}, base, size);
    return !source.failed;
}

/* Pages of all kernels so far, one after the other, and always in the same order until the next kernel: false at the end. */
static bool next_page(const karat_host *host, page_walk *w) {
    for (; w->range < host->all.num; w->range++, w->at = 0)
        if (w->at < host->all.at[w->range].size) {
            w->page = host->all.at[w->range].base + w->at;
            w->at += PAGE;
            return true;
        }
    return false;
}

/* Remember the contents of the pages of the kernels so far. */
static bool note_pages(karat_host *host) {
    host->num_noted = 0;
    for (page_walk w = {0}; next_page(host, &w);) {
        if (!karat_grow(&host->noted, host->num_noted, sizeof *host->noted) ||
            !hash_region(&host->config.memory, w.page, PAGE, &host->noted[host->num_noted++]))
            return false;
    }
    return true;
}

/* Pages from 4 GiB on; those beyond all chunks count as stored to. */
static void stored_high(karat_host *host, uint64_t addr) {
    if (addr / CHUNK >= CHUNKS)
        return;
    uint8_t **map = &host->stored_high[addr / CHUNK];
    if (!*map && !(*map = calloc(1, sizeof host->stored)))
        host->stored_all = true;
    else
        (*map)[addr % CHUNK / PAGE / 8] |= (uint8_t)(1u << addr / PAGE % 8);
}

void karat_host_stored(karat_host *host, uint64_t addr) {
    if (addr >= CHUNK)
        stored_high(host, addr);
    else
        host->stored[addr / PAGE / 8] |= (uint8_t)(1u << addr / PAGE % 8);
}

static bool was_stored(const karat_host *host, uint64_t page) {
    if (host->stored_all || page / CHUNK >= CHUNKS)
        return true;
    const uint8_t *map = page < CHUNK ? host->stored : host->stored_high[page / CHUNK];
    return map && map[page % CHUNK / PAGE / 8] >> page / PAGE % 8 & 1;
}

static void forget_stored(karat_host *host) {
    memset(host->stored, 0, sizeof host->stored);
    for (uint32_t i = 0; i < CHUNKS; i++)
        if (host->stored_high[i])
            memset(host->stored_high[i], 0, sizeof host->stored);
    host->stored_all = false;
}

/* The pages that the last kernel has changed or stored to. */
static void send_contents(karat_host *host, uint64_t cycle) {
    const karat_host_memory *memory = &host->config.memory;
    uint32_t i = 0;
    for (page_walk w = {0}; i < host->num_noted && next_page(host, &w); i++) {
        uint64_t hash;
        if (!was_stored(host, w.page) && hash_region(memory, w.page, PAGE, &hash) && hash == host->noted[i])
            continue;
        karat_rec_contents r = {.h = header(KARAT_REC_CONTENTS, cycle), .length = sizeof r.data};
        for (r.addr = w.page; r.addr < w.page + PAGE; r.addr += sizeof r.data)
            if (memory->read(memory->context, r.addr, r.data, sizeof r.data))
                karat_port_send(host->config.port, &r);
    }
}

/* --- Placing --- */

static bool was_before(const range_list *list, uint32_t num, uint64_t base, uint64_t size) {
    for (uint32_t i = 0; i < num; i++)
        if (list->at[i].base == base && list->at[i].size == size)
            return true;
    return false;
}

/* The zeros after a buffer's bytes (.bss); an earlier kernel may have written there. */
static bool clear_behind(const karat_host *host, const karat_buffer *buffer) {
    static const uint8_t zeros[PAGE];
    for (uint32_t at = 0, size; at < buffer->cleared; at += size) {
        size = buffer->cleared - at < PAGE ? buffer->cleared - at : PAGE;
        if (!write_memory(host, (uint64_t)buffer->base + buffer->size + at, zeros, size))
            return false;
    }
    return true;
}

/* Without translation: the kernel's own regions. */
static bool place_physical(karat_host *host, const karat_kernel *kernel) {
    const karat_host_memory *memory = &host->config.memory;
    const uint32_t num_regions = karat_kernel_num_regions(kernel), before = host->all.num;
    for (uint32_t i = 0; i < num_regions; i++) {
        uint64_t base, size;
        karat_kernel_region(kernel, i, host->config.num_thread, &base, &size);
        if (size > CHUNK - base || !memory->map(memory->context, base, size) ||
            !add_range(&host->regions, base, size) ||
            (!was_before(&host->all, before, base, size) && !add_range(&host->all, base, size)))
            return false;
    }
    for (uint32_t i = 0; i < kernel->num_buffers; i++)
        if (!write_memory(host, kernel->buffers[i].base, kernel->buffers[i].data, kernel->buffers[i].size))
            return false;
    for (uint32_t i = 0; i < kernel->num_buffers; i++)
        if (!clear_behind(host, &kernel->buffers[i]))
            return false;
    return true;
}

/* Changes of page tables may have made pages that are not memory. */
static bool visit_memory(void *context, uint64_t phys, uint64_t size, bool is_table) {
    (void)is_table;
    karat_host *host = context;
    uint8_t byte;
    for (uint64_t at = 0; at < size; at += PAGE)
        if (read_page(host, phys + at, &byte, 1) &&
            !(add_range(&host->regions, phys + at, PAGE) && add_range(&host->all, phys + at, PAGE)))
            return false;
    return true;
}

/* A table that a change has put a page in place of is memory, too, though nothing names it any more. */
static bool visit_written(karat_host *host) {
    merge_ranges(&host->written);
    for (uint32_t i = 0; i < host->written.num; i++) {
        const range *r = &host->written.at[i];
        const uint64_t first = r->base / PAGE * PAGE, end = (r->base + r->size + PAGE - 1) / PAGE * PAGE;
        if (!add_range(&host->regions, first, end - first) || !add_range(&host->all, first, end - first))
            return false;
    }
    return true;
}

/* With translation: all pages and tables of its address space. */
static bool place_virtual(karat_host *host, karat_kernel *kernel) {
    host->places = true;
    const bool placed = karat_paging_place(host->paging, kernel) == KARAT_OK &&
                        karat_space_each(karat_paging_space(host->paging), visit_memory, host) &&
                        visit_written(host);
    host->places = false;
    merge_ranges(&host->regions);
    merge_ranges(&host->all);
    return placed;
}

/* Tables and buffers. Before the first kernel all is 0. */
static bool send_placed(const karat_host *host, uint64_t cycle) {
    const karat_host_memory *memory = &host->config.memory;
    static const uint8_t zeros[256];
    for (uint32_t i = 0; i < host->written.num; i++) {
        uint8_t bytes[sizeof zeros];
        const range *r = &host->written.at[i];
        for (uint64_t at = 0, part; at < r->size; at += part) {
            part = r->size - at < sizeof bytes ? r->size - at : sizeof bytes;
            if (!memory->read(memory->context, r->base + at, bytes, part))
                return false;
            if (host->next || memcmp(bytes, zeros, part) != 0)
                send_bytes(host, r->base + at, bytes, part, cycle);
        }
    }
    return true;
}

static void send_buffers(const karat_host *host, const karat_kernel *kernel, uint64_t cycle) {
    for (uint32_t i = 0; i < kernel->num_buffers; i++)
        send_bytes(host, kernel->buffers[i].base, kernel->buffers[i].data, kernel->buffers[i].size, cycle);
    for (uint32_t i = 0; host->next && i < kernel->num_buffers; i++)
        send_bytes(host, (uint64_t)kernel->buffers[i].base + kernel->buffers[i].size, NULL,
                   kernel->buffers[i].cleared, cycle);
}

/* Lay the kernel out and report it: REGION before HOST, since the checker maps by the one and writes by the other. The hash in
 * REGION is that of the bytes at KERNEL, so memory is written first. */
static bool place(karat_host *host, karat_kernel *kernel, uint64_t cycle) {
    send_contents(host, cycle);
    forget_stored(host);
    host->regions.num = host->written.num = 0;
    if (!(host->paging ? place_virtual(host, kernel) : place_physical(host, kernel)))
        return false;
    for (uint32_t i = 0; i < host->regions.num; i++) {
        karat_rec_region r = {.h = header(KARAT_REC_REGION, cycle),
                              .base = host->regions.at[i].base,
                              .size = host->regions.at[i].size,
                              .hash_valid = 1};
        if (!hash_region(&host->config.memory, r.base, r.size, &r.hash))
            return false;
        karat_port_send(host->config.port, &r);
    }
    if (!host->paging)
        send_buffers(host, kernel, cycle);
    else if (!send_placed(host, cycle))
        return false;
    for (uint32_t i = 0; i < kernel->num_locals; i++)
        send_bytes(host, kernel->locals[i].base, kernel->locals[i].data, kernel->locals[i].size, cycle);
    if (host->paging) {
        karat_rec_paging r = {
            .h = header(KARAT_REC_PAGING, cycle), .ptbr = kernel->ptbr, .asid = kernel->asid};
        karat_port_send(host->config.port, &r);
    }
    karat_rec_kernel r = {
        .h = header(KARAT_REC_KERNEL, cycle),
        .index = host->next,
        .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
        .wg_size = kernel->wg_size,
        .wf_size = karat_kernel_wf_size(kernel, host->config.num_thread),
        .pc = kernel->start_addr,
        .knl = kernel->knl,
        .lds_base = kernel->lds_base,
        .lds_size = kernel->lds_size,
        .pds_base = kernel->pds_base,
        .pds_size = kernel->pds_size,
        .sgprs = (uint16_t)kernel->sgprs,
        .vgprs = (uint16_t)kernel->vgprs,
        .num_region = host->regions.num,
    };
    karat_port_send(host->config.port, &r);
    return note_pages(host);
}

/* --- Workgroups --- */

static void prepare_offer(karat_host *host) {
    karat_launch_desc desc;
    karat_kernel_launch(host->kernel, host->config.num_thread, host->offered, 0, &desc);
    host->workgroup = (karat_workgroup){
        .index = host->offered,
        .warps = host->kernel->wg_size,
        .threads = karat_kernel_wf_size(host->kernel, host->config.num_thread),
        .pc = desc.pc,
        .lds_size = host->kernel->lds_size,
        .sgprs = host->kernel->sgprs,
        .vgprs = host->kernel->vgprs,
        .translate = host->paging != NULL,
        .invalidate = host->paging && !host->offered && karat_paging_invalidates(host->paging),
        .ptbr = desc.ptbr,
        .asid = (uint16_t)desc.asid,
    };
    memcpy(host->workgroup.csr, desc.csr, sizeof desc.csr);
}

bool karat_host_step(karat_host *host, uint64_t cycle, karat_diag *diag) {
    if (host->done < host->total || host->next == host->config.num_kernels)
        return true;
    karat_kernel *kernel = host->config.kernels[host->next];
    free(host->ended);
    host->ended = calloc(karat_kernel_workgroups(kernel), sizeof *host->ended);
    if (!host->ended || !place(host, kernel, cycle)) {
        snprintf(diag->text, sizeof diag->text,
                 "%s: its memory cannot be mapped (out of memory, or it does not fit 32 bits)", kernel->name);
        return false;
    }
    host->kernel = kernel;
    host->next++;
    host->total = karat_kernel_workgroups(kernel);
    host->offered = host->done = 0;
    prepare_offer(host);
    return true;
}

const karat_workgroup *karat_host_offer(const karat_host *host) {
    return host->offered < host->total ? &host->workgroup : NULL;
}

void karat_host_accepted(karat_host *host) {
    if (++host->offered < host->total)
        prepare_offer(host);
}

bool karat_host_workgroup_done(karat_host *host, uint32_t index) {
    if (index >= host->offered || host->ended[index])
        return false;
    host->ended[index] = true;
    host->done++;
    return true;
}

/* --- Printing --- */

/* A warp's slot goes to another: its print will never be shown. */
static void note_lost_print(karat_host *host, const struct resident *slot) {
    if (slot->prints && !host->owes_prints && !host->lost_print[0])
        snprintf(host->lost_print, sizeof host->lost_print,
                 "workgroup %u warp %u has written CSR_PRINT, and the core never showed it to the host",
                 slot->workgroup, slot->warp);
}

const char *karat_host_lost_print(karat_host *host) {
    for (uint32_t i = 0; i < host->config.num_sm * host->config.num_warp; i++)
        note_lost_print(host, &host->slots[i]);
    return host->lost_print[0] ? host->lost_print : NULL;
}

bool karat_host_record(void *context, const void *record, size_t size) {
    karat_host *host = context;
    const karat_rec_header *h = record;
    (void)size;
    if (h->kind == KARAT_REC_HELLO)
        host->owes_prints = ((const karat_rec_hello *)record)->props & KARAT_PROP_PRINTS;
    if (h->kind != KARAT_REC_LAUNCH && h->kind != KARAT_REC_CSR && h->kind != KARAT_REC_EXIT)
        return false;
    struct resident *slot = find_slot(host, h->sm, h->slot);
    if (!slot)
        return false;
    if (h->kind == KARAT_REC_LAUNCH) {
        const karat_rec_launch *r = record;
        note_lost_print(host, slot);
        *slot = (struct resident){true, true, false, h->epoch, r->workgroup, r->warp};
    } else if (h->kind == KARAT_REC_CSR) {
        const karat_rec_csr *r = record;
        slot->prints |= r->addr == KARAT_CSR_BASE + KARAT_CSR_PRINT && r->value;
    } else {
        slot->live = false;
    }
    return false;
}

typedef struct host_cycle {
    karat_host *host;
    uint64_t cycle;
} host_cycle;

static bool read_text(void *context, uint64_t addr, void *bytes, size_t size) {
    return karat_host_read(((host_cycle *)context)->host, addr, bytes, size);
}

/* Memory first: only bytes that were written are reported. */
static bool write_text(void *context, uint64_t addr, const void *bytes, size_t size) {
    const host_cycle *now = context;
    if (!write_memory(now->host, addr, bytes, size))
        return false;
    send_written(now->host, addr, bytes, size, now->cycle);
    return true;
}

/* In pieces: the text that the host has read, and the reason of its end. */
static void send_print(karat_host *host, const karat_rec_header *h, const karat_print *print,
                       karat_status status) {
    karat_rec_print r = {.h = *h, .addr = print->addr, .buffer = print->addr, .size = print->size};
    size_t done = 0;
    do {
        const size_t left = print->length - done;
        r.addr += r.length;
        r.length = (uint32_t)(left < sizeof r.data ? left : sizeof r.data);
        memset(r.data, 0, sizeof r.data);
        if (r.length)
            memcpy(r.data, print->text + done, r.length);
        done += r.length;
        if (done == print->length)
            r.stop = status != KARAT_OK            ? KARAT_PRINT_NO_BUFFER
                     : print->length < print->size ? KARAT_PRINT_ZERO
                                                   : KARAT_PRINT_FULL;
        karat_port_send(host->config.port, &r);
    } while (done < print->length);
}

static void show_text(const struct resident *warp, const karat_print *print, FILE *stream) {
    const char *rest = print->text, *line;
    size_t length = print->length;
    for (size_t n; (line = karat_print_line(&rest, &length, &n)) != NULL;) {
        fprintf(stream, "print wg=%u warp=%u: ", warp->workgroup, warp->warp);
        fwrite(line, 1, n, stream);
        fputc('\n', stream);
    }
}

bool karat_host_print(karat_host *host, uint32_t sm, uint32_t slot, uint64_t cycle, FILE *stream,
                      karat_diag *diag) {
    karat_port_flush(host->config.port); /* LAUNCH, and the instruction that wrote the CSR */
    struct resident *warp = find_slot(host, sm, slot);
    if (!warp || !host->kernel || !warp->seen) {
        snprintf(diag->text, sizeof diag->text, "CSR_PRINT: sm %u slot %u has no warp", sm, slot);
        return false;
    }
    warp->prints = false;
    host_cycle now = {host, cycle};
    const karat_print_memory memory = {&now, read_text, write_text};
    karat_print print;
    const karat_status status = karat_print_read(&memory, host->kernel->knl, &print);
    if (status == KARAT_NO_MEMORY) {
        snprintf(diag->text, sizeof diag->text, "out of memory");
        return false;
    }
    karat_rec_hostcsr r = {.h = header(KARAT_REC_HOSTCSR, cycle), .addr = KARAT_CSR_BASE + KARAT_CSR_PRINT};
    r.h.sm = (uint8_t)sm;
    r.h.slot = (uint8_t)slot;
    r.h.epoch = warp->epoch;
    karat_rec_header h = r.h;
    h.kind = KARAT_REC_PRINT;
    send_print(host, &h, &print, status); /* before memory changes */
    if (status == KARAT_OK && print.size)
        write_text(&now, print.addr, "", 1);
    if (status == KARAT_OK && stream)
        show_text(warp, &print, stream);
    free(print.text);
    if (warp->live)
        karat_port_send(host->config.port, &r);
    return true;
}

bool karat_host_finished(const karat_host *host) {
    return host->next == host->config.num_kernels && host->done >= host->total;
}

void karat_host_progress(const karat_host *host, uint32_t *kernel, uint32_t *done, uint32_t *total) {
    *kernel = host->next ? host->next - 1 : 0;
    *done = host->done;
    *total = host->total;
}

/* The contents of memory at the end, page by page, for the checker to compare. */
static void send_memory(karat_host *host, uint64_t cycle) {
    send_contents(host, cycle);
    for (page_walk w = {0}; next_page(host, &w);) {
        karat_rec_region r = {.h = header(KARAT_REC_REGION, cycle), .base = w.page, .size = PAGE};
        r.hash_valid = hash_region(&host->config.memory, r.base, PAGE, &r.hash);
        karat_port_send(host->config.port, &r);
    }
}

void karat_host_bye(karat_host *host, uint64_t cycle, uint32_t reason) {
    if (reason == KARAT_BYE_DONE && karat_host_finished(host))
        send_memory(host, cycle);
    karat_rec_bye r = {.h = header(KARAT_REC_BYE, cycle), .reason = reason};
    karat_port_send(host->config.port, &r);
}
