#include "machine.h"
#include "retire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUM_REG = KARAT_NUM_X + KARAT_NUM_V, /* scalar registers, then vector registers */
    FIRST_V = KARAT_NUM_X                /* index of v0 */
};

/* The last instructions of a warp: number i at i % KARAT_MACHINE_TRAIL, from 1. */
typedef struct producers {
    uint64_t num;
    machine_producer ring[KARAT_MACHINE_TRAIL];
} producers;

/* The core's registers, as reported. */
typedef struct core_values {
    uint32_t value[NUM_REG][KARAT_MAX_THREAD];
    uint32_t mask[NUM_REG];
} core_values;

struct karat_machine {
    const karat_model *model;
    machine_kernel kernel;
    uint32_t num_warp, launched;
    machine_warp *warps;
    producers **producers;
    core_values **core;
};

karat_machine *karat_machine_create(uint32_t num_warp) {
    karat_machine *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->num_warp = num_warp;
    t->warps = calloc(num_warp, sizeof *t->warps);
    t->producers = calloc(num_warp, sizeof *t->producers);
    t->core = calloc(num_warp, sizeof *t->core);
    if (t->warps && t->producers && t->core)
        return t;
    karat_machine_destroy(t);
    return NULL;
}

void karat_machine_destroy(karat_machine *t) {
    if (!t)
        return;
    for (uint32_t i = 0; i < t->num_warp; i++) {
        if (t->producers)
            free(t->producers[i]);
        if (t->core)
            free(t->core[i]);
    }
    free(t->warps);
    free(t->producers);
    free(t->core);
    free(t);
}

/* --- Reports of the run --- */

void karat_machine_kernel(karat_machine *t, const machine_kernel *kernel) {
    t->kernel = *kernel;
}

machine_warp *karat_machine_launch(karat_machine *t, const karat_model *model, uint32_t handle,
                                   uint32_t workgroup, uint32_t warp, const karat_launch_desc *desc) {
    t->model = model;
    machine_warp *w = &t->warps[handle];
    *w = (machine_warp){.thread = ++t->launched, .workgroup = workgroup, .warp = warp, .ptbr = desc->ptbr};
    if (t->producers[handle])
        t->producers[handle]->num = 0;
    if (t->core[handle])
        memset(t->core[handle]->mask, 0, sizeof t->core[handle]->mask);
    return w;
}

static unsigned index_of(unsigned cls, unsigned reg) {
    return cls == KARAT_CLASS_X ? reg : FIRST_V + reg;
}

static void note_producer(karat_machine *t, uint32_t handle, const karat_commit *c, uint64_t position) {
    producers *p = t->producers[handle];
    if (!p && !(p = t->producers[handle] = calloc(1, sizeof *p)))
        return; /* the command "why" knows less */
    machine_producer *e = &p->ring[++p->num % KARAT_MACHINE_TRAIL];
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
    for (uint32_t i = 0; i < c->num_reads; i++) {
        e->source[i].cls = c->read[i].cls;
        e->source[i].reg = c->read[i].reg;
    }
    for (uint32_t i = 0; i < c->num_writes; i++) {
        e->result[i].cls = c->write[i].cls;
        e->result[i].reg = c->write[i].reg;
        e->result[i].mask = c->write[i].mask;
    }
}

void karat_machine_step(karat_machine *t, uint32_t handle, const karat_commit *commit, uint64_t position) {
    machine_warp *w = &t->warps[handle];
    w->steps++;
    w->last_pc = commit->pc;
    w->ended = commit->ended;
    note_producer(t, handle, commit, position);
}

static void note_value(core_values *core, unsigned i, uint32_t mask, const uint32_t *value) {
    for (uint32_t m = mask; m; m &= m - 1)
        core->value[i][__builtin_ctz(m)] = value[__builtin_ctz(m)];
    core->mask[i] |= mask;
}

bool karat_machine_record(karat_machine *t, uint32_t handle, const void *record) {
    karat_rec_write r;
    for (unsigned part = 0; karat_retire_shown(record, part, &r); part++) {
        if (!t->core[handle] && !(t->core[handle] = calloc(1, sizeof *t->core[handle])))
            return false;
        if (r.cls <= KARAT_V && r.regno < (r.cls == KARAT_X ? KARAT_NUM_X : KARAT_NUM_V))
            note_value(t->core[handle], index_of(r.cls, r.regno), r.mask, r.data);
    }
    return true;
}

/* --- State --- */

