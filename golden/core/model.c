/* Creation, memory from outside, and views. */
#include "core.h"

#include "../mem/sv39.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>

void karat_config_default(karat_config *config) {
    if (!config)
        return;
    *config = (karat_config){
        .profile = KARAT_DEFAULT_PROFILE,
        .num_thread = 32,
        .max_warp = 32,
        .max_workgroup = 32,
        .simt_order = KARAT_SMALLER_FIRST,
        .lds_base = 0x70000000u,
        .lds_size = 0x10000000u,
        .lds_pool = 64u << 20,
    };
}

static bool is_valid(const karat_config *c) {
    bool power_of_two = c->num_thread && !(c->num_thread & (c->num_thread - 1));
    return power_of_two && c->num_thread <= KARAT_MAX_THREAD && c->max_warp && c->max_warp <= 1u << 16 &&
           c->max_workgroup && c->max_workgroup <= 1u << 16 && c->profile < KARAT_NUM_PROFILE &&
           c->simt_order <= KARAT_ELSE_FIRST && c->translation <= KARAT_TRANSLATION_SV39 &&
           !(c->deviations >> KARAT_NUM_DEVIATION) && !((c->lds_base | c->lds_size) & (KARAT_PAGE - 1)) &&
           (uint64_t)c->lds_base + c->lds_size <= 1ull << 32;
}

enum { NUM_PLACE = KARAT_NUM_V + KARAT_MAX_WRITE };

void karat_reset_places(karat_model *model, karat_warp *warp) {
    const size_t words = karat_place_words(model);
    uint32_t *place = model->vregs + (size_t)(warp - model->warps) * NUM_PLACE * words;
    for (uint32_t i = 0; i < KARAT_NUM_V; i++, place += words) {
        karat_open_place(model, place);
        warp->v[i] = place;
    }
    for (uint32_t i = 0; i < KARAT_MAX_WRITE; i++, place += words)
        warp->spare[i] = place;
}

static bool init(karat_model *model) {
    const karat_config *c = &model->config;
    model->workgroups = calloc(c->max_workgroup, sizeof *model->workgroups);
    model->warps = calloc(c->max_warp, sizeof *model->warps);
    model->vregs = calloc((size_t)c->max_warp * NUM_PLACE * karat_place_words(model), sizeof *model->vregs);
    model->cache = calloc(KARAT_CACHE_SIZE, sizeof *model->cache);
    model->exec = calloc(1, sizeof *model->exec);
    if (c->translation != KARAT_TRANSLATION_NONE &&
        !(model->translations = calloc(KARAT_TRANSLATIONS, sizeof *model->translations)))
        return false;
    if (!karat_lds_init(&model->lds, c->lds_base, c->lds_size, c->lds_pool, c->max_workgroup) ||
        !model->workgroups || !model->warps || !model->vregs || !model->cache || !model->exec)
        return false;
    reset_exec(model->exec, model);
    karat_drop_all_code(model);
    for (uint32_t i = 0; i < c->max_warp; i++)
        karat_reset_places(model, &model->warps[i]);
    return true;
}

karat_model *karat_create(const karat_config *config, karat_status *status) {
    karat_status ignored;
    if (!status)
        status = &ignored;
    *status = KARAT_BAD_ARGUMENT;
    if (!config || !is_valid(config))
        return NULL;
    *status = KARAT_NO_MEMORY;
    karat_model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->config = *config;
    model->lanes = UINT32_MAX >> (32 - config->num_thread);
    if (init(model))
        *status = karat_default_level(model);
    if (*status != KARAT_OK) {
        karat_destroy(model);
        return NULL;
    }
    return model;
}

void karat_destroy(karat_model *model) {
    if (!model)
        return;
    karat_memory_free(&model->memory);
    karat_lds_free(&model->lds);
    free(model->translations);
    free(model->workgroups);
    free(model->warps);
    free(model->vregs);
    free(model->cache);
    free(model->exec);
    free(model);
}

const karat_config *karat_get_config(const karat_model *model) {
    return model ? &model->config : NULL;
}

