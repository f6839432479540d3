#include "machine.h"
#include "retire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last instructions of a warp: number i at i % KARAT_MACHINE_TRAIL, from 1. */
struct machine_trail {
    uint64_t num;
    machine_producer ring[KARAT_MACHINE_TRAIL];
};

/* The core's registers, by class. */
struct machine_reported {
    struct {
        uint32_t mask, value[KARAT_MAX_THREAD];
    } of[2][KARAT_NUM_V];
};

karat_machine *karat_machine_create(uint32_t num_warp) {
    karat_machine *t = calloc(1, sizeof *t);
    if (t && (t->warps = calloc(num_warp, sizeof *t->warps))) {
        t->num_warp = num_warp;
        return t;
    }
    free(t);
    return NULL;
}

void karat_machine_destroy(karat_machine *t) {
    for (uint32_t i = 0; t && i < t->num_warp; i++) {
        free(t->warps[i].trail);
        free(t->warps[i].reported);
    }
    if (t)
        free(t->warps);
    free(t);
}

/* --- Reports of the run --- */

machine_warp *karat_machine_launch(karat_machine *t, const karat_model *model, uint32_t handle,
                                   uint32_t workgroup, uint32_t warp) {
    machine_warp *w = &t->warps[handle];
    t->model = model;
    t->kernel.num_thread = karat_get_config(model)->num_thread;
    *w = (machine_warp){.handle = handle,
                        .thread = ++t->launched,
                        .workgroup = workgroup,
                        .warp = warp,
                        .trail = w->trail,
                        .reported = w->reported};
    if (w->trail)
        w->trail->num = 0;
    if (w->reported)
        memset(w->reported, 0, sizeof *w->reported);
    return w;
}

static void note_producer(const karat_machine *t, machine_warp *w, const karat_commit *c, uint64_t position) {
    if (!w->trail && !(w->trail = calloc(1, sizeof *w->trail)))
        return; /* The command "why" knows less */
    machine_producer *e = &w->trail->ring[++w->trail->num % KARAT_MACHINE_TRAIL];
    e->position = position;
    e->pc = c->pc;
    e->prefix = c->prefix;
    e->word = c->word;
    e->is_load = c->has_mem && c->mem.op != KARAT_STORE && c->mem.num;
    const bool translates = karat_get_config(t->model)->translation != KARAT_TRANSLATION_NONE;
    for (uint32_t k = e->is_load ? c->mem.num : 0; k-- > 0;)
        e->addr[karat_mem_access(&c->mem, k).lane] =
            translates ? c->mem.virt[k] : karat_mem_access(&c->mem, k).addr;
    e->num_source = c->num_reads;
    e->num_result = c->num_writes;
    for (uint32_t i = 0; i < c->num_reads; i++)
        e->source[i].reg = (machine_register){c->read[i].cls, c->read[i].reg};
    for (uint32_t i = 0; i < c->num_writes; i++) {
        e->result[i].reg = (machine_register){c->write[i].cls, c->write[i].reg};
        e->result[i].mask = c->write[i].mask;
    }
}

void karat_machine_step(karat_machine *t, uint32_t handle, const karat_commit *commit, uint64_t position) {
    machine_warp *w = &t->warps[handle];
    t->steps++;
    t->stepped = w->thread;
    w->steps++;
    for (uint32_t m = commit->mask_before; m; m &= m - 1)
        w->lane_steps[__builtin_ctz(m)]++;
    w->last_pc = commit->pc;
    w->ended = commit->ended;
    note_producer(t, w, commit, position);
}

static void note_values(machine_warp *w, unsigned cls, unsigned reg, uint32_t mask, const uint32_t *value) {
    if (cls > MACHINE_V || reg >= (cls == MACHINE_X ? KARAT_NUM_X : KARAT_NUM_V) ||
        (!w->reported && !(w->reported = calloc(1, sizeof *w->reported))))
        return;
    for (uint32_t m = mask; m; m &= m - 1)
        w->reported->of[cls][reg].value[__builtin_ctz(m)] = value[__builtin_ctz(m)];
    w->reported->of[cls][reg].mask |= mask;
}