const karat_model *karat_machine_model(const karat_machine *t) {
    return t->model;
}

const machine_kernel *karat_machine_of_kernel(const karat_machine *t) {
    return &t->kernel;
}

uint32_t karat_machine_num_warp(const karat_machine *t) {
    return t->num_warp;
}

const machine_warp *karat_machine_warp(const karat_machine *t, uint32_t handle) {
    return &t->warps[handle];
}

uint32_t karat_machine_launched(const karat_machine *t) {
    return t->launched;
}

static bool is_live(const machine_warp *w) {
    return w->thread && !w->ended;
}

bool karat_machine_find(const karat_machine *t, uint32_t thread, uint32_t *handle) {
    for (uint32_t i = 0; i < t->num_warp; i++)
        if (is_live(&t->warps[i]) && t->warps[i].thread == thread) {
            *handle = i;
            return true;
        }
    return false;
}

bool karat_machine_find_ended(const karat_machine *t, uint32_t thread, uint32_t *handle) {
    if (karat_machine_find(t, thread, handle))
        return true;
    for (uint32_t i = 0; thread && i < t->num_warp; i++)
        if (t->warps[i].thread == thread) {
            *handle = i;
            return true;
        }
    return false;
}

bool karat_machine_find_warp(const karat_machine *t, uint32_t workgroup, uint32_t warp, uint32_t *handle) {
    for (uint32_t i = 0; i < t->num_warp; i++)
        if (is_live(&t->warps[i]) && t->warps[i].workgroup == workgroup && t->warps[i].warp == warp) {
            *handle = i;
            return true;
        }
    return false;
}

bool karat_machine_view(const karat_machine *t, uint32_t handle, karat_warp_view *view) {
    return handle < t->num_warp && is_live(&t->warps[handle]) &&
           karat_view(t->model, handle, view) == KARAT_OK;
}

static const struct {
    const char *name;
    machine_class cls;
} specials[] = {{"pc", MACHINE_PC},
                {"mask", MACHINE_MASK},
                {"simt_depth", MACHINE_DEPTH},
                {"simt_rpc", MACHINE_TOP_RPC},
                {"simt_next", MACHINE_TOP_NEXT},
                {"simt_mask", MACHINE_TOP_MASK}};
enum { NUM_SPECIAL = sizeof specials / sizeof *specials, NUM_CSR_ADDR = 4096 };

/* A decimal number that ends the text. */
static bool whole_number(const char *text, uint32_t limit, uint32_t *number) {
    char *end;
    if (*text < '0' || *text > '9' || strlen(text) > 3)
        return false;
    const unsigned long value = strtoul(text, &end, 10);
    *number = (uint32_t)value;
    return !*end && value < limit;
}

