/* Loads and stores.  Every access of an instruction is checked for alignment and mapping before the first is
 * performed, so a program error changes nothing. */
#include "exec.h"

#include <string.h>

static void fail(karat_exec *e, karat_error_kind kind, uint32_t lane, uint64_t addr) {
    e->error = kind;
    e->commit->error.lane = (int32_t)lane;
    e->commit->error.addr = addr;
}

/* The step has cleared all but the accesses themselves. */
static karat_mem *begin(karat_exec *e, karat_mem_op op) {
    karat_mem *mem = &e->commit->mem;
    e->commit->has_mem = true;
    mem->op = (uint8_t)op;
    mem->space = KARAT_GLOBAL;
    mem->words = 1;
    mem->hint = e->insn->prefixed.hint;
    return mem;
}

/* Where the page of an access is in memory, which in the LDS window is its own address; false after a program
 * error. */
static bool find_frame(karat_exec *e, uint64_t virt, uint32_t lane, uint64_t *frame) {
    const karat_page_use use = e->commit->mem.op == KARAT_LOAD ? KARAT_USE_LOAD : KARAT_USE_STORE;
    karat_page_fault fault;
    const bool found =
        karat_warp_page(e->model, e->warp, virt, use, frame, &fault) || karat_in_lds(&e->model->lds, virt);
    *frame &= ~(uint64_t)(KARAT_PAGE - 1);
    if (!found)
        fail(e, fault.reason ? KARAT_ERR_PAGE : KARAT_ERR_UNMAPPED, lane, virt);
    if (!found && fault.reason)
        e->commit->fault = fault;
    return found;
}

/* Enter the active elements' accesses into the commit, checked.  Returns false after a program error. */
static bool enter(karat_exec *e, karat_mem_op op, unsigned bytes, const uint32_t *addr, const uint32_t *data,
                  uint64_t active, karat_mem_space space) {
    karat_model *model = e->model;
    karat_mem *mem = &e->commit->mem;
    const uint32_t num_thread = model->config.num_thread;
    const uint32_t value_mask = bytes == 4 ? 0xffffffffu : (1u << bytes * 8) - 1;
    const uint32_t lds_base = model->lds.base, lds_size = model->lds.size;
    const bool translates = model->config.translation != KARAT_TRANSLATION_NONE;
    uint32_t page = 1; /* Not page-aligned: matches no address */
    uint64_t frame = 0;
    uint32_t num = 0;
    begin(e, op)->space = (uint8_t)space;
    for (uint32_t i = 0; i < e->n; i++) {
        if (!(active >> i & 1))
            continue;
        uint32_t a = addr[i], lane = i < num_thread ? i : i - num_thread;
        if (a & (bytes - 1)) {
            fail(e, KARAT_ERR_MISALIGNED, lane, a);
            return false;
        }
        if ((a & ~(KARAT_PAGE - 1)) != page) {
            page = a & ~(KARAT_PAGE - 1);
            if (!find_frame(e, a, lane, &frame))
                return false;
        }
        if (translates)
            mem->virt[num] = a;
        mem->access[num++] = (karat_access){
            frame | (a & (KARAT_PAGE - 1)), data ? data[i] & value_mask : 0, 0, (uint8_t)lane, (uint8_t)bytes,
            (uint8_t)(i >= num_thread)};
    }
    if (space == KARAT_GLOBAL && num && mem->access[0].addr - lds_base < lds_size)
        mem->space = KARAT_LDS;
    mem->num = num;
    return true;
}

static uint32_t extend(uint32_t value, unsigned bytes, bool is_signed) {
    uint32_t sign = 1u << (bytes * 8 - 1);
    return is_signed ? (value ^ sign) - sign : value;
}

/* ---- Accesses of a scalar, aligned and in device memory ---- */

/* The page of device memory at that address, and its physical address; NULL where the access is to be checked
 * as others are. */
static inline uint8_t *device_page(const karat_exec *e, karat_mem_op op, uint32_t addr, uint64_t *phys) {
    *phys = addr;
    if (e->model->config.translation == KARAT_TRANSLATION_NONE)
        return karat_page_for(&e->model->memory, addr, op == KARAT_STORE);
    karat_page_fault ignored;
    return karat_warp_page(e->model, e->warp, addr, op == KARAT_LOAD ? KARAT_USE_LOAD : KARAT_USE_STORE, phys,
                           &ignored);
}

static inline uint8_t *scalar_page(const karat_exec *e, karat_mem_op op, unsigned bytes, uint32_t addr,
                                   uint64_t *phys) {
    if (addr & (bytes - 1) || addr - e->model->lds.base < e->model->lds.size)
        return NULL;
    return device_page(e, op, addr, phys);
}

static inline void enter_scalar(karat_exec *e, karat_mem_op op, unsigned bytes, uint32_t addr, uint64_t phys,
                                uint32_t value, uint32_t old) {
    karat_mem *mem = begin(e, op);
    mem->num = 1;
    mem->access[0] = (karat_access){phys, value, old, 0, (uint8_t)bytes, 0};
    if (e->model->config.translation != KARAT_TRANSLATION_NONE)
        mem->virt[0] = addr;
}

/* ---- Accesses of a shape in one page, one of each active lane: one check and one move ---- */

/* A page of either memory. */
typedef struct page {
    uint8_t *bytes;      /* NULL: there is none */
    karat_lds_page *lds; /* The page of LDS */
    bool whole;          /* Each lane accesses a word there, one after the other */
} page;

/* That page, and where the address is in it. */
static inline page find_page(karat_exec *e, karat_mem_op op, uint32_t addr, uint64_t *phys) {
    const karat_lds *lds = &e->model->lds;
    page found = {0};
    if (addr - lds->base >= lds->size) {
        found.bytes = device_page(e, op, addr, phys);
        return found;
    }
    *phys = addr;
    found.lds = op == KARAT_STORE ? karat_lds_take(&e->model->lds, e->warp->workgroup, addr)
                                  : karat_lds_find(lds, e->warp->workgroup, addr);
    found.bytes = found.lds ? found.lds->bytes : NULL;
    return found;
}

/* The addresses of the elements: of element i, base + offset[i], or without these base + i * stride. */
typedef struct places {
    uint32_t base, stride;
    const uint32_t *offset;
} places;

static inline void put_addresses(const karat_exec *e, places p, uint32_t *addr) {
    for (uint32_t i = 0; i < e->n; i++)
        addr[i] = p.base + (p.offset ? p.offset[i] : i * p.stride);
}