void karat_machine_record(karat_machine *t, uint32_t handle, const void *record) {
    karat_rec_write r;
    for (unsigned part = 0; karat_retire_shown(record, part, &r); part++)
        note_values(&t->warps[handle], r.cls, r.regno, r.mask, r.data);
}

/* --- State --- */

const machine_warp *karat_machine_thread(const karat_machine *t, uint32_t thread) {
    for (uint32_t i = 0; thread && i < t->num_warp; i++)
        if (t->warps[i].thread == thread)
            return &t->warps[i];
    return NULL;
}

const machine_warp *karat_machine_live(const karat_machine *t, uint32_t thread) {
    const machine_warp *w = karat_machine_thread(t, thread);
    return w && !w->ended ? w : NULL;
}

const machine_warp *karat_machine_in_grid(const karat_machine *t, uint32_t workgroup, uint32_t warp) {
    for (uint32_t i = 0; i < t->num_warp; i++) {
        const machine_warp *w = &t->warps[i];
        if (w->thread && !w->ended && w->workgroup == workgroup && w->warp == warp)
            return w;
    }
    return NULL;
}

bool karat_machine_view(const karat_machine *t, const machine_warp *w, karat_warp_view *view) {
    return w && w->thread && !w->ended && karat_view(t->model, w->handle, view) == KARAT_OK;
}

uint32_t karat_machine_lane_pc(const karat_warp_view *view, uint32_t lane) {
    for (uint32_t i = view->depth; !(view->mask >> lane & 1) && i-- > 0;)
        if (view->stack[i].mask >> lane & 1)
            return view->stack[i].next;
    return view->pc;
}

void karat_machine_put_warp(FILE *out, const machine_warp *w) {
    fprintf(out, "workgroup %" PRIu32 " warp %" PRIu32, w->workgroup, w->warp);
    if (w->in_slot)
        fprintf(out, " (sm %" PRIu32 " slot %" PRIu32 ")", w->sm, w->slot);
}

static const char *const specials[] = {
    [MACHINE_PC] = "pc",
    [MACHINE_MASK] = "mask",
    [MACHINE_DEPTH] = "simt_depth",
    [MACHINE_TOP_RPC] = "simt_rpc",
    [MACHINE_TOP_NEXT] = "simt_next",
    [MACHINE_TOP_MASK] = "simt_mask",
    [MACHINE_LANE] = "lane",
    [MACHINE_WORKGROUP] = "workgroup",
    [MACHINE_WARP] = "warp",
    [MACHINE_THREAD] = "thread",
};
enum { NUM_CLASS = sizeof specials / sizeof *specials, NUM_CSR_ADDR = 4096 };

/* A decimal number that ends the text. */
static bool whole_number(const char *text, uint32_t limit, uint32_t *number) {
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 3)
        return false;
    *number = (uint32_t)strtoul(text, &end, 10);
    return !*end && *number < limit;
}

bool karat_machine_register(const char *name, machine_register *reg) {
    for (unsigned i = MACHINE_PC; i < NUM_CLASS; i++)
        if (strcmp(name, specials[i]) == 0) {
            *reg = (machine_register){i, 0};
            return true;
        }
    if ((name[0] == 'x' && whole_number(name + 1, KARAT_NUM_X, &reg->number)) ||
        (name[0] == 'v' && whole_number(name + 1, KARAT_NUM_V, &reg->number))) {
        reg->cls = name[0] == 'x' ? MACHINE_X : MACHINE_V;
        return true;
    }
    reg->cls = MACHINE_CSR;
    for (reg->number = 0; reg->number < NUM_CSR_ADDR; reg->number++) {
        const char *csr = karat_csr_name(reg->number);
        if (csr && strcmp(csr, name) == 0)
            return true;
    }
    return false;
}