karat_status karat_map(karat_model *model, uint64_t base, uint64_t size) {
    if (!model)
        return KARAT_BAD_ARGUMENT;
    if (size == 0)
        return KARAT_OK;
    uint64_t last = base + (size - 1);
    if (last < base)
        return KARAT_BAD_ARGUMENT;
    uint64_t first_page = base >> KARAT_PAGE_BITS, num = (last >> KARAT_PAGE_BITS) - first_page + 1;
    uint64_t lds_page = model->lds.base >> KARAT_PAGE_BITS;
    if (first_page < lds_page + model->lds.window_pages && first_page + num > lds_page)
        return KARAT_BAD_ARGUMENT;
    return karat_memory_map(&model->memory, first_page, num) ? KARAT_OK : KARAT_NO_MEMORY;
}

karat_status karat_unmap(karat_model *model, uint64_t base, uint64_t size) {
    const uint64_t last = base + (size - 1);
    if (!model || (size && last < base))
        return KARAT_BAD_ARGUMENT;
    if (size == 0)
        return KARAT_OK;
    const uint64_t first_page = base >> KARAT_PAGE_BITS, num = (last >> KARAT_PAGE_BITS) - first_page + 1;
    if (!karat_memory_unmap(&model->memory, first_page, num))
        return KARAT_NO_MEMORY;
    karat_break_reservations(model, NULL, 0, first_page << KARAT_PAGE_BITS, num << KARAT_PAGE_BITS);
    karat_drop_all_code(model);
    if (model->translations)
        memset(model->translations, 0, KARAT_TRANSLATIONS * sizeof *model->translations);
    return KARAT_OK;
}

karat_status karat_read(const karat_model *model, uint64_t addr, void *bytes, size_t size) {
    if (!model || (!bytes && size))
        return KARAT_BAD_ARGUMENT;
    return karat_memory_read(&model->memory, addr, bytes, size) ? KARAT_OK : KARAT_NOT_MAPPED;
}

karat_status karat_write(karat_model *model, uint64_t addr, const void *bytes, size_t size) {
    if (!model || (!bytes && size))
        return KARAT_BAD_ARGUMENT;
    if (!karat_memory_write(&model->memory, addr, bytes, size))
        return KARAT_NOT_MAPPED;
    if (size) {
        karat_break_reservations(model, NULL, 0, addr, size);
        karat_stored(model, addr, size);
    }
    return KARAT_OK;
}

static bool lds_range(const karat_model *model, uint32_t workgroup, uint64_t addr, const void *bytes,
                      size_t size) {
    return model && (bytes || !size) && workgroup < model->config.max_workgroup &&
           model->workgroups[workgroup].open &&
           (size == 0 ||
            (karat_in_lds(&model->lds, addr) && size <= model->lds.base + (uint64_t)model->lds.size - addr));
}

karat_status karat_lds_read(const karat_model *model, uint32_t workgroup, uint64_t addr, void *bytes,
                            size_t size) {
    if (!lds_range(model, workgroup, addr, bytes, size))
        return KARAT_BAD_ARGUMENT;
    uint8_t *to = bytes;
    while (size) {
        const karat_lds_page *page = karat_lds_find(&model->lds, workgroup, addr);
        const size_t first = addr & (KARAT_PAGE - 1),
                     num = size < KARAT_PAGE - first ? size : KARAT_PAGE - first;
        if (page)
            memcpy(to, page->bytes + first, num);
        else
            memset(to, 0, num);
        to += num;
        addr += num;
        size -= num;
    }
    return KARAT_OK;
}

karat_status karat_lds_write(karat_model *model, uint32_t workgroup, uint64_t addr, const void *bytes,
                             size_t size) {
    if (!lds_range(model, workgroup, addr, bytes, size))
        return KARAT_BAD_ARGUMENT;
    const uint8_t *from = bytes;
    const uint32_t first_page = model->lds.first[workgroup];
    for (size_t done = 0; done < size; done += KARAT_PAGE - ((addr + done) & (KARAT_PAGE - 1)))
        if (!karat_lds_take(&model->lds, workgroup, addr + done)) {
            karat_lds_give_back(&model->lds, workgroup, first_page);
            return KARAT_NO_MEMORY;
        }
    for (; size; size--, addr++) {
        karat_lds_page *page = karat_lds_find(&model->lds, workgroup, addr);
        karat_break_reservations(model, NULL, workgroup, addr, 1);
        page->bytes[addr & (KARAT_PAGE - 1)] = *from++;
        karat_lds_mark(page, addr, 1);
    }
    return KARAT_OK;
}

/* The number of the lowest page that starts at or above that address. False: none does. */
static bool first_page(const karat_model *model, const uint64_t *addr, uint64_t *page) {
    if (!model || !addr || *addr > ~(uint64_t)(KARAT_PAGE - 1))
        return false;
    *page = (*addr + KARAT_PAGE - 1) >> KARAT_PAGE_BITS;
    return true;
}