/* Whether the offsets lie at that distance of each other. */
static inline bool is_shaped(const uint32_t *offset, uint32_t stride, uint32_t num_thread) {
    uint32_t differ = 0;
#define DIFFER(n)                                                                                            \
    for (uint32_t i = 0, expected = offset[0]; i < (n); i++, expected += stride)                             \
    differ |= offset[i] ^ expected
    KARAT_AT_NUM_THREAD(num_thread, DIFFER)
#undef DIFFER
    return !differ;
}

/* The addresses before translation, of a shape whose other fields are filled in. */
static void put_virtual(karat_mem *mem, uint32_t first, uint32_t num_thread) {
    const int64_t stride = mem->stride;
    for (uint32_t i = 0; mem->num == num_thread && i < num_thread; i++)
        mem->virt[i] = first + (uint64_t)(i * stride);
    uint64_t *virt = mem->virt;
    for (uint32_t left = mem->num == num_thread ? 0 : mem->lanes; left; left &= left - 1)
        *virt++ = first + (uint64_t)(__builtin_ctz(left) * stride);
}

/* Fill in the shape of addresses that lie at a constant distance, those of inactive lanes as well, and all in
 * one page, aligned: that page. The commit's memory side is begun where there is one only. */
static inline __attribute__((always_inline)) page shaped_page(karat_exec *e, karat_mem_op op, unsigned bytes,
                                                              places p, karat_mem_space space) {
    const uint64_t active = e->active;
    page found = {0};
    if (!active || e->n != e->stride)
        return found;
    const uint32_t *offset = p.offset, first = p.base + (offset ? offset[0] : 0);
    const uint32_t stride = e->n == 1 ? bytes : offset ? offset[1] - offset[0] : p.stride;
    const int64_t last = first + (int64_t)(int32_t)stride * (e->n - 1);
    if ((first | stride) & (bytes - 1) || (uint64_t)last >> KARAT_PAGE_BITS != first >> KARAT_PAGE_BITS)
        return found;
    if (offset && (p.base + offset[e->n - 1] != (uint32_t)last || !is_shaped(offset, stride, e->n)))
        return found;
    uint64_t phys;
    found = find_page(e, op, first, &phys);
    if (!found.bytes)
        return found;
    karat_mem *mem = begin(e, op);
    mem->space = (uint8_t)(found.lds && space == KARAT_GLOBAL ? KARAT_LDS : space);
    mem->shape = stride == bytes ? KARAT_SHAPE_UNIT : stride == 0 ? KARAT_SHAPE_SAME : KARAT_SHAPE_STRIDED;
    mem->bytes = (uint8_t)bytes;
    mem->lanes = (uint32_t)active;
    mem->num = active == e->model->lanes ? e->n : (uint32_t)__builtin_popcountll(active);
    mem->stride = (int32_t)stride;
    mem->base = phys;
    if (e->model->config.translation != KARAT_TRANSLATION_NONE)
        put_virtual(mem, first, e->n);
    found.whole = stride == 4 && bytes == 4 && mem->num == e->n;
    return found;
}

static bool is_lds_written(const karat_mem *mem, page from) {
    if (from.whole)
        return karat_lds_are_written(from.lds, mem->base, mem->num);
    bool written = true;
    for (uint32_t left = mem->lanes; left; left &= left - 1)
        written &= karat_lds_is_written(from.lds, karat_mem_lane_addr(mem, (uint32_t)__builtin_ctz(left)),
                                        mem->bytes);
    return written;
}

static void mark_lds(const karat_mem *mem, page in) {
    if (in.whole) {
        karat_lds_mark_words(in.lds, mem->base, mem->num);
        return;
    }
    for (uint32_t left = mem->lanes; left; left &= left - 1)
        karat_lds_mark(in.lds, karat_mem_lane_addr(mem, (uint32_t)__builtin_ctz(left)), mem->bytes);
}

/* All lanes are read; those that are not active have an address in that page as well, and nobody looks at
 * their values. */
static inline __attribute__((always_inline)) void
load_lanes(karat_exec *e, const uint8_t *page, unsigned bytes, bool is_signed, uint32_t num_thread) {
    karat_mem *mem = &e->commit->mem;
    const uint8_t *from = page + (mem->base & (KARAT_PAGE - 1));
    uint32_t *restrict value = mem->lane_value, *restrict r = e->r;
    const ptrdiff_t stride = mem->stride;
    if (mem->shape == KARAT_SHAPE_SAME) {
        const uint32_t held = karat_get(from, bytes);
        for (uint32_t i = 0; i < num_thread; i++) {
            value[i] = held;
            r[i] = extend(held, bytes, is_signed);
        }
    } else if (mem->shape == KARAT_SHAPE_UNIT && bytes == 4) {
        karat_get_words(value, from, num_thread);
        karat_get_words(r, from, num_thread);
    } else {
        for (uint32_t i = 0; i < num_thread; i++) {
            value[i] = karat_get(from + i * stride, bytes);
            r[i] = extend(value[i], bytes, is_signed);
        }
    }
}

static void load_shaped(karat_exec *e, page from, unsigned bytes, bool is_signed) {
    e->commit->mem.sign_extends = is_signed && bytes < 4;
    if (from.lds && !is_lds_written(&e->commit->mem, from))
        e->commit->warnings |= KARAT_WARN_LDS_UNWRITTEN;
#define LOAD_LANES(n)                                                                                        \
    bytes == 4 ? load_lanes(e, from.bytes, 4, false, n) : load_lanes(e, from.bytes, bytes, is_signed, n)
    KARAT_AT_NUM_THREAD(e->n, LOAD_LANES)
#undef LOAD_LANES
}

/* Stores by shape: the bytes from the lowest lane's to the highest one's, at least. */
static inline void note_stores(const karat_exec *e) {
    const karat_mem *mem = &e->commit->mem;
    const int32_t span = mem->stride * (int32_t)(e->n - 1);
    karat_stored(e->model, span < 0 ? mem->base - (uint32_t)-span : mem->base,
                 (span < 0 ? (uint32_t)-span : (uint32_t)span) + mem->bytes);
}

static void store_shaped(karat_exec *e, page in, unsigned bytes, const uint32_t *data) {
    karat_mem *mem = &e->commit->mem;
    uint8_t *to = in.bytes + (mem->base & (KARAT_PAGE - 1));
    if (in.lds)
        mark_lds(mem, in);
    else
        note_stores(e);
    if (in.whole) {
#define STORE_LANES(n)                                                                                       \
    karat_get_words(mem->lane_old, to, n);                                                                   \
    karat_put_words(to, data, n);                                                                            \
    memcpy(mem->lane_value, data, (n) * sizeof *data)
        KARAT_AT_NUM_THREAD(e->n, STORE_LANES)
#undef STORE_LANES
        return;
    }
    const uint32_t value_mask = bytes == 4 ? 0xffffffffu : (1u << bytes * 8) - 1;
    for (uint32_t left = mem->lanes; left; left &= left - 1) { /* In order: the last one stays */
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        uint8_t *at = to + (ptrdiff_t)i * mem->stride;
        mem->lane_old[i] = karat_get(at, bytes);
        mem->lane_value[i] = data[i] & value_mask;
        karat_put(at, data[i], bytes);
    }
}