void karat_machine_register_name(machine_register reg, char text[32]) {
    const char *name = reg.cls == MACHINE_CSR ? karat_csr_name(reg.number) : specials[reg.cls];
    if (reg.cls <= MACHINE_V)
        snprintf(text, 32, "%c%" PRIu32, reg.cls == MACHINE_X ? 'x' : 'v', reg.number);
    else
        name ? snprintf(text, 32, "%s", name) : snprintf(text, 32, "csr0x%03" PRIx32, reg.number);
}

uint32_t karat_machine_read_register(const karat_machine *t, const machine_warp *w, machine_register reg,
                                     uint32_t value[KARAT_MAX_THREAD]) {
    karat_warp_view view;
    if (!w || !w->thread || karat_view(t->model, w->handle, &view) != KARAT_OK)
        return 0;
    const karat_simt_entry none = {0}, *top = view.depth ? &view.stack[view.depth - 1] : &none;
    const uint32_t lanes = karat_get_config(t->model)->num_thread;
    switch (reg.cls) {
    case MACHINE_X: value[0] = view.x[reg.number]; return 1;
    case MACHINE_V: memcpy(value, view.v[reg.number], lanes * sizeof *value); return lanes;
    case MACHINE_CSR: return karat_csr_read(t->model, w->handle, reg.number, value) == KARAT_OK;
    case MACHINE_PC: value[0] = view.pc; return 1;
    case MACHINE_MASK: value[0] = view.mask; return 1;
    case MACHINE_DEPTH: value[0] = view.depth; return 1;
    case MACHINE_TOP_RPC: value[0] = top->rpc; return 1;
    case MACHINE_TOP_NEXT: value[0] = top->next; return 1;
    case MACHINE_TOP_MASK: value[0] = top->mask; return 1;
    case MACHINE_LANE: return 0;
    case MACHINE_WORKGROUP: value[0] = w->workgroup; return 1;
    case MACHINE_WARP: value[0] = w->warp; return 1;
    case MACHINE_THREAD: value[0] = w->thread; return 1;
    }
    return 0;
}

uint32_t karat_machine_reported(const machine_warp *w, machine_register reg,
                                uint32_t value[KARAT_MAX_THREAD]) {
    if (!w->reported || reg.cls > MACHINE_V)
        return 0;
    memcpy(value, w->reported->of[reg.cls][reg.number].value, KARAT_MAX_THREAD * sizeof *value);
    return w->reported->of[reg.cls][reg.number].mask;
}

/* --- Memory --- */

/* Read bytes of device memory, or write them where to is not NULL. */
static bool move_physical(const karat_machine *t, karat_model *to, uint64_t addr, uint8_t *bytes,
                          size_t size) {
    return (to ? karat_write(to, addr, bytes, size) : karat_read(t->model, addr, bytes, size)) == KARAT_OK;
}

/* Page by page where there is translation, by the page tables of that warp. */
static bool move_device(const karat_machine *t, const machine_warp *w, karat_model *to, uint64_t addr,
                        uint8_t *bytes, size_t size) {
    karat_warp_view view;
    if (karat_get_config(t->model)->translation == KARAT_TRANSLATION_NONE)
        return move_physical(t, to, addr, bytes, size);
    if (!w || karat_view(t->model, w->handle, &view) != KARAT_OK)
        return false;
    while (size) {
        karat_page_fault fault = {0};
        uint64_t phys;
        size_t part = 4096 - (size_t)(addr & 4095);
        part = part < size ? part : size;
        if (karat_translate(t->model, view.ptbr, addr, KARAT_USE_LOAD, &phys, &fault) != KARAT_OK &&
            !(phys = fault.phys)) /* A page that cannot be loaded from can be looked at */
            return false;
        if (!move_physical(t, to, phys, bytes, part))
            return false;
        addr += part;
        bytes += part;
        size -= part;
    }
    return true;
}