const uint8_t *karat_next_page(const karat_model *model, uint64_t *addr) {
    uint64_t page;
    const uint8_t *bytes = first_page(model, addr, &page) ? karat_memory_next(&model->memory, &page) : NULL;
    if (bytes)
        *addr = page << KARAT_PAGE_BITS;
    return bytes;
}

const uint8_t *karat_next_written_page(const karat_model *model, uint64_t *addr, uint64_t last) {
    uint64_t page;
    const uint8_t *bytes = first_page(model, addr, &page)
                               ? karat_memory_next_written(&model->memory, &page, last >> KARAT_PAGE_BITS)
                               : NULL;
    if (bytes)
        *addr = page << KARAT_PAGE_BITS;
    return bytes;
}

static void set_port(karat_model *model, karat_mem_port *port, void *context, bool shapes) {
    if (!model)
        return;
    model->port = port;
    model->port_context = context;
    model->port_shapes = shapes;
}

void karat_set_mem_port(karat_model *model, karat_mem_port *port, void *context) {
    set_port(model, port, context, false);
}

void karat_set_shape_port(karat_model *model, karat_mem_port *port, void *context) {
    set_port(model, port, context, true);
}

void karat_set_read_port(karat_model *model, karat_read_port *port, void *context) {
    if (!model)
        return;
    for (uint32_t i = 0; port != model->read_port && i < model->config.max_warp; i++)
        memset(model->warps[i].known, 0, KARAT_NUM_X + KARAT_NUM_V);
    model->read_port = port;
    model->read_context = context;
}

static karat_warp *find_warp(const karat_model *model, uint32_t warp) {
    return model && warp < model->config.max_warp ? &model->warps[warp] : NULL;
}

void karat_ask_again(karat_model *model, uint32_t handle, unsigned cls, uint32_t reg) {
    karat_warp *warp = find_warp(model, handle);
    if (warp && reg < (cls == KARAT_CLASS_X ? KARAT_NUM_X : KARAT_NUM_V))
        warp->known[(cls == KARAT_CLASS_X ? 0 : KARAT_NUM_X) + reg] = false;
}

/* A warp that was launched, live or not. */
static karat_warp *launched(const karat_model *model, uint32_t handle) {
    karat_warp *warp = find_warp(model, handle);
    return warp && warp->sgprs ? warp : NULL;
}

karat_status karat_adopt(karat_model *model, uint32_t handle, unsigned cls, unsigned reg, uint32_t mask,
                         const uint32_t value[KARAT_MAX_THREAD]) {
    karat_warp *warp = launched(model, handle);
    if (!warp || (!value && mask) || cls > KARAT_CLASS_V ||
        reg >= (cls == KARAT_CLASS_X ? KARAT_NUM_X : KARAT_NUM_V))
        return KARAT_BAD_ARGUMENT;
    if (cls == KARAT_CLASS_X) {
        if (reg && mask & 1)
            warp->x[reg] = value[0];
        return KARAT_OK;
    }
    warp->dirty_v = reg < warp->dirty_v ? warp->dirty_v : reg + 1;
    for (uint32_t i = 0; i < model->config.num_thread; i++)
        if (mask >> i & 1)
            warp->v[reg][i] = value[i];
    return KARAT_OK;
}

karat_status karat_adopt_vl(karat_model *model, uint32_t handle, uint32_t vl) {
    karat_warp *warp = launched(model, handle);
    if (!warp || vl > (warp->vtype == KARAT_VTYPE_VILL ? 0 : model->config.num_thread * warp->lmul))
        return KARAT_BAD_ARGUMENT;
    warp->vl = vl;
    karat_set_usual(warp);
    return KARAT_OK;
}

karat_status karat_csr_read(const karat_model *model, uint32_t handle, uint32_t csr, uint32_t *value) {
    const karat_warp *warp = launched(model, handle);
    return warp && value && karat_csr_get(model, warp, csr, value) ? KARAT_OK : KARAT_BAD_ARGUMENT;
}

karat_status karat_csr_write(karat_model *model, uint32_t handle, uint32_t csr, uint32_t value) {
    karat_warp *warp = launched(model, handle);
    return warp && karat_csr_set(warp, csr, value) ? KARAT_OK : KARAT_BAD_ARGUMENT;
}