static karat_access shaped_access(const karat_mem *mem, uint32_t lane) {
    return (karat_access){karat_mem_lane_addr(mem, lane),
                          mem->lane_value[lane],
                          mem->op == KARAT_STORE ? mem->lane_old[lane] : 0,
                          (uint8_t)lane,
                          mem->bytes,
                          0};
}

karat_access karat_mem_access(const karat_mem *mem, uint32_t index) {
    if (!mem || index >= mem->num || mem->num > KARAT_MAX_ACCESS)
        return (karat_access){0};
    if (mem->shape == KARAT_SHAPE_EACH)
        return mem->access[index];
    uint32_t lanes = mem->lanes;
    if (!(lanes & (lanes + 1)))
        return shaped_access(mem, index); /* No lane is left out */
    while (index--)
        lanes &= lanes - 1;
    return shaped_access(mem, (uint32_t)__builtin_ctz(lanes));
}

void karat_mem_spread(karat_mem *mem) {
    if (!mem || mem->shape == KARAT_SHAPE_EACH)
        return;
    karat_access *access = mem->access;
    for (uint32_t left = mem->lanes; left; left &= left - 1)
        *access++ = shaped_access(mem, (uint32_t)__builtin_ctz(left));
    mem->shape = KARAT_SHAPE_EACH;
}

/* ---- Accesses that all lie in one page of device memory, or each in a page of it ---- */

/* That page, where all active elements are aligned as well; NULL where they are to be checked one by one. */
static uint8_t *common_page(const karat_exec *e, karat_mem_op op, unsigned bytes, const uint32_t *addr,
                            uint64_t active) {
    if (!active || e->model->config.translation != KARAT_TRANSLATION_NONE)
        return NULL;
    const uint32_t first = addr[__builtin_ctzll(active)];
    uint32_t differ = first & (bytes - 1); /* Bits that are not alike, and those that misalign */
    if (active == ~UINT64_C(0) >> (64 - e->n)) {
#define DIFFER(n)                                                                                            \
    for (uint32_t i = 0; i < (n); i++)                                                                       \
    differ |= addr[i] ^ first
        KARAT_AT_NUM_THREAD(e->n, DIFFER)
#undef DIFFER
    } else {
        for (uint64_t left = active; left; left &= left - 1)
            differ |= addr[__builtin_ctzll(left)] ^ first;
    }
    if (differ & ~(KARAT_PAGE - bytes) || first - e->model->lds.base < e->model->lds.size)
        return NULL;
    return karat_page_for(&e->model->memory, first, op == KARAT_STORE);
}

/* Move an element between the page and the registers; its access but for the tail. Without a page, nothing is
 * moved: the load's value is the memory port's. */
static inline __attribute__((always_inline)) void move_one(karat_exec *e, karat_access *restrict access,
                                                           uint8_t *restrict page, unsigned bytes,
                                                           bool is_signed, const uint32_t *addr,
                                                           const uint32_t *data, uint32_t i) {
    const uint32_t offset = addr[i] & (KARAT_PAGE - 1), held = page ? karat_get(page + offset, bytes) : 0;
    access->addr = addr[i];
    access->value = held;
    access->old = 0;
    if (data) {
        access->value = bytes == 4 ? data[i] : data[i] & ((1u << bytes * 8) - 1);
        access->old = held;
        karat_put(page + offset, access->value, bytes);
        karat_stored(e->model, addr[i], bytes);
    } else if (page) {
        e->r[i] = extend(held, bytes, is_signed);
    }
}

/* All lanes, one element each. */
static inline __attribute__((always_inline)) void move_lanes(karat_exec *e, uint8_t *page, unsigned bytes,
                                                             bool is_signed, const uint32_t *addr,
                                                             const uint32_t *data, uint32_t num_thread) {
    /* The rest of each lane's access, by bytes / 2. */
    enum { REST = offsetof(karat_access, lane) };
#define LANE(i, b)                                                                                           \
    { .lane = (i), .bytes = (b) }
#define LANES4(i, b) LANE(i, b), LANE(i + 1, b), LANE(i + 2, b), LANE(i + 3, b)
#define LANES(b)                                                                                             \
    {                                                                                                        \
        LANES4(0, b), LANES4(4, b), LANES4(8, b), LANES4(12, b), LANES4(16, b), LANES4(20, b),               \
            LANES4(24, b), LANES4(28, b)                                                                     \
    }
    static const karat_access lanes[3][KARAT_MAX_THREAD] = {LANES(1), LANES(2), LANES(4)};
#undef LANE
#undef LANES4
#undef LANES
    karat_access *access = e->commit->mem.access;
    const uint32_t step = num_thread % 4 ? 1 : 4; /* Unrolled */
    for (uint32_t first = 0; first < num_thread; first += step)
        for (uint32_t i = first; i < first + step; i++) {
            memcpy((char *)&access[i] + REST, (const char *)&lanes[bytes / 2][i] + REST,
                   sizeof *access - REST);
            move_one(e, &access[i], page, bytes, is_signed, addr, data, i);
        }
    e->commit->mem.num = num_thread;
}

/* Some lanes, or two elements a lane: in that page, or each in its own of pages. */
static inline __attribute__((always_inline)) void move_each(karat_exec *e, uint8_t *page,
                                                            uint8_t *const *pages, unsigned bytes,
                                                            bool is_signed, const uint32_t *addr,
                                                            const uint32_t *data, uint64_t active) {
    karat_access *access = e->commit->mem.access;
    for (; active; active &= active - 1, access++) {
        const uint32_t i = (uint32_t)__builtin_ctzll(active);
        move_one(e, access, pages ? pages[i] : page, bytes, is_signed, addr, data, i);
        access->lane = (uint8_t)(i < e->stride ? i : i - e->stride);
        access->bytes = (uint8_t)bytes;
        access->reg = i >= e->stride;
    }
    e->commit->mem.num = (uint32_t)(access - e->commit->mem.access);
}

