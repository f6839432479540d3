#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_hash.h"
#include "paging.h"
#include "retire.h"
#include "array.h"

#define PAGE 4096u

/* A page as it was when a kernel began, or was about to be placed. */
typedef struct noted {
    uint64_t addr, hash;
    bool stored; /* The core has stored to it since then */
} noted;

struct karat_host {
    karat_host_config config;
    uint32_t next;                 /* Kernel to start next */
    const karat_kernel *kernel;    /* The kernel that runs; NULL before the first */
    uint32_t total, offered, done; /* Workgroups of the kernel */
    karat_workgroup workgroup;     /* The workgroup on offer, where offered < total */
    bool *ended;                   /* By workgroup */
    bool waits;                    /* The next workgroup waits for a slot of private memory */
    uint32_t *slot_of;             /* Of private memory: the workgroup that has it, and 1; 0: it is free */
    char lost_print[128];          /* The first; empty: none */
    /* HELLO: the core shows every print, and the checker looks for those that it does not. */
    bool owes_prints;
    noted *noted; /* All pages, in ascending order, as the last kernel found them */
    uint32_t num_noted;
    struct resident {
        bool seen, live, prints; /* In prints: CSR_PRINT was written, and the core has not shown it */
        uint32_t epoch, workgroup, warp;
    } * slots; /* The contents of LAUNCH and CSR records, num_warp for each SM */
};

static karat_status map_ram(void *ram, uint64_t base, uint64_t size) {
    return karat_ram_map(ram, base, size) ? KARAT_OK : KARAT_NO_MEMORY;
}
static karat_status read_ram(void *ram, uint64_t addr, void *bytes, size_t size) {
    return karat_ram_read(ram, addr, bytes, size) ? KARAT_OK : KARAT_NOT_MAPPED;
}
static karat_status write_ram(void *ram, uint64_t addr, const void *bytes, size_t size) {
    return karat_ram_write(ram, addr, bytes, size) ? KARAT_OK : KARAT_NOT_MAPPED;
}
static bool next_written_ram(void *ram, uint64_t *addr, uint64_t last) {
    return karat_ram_next_written(ram, addr, last);
}

karat_host_memory karat_host_ram(karat_ram *ram) {
    return (karat_host_memory){{.context = ram, .map = map_ram, .read = read_ram, .write = write_ram},
                               next_written_ram};
}

static bool next_written_model(void *model, uint64_t *addr, uint64_t last) {
    return karat_next_written_page(model, addr, last) != NULL;
}

