/* Snapshots: the whole state as bytes, and back.
 *
 *  header   "KARATSNP", version, size of the whole, FNV-1a of what follows the header
 *  config   profile, num_thread, max_warp, max_workgroup, simt_order, deviations, LDS window and pool
 *  memory   number of runs of mapped pages; each: first page, pages, then a byte per page (0: all zeros) and
 *           its bytes
 *  groups   per workgroup: is it open; if so, its counts, and its LDS pages by page number
 *  warps    per warp: scalars, SIMT stack, x; then a bit per vector register, and those that are not all zero
 *
 * Numbers are little-endian, so equal states have equal bytes on every host. Restoring trusts nothing: every
 * field is checked before it is used, then the consistency of the whole, and one state has one snapshot
 * only. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

#define VERSION 1u

static const char magic[8] = {'K', 'A', 'R', 'A', 'T', 'S', 'N', 'P'};
enum { HEADER = 8 + 4 + 8 + 8 };

static uint64_t checksum(const uint8_t *bytes, size_t size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool is_zero(const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    return !size || (!p[0] && memcmp(p, p + 1, size - 1) == 0); /* Each byte is its neighbour's value */
}

/* ---- Saving: one walk, which writes, compares or only counts ---- */

typedef struct writer {
    uint8_t *at;         /* Write here, or NULL */
    const uint8_t *same; /* Compare with the bytes from here to end, or NULL */
    const uint8_t *end;
    bool differs;
    size_t size;
} writer;

static void put_bytes(writer *w, const void *bytes, size_t size) {
    if (w->at) {
        memcpy(w->at, bytes, size);
        w->at += size;
    }
    if (w->same && !w->differs) {
        w->differs = size > (size_t)(w->end - w->same) || memcmp(w->same, bytes, size) != 0;
        w->same += w->differs ? 0 : size;
    }
    w->size += size;
}

static void put(writer *w, uint64_t value, unsigned bytes) {
    uint8_t b[8];
    for (unsigned i = 0; i < bytes; i++)
        b[i] = (uint8_t)(value >> 8 * i);
    put_bytes(w, b, bytes);
}

static void put_words(writer *w, const uint32_t *words, size_t num) {
    for (size_t i = 0; i < num; i++)
        put(w, words[i], 4);
}

/* NULL: it was never written. */
static void put_page(writer *w, const uint8_t *page) {
    bool zero = !page || is_zero(page, KARAT_PAGE);
    put(w, !zero, 1);
    if (!zero)
        put_bytes(w, page, KARAT_PAGE);
}

/* The pages that follow *page without a gap, itself included. */
static uint64_t run_length(const karat_memory *memory, uint64_t page) {
    uint64_t next = page, end = page;
    while (karat_memory_next(memory, &next) && next == end)
        next = ++end;
    return end - page;
}

static void put_memory(writer *w, const karat_memory *memory) {
    uint64_t runs = 0;
    for (uint64_t page = 0; karat_memory_next(memory, &page); page += run_length(memory, page))
        runs++;
    put(w, runs, 8);
    for (uint64_t page = 0; karat_memory_next(memory, &page);) {
        uint64_t num = run_length(memory, page);
        put(w, page, 8);
        put(w, num, 8);
        for (uint64_t end = page + num; page < end; page++)
            put_page(w, karat_memory_next_written(memory, &(uint64_t){page}, page));
    }
}

static void put_lds(writer *w, const karat_lds *lds, uint32_t workgroup) {
    uint32_t num = 0;
    for (uint32_t i = lds->first[workgroup]; i != KARAT_LDS_NONE; i = lds->pool[i].next)
        num++;
    put(w, num, 4);
    for (uint32_t number = 0; num; number++) {
        const uint32_t index = *karat_lds_entry(lds, workgroup, number);
        if (index == KARAT_LDS_NONE)
            continue;
        const karat_lds_page *page = &lds->pool[index];
        put(w, number, 4);
        put_bytes(w, page->bytes, sizeof page->bytes);
        put_bytes(w, page->written, sizeof page->written);
        num--;
    }
}