static inline __attribute__((always_inline)) void move_all(karat_exec *e, uint8_t *page, unsigned bytes,
                                                           bool is_signed, const uint32_t *addr,
                                                           const uint32_t *data, uint64_t active) {
    if (e->n == e->stride && active == ~UINT64_C(0) >> (64 - e->n)) {
#define MOVE(num_thread) move_lanes(e, page, bytes, is_signed, addr, data, num_thread)
        KARAT_AT_NUM_THREAD(e->n, MOVE)
#undef MOVE
        return;
    }
    move_each(e, page, NULL, bytes, is_signed, addr, data, active);
}

static uint32_t lds_load(karat_exec *e, uint64_t addr, unsigned bytes) {
    karat_lds_page *page = karat_lds_find(&e->model->lds, e->warp->workgroup, addr);
    if (!page || !karat_lds_is_written(page, addr, bytes))
        e->commit->warnings |= KARAT_WARN_LDS_UNWRITTEN;
    return page ? karat_get(page->bytes + (addr & (KARAT_PAGE - 1)), bytes) : 0;
}

/* Fill in the values of entered loads, from the caller's port or from the model's own memory. */
static void perform_loads(karat_exec *e) {
    karat_mem *mem = &e->commit->mem;
    karat_model *model = e->model;
    if (model->port) {
        model->port(model->port_context, e->warp_handle, mem);
        return;
    }
    const uint8_t *bytes = NULL;
    uint64_t page = 1;
    for (uint32_t k = 0; k < mem->num; k++) {
        karat_access *a = &mem->access[k];
        if (a->addr - model->lds.base < model->lds.size) {
            a->value = lds_load(e, a->addr, a->bytes);
            continue;
        }
        if ((a->addr & ~(uint64_t)(KARAT_PAGE - 1)) != page) {
            page = a->addr & ~(uint64_t)(KARAT_PAGE - 1);
            bytes = karat_page(&model->memory, page);
        }
        a->value = karat_get(bytes + (a->addr & (KARAT_PAGE - 1)), a->bytes);
    }
}

static void perform_stores(karat_exec *e) {
    karat_mem *mem = &e->commit->mem;
    karat_model *model = e->model;
    /* Take every LDS page first: an empty pool must leave memory, and the pool, unchanged. */
    const uint32_t first_page = model->lds.first[e->warp->workgroup];
    for (uint32_t k = 0; k < mem->num; k++) {
        karat_access *a = &mem->access[k];
        if (karat_in_lds(&model->lds, a->addr) && !karat_lds_take(&model->lds, e->warp->workgroup, a->addr)) {
            karat_lds_give_back(&model->lds, e->warp->workgroup, first_page);
            fail(e, KARAT_ERR_LDS_POOL, a->lane, a->addr);
            return;
        }
    }
    if (model->num_reserved)
        for (uint32_t k = 0; k < mem->num; k++)
            karat_break_reservations(model, e->warp, e->warp->workgroup, mem->access[k].addr,
                                     mem->access[k].bytes);
    uint8_t *bytes = NULL;
    uint64_t page = 1;
    for (uint32_t k = 0; k < mem->num; k++) {
        karat_access *a = &mem->access[k];
        unsigned offset = a->addr & (KARAT_PAGE - 1);
        if (karat_in_lds(&model->lds, a->addr)) {
            karat_lds_page *lds = karat_lds_find(&model->lds, e->warp->workgroup, a->addr);
            a->old = karat_get(lds->bytes + offset, a->bytes);
            karat_put(lds->bytes + offset, a->value, a->bytes);
            karat_lds_mark(lds, a->addr, a->bytes);
            continue;
        }
        if ((a->addr & ~(uint64_t)(KARAT_PAGE - 1)) != page) {
            page = a->addr & ~(uint64_t)(KARAT_PAGE - 1);
            bytes = karat_page_for(&model->memory, page, true);
        }
        a->old = karat_get(bytes + offset, a->bytes);
        karat_put(bytes + offset, a->value, a->bytes);
        karat_stored(model, a->addr, a->bytes);
    }
}

/* Perform the entered loads and extend their values into the results. */
static void finish_loads(karat_exec *e, unsigned bytes, bool is_signed) {
    const karat_mem *mem = &e->commit->mem;
    uint32_t num_thread = e->model->config.num_thread;
    e->commit->mem.sign_extends = is_signed && bytes < 4;
    perform_loads(e);
    if (mem->shape != KARAT_SHAPE_EACH) { /* Only of a port that takes shapes */
        for (uint32_t left = mem->lanes; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            e->r[lane] = extend(mem->lane_value[lane], bytes, is_signed);
        }
        return;
    }
    for (uint32_t k = 0; k < mem->num; k++) {
        const karat_access *a = &mem->access[k];
        e->r[a->lane + a->reg * num_thread] = extend(a->value, bytes, is_signed);
    }
}

/* The page of device memory of each active element. False where there is one whose access fails or is to LDS,
 * of which no page is mapped. */
static inline bool find_pages(const karat_exec *e, karat_mem_op op, unsigned bytes, const uint32_t *addr,
                              uint64_t active, uint8_t **pages) {
    uint32_t all = 0;
    if (e->model->config.translation != KARAT_TRANSLATION_NONE)
        return false;
    for (uint64_t left = active; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        all |= addr[i];
        pages[i] = karat_page_for(&e->model->memory, addr[i], op == KARAT_STORE);
        if (!pages[i])
            return false;
    }
    return !(all & (bytes - 1));
}

/* Accesses that do not lie in one page. */
static void load_apart(karat_exec *e, unsigned bytes, bool is_signed, const uint32_t *addr, uint64_t active,
                       karat_mem_space space) {
    uint8_t *pages[KARAT_MAX_ELEMENT];
    if (e->model->port || !find_pages(e, KARAT_LOAD, bytes, addr, active, pages)) {
        if (enter(e, KARAT_LOAD, bytes, addr, NULL, active, space))
            finish_loads(e, bytes, is_signed);
        return;
    }
    karat_mem *mem = begin(e, KARAT_LOAD);
    mem->space = (uint8_t)space;
    mem->sign_extends = is_signed && bytes < 4;
    if (bytes == 4)
        move_each(e, NULL, pages, 4, false, addr, NULL, active);
    else
        move_each(e, NULL, pages, bytes, is_signed, addr, NULL, active);
}

static void store_apart(karat_exec *e, unsigned bytes, const uint32_t *addr, const uint32_t *data,
                        uint64_t active, karat_mem_space space) {
    uint8_t *pages[KARAT_MAX_ELEMENT];
    if (e->model->num_reserved || !find_pages(e, KARAT_STORE, bytes, addr, active, pages)) {
        if (enter(e, KARAT_STORE, bytes, addr, data, active, space))
            perform_stores(e);
        return;
    }
    begin(e, KARAT_STORE)->space = (uint8_t)space;
    if (bytes == 4)
        move_each(e, NULL, pages, 4, false, addr, data, active);
    else
        move_each(e, NULL, pages, bytes, false, addr, data, active);
}