karat_host_memory karat_host_model(karat_model *model) {
    return (karat_host_memory){karat_space_of_model(model), next_written_model};
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
    else if (!config->starts_partial && karat_kernel_is_partial(kernel, threads))
        snprintf(diag->text, sizeof diag->text,
                 "%s: work-items that do not fill all warps; the core starts all threads of a warp",
                 kernel->name);
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

karat_host *karat_host_create(const karat_host_config *config, karat_diag *diag) {
    for (uint32_t i = 0; i < config->num_kernels; i++)
        if (!fits(config, config->kernels[i], diag))
            return NULL;
    karat_host *host = calloc(1, sizeof *host);
    if (host)
        host->slots = calloc((size_t)config->num_sm * config->num_warp, sizeof *host->slots);
    if (!host || !host->slots) {
        snprintf(diag->text, sizeof diag->text, "out of memory");
        karat_host_destroy(host);
        return NULL;
    }
    host->config = *config;
    return host;
}

void karat_host_destroy(karat_host *host) {
    if (host) {
        free(host->ended);
        free(host->slot_of);
        free(host->slots);
        free(host->noted);
    }
    free(host);
}

/* --- Records --- */

static karat_rec_header header(uint8_t kind, uint64_t cycle) {
    return (karat_rec_header){.kind = kind, .cycle = cycle};
}

/* --- Addresses --- */

bool karat_host_read(const karat_host *host, uint64_t addr, void *bytes, size_t size) {
    return karat_paging_read(host->config.paging, addr, bytes, size) == KARAT_OK;
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

void karat_host_wrote(const karat_host *host, uint64_t addr, const void *bytes, size_t size, uint64_t cycle) {
    uint64_t phys;
    for (size_t at = 0, part; at < size; at += part) {
        part = karat_paging_find(host->config.paging, addr + at, size - at, &phys);
        if (!part)
            return;
        send_bytes(host, phys, (const uint8_t *)bytes + at, part, cycle);
    }
}

/* --- Contents of memory --- */

/* Pages of memory as its hash reads them. */
typedef struct page_source {
    const karat_host_memory *memory;
    bool failed;
    uint8_t bytes[PAGE];
} page_source;

static const uint8_t *read_next(void *context, uint64_t *addr, uint64_t last) {
    page_source *s = context;
    const karat_host_memory *m = s->memory;
    if (m->next_written && !m->next_written(m->bytes.context, addr, last))
        return NULL;
    s->failed |= m->bytes.read(m->bytes.context, *addr, s->bytes, sizeof s->bytes) != KARAT_OK;
    return s->bytes;
}

/* The hash of mapped pages, as in REGION; false where they cannot be read. */
static bool hash_region(const karat_host_memory *memory, uint64_t base, uint64_t size, uint64_t *hash) {
    page_source source; /* The source's bytes are read first */
    source.memory = memory;
    source.failed = false;
    *hash = karat_hash_pages(&(karat_pages){&source, read_next}, base, size);
    return !source.failed;
}

/* Pages of all kernels so far, in the order of their addresses: false at the end. */
static bool next_page(const karat_host *host, page_walk *w) {
    const karat_ranges *all = karat_paging_memory(host->config.paging);
    for (; w->range < all->num; w->range++, w->at = 0)
        if (w->at < all->at[w->range].size) {
            w->page = all->at[w->range].base + w->at;
            w->at += PAGE;
            return true;
        }
    return false;
}

/* Remember the contents of the pages of the kernels so far. */
static bool note_pages(karat_host *host) {
    host->num_noted = 0;
    for (page_walk w = {0}; next_page(host, &w);) {
        noted page = {.addr = w.page};
        if (!karat_grow(&host->noted, host->num_noted, sizeof *host->noted) ||
            !hash_region(&host->config.memory, w.page, PAGE, &page.hash))
            return false;
        host->noted[host->num_noted++] = page;
    }
    return true;
}

static int compare_pages(const void *a, const void *b) {
    const noted *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

void karat_host_stored(karat_host *host, uint64_t addr) {
    const noted key = {.addr = addr & ~(uint64_t)(PAGE - 1)};
    noted *page =
        host->num_noted ? bsearch(&key, host->noted, host->num_noted, sizeof key, compare_pages) : NULL;
    if (page)
        page->stored = true;
}

/* The pages that the last kernel has changed or stored to. */
static void send_contents(karat_host *host, uint64_t cycle) {
    const karat_space_memory *memory = &host->config.memory.bytes;
    uint32_t i = 0;
    for (page_walk w = {0}; i < host->num_noted && next_page(host, &w); i++) {
        uint64_t hash;
        if (!host->noted[i].stored && hash_region(&host->config.memory, w.page, PAGE, &hash) &&
            hash == host->noted[i].hash)
            continue;
        karat_rec_contents r = {.h = header(KARAT_REC_CONTENTS, cycle), .length = sizeof r.data};
        for (r.addr = w.page; r.addr < w.page + PAGE; r.addr += sizeof r.data)
            if (memory->read(memory->context, r.addr, r.data, sizeof r.data) == KARAT_OK)
                karat_port_send(host->config.port, &r);
    }
}

/* --- Placing --- */

/* With translation: pages that placing a kernel has changed. New ones were 0. */
static bool send_changed(const karat_host *host, uint64_t cycle) {
    const karat_space_memory *memory = &host->config.memory.bytes;
    static const uint8_t zeros[PAGE];
    uint32_t i = 0;
    for (page_walk w = {0}; next_page(host, &w);) {
        uint8_t bytes[PAGE];
        uint64_t hash;
        while (i < host->num_noted && host->noted[i].addr < w.page)
            i++;
        const bool old = i < host->num_noted && host->noted[i].addr == w.page;
        if (!hash_region(&host->config.memory, w.page, PAGE, &hash))
            return false;
        if ((old && hash == host->noted[i].hash) ||
            memory->read(memory->context, w.page, bytes, PAGE) != KARAT_OK ||
            (!old && memcmp(bytes, zeros, PAGE) == 0))
            continue;
        send_bytes(host, w.page, bytes, PAGE, cycle);
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

/* Report a kernel that is laid out: REGION before HOST, since the checker maps by the one and writes by the
 * other. The hash in REGION is that of the bytes at KERNEL, so memory is written first. */
static bool report(karat_host *host, const karat_kernel *kernel, uint64_t cycle) {
    const karat_ranges *regions = karat_paging_memory(host->config.paging);
    const bool translates = karat_paging_translates(host->config.paging);
    for (uint32_t i = 0; i < regions->num; i++) {
        karat_rec_region r = {.h = header(KARAT_REC_REGION, cycle),
                              .base = regions->at[i].base,
                              .size = regions->at[i].size,
                              .hash_valid = 1};
        if (!hash_region(&host->config.memory, r.base, r.size, &r.hash))
            return false;
        karat_port_send(host->config.port, &r);
    }
    if (!translates)
        send_buffers(host, kernel, cycle);
    else if (!send_changed(host, cycle))
        return false;
    for (uint32_t i = 0; i < kernel->num_locals; i++)
        send_bytes(host, kernel->locals[i].base, kernel->locals[i].data, kernel->locals[i].size, cycle);
    if (translates) {
        karat_rec_paging r = {
            .h = header(KARAT_REC_PAGING, cycle), .ptbr = kernel->ptbr, .asid = kernel->asid};
        karat_port_send(host->config.port, &r);
    }
    karat_rec_items items = {.h = header(KARAT_REC_ITEMS, cycle)};
    if (karat_retire_items(kernel, &items))
        karat_port_send(host->config.port, &items);
    karat_rec_kernel r = {.h = header(KARAT_REC_KERNEL, cycle)};
    karat_retire_kernel(kernel, host->config.num_thread, host->next, regions->num, &r);
    karat_port_send(host->config.port, &r);
    return note_pages(host);
}

/* --- Workgroups --- */

/* A slot of private memory for the workgroup that is next. False: none is free. */
static bool take_slot(karat_host *host, uint32_t *slot) {
    for (*slot = 0; *slot < host->kernel->pds_slots; ++*slot)
        if (!host->slot_of[*slot]) {
            host->slot_of[*slot] = host->offered + 1;
            return true;
        }
    return false;
}

static void give_items(const karat_kernel *k, const karat_launch_desc *desc, karat_workgroup *w) {
    for (int i = 0; i < 3; i++) {
        const uint32_t left = k->global[i] - desc->csr[KARAT_CSR_GDX + i] * k->local[i];
        w->live[i] = left < k->local[i] ? left : k->local[i];
    }
    memcpy(w->local, k->local, sizeof w->local);
}

/* The sizes in the metadata buffer, from its fourth word on: of the grid, of a workgroup, and the first id
 * (section 2.2). Without a buffer there are none. */
static void give_sizes(const karat_host *host, karat_workgroup *w) {
    uint32_t word[9];
    if (!karat_host_read(host, w->csr[KARAT_CSR_KNL] + UINT64_C(12), word, sizeof word))
        return;
    memcpy(w->items, word, sizeof w->items);
    memcpy(w->local, word + 3, sizeof w->local);
    memcpy(w->offset, word + 6, sizeof w->offset);
}

static void prepare_offer(karat_host *host) {
    karat_launch_desc desc;
    uint32_t slot = 0;
    karat_kernel_launch(host->kernel, host->config.num_thread, host->offered, 0, &desc);
    host->waits = host->kernel->pds_slots && !take_slot(host, &slot);
    if (host->kernel->pds_slots)
        desc.csr[KARAT_CSR_PDS] = karat_kernel_pds(host->kernel, host->config.num_thread, slot);
    host->workgroup = (karat_workgroup){
        .index = host->offered,
        .warps = host->kernel->wg_size,
        .threads = karat_kernel_wf_size(host->kernel, host->config.num_thread),
        .starts = karat_kernel_group_warps(host->kernel, host->config.num_thread, host->offered),
        .pc = desc.pc,
        .lds_size = host->kernel->lds_size,
        .sgprs = host->kernel->sgprs,
        .vgprs = host->kernel->vgprs,
        .translate = karat_paging_translates(host->config.paging),
        .invalidate = !host->offered && karat_paging_invalidates(host->config.paging),
        .ptbr = desc.ptbr,
        .asid = (uint16_t)desc.asid,
    };
    memcpy(host->workgroup.csr, desc.csr, sizeof desc.csr);
    give_sizes(host, &host->workgroup);
    if (karat_kernel_is_partial(host->kernel, host->workgroup.threads))
        give_items(host->kernel, &desc, &host->workgroup);
}

bool karat_host_before(karat_host *host, uint64_t cycle) {
    karat_port_flush(host->config.port); /* Placing changes the kernel, which sinks read */
    send_contents(host, cycle);
    return !karat_paging_translates(host->config.paging) || note_pages(host); /* For send_changed() */
}

bool karat_host_after(karat_host *host, uint64_t cycle) {
    const karat_kernel *kernel = host->config.kernels[host->next];
    free(host->ended);
    host->ended = calloc(karat_kernel_workgroups(kernel), sizeof *host->ended);
    free(host->slot_of);
    host->slot_of = calloc(kernel->pds_slots + (size_t)1, sizeof *host->slot_of);
    if (!host->ended || !host->slot_of || !report(host, kernel, cycle))
        return false;
    host->kernel = kernel;
    host->next++;
    host->total = karat_kernel_workgroups(kernel);
    host->offered = host->done = 0;
    prepare_offer(host);
    return true;
}

bool karat_host_step(karat_host *host, uint64_t cycle, karat_diag *diag) {
    if (host->done < host->total || host->next == host->config.num_kernels)
        return true;
    karat_kernel *kernel = host->config.kernels[host->next];
    if (karat_host_before(host, cycle) && karat_paging_place(host->config.paging, kernel) == KARAT_OK &&
        karat_host_after(host, cycle))
        return true;
    snprintf(diag->text, sizeof diag->text,
             "%s: its memory cannot be mapped (out of memory, or it does not fit 32 bits)", kernel->name);
    return false;
}

const karat_workgroup *karat_host_offer(const karat_host *host) {
    return host->offered < host->total && !host->waits ? &host->workgroup : NULL;
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
    for (uint32_t i = 0; i < host->kernel->pds_slots; i++)
        if (host->slot_of[i] == index + 1)
            host->slot_of[i] = 0;
    if (host->waits)
        prepare_offer(host);
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

/* A LAUNCH, CSR or EXIT. */
static __attribute__((noinline)) void follow_slot(karat_host *host, const karat_rec_header *h) {
    struct resident *slot = find_slot(host, h->sm, h->slot);
    if (!slot)
        return;
    if (h->kind == KARAT_REC_LAUNCH) {
        const karat_rec_launch *r = (const karat_rec_launch *)h;
        note_lost_print(host, slot);
        *slot = (struct resident){true, true, false, h->epoch, r->workgroup, r->warp};
    } else if (h->kind == KARAT_REC_CSR) {
        const karat_rec_csr *r = (const karat_rec_csr *)h;
        slot->prints |= r->addr == KARAT_CSR_BASE + KARAT_CSR_PRINT && r->value;
    } else {
        slot->live = false;
    }
}

bool karat_host_record(void *context, const void *record, size_t size) {
    karat_host *host = context;
    const karat_rec_header *h = record;
    (void)size;
    if (h->kind == KARAT_REC_HELLO)
        host->owes_prints = ((const karat_rec_hello *)record)->props & KARAT_PROP_PRINTS;
    else if (h->kind == KARAT_REC_LAUNCH || h->kind == KARAT_REC_CSR || h->kind == KARAT_REC_EXIT)
        follow_slot(host, h);
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
    if (karat_paging_write(now->host->config.paging, addr, bytes, size) != KARAT_OK)
        return false;
    karat_host_wrote(now->host, addr, bytes, size, now->cycle);
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
    send_print(host, &h, &print, status); /* Before memory changes */
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