static void put_workgroup(writer *w, const karat_model *model, uint32_t handle) {
    const karat_workgroup *g = &model->workgroups[handle];
    put(w, g->open, 1);
    if (!g->open)
        return;
    const uint32_t counts[] = {g->num_warp, g->arrived, g->ended, g->seen};
    put_words(w, counts, 4);
    put_lds(w, &model->lds, handle);
}

static void put_warp(writer *w, const karat_warp *warp, uint32_t num_thread) {
    const uint8_t bytes[] = {warp->live, warp->waiting, warp->stopped, warp->jumped, warp->reserved,
                             warp->lmul, warp->frm,     warp->fflags,  warp->vxrm,   warp->vxsat};
    const uint32_t words[] = {warp->workgroup, warp->pc,         warp->mask,       warp->initial_mask,
                              warp->sgprs,     warp->vgprs,      warp->vl,         warp->vtype,
                              warp->mstatus,   warp->mtvec,      warp->mscratch,   warp->lds_base,
                              warp->lds_size,  warp->local_base, warp->local_size, warp->pds_size,
                              warp->depth};
    put_bytes(w, bytes, sizeof bytes);
    put_words(w, words, sizeof words / sizeof *words);
    put(w, warp->reserved ? warp->reserved_addr : 0, 8);
    put(w, warp->ptbr, 8);
    put(w, warp->asid, 4);
    put_words(w, warp->csr, KARAT_NUM_CUSTOM_CSR);
    for (uint32_t i = 0; i < warp->depth; i++) {
        const uint32_t entry[] = {warp->stack[i].rpc, warp->stack[i].next, warp->stack[i].mask};
        put_words(w, entry, 3);
    }
    put_words(w, warp->x, KARAT_NUM_X);
    uint32_t used[KARAT_NUM_V / 32] = {0};
    for (uint32_t v = 0; v < KARAT_NUM_V; v++)
        if (!is_zero(warp->v[v], num_thread * sizeof *warp->v[v]))
            used[v / 32] |= 1u << v % 32;
    put_words(w, used, KARAT_NUM_V / 32);
    for (uint32_t v = 0; v < KARAT_NUM_V; v++)
        if (used[v / 32] >> v % 32 & 1)
            put_words(w, warp->v[v], num_thread);
}

static void put_body(writer *w, const karat_model *model) {
    const karat_config *c = &model->config;
    const uint32_t config[] = {c->profile,    c->num_thread, c->max_warp, c->max_workgroup, c->simt_order,
                               c->deviations, c->lds_base,   c->lds_size, c->lds_pool,      c->translation};
    put_words(w, config, sizeof config / sizeof *config);
    put_memory(w, &model->memory);
    for (uint32_t i = 0; i < c->max_workgroup; i++)
        put_workgroup(w, model, i);
    for (uint32_t i = 0; i < c->max_warp; i++)
        put_warp(w, &model->warps[i], c->num_thread);
}

size_t karat_save_size(const karat_model *model) {
    if (!model)
        return 0;
    writer w = {.size = HEADER};
    put_body(&w, model);
    return w.size;
}

karat_status karat_save(const karat_model *model, void *buffer, size_t size) {
    const size_t need = karat_save_size(model);
    if (!model || !buffer || size < need)
        return KARAT_BAD_ARGUMENT;
    uint8_t *bytes = buffer;
    writer body = {.at = bytes + HEADER};
    put_body(&body, model);
    writer header = {.at = bytes};
    put_bytes(&header, magic, sizeof magic);
    put(&header, VERSION, 4);
    put(&header, need, 8);
    put(&header, checksum(bytes + HEADER, need - HEADER), 8);
    return KARAT_OK;
}

/* ---- Restoring ---- */

typedef struct reader {
    const uint8_t *at;
    size_t left;
    karat_status status; /* The first thing that was wrong */
} reader;

static void spoil(reader *r, karat_status status) {
    if (r->status == KARAT_OK)
        r->status = status;
}