/* Accesses without a shape, and a scalar's. */
static void load_unshaped(karat_exec *e, unsigned bytes, bool is_signed, const uint32_t *addr,
                          uint64_t active, karat_mem_space space) {
    uint8_t *page = common_page(e, KARAT_LOAD, bytes, addr, active);
    if (!page) {
        load_apart(e, bytes, is_signed, addr, active, space);
        return;
    }
    karat_mem *mem = begin(e, KARAT_LOAD);
    mem->space = (uint8_t)space;
    mem->sign_extends = is_signed && bytes < 4;
    if (e->model->port) {
        move_all(e, NULL, bytes, false, addr, NULL, active);
        finish_loads(e, bytes, is_signed);
    } else if (bytes == 4) {
        move_all(e, page, 4, false, addr, NULL, active);
    } else {
        move_all(e, page, bytes, is_signed, addr, NULL, active);
    }
}

static void store_unshaped(karat_exec *e, unsigned bytes, const uint32_t *addr, const uint32_t *data,
                           uint64_t active, karat_mem_space space) {
    uint8_t *page = e->model->num_reserved ? NULL : common_page(e, KARAT_STORE, bytes, addr, active);
    if (!page) {
        store_apart(e, bytes, addr, data, active, space);
        return;
    }
    begin(e, KARAT_STORE)->space = (uint8_t)space;
    if (bytes == 4)
        move_all(e, page, 4, false, addr, data, active);
    else
        move_all(e, page, bytes, false, addr, data, active);
}

static __attribute__((noinline)) void load(karat_exec *e, unsigned bytes, bool is_signed, places p,
                                           karat_mem_space space) {
    /* Most memory ports take them lane by lane. */
    const bool each = e->model->port && !e->model->port_shapes;
    const page from = each ? (page){0} : shaped_page(e, KARAT_LOAD, bytes, p, space);
    if (from.bytes) {
        if (e->model->port)
            finish_loads(e, bytes, is_signed);
        else
            load_shaped(e, from, bytes, is_signed);
        return;
    }
    uint32_t addr[KARAT_MAX_ELEMENT];
    put_addresses(e, p, addr);
    load_unshaped(e, bytes, is_signed, addr, e->active, space);
}

static __attribute__((noinline)) void store(karat_exec *e, unsigned bytes, places p, const uint32_t *data,
                                            karat_mem_space space) {
    const page in = e->model->num_reserved ? (page){0} : shaped_page(e, KARAT_STORE, bytes, p, space);
    if (in.bytes) {
        store_shaped(e, in, bytes, data);
        return;
    }
    uint32_t addr[KARAT_MAX_ELEMENT];
    put_addresses(e, p, addr);
    store_unshaped(e, bytes, addr, data, e->active, space);
}

static inline void load_scalar(karat_exec *e, unsigned bytes, bool is_signed) {
    const uint32_t addr = (uint32_t)e->x1 + (uint32_t)e->insn->imm[0];
    uint64_t phys;
    const uint8_t *page = e->model->port ? NULL : scalar_page(e, KARAT_LOAD, bytes, addr, &phys);
    if (!page) {
        load_unshaped(e, bytes, is_signed, &addr, 1, KARAT_GLOBAL);
        return;
    }
    const uint32_t held = karat_get(page + (addr & (KARAT_PAGE - 1)), bytes);
    enter_scalar(e, KARAT_LOAD, bytes, addr, phys, held, 0);
    e->commit->mem.sign_extends = is_signed && bytes < 4;
    e->r[0] = extend(held, bytes, is_signed);
}

static inline void store_scalar(karat_exec *e, unsigned bytes) {
    const uint32_t addr = (uint32_t)e->x1 + (uint32_t)e->insn->imm[0], data = (uint32_t)e->x2;
    uint64_t phys;
    uint8_t *page = e->model->num_reserved ? NULL : scalar_page(e, KARAT_STORE, bytes, addr, &phys);
    if (!page) {
        store_unshaped(e, bytes, &addr, &data, 1, KARAT_GLOBAL);
        return;
    }
    uint8_t *at = page + (addr & (KARAT_PAGE - 1));
    enter_scalar(e, KARAT_STORE, bytes, addr, phys, bytes == 4 ? data : data & ((1u << bytes * 8) - 1),
                 karat_get(at, bytes));
    karat_put(at, data, bytes);
    karat_stored(e->model, phys, bytes);
}

/* How each addressing form finds the address of element i. */
typedef enum form {
    FORM_SCALAR,  /* rs1 + imm, once a warp, as lane 0 */
    FORM_ATOMIC,  /* rs1, once a warp, as lane 0 */
    FORM_LANE,    /* Each lane's vs1 + imm (section 4.2.6) */
    FORM_PRIVATE, /* Interleaved private memory (section 4.2.7; decisions, "Memory") */
    FORM_UNIT,    /* rs1 + i * EEW / 8 */
    FORM_STRIDED, /* rs1 + i * rs2 */
    FORM_INDEXED  /* rs1 + the low EEW bits of vs2 */
} form;

static uint64_t interleave(const karat_exec *e, uint64_t a, uint32_t lane) {
    return karat_interleave(e->warp, a, lane);
}

/* Where the elements of a vector access are. eew: bytes of an element (FORM_UNIT), or of an index
 * (FORM_INDEXED). room: for offsets that are no operand's. */
static inline places find_places(const karat_exec *e, form f, uint32_t eew, uint32_t *room) {
    const uint32_t n = e->n, base = (uint32_t)e->x1, imm = (uint32_t)e->insn->imm[0];
    switch (f) {
    case FORM_LANE: return (places){.base = imm, .offset = e->v1};
    case FORM_PRIVATE:
        for (uint32_t i = 0; i < n; i++)
            room[i] = (uint32_t)interleave(e, e->v1[i] + imm, i);
        return (places){.offset = room};
    case FORM_STRIDED: return (places){.base = base, .stride = (uint32_t)e->x2};
    case FORM_INDEXED:
        if (eew == 4)
            return (places){.base = base, .offset = e->v2};
        for (uint32_t i = 0; i < n; i++)
            room[i] = e->v2[i] & ((1u << 8 * eew) - 1);
        return (places){.base = base, .offset = room};
    default: return (places){.base = base, .stride = eew}; /* FORM_UNIT */
    }
}

/* The data of a store: element i, or the scalar. */
static const uint32_t *stored(const karat_exec *e, int source) {
    return source == 2 ? e->v2 : e->v3;
}