bool karat_machine_register(const char *name, machine_register *reg) {
    for (unsigned i = 0; i < NUM_SPECIAL; i++)
        if (strcmp(name, specials[i].name) == 0) {
            *reg = (machine_register){specials[i].cls, 0};
            return true;
        }
    if (name[0] == 'x' && whole_number(name + 1, KARAT_NUM_X, &reg->number)) {
        reg->cls = MACHINE_X;
        return true;
    }
    if (name[0] == 'v' && whole_number(name + 1, KARAT_NUM_V, &reg->number)) {
        reg->cls = MACHINE_V;
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
    const char *csr = reg.cls == MACHINE_CSR ? karat_csr_name(reg.number) : NULL;
    if (reg.cls == MACHINE_X || reg.cls == MACHINE_V)
        snprintf(text, 32, "%c%" PRIu32, reg.cls == MACHINE_X ? 'x' : 'v', reg.number);
    else if (reg.cls == MACHINE_CSR)
        csr ? snprintf(text, 32, "%s", csr) : snprintf(text, 32, "csr0x%03" PRIx32, reg.number);
    else
        for (unsigned i = 0; i < NUM_SPECIAL; i++)
            if (specials[i].cls == reg.cls)
                snprintf(text, 32, "%s", specials[i].name);
}

uint32_t karat_machine_read_register(const karat_machine *t, uint32_t handle, machine_register reg,
                                     uint32_t value[KARAT_MAX_THREAD]) {
    karat_warp_view view;
    if (handle >= t->num_warp || !t->warps[handle].thread || karat_view(t->model, handle, &view) != KARAT_OK)
        return 0;
    const karat_simt_entry none = {0}, *top = view.depth ? &view.stack[view.depth - 1] : &none;
    const uint32_t lanes = karat_get_config(t->model)->num_thread;
    switch (reg.cls) {
    case MACHINE_X: value[0] = view.x[reg.number]; return 1;
    case MACHINE_V: memcpy(value, view.v[reg.number], lanes * sizeof *value); return lanes;
    case MACHINE_CSR: return karat_csr_read(t->model, handle, reg.number, value) == KARAT_OK;
    case MACHINE_PC: value[0] = view.pc; return 1;
    case MACHINE_MASK: value[0] = view.mask; return 1;
    case MACHINE_DEPTH: value[0] = view.depth; return 1;
    case MACHINE_TOP_RPC: value[0] = top->rpc; return 1;
    case MACHINE_TOP_NEXT: value[0] = top->next; return 1;
    case MACHINE_TOP_MASK: value[0] = top->mask; return 1;
    }
    return 0;
}

bool karat_machine_core_value(const karat_machine *t, uint32_t handle, machine_register reg,
                              uint32_t value[KARAT_MAX_THREAD], uint32_t *mask) {
    const core_values *core = t->core[handle];
    if (!core || reg.cls > MACHINE_V)
        return false;
    const unsigned i = index_of(reg.cls == MACHINE_X ? KARAT_CLASS_X : KARAT_CLASS_V, reg.number);
    memcpy(value, core->value[i], sizeof core->value[i]);
    *mask = core->mask[i];
    return *mask != 0;
}

/* --- Memory --- */

/* Device memory, page by page where there is translation. */
static bool read_device(const karat_machine *t, uint32_t handle, uint64_t addr, uint8_t *bytes, size_t size) {
    if (karat_get_config(t->model)->translation == KARAT_TRANSLATION_NONE)
        return karat_read(t->model, addr, bytes, size) == KARAT_OK;
    while (size) {
        karat_page_fault fault = {0};
        uint64_t phys;
        size_t part = 4096 - (size_t)(addr & 4095);
        part = part < size ? part : size;
        if (karat_translate(t->model, t->warps[handle].ptbr, addr, KARAT_USE_LOAD, &phys, &fault) !=
                KARAT_OK &&
            !(phys = fault.phys)) /* a page that cannot be loaded from can be looked at */
            return false;
        if (karat_read(t->model, phys, bytes, part) != KARAT_OK)
            return false;
        addr += part;
        bytes += part;
        size -= part;
    }
    return true;
}

static bool read_private(const karat_machine *t, uint32_t handle, const machine_place *place, uint8_t *bytes,
                         size_t size) {
    for (size_t i = 0; i < size; i++) {
        uint64_t addr;
        if (karat_private_address(t->model, handle, place->lane, place->addr + i, &addr) != KARAT_OK ||
            !read_device(t, handle, addr, bytes + i, 1))
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

bool karat_machine_read(const karat_machine *t, uint32_t handle, const machine_place *place, void *bytes,
                        size_t size) {
    karat_warp_view view;
    if (!t->model)
        return false;
    if (!karat_machine_of_warp(t, place))
        return read_device(t, handle, place->addr, bytes, size);
    if (!karat_machine_view(t, handle, &view))
        return false;
    return place->space == MACHINE_PRIVATE
               ? read_private(t, handle, place, bytes, size)
               : karat_lds_read(t->model, view.workgroup, place->addr, bytes, size) == KARAT_OK;
}

/* --- Producers --- */

static bool wrote(const machine_producer *p, unsigned cls, unsigned reg, uint32_t lane) {
    for (uint32_t i = 0; i < p->num_result; i++)
        if (p->result[i].cls == cls && p->result[i].reg == reg && p->result[i].mask >> lane & 1)
            return true;
    return false;
}

const machine_producer *karat_machine_producer(const karat_machine *t, uint32_t handle, uint64_t before,
                                               unsigned cls, unsigned reg, uint32_t lane, uint64_t *number,
                                               bool *all) {
    const producers *p = t->producers[handle];
    const uint64_t num = p ? p->num : 0, oldest = num > KARAT_MACHINE_TRAIL ? num - KARAT_MACHINE_TRAIL : 0;
    *all = !oldest;
    for (uint64_t i = before ? before - 1 : num; i > oldest; i--)
        if (wrote(&p->ring[i % KARAT_MACHINE_TRAIL], cls, reg, lane)) {
            *number = i;
            return &p->ring[i % KARAT_MACHINE_TRAIL];
        }
    return NULL;
}