karat_status karat_view(const karat_model *model, uint32_t handle, karat_warp_view *view) {
    const karat_warp *warp = find_warp(model, handle);
    if (!warp || !view)
        return KARAT_BAD_ARGUMENT;
    *view = (karat_warp_view){
        .live = warp->live,
        .waiting = warp->waiting,
        .stopped = warp->stopped,
        .workgroup = warp->workgroup,
        .pc = warp->pc,
        .mask = warp->mask,
        .initial_mask = warp->initial_mask,
        .depth = warp->depth,
        .x = warp->x,
        .v = (const uint32_t *const *)warp->v,
        .stack = warp->stack,
        .ptbr = warp->ptbr,
    };
    return KARAT_OK;
}

const char *karat_error_name(karat_error_kind kind) {
    static const char *const names[KARAT_ERR_KINDS] = {
        [KARAT_ERR_NONE] = "no error",
        [KARAT_ERR_ILLEGAL] = "illegal instruction",
        [KARAT_ERR_LEFT_OUT] = "instruction that the ISA leaves out",
        [KARAT_ERR_FETCH] = "instruction fetch from a misaligned or unmapped address",
        [KARAT_ERR_MISALIGNED] = "misaligned access",
        [KARAT_ERR_UNMAPPED] = "access to an unmapped address",
        [KARAT_ERR_PREFIX] = "prefix that does not fit the instruction behind it",
        [KARAT_ERR_REGISTER] = "register number beyond the kernel's register usage",
        [KARAT_ERR_DIVERGED_END] = "ENDPRG under divergence",
        [KARAT_ERR_DIVERGED_BARRIER] = "BARRIER under divergence",
        [KARAT_ERR_BARRIER_EXIT] =
            "a warp ended while others of its workgroup are at a barrier, or before they came to it",
        [KARAT_ERR_LDS_POOL] = "more LDS touched than the model's pool holds",
        [KARAT_ERR_PAGE] = "page fault",
        [KARAT_ERR_TWO_PREFIXES] = "a prefix before a prefix",
        [KARAT_ERR_LANES_DIFFER] = "lanes differ where one value is taken",
    };
    return (unsigned)kind < KARAT_ERR_KINDS ? names[kind] : "?";
}

const char *karat_illegal_name(karat_illegal rule) {
    static const char *const names[KARAT_ILLEGALS] = {
        [KARAT_ILLEGAL_NONE] = "no error",
        [KARAT_ILLEGAL_WORD] = "no instruction of this profile has this word",
        [KARAT_ILLEGAL_VILL] = "vill is set in vtype",
        [KARAT_ILLEGAL_ROUNDING] = "reserved rounding mode",
        [KARAT_ILLEGAL_WIDTH] = "it has no form for elements of SEW bits",
        [KARAT_ILLEGAL_ODD_PAIR] = "a pair starts at an even register",
        [KARAT_ILLEGAL_PAIR_GROUP] = "LMUL 2 leaves no second register for a lane's further words",
        [KARAT_ILLEGAL_ODD_GROUP] = "LMUL 2 needs even vector registers",
        [KARAT_ILLEGAL_ODD_BASE] = "a 64-bit address starts at an even register",
        [KARAT_ILLEGAL_CSR] = "no such CSR",
        [KARAT_ILLEGAL_CSR_WRITE] = "this CSR cannot be written",
        [KARAT_ILLEGAL_VSTART] = "only 0 can be written to vstart",
        [KARAT_ILLEGAL_THREADS] = "warps have too few threads for it",
        [KARAT_ILLEGAL_LANES] = "it needs all lanes active",
        [KARAT_ILLEGAL_LMUL] = "it needs LMUL 1",
    };
    return (unsigned)rule < KARAT_ILLEGALS ? names[rule] : "?";
}

const char *karat_fault_name(karat_fault_reason reason) {
    static const char *const names[KARAT_FAULT_REASONS] = {
        [KARAT_FAULT_NONE] = "no fault",
        [KARAT_FAULT_NOT_CANONICAL] = "address is not canonical",
        [KARAT_FAULT_NO_TABLE] = "entry outside mapped memory",
        [KARAT_FAULT_INVALID] = "entry is not valid",
        [KARAT_FAULT_RESERVED] = "reserved bit set in the entry",
        [KARAT_FAULT_NO_LEAF] = "no leaf entry",
        [KARAT_FAULT_MISALIGNED_SUPERPAGE] = "misaligned superpage",
        [KARAT_FAULT_NOT_READABLE] = "page is not readable",
        [KARAT_FAULT_NOT_WRITABLE] = "page is not writable",
        [KARAT_FAULT_NOT_EXECUTABLE] = "page is not executable",
        [KARAT_FAULT_NOT_ACCESSED] = "A is clear",
        [KARAT_FAULT_NOT_DIRTY] = "D is clear",
    };
    return (unsigned)reason < KARAT_FAULT_REASONS ? names[reason] : "?";
}