/* ---- Accesses of several words, at 64-bit addresses, or in another space ----
 *
 * Sections 4.2.3; v2.03, "memory access prefixes".
 *
 * After REGPAIR an even base register r makes the address {r + 1, r}, an odd one is a 32-bit address, and an
 * even data register of a 32-bit access moves two words, the low one in r. In v2.03 the row or PRE_M_* say
 * how wide the address is, whose base must then be even, and PRE_M_* how many words a 32-bit access moves,
 * and in which space. */

typedef struct long_plan {
    unsigned words;            /* Words that each lane moves: 1 to 4 */
    bool wide;                 /* 64-bit addresses */
    bool vector_base;          /* Each lane has its own */
    uint32_t base_scalar;      /* Room for the base's upper half */
    const uint32_t *base_high; /* Upper halves of the base, one per lane or one */
    uint8_t space;             /* The karat_prefix_space */
} long_plan;

/* One more register of an operand, or false after a program error or where the step is held. */
static bool take_next(karat_exec *e, bool vector, unsigned source, unsigned part, uint32_t reg,
                      uint32_t *scalar, const uint32_t **value) {
    if (karat_beyond_usage(e->model, e->warp, vector ? 0 : reg + 1, vector ? reg + 1 : 0,
                           &e->commit->deviated)) {
        e->error = KARAT_ERR_REGISTER;
        return false;
    }
    if (vector) {
        *value = karat_read_v(e, source, part, reg);
        return !e->held;
    }
    *scalar = karat_read_x(e, source, part, reg);
    *value = scalar;
    return !e->held;
}

static bool is_even(uint32_t reg) {
    return !(reg & 1);
}

/* Whether the base is a pair; false as well after a program error. */
static bool has_wide_base(karat_exec *e) {
    const karat_decoded *d = e->insn;
    const bool asked = d->wide_address || (d->prefixed.memory && d->prefixed.pair);
    if (asked && !is_even(d->rs1)) {
        karat_set_illegal(e, KARAT_ILLEGAL_ODD_BASE);
        return false;
    }
    return asked || (d->prefixed.regpair && is_even(d->rs1));
}

/* The upper half of the base, read as an operand: of x0 it is 0 in v2.03. */
static bool take_base(karat_exec *e, long_plan *plan) {
    static const uint32_t zero;
    const karat_decoded *d = e->insn;
    if (!plan->vector_base && d->rs1 == 0 && !d->prefixed.regpair) {
        plan->base_high = &zero;
        return true;
    }
    return take_next(e, plan->vector_base, 1, 1, d->rs1 + 1u, &plan->base_scalar, &plan->base_high);
}

/* Plan an access of so many bytes with that data register. */
static bool plan_long(karat_exec *e, form f, unsigned bytes, uint32_t data_reg, long_plan *plan) {
    const karat_prefix *prefix = &e->insn->prefixed;
    *plan =
        (long_plan){.words = 1, .vector_base = f == FORM_LANE || f == FORM_PRIVATE, .space = prefix->space};
    if (bytes == 4)
        plan->words = prefix->regpair && is_even(data_reg) ? 2 : prefix->words;
    /* The second register of a group would be one of several words. */
    if (plan->words > 1 && e->n > e->stride) {
        karat_set_illegal(e, KARAT_ILLEGAL_PAIR_GROUP);
        return false;
    }
    plan->wide = has_wide_base(e);
    return !e->error && (!plan->wide || take_base(e, plan));
}

/* The address of word w of element i; bytes: of the access, eew: of an index. */
static uint64_t long_address(const karat_exec *e, const long_plan *plan, form f, unsigned eew, unsigned bytes,
                             uint32_t i, unsigned w) {
    uint64_t addr = plan->vector_base ? e->v1[i] : (uint32_t)e->x1;
    if (plan->wide)
        addr |= (uint64_t)plan->base_high[plan->vector_base ? i : 0] << 32;
    if (f != FORM_ATOMIC) /* The immediate of FORM_ATOMIC is aq and rl */
        addr += (uint64_t)(int64_t)e->insn->imm[0];
    switch (f) {
    case FORM_UNIT: addr += (uint64_t)i * bytes * plan->words; break;
    case FORM_STRIDED: addr += i * (uint64_t)(int64_t)(int32_t)e->x2; break;
    case FORM_INDEXED: addr += eew == 4 ? e->v2[i] : e->v2[i] & ((1u << 8 * eew) - 1); break;
    default: break;
    }
    addr += 4 * w;
    if (!plan->wide)
        addr = (uint32_t)addr;
    if (f == FORM_PRIVATE || plan->space == KARAT_PREFIX_PRIVATE)
        addr = interleave(e, addr,
                          i % e->stride); /* Word by word, so the second word is not next to the first */
    else if (plan->space == KARAT_PREFIX_LOCAL)
        addr += e->warp->csr[KARAT_CSR_LDS];
    return plan->wide ? addr : (uint32_t)addr;
}

/* Check one access and enter it. */
static bool enter_one(karat_exec *e, uint64_t virt, unsigned bytes, uint32_t value, uint32_t lane,
                      unsigned reg) {
    karat_mem *mem = &e->commit->mem;
    uint64_t frame;
    if (virt & (bytes - 1)) {
        fail(e, KARAT_ERR_MISALIGNED, lane, virt);
        return false;
    }
    if (!find_frame(e, virt, lane, &frame))
        return false;
    if (mem->num == 0 && mem->space == KARAT_GLOBAL && karat_in_lds(&e->model->lds, virt))
        mem->space = KARAT_LDS;
    if (e->model->config.translation != KARAT_TRANSLATION_NONE)
        mem->virt[mem->num] = virt;
    mem->access[mem->num++] = (karat_access){
        frame | (virt & (KARAT_PAGE - 1)), value, 0, (uint8_t)lane, (uint8_t)bytes, (uint8_t)reg};
    return true;
}

/* Enter every access; data: the words to store, or NULL. */
static bool enter_long(karat_exec *e, const long_plan *plan, form f, unsigned eew, unsigned bytes,
                       karat_mem_op op, karat_mem_space space, const uint32_t *const *data) {
    const uint32_t value_mask = bytes == 4 ? 0xffffffffu : (1u << bytes * 8) - 1;
    const uint64_t active = f == FORM_SCALAR ? 1 : e->active;
    karat_mem *mem = begin(e, op);
    mem->space = (uint8_t)(plan->space == KARAT_PREFIX_PRIVATE ? KARAT_PRIVATE : space);
    mem->words = (uint8_t)plan->words;
    mem->wide_address = plan->wide;
    for (uint32_t i = 0; i < e->n; i++)
        for (unsigned w = 0; w < plan->words && active >> i & 1; w++)
            if (!enter_one(e, long_address(e, plan, f, eew, bytes, i, w), bytes,
                           data ? data[w][i] & value_mask : 0, i % e->stride, i < e->stride ? w : 1))
                return false;
    return true;
}