static const uint8_t *get_bytes(reader *r, size_t size) {
    if (r->left < size)
        spoil(r, KARAT_BAD_SNAPSHOT);
    if (r->status != KARAT_OK)
        return NULL;
    const uint8_t *bytes = r->at;
    r->at += size;
    r->left -= size;
    return bytes;
}

/* A number; 0 once something is wrong. */
static uint64_t get(reader *r, unsigned bytes) {
    const uint8_t *b = get_bytes(r, bytes);
    uint64_t value = 0;
    for (unsigned i = 0; b && i < bytes; i++)
        value |= (uint64_t)b[i] << 8 * i;
    return value;
}

/* A number of at most max. */
static uint64_t get_upto(reader *r, unsigned bytes, uint64_t max) {
    uint64_t value = get(r, bytes);
    if (value <= max)
        return value;
    spoil(r, KARAT_BAD_SNAPSHOT);
    return 0;
}

static void get_words(reader *r, uint32_t *words, size_t num) {
    for (size_t i = 0; i < num; i++)
        words[i] = (uint32_t)get(r, 4);
}

static void get_memory(reader *r, karat_model *model) {
    uint64_t runs = get(r, 8), end = 0; /* End of the run before */
    for (uint64_t i = 0; i < runs && r->status == KARAT_OK; i++) {
        uint64_t page = get(r, 8), num = get_upto(r, 8, r->left); /* A page takes a byte at least */
        const uint64_t pages = UINT64_C(1) << (64 - KARAT_PAGE_BITS);
        if (!num || page >= pages || num > pages - page || (i && page <= end)) {
            spoil(r, KARAT_BAD_SNAPSHOT);
            return;
        }
        karat_status status = karat_map(model, page << KARAT_PAGE_BITS, num << KARAT_PAGE_BITS);
        if (status != KARAT_OK)
            spoil(r, status == KARAT_NO_MEMORY ? status : KARAT_BAD_SNAPSHOT);
        for (end = page + num; page < end && r->status == KARAT_OK; page++)
            if (get_upto(r, 1, 1)) {
                const uint8_t *bytes = get_bytes(r, KARAT_PAGE);
                if (bytes)
                    memcpy(karat_page_for(&model->memory, page << KARAT_PAGE_BITS, true), bytes, KARAT_PAGE);
            }
    }
}

static void get_lds(reader *r, karat_lds *lds, uint32_t workgroup) {
    uint32_t num = (uint32_t)get_upto(r, 4, lds->window_pages), last = 0;
    for (uint32_t i = 0; i < num && r->status == KARAT_OK; i++) {
        uint32_t number = (uint32_t)get(r, 4);
        const uint8_t *bytes = get_bytes(r, KARAT_PAGE), *written = get_bytes(r, KARAT_PAGE / 8);
        karat_lds_page *page = NULL;
        if (number < lds->window_pages && (i == 0 || number > last))
            page = karat_lds_take(lds, workgroup, lds->base + ((uint64_t)number << KARAT_PAGE_BITS));
        if (!written ||
            !page) { /* The pool is part of the configuration: it held them when they were saved */
            spoil(r, KARAT_BAD_SNAPSHOT);
            return;
        }
        memcpy(page->bytes, bytes, sizeof page->bytes);
        memcpy(page->written, written, sizeof page->written);
        last = number;
    }
}

static void get_workgroup(reader *r, karat_model *model, uint32_t handle) {
    karat_workgroup *g = &model->workgroups[handle];
    if (!get_upto(r, 1, 1))
        return;
    g->open = true;
    g->num_warp = (uint32_t)get(r, 4);
    g->arrived = (uint32_t)get_upto(r, 4, g->num_warp);
    g->ended = (uint32_t)get_upto(r, 4, g->num_warp);
    g->seen = (uint32_t)get_upto(r, 4, g->num_warp);
    get_lds(r, &model->lds, handle);
}

/* Whether n entries, and a mask to run with, leave room for every divergence to come: each shrinks the mask.
 */
static bool has_room(uint32_t n, uint32_t mask, uint32_t num_thread) {
    uint32_t lanes = 0;
    for (; mask; mask &= mask - 1)
        lanes++;
    return n + 2 * (lanes ? lanes - 1 : 0) <= 2 * (num_thread - 1);
}