karat_status karat_translate(const karat_model *model, uint64_t ptbr, uint64_t virt, karat_page_use use,
                             uint64_t *phys, karat_page_fault *fault) {
    karat_page_fault ignored;
    const uint8_t *entries[LEVELS];
    if (!model || !phys || ptbr & (KARAT_PAGE - 1) || (unsigned)use > KARAT_USE_STORE)
        return KARAT_BAD_ARGUMENT;
    return karat_sv39_walk(&model->memory, ptbr, virt, use, phys, fault ? fault : &ignored, entries) ==
                   KARAT_FAULT_NONE
               ? KARAT_OK
               : KARAT_NOT_MAPPED;
}

karat_status karat_private_address(const karat_model *model, uint32_t warp, uint32_t lane, uint64_t addr,
                                   uint64_t *virt) {
    if (!model || !virt || warp >= model->config.max_warp || lane >= model->config.num_thread)
        return KARAT_BAD_ARGUMENT;
    *virt = karat_interleave(&model->warps[warp], addr, lane);
    return KARAT_OK;
}

uint8_t *karat_warp_page(const karat_model *model, const karat_warp *warp, uint64_t virt, karat_page_use use,
                         uint64_t *phys, karat_page_fault *fault) {
    if (model->config.translation == KARAT_TRANSLATION_SV39 && !karat_in_lds(&model->lds, virt))
        return karat_sv39_page(&model->memory, model->translations, warp->ptbr, virt, use, phys, fault);
    *phys = virt;
    fault->reason = KARAT_FAULT_NONE;
    return karat_page(&model->memory, virt);
}

const char *karat_deviation_name(unsigned bit) {
    static const char *const names[KARAT_NUM_DEVIATION] = {"vadd12-signed",
                                                           "simt-order",
                                                           "machine-csrs",
                                                           "third-operand-apart",
                                                           "compare-immediate-signed",
                                                           "usage-too-small",
                                                           "ended-warps-arrive",
                                                           "prefix-last-wins",
                                                           "packed-fma-twice",
                                                           "bf16-nan-kept",
                                                           "diverged-warps-arrive"};
    _Static_assert(KARAT_DEV_VADD12_SIGNED == 1 << 0 && KARAT_DEV_SIMT_ORDER == 1 << 1 &&
                       KARAT_DEV_MACHINE_CSRS == 1 << 2 && KARAT_DEV_THIRD_OPERAND_APART == 1 << 3 &&
                       KARAT_DEV_COMPARE_IMMEDIATE_SIGNED == 1 << 4 && KARAT_DEV_USAGE_TOO_SMALL == 1 << 5 &&
                       KARAT_DEV_ENDED_WARPS_ARRIVE == 1 << 6 && KARAT_DEV_PREFIX_LAST_WINS == 1 << 7 &&
                       KARAT_DEV_PACKED_FMA_TWICE == 1 << 8 && KARAT_DEV_BF16_NAN_KEPT == 1 << 9 &&
                       KARAT_DEV_DIVERGED_WARPS_ARRIVE == 1 << 10,
                   "names go by bit");
    return bit < KARAT_NUM_DEVIATION ? names[bit] : NULL;
}

const char *karat_warning_name(unsigned bit) {
    static const char *const names[KARAT_NUM_WARNING] = {"lanes-differ", "lds-unwritten", "skipped-prefix",
                                                         "lds-beyond", "pds-beyond"};
    _Static_assert(KARAT_WARN_LANES_DIFFER == 1 << 0 && KARAT_WARN_LDS_UNWRITTEN == 1 << 1 &&
                       KARAT_WARN_SKIPPED_PREFIX == 1 << 2 && KARAT_WARN_LDS_BEYOND == 1 << 3 &&
                       KARAT_WARN_PDS_BEYOND == 1 << 4,
                   "names go by bit");
    return bit < KARAT_NUM_WARNING ? names[bit] : NULL;
}