static void load_long(karat_exec *e, form f, unsigned eew, unsigned bytes, bool is_signed,
                      karat_mem_space space) {
    long_plan plan;
    if (!plan_long(e, f, bytes, e->insn->rd, &plan))
        return;
    const uint32_t end = plan.words > 1 ? e->insn->rd + plan.words : 0;
    if (karat_beyond_usage(e->model, e->warp, f == FORM_SCALAR ? end : 0, f == FORM_SCALAR ? 0 : end,
                           &e->commit->deviated)) {
        e->error = KARAT_ERR_REGISTER;
        return;
    }
    if (!enter_long(e, &plan, f, eew, bytes, KARAT_LOAD, space, NULL))
        return;
    e->words = (uint8_t)plan.words;
    finish_loads(e, bytes, is_signed);
}

static void store_long(karat_exec *e, form f, unsigned eew, unsigned bytes, int source,
                       karat_mem_space space) {
    const uint32_t data_reg = source == 2 ? e->insn->rs2 : e->insn->rs3;
    const bool scalar = f == FORM_SCALAR;
    uint32_t word[4] = {(uint32_t)e->x2};
    const uint32_t *data[4] = {scalar ? word : stored(e, source)};
    long_plan plan;
    if (!plan_long(e, f, bytes, data_reg, &plan))
        return;
    for (unsigned w = 1; w < plan.words; w++)
        if (!take_next(e, !scalar, (unsigned)source, w, data_reg + w, &word[w], &data[w]))
            return;
    if (enter_long(e, &plan, f, eew, bytes, KARAT_STORE, space, data))
        perform_stores(e);
}

/* Bytes of an access: SEW's for indexed ones. */
#define SEW_BYTES (1u << e->warp->sew)

#define LOAD_EEW(name, form, eew, bytes, is_signed, space)                                                   \
    SEMANTIC(name) {                                                                                         \
        uint32_t room[KARAT_MAX_ELEMENT];                                                                    \
        if (e->insn->plan & PLAN_LONG) {                                                                     \
            load_long(e, form, eew, bytes, is_signed, space);                                                \
        } else if (form == FORM_SCALAR) {                                                                    \
            load_scalar(e, bytes, is_signed);                                                                \
        } else {                                                                                             \
            const places p = find_places(e, form, eew, room);                                                \
            load(e, bytes, is_signed, p, space);                                                             \
        }                                                                                                    \
    }
/* The source says which operand is stored, 2 or 3. */
#define STORE_EEW(name, form, eew, bytes, source, space)                                                     \
    SEMANTIC(name) {                                                                                         \
        uint32_t room[KARAT_MAX_ELEMENT];                                                                    \
        if (e->insn->plan & PLAN_LONG) {                                                                     \
            store_long(e, form, eew, bytes, source, space);                                                  \
        } else if (form == FORM_SCALAR) {                                                                    \
            store_scalar(e, bytes);                                                                          \
        } else {                                                                                             \
            const places p = find_places(e, form, eew, room);                                                \
            store(e, bytes, p, stored(e, source), space);                                                    \
        }                                                                                                    \
    }
#define LOAD(name, form, bytes, is_signed, space) LOAD_EEW(name, form, bytes, bytes, is_signed, space)
#define STORE(name, form, bytes, source, space)   STORE_EEW(name, form, bytes, bytes, source, space)

LOAD(lb, FORM_SCALAR, 1, true, KARAT_GLOBAL)
LOAD(lh, FORM_SCALAR, 2, true, KARAT_GLOBAL)
LOAD(lw, FORM_SCALAR, 4, true, KARAT_GLOBAL)
LOAD(lbu, FORM_SCALAR, 1, false, KARAT_GLOBAL)
LOAD(lhu, FORM_SCALAR, 2, false, KARAT_GLOBAL)
STORE(sb, FORM_SCALAR, 1, 2, KARAT_GLOBAL)
STORE(sh, FORM_SCALAR, 2, 2, KARAT_GLOBAL)
STORE(sw, FORM_SCALAR, 4, 2, KARAT_GLOBAL)

LOAD(vlb12, FORM_LANE, 1, true, KARAT_GLOBAL)
LOAD(vlh12, FORM_LANE, 2, true, KARAT_GLOBAL)
LOAD(vlw12, FORM_LANE, 4, true, KARAT_GLOBAL)
LOAD(vlbu12, FORM_LANE, 1, false, KARAT_GLOBAL)
LOAD(vlhu12, FORM_LANE, 2, false, KARAT_GLOBAL)
STORE(vsb12, FORM_LANE, 1, 2, KARAT_GLOBAL)
STORE(vsh12, FORM_LANE, 2, 2, KARAT_GLOBAL)
STORE(vsw12, FORM_LANE, 4, 2, KARAT_GLOBAL)

LOAD(vlb, FORM_PRIVATE, 1, true, KARAT_PRIVATE)
LOAD(vlh, FORM_PRIVATE, 2, true, KARAT_PRIVATE)
LOAD(vlw, FORM_PRIVATE, 4, true, KARAT_PRIVATE)
LOAD(vlbu, FORM_PRIVATE, 1, false, KARAT_PRIVATE)
LOAD(vlhu, FORM_PRIVATE, 2, false, KARAT_PRIVATE)
STORE(vsb, FORM_PRIVATE, 1, 2, KARAT_PRIVATE)
STORE(vsh, FORM_PRIVATE, 2, 2, KARAT_PRIVATE)
STORE(vsw, FORM_PRIVATE, 4, 2, KARAT_PRIVATE)