/* Whether the warps' states agree with one another and with the counts of their workgroups. */
static karat_status check_counts(const karat_model *model) {
    const karat_config *c = &model->config;
    struct count {
        uint32_t live, waiting;
    } *count = calloc(c->max_workgroup, sizeof *count);
    if (!count)
        return KARAT_NO_MEMORY;
    for (uint32_t i = 0; i < c->max_warp; i++) {
        const karat_warp *warp = &model->warps[i];
        count[warp->workgroup].live += warp->live;
        count[warp->workgroup].waiting += warp->live && warp->waiting;
    }
    bool good = true;
    for (uint32_t i = 0; i < c->max_workgroup && good; i++) {
        const karat_workgroup *g = &model->workgroups[i];
        if (g->open)
            good = g->num_warp && g->seen <= g->num_warp && g->arrived == count[i].waiting &&
                   g->arrived < g->num_warp && count[i].live + g->ended <= g->seen &&
                   (!g->arrived || !g->ended ||
                    (c->deviations & KARAT_DEV_ENDED_WARPS_ARRIVE && g->arrived + g->ended < g->num_warp));
        else
            good = count[i].live == 0;
    }
    free(count);
    return good ? KARAT_OK : KARAT_BAD_SNAPSHOT;
}

static void get_warp(reader *r, karat_model *model, karat_warp *warp) {
    const uint32_t num_thread = model->config.num_thread, lanes = 0xffffffffu >> (32 - num_thread);
    warp->live = get_upto(r, 1, 1);
    warp->waiting = get_upto(r, 1, 1);
    warp->stopped = get_upto(r, 1, 1);
    warp->jumped = get_upto(r, 1, 1);
    bool reserved = get_upto(r, 1, 1);
    warp->lmul = (uint8_t)get_upto(r, 1, 2);
    warp->frm = (uint8_t)get_upto(r, 1, 7);
    warp->fflags = (uint8_t)get_upto(r, 1, 31);
    warp->vxrm = (uint8_t)get_upto(r, 1, 3);
    warp->vxsat = (uint8_t)get_upto(r, 1, 1);
    warp->workgroup = (uint32_t)get_upto(r, 4, model->config.max_workgroup - 1);
    warp->pc = (uint32_t)get(r, 4);
    warp->mask = (uint32_t)get_upto(r, 4, lanes);
    warp->initial_mask = (uint32_t)get_upto(r, 4, lanes);
    warp->sgprs = (uint32_t)get_upto(r, 4, KARAT_NUM_X);
    warp->vgprs = (uint32_t)get_upto(r, 4, KARAT_NUM_V);
    warp->vl = (uint32_t)get_upto(r, 4, 2 * num_thread);
    warp->vtype = (uint32_t)get(r, 4);
    warp->mstatus = (uint32_t)get(r, 4);
    warp->mtvec = (uint32_t)get(r, 4);
    warp->mscratch = (uint32_t)get(r, 4);
    warp->lds_base = (uint32_t)get(r, 4);
    warp->lds_size = (uint32_t)get(r, 4);
    warp->local_base = (uint32_t)get(r, 4);
    warp->local_size = (uint32_t)get(r, 4);
    warp->pds_size = (uint32_t)get(r, 4);
    warp->depth = (uint32_t)get_upto(r, 4, 2 * (num_thread - 1));
    uint64_t reserved_addr = get(r, 8);
    warp->ptbr = get(r, 8);
    warp->asid = (uint32_t)get(r, 4);
    if (warp->ptbr & (KARAT_PAGE - 1) ||
        (model->config.translation == KARAT_TRANSLATION_NONE && (warp->ptbr || warp->asid)))
        spoil(r, KARAT_BAD_SNAPSHOT);
    if (reserved)
        karat_reserve(model, warp, reserved_addr);
    get_words(r, warp->csr, KARAT_NUM_CUSTOM_CSR);
    for (uint32_t i = 0; i < warp->depth; i++) {
        uint32_t entry[3];
        get_words(r, entry, 3);
        warp->stack[i] = (karat_simt_entry){entry[0], entry[1], entry[2]};
        if (entry[2] & ~warp->initial_mask || !has_room(i, entry[2], num_thread))
            spoil(r, KARAT_BAD_SNAPSHOT);
    }
    get_words(r, warp->x, KARAT_NUM_X);
    warp->dirty_v = KARAT_NUM_V;
    uint32_t used[KARAT_NUM_V / 32];
    get_words(r, used, KARAT_NUM_V / 32);
    for (uint32_t v = 0; v < KARAT_NUM_V; v++)
        if (used[v / 32] >> v % 32 & 1)
            get_words(r, warp->v[v], num_thread);
    /* The invariants of a warp that can step. */
    bool vill = warp->vtype == KARAT_VTYPE_VILL && warp->lmul == 1 && warp->vl == 0;
    bool vtype = warp->lmul && karat_vtype_is_legal(model, warp->vtype) &&
                 (warp->vtype & 7) == warp->lmul - 1u && warp->vl <= warp->lmul * num_thread;
    warp->sew = vtype ? karat_vtype_sew(warp->vtype) : KARAT_W32;
    karat_set_usual(warp);
    bool never = warp->sgprs == 0; /* Launched */
    if (warp->x[0] || warp->mask & ~warp->initial_mask || never != (warp->vgprs == 0) ||
        (warp->stopped && warp->live) ||
        (warp->live && (never || !(vill || vtype) || !has_room(warp->depth, warp->mask, num_thread))))
        spoil(r, KARAT_BAD_SNAPSHOT);
}