static bool move_private(const karat_machine *t, const machine_warp *w, const machine_place *place,
                         karat_model *to, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        uint64_t addr;
        if (karat_private_address(t->model, w->handle, place->lane, place->addr + i, &addr) != KARAT_OK ||
            !move_device(t, w, to, addr, bytes + i, 1))
            return false;
    }
    return true;
}

bool karat_machine_of_warp(const karat_machine *t, const machine_place *place) {
    if (place->space != MACHINE_AUTO || !t->model)
        return place->space != MACHINE_GLOBAL;
    const karat_config *config = karat_get_config(t->model);
    return place->addr - config->lds_base < config->lds_size;
}

bool karat_machine_read(const karat_machine *t, const machine_warp *w, const machine_place *place,
                        void *bytes, size_t size) {
    karat_warp_view view;
    if (!t->model)
        return false;
    if (!karat_machine_of_warp(t, place))
        return move_device(t, w, NULL, place->addr, bytes, size);
    if (!karat_machine_view(t, w, &view))
        return false;
    return place->space == MACHINE_PRIVATE
               ? move_private(t, w, place, NULL, bytes, size)
               : karat_lds_read(t->model, view.workgroup, place->addr, bytes, size) == KARAT_OK;
}

bool karat_machine_write(karat_machine *t, const machine_warp *w, const machine_place *place,
                         const void *bytes, size_t size) {
    karat_warp_view view;
    uint8_t copy[MACHINE_MAX_WRITE];
    if (!t->writable || size > sizeof copy || !karat_machine_read(t, w, place, copy, size))
        return false;
    memcpy(copy, bytes, size);
    if (!karat_machine_of_warp(t, place))
        return move_device(t, w, t->writable, place->addr, copy, size);
    if (place->space == MACHINE_PRIVATE)
        return move_private(t, w, place, t->writable, copy, size);
    return karat_machine_view(t, w, &view) &&
           karat_lds_write(t->writable, view.workgroup, place->addr, copy, size) == KARAT_OK;
}

bool karat_machine_write_register(karat_machine *t, const machine_warp *w, machine_register reg,
                                  uint32_t mask, const uint32_t value[KARAT_MAX_THREAD]) {
    karat_warp_view view;
    if (!t->writable || !karat_machine_view(t, w, &view))
        return false;
    if (reg.cls == MACHINE_CSR)
        return karat_csr_write(t->writable, w->handle, reg.number, value[0]) == KARAT_OK;
    const uint32_t lanes = UINT32_MAX >> (32 - karat_get_config(t->model)->num_thread);
    if (reg.cls > MACHINE_V || (reg.cls == MACHINE_X && !reg.number) || (mask & ~lanes && ~mask))
        return false;
    return karat_adopt(t->writable, w->handle, reg.cls, reg.number, mask & lanes, value) == KARAT_OK;
}

/* --- Producers --- */

static bool wrote(const machine_producer *p, machine_register reg, uint32_t lane) {
    for (uint32_t i = 0; i < p->num_result; i++)
        if (p->result[i].reg.cls == reg.cls && p->result[i].reg.number == reg.number &&
            p->result[i].mask >> lane & 1)
            return true;
    return false;
}

const machine_producer *karat_machine_producer(const machine_warp *w, uint64_t before, machine_register reg,
                                               uint32_t lane, uint64_t *number, bool *all) {
    const struct machine_trail *p = w->trail;
    const uint64_t num = p ? p->num : 0, oldest = num > KARAT_MACHINE_TRAIL ? num - KARAT_MACHINE_TRAIL : 0;
    *all = !oldest;
    for (uint64_t i = before ? before - 1 : num; i > oldest; i--)
        if (wrote(&p->ring[i % KARAT_MACHINE_TRAIL], reg, lane)) {
            *number = i;
            return &p->ring[i % KARAT_MACHINE_TRAIL];
        }
    return NULL;
}