/* Each lane its own element, zero-extended (section 4.1); an index is zero-extended, too. */
LOAD(vle8, FORM_UNIT, 1, false, KARAT_GLOBAL)
LOAD(vle16, FORM_UNIT, 2, false, KARAT_GLOBAL)
LOAD(vle32, FORM_UNIT, 4, false, KARAT_GLOBAL)
LOAD(vlse8, FORM_STRIDED, 1, false, KARAT_GLOBAL)
LOAD(vlse16, FORM_STRIDED, 2, false, KARAT_GLOBAL)
LOAD(vlse32, FORM_STRIDED, 4, false, KARAT_GLOBAL)
LOAD_EEW(vlxei8, FORM_INDEXED, 1, SEW_BYTES, false, KARAT_GLOBAL)
LOAD_EEW(vlxei16, FORM_INDEXED, 2, SEW_BYTES, false, KARAT_GLOBAL)
LOAD_EEW(vlxei32, FORM_INDEXED, 4, SEW_BYTES, false, KARAT_GLOBAL)
STORE(vse8, FORM_UNIT, 1, 3, KARAT_GLOBAL)
STORE(vse16, FORM_UNIT, 2, 3, KARAT_GLOBAL)
STORE(vse32, FORM_UNIT, 4, 3, KARAT_GLOBAL)
STORE(vsse8, FORM_STRIDED, 1, 3, KARAT_GLOBAL)
STORE(vsse16, FORM_STRIDED, 2, 3, KARAT_GLOBAL)
STORE(vsse32, FORM_STRIDED, 4, 3, KARAT_GLOBAL)
STORE_EEW(vsxei8, FORM_INDEXED, 1, SEW_BYTES, 3, KARAT_GLOBAL)
STORE_EEW(vsxei16, FORM_INDEXED, 2, SEW_BYTES, 3, KARAT_GLOBAL)
STORE_EEW(vsxei32, FORM_INDEXED, 4, SEW_BYTES, 3, KARAT_GLOBAL)

/* ---- A: once a warp, as lane 0 (decisions, "Memory") ---- */

/* Enter the one access at rs1, which has no offset. REGPAIR and PRE_M_* make the address 64 bits wide, and
 * the latter select a space, but the data is one word: rd and rs2 need not agree. */
static karat_access *enter_atomic(karat_exec *e, karat_mem_op op, uint32_t value) {
    karat_mem *mem = begin(e, op);
    uint64_t addr = (uint32_t)e->x1;
    mem->amo = (uint8_t)(e->insn->word >> 27);
    long_plan plan = {.words = 1};
    if (e->insn->plan & PLAN_LONG) {
        if (!plan_long(e, FORM_ATOMIC, 0, 0, &plan))
            return NULL;
        addr = long_address(e, &plan, FORM_ATOMIC, 0, 4, 0, 0);
        mem->wide_address = plan.wide;
        mem->space = plan.space == KARAT_PREFIX_PRIVATE ? KARAT_PRIVATE : KARAT_GLOBAL;
    }
    return enter_one(e, addr, 4, value, 0, 0) ? &mem->access[0] : NULL;
}

/* rd = memory at rs1; the warp holds a reservation on that word, and on no other. */
SEMANTIC(lr) {
    karat_access *a = enter_atomic(e, KARAT_LOAD, 0);
    if (!a)
        return;
    perform_loads(e);
    karat_reserve(e->model, e->warp, a->addr);
    e->r[0] = a->value;
}

/* If the warp's reservation on the word at rs1 is valid: memory = s2, rd = 0; otherwise rd = 1. The
 * reservation ends. */
SEMANTIC(sc) {
    karat_access *a = enter_atomic(e, KARAT_AMO, (uint32_t)e->x2);
    if (!a)
        return;
    karat_mem *mem = &e->commit->mem;
    mem->succeeded = e->warp->reserved && e->warp->reserved_addr == a->addr;
    if (mem->succeeded && e->model->port)
        e->model->port(e->model->port_context, e->warp_handle, mem);
    if (mem->succeeded)
        perform_stores(e);
    else
        mem->num = 0;
    karat_unreserve(e->model, e->warp);
    e->r[0] = !mem->succeeded;
}

static uint32_t old_value(karat_exec *e, const karat_access *a) {
    karat_mem *mem = &e->commit->mem;
    if (e->model->port) {
        e->model->port(e->model->port_context, e->warp_handle, mem);
        return mem->old;
    }
    if (karat_in_lds(&e->model->lds, a->addr))
        return lds_load(e, a->addr, 4);
    return karat_get(karat_page(&e->model->memory, a->addr) + (a->addr & (KARAT_PAGE - 1)), 4);
}

/* Semantic, funct5, and the new contents of memory: an expression of s1, the old contents, and s2, the
 * operand. */
/* clang-format off */
#define AMOS(AMO)                                                                                            \
    AMO(amoadd, 0x00, s1 + s2)                                                                               \
    AMO(amoswap, 0x01, s2)                                                                                   \
    AMO(amoxor, 0x04, s1 ^ s2)                                                                               \
    AMO(amoor, 0x08, s1 | s2)                                                                                \
    AMO(amoand, 0x0c, s1 & s2)                                                                               \
    AMO(amomin, 0x10, (int32_t)s1 < (int32_t)s2 ? s1 : s2)                                                   \
    AMO(amomax, 0x14, (int32_t)s1 > (int32_t)s2 ? s1 : s2)                                                   \
    AMO(amominu, 0x18, s1 < s2 ? s1 : s2)                                                                    \
    AMO(amomaxu, 0x1c, s1 > s2 ? s1 : s2)
/* clang-format on */

uint32_t karat_amo_result(unsigned amo, uint32_t s1, uint32_t s2) {
    switch (amo) {
#define CASE(name, funct5, expr)                                                                             \
    case funct5: return (uint32_t)(expr);
        AMOS(CASE)
#undef CASE
    default: return s2; /* SC */
    }
}

static void atomic(karat_exec *e) {
    karat_access *a = enter_atomic(e, KARAT_AMO, (uint32_t)e->x2);
    if (!a)
        return;
    karat_mem *mem = &e->commit->mem;
    e->r[0] = mem->old = old_value(e, a);
    a->value = karat_amo_result(mem->amo, mem->old, (uint32_t)e->x2);
    perform_stores(e);
}

#define AMO(name, funct5, expr)                                                                              \
    SEMANTIC(name) {                                                                                         \
        atomic(e);                                                                                           \
    }
AMOS(AMO)

void karat_reserve(karat_model *model, karat_warp *warp, uint64_t addr) {
    model->num_reserved += !warp->reserved;
    warp->reserved = true;
    warp->reserved_addr = addr;
}

void karat_unreserve(karat_model *model, karat_warp *warp) {
    model->num_reserved -= warp->reserved;
    warp->reserved = false;
}

void karat_break_reservations(karat_model *model, const karat_warp *by, uint32_t workgroup, uint64_t addr,
                              uint64_t bytes) {
    for (uint32_t i = 0; model->num_reserved && i < model->config.max_warp; i++) {
        karat_warp *warp = &model->warps[i];
        if (!warp->reserved || warp == by)
            continue;
        bool apart = warp->reserved_addr + 3 < addr || addr + (bytes - 1) < warp->reserved_addr;
        /* Each workgroup has an LDS of its own at the same addresses. */
        if (!apart && (!karat_in_lds(&model->lds, addr) || warp->workgroup == workgroup))
            karat_unreserve(model, warp);
    }
}