static void get_config(reader *r, karat_config *c) {
    uint32_t w[10];
    get_words(r, w, 10);
    *c = (karat_config){.profile = (karat_profile)w[0],
                        .num_thread = w[1],
                        .max_warp = w[2],
                        .max_workgroup = w[3],
                        .simt_order = (karat_simt_order)w[4],
                        .deviations = w[5],
                        .lds_base = w[6],
                        .lds_size = w[7],
                        .lds_pool = w[8],
                        .translation = (karat_translation)w[9]};
}

karat_model *karat_restore(const void *buffer, size_t size, karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    reader r = {buffer, buffer ? size : 0, KARAT_OK};
    const uint8_t *name = get_bytes(&r, sizeof magic);
    uint64_t version = get(&r, 4), whole = get(&r, 8), sum = get(&r, 8);
    *status = KARAT_BAD_SNAPSHOT;
    if (r.status != KARAT_OK || memcmp(name, magic, sizeof magic) != 0 || version != VERSION ||
        whole != size || sum != checksum(r.at, r.left))
        return NULL;
    karat_config config;
    get_config(&r, &config);
    if (r.status != KARAT_OK)
        return NULL;
    karat_model *model = karat_create(&config, status);
    if (!model) {
        if (*status == KARAT_BAD_ARGUMENT)
            *status = KARAT_BAD_SNAPSHOT;
        return NULL;
    }
    get_memory(&r, model);
    for (uint32_t i = 0; i < config.max_workgroup && r.status == KARAT_OK; i++)
        get_workgroup(&r, model, i);
    for (uint32_t i = 0; i < config.max_warp && r.status == KARAT_OK; i++) {
        get_warp(&r, model, &model->warps[i]);
        if (model->warps[i].live)
            karat_workgroup_enter(&model->workgroups[model->warps[i].workgroup], i);
    }
    /* One state has one snapshot: saving now must reproduce the input. */
    writer again = {.same = (const uint8_t *)buffer + HEADER, .end = (const uint8_t *)buffer + size};
    if (r.status == KARAT_OK)
        put_body(&again, model);
    if (again.differs || again.size + HEADER != size)
        spoil(&r, KARAT_BAD_SNAPSHOT);
    if (r.status == KARAT_OK)
        r.status = check_counts(model);
    *status = r.status;
    if (r.status != KARAT_OK) {
        karat_destroy(model);
        return NULL;
    }
    return model;
}
