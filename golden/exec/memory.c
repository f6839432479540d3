/* Loads and stores.  Every access of an instruction is checked for alignment and mapping before the first is
 * performed, so a program error changes nothing. */
#include "exec.h"

static void fail(karat_exec *e, karat_error_kind kind, uint32_t lane, uint64_t addr) {
    e->error = kind;
    e->commit->error.lane = (int32_t)lane;
    e->commit->error.addr = addr;
}

/* Enter the active elements' accesses into the commit, checked.  Returns false after a program error. */
static bool enter(karat_exec *e, karat_mem_op op, unsigned bytes, const uint32_t *addr, const uint32_t *data,
                  uint64_t active, karat_mem_space space) {
    karat_model *model = e->model;
    karat_mem *mem = &e->commit->mem;
    const uint32_t num_thread = model->config.num_thread;
    const uint32_t value_mask = bytes == 4 ? 0xffffffffu : (1u << bytes * 8) - 1;
    const uint32_t lds_base = model->lds.base, lds_size = model->lds.size;
    uint32_t page = 1; /* not page-aligned: matches no address */
    bool mapped = false;
    uint32_t num = 0;
    e->commit->has_mem = true;
    mem->op = (uint8_t)op;
    mem->amo = mem->succeeded = 0;
    mem->num = 0;
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
            mapped = a - lds_base < lds_size || karat_page(&model->memory, a);
        }
        if (!mapped) {
            fail(e, KARAT_ERR_UNMAPPED, lane, a);
            return false;
        }
        mem->access[num++] = (karat_access){a, data ? data[i] & value_mask : 0, (uint8_t)lane, (uint8_t)bytes,
                                            (uint8_t)(i >= num_thread)};
    }
    if (space == KARAT_GLOBAL && num && mem->access[0].addr - lds_base < lds_size)
        space = KARAT_LDS;
    mem->space = (uint8_t)space;
    mem->num = num;
    return true;
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
        uint32_t unused[KARAT_MAX_ACCESS];
        model->port(model->port_context, e->warp_handle, mem, unused);
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
    /* Take every LDS page first: an empty pool must leave memory unchanged. */
    for (uint32_t k = 0; k < mem->num; k++) {
        karat_access *a = &mem->access[k];
        if (karat_in_lds(&model->lds, a->addr) && !karat_lds_take(&model->lds, e->warp->workgroup, a->addr)) {
            fail(e, KARAT_ERR_LDS_POOL, a->lane, a->addr);
            return;
        }
    }
    uint8_t *bytes = NULL;
    uint64_t page = 1;
    for (uint32_t k = 0; k < mem->num; k++) {
        karat_access *a = &mem->access[k];
        unsigned offset = a->addr & (KARAT_PAGE - 1);
        if (karat_in_lds(&model->lds, a->addr)) {
            karat_lds_page *lds = karat_lds_find(&model->lds, e->warp->workgroup, a->addr);
            karat_put(lds->bytes + offset, a->value, a->bytes);
            karat_lds_mark(lds, a->addr, a->bytes);
            continue;
        }
        if ((a->addr & ~(uint64_t)(KARAT_PAGE - 1)) != page) {
            page = a->addr & ~(uint64_t)(KARAT_PAGE - 1);
            bytes = karat_page(&model->memory, page);
        }
        karat_put(bytes + offset, a->value, a->bytes);
    }
}

static uint32_t extend(uint32_t value, unsigned bytes, bool is_signed) {
    uint32_t sign = 1u << (bytes * 8 - 1);
    return is_signed ? (value ^ sign) - sign : value;
}

static void load(karat_exec *e, unsigned bytes, bool is_signed, const uint32_t *addr, uint64_t active,
                 karat_mem_space space) {
    if (!enter(e, KARAT_LOAD, bytes, addr, NULL, active, space))
        return;
    perform_loads(e);
    const karat_mem *mem = &e->commit->mem;
    uint32_t num_thread = e->model->config.num_thread;
    for (uint32_t k = 0; k < mem->num; k++) {
        const karat_access *a = &mem->access[k];
        e->r[a->lane + a->reg * num_thread] = bytes == 4 ? a->value : extend(a->value, bytes, is_signed);
    }
}

static void store(karat_exec *e, unsigned bytes, const uint32_t *addr, const uint32_t *data, uint64_t active,
                  karat_mem_space space) {
    if (enter(e, KARAT_STORE, bytes, addr, data, active, space))
        perform_stores(e);
}

/* How each addressing form finds the address of element i. */
typedef enum form {
    FORM_SCALAR,  /* rs1 + imm, once a warp, as lane 0 */
    FORM_LANE,    /* each lane's vs1 + imm (section 4.2.6) */
    FORM_PRIVATE, /* interleaved private memory (section 4.2.7; decisions, "Memory") */
    FORM_UNIT,    /* rs1 + i * EEW / 8 */
    FORM_STRIDED, /* rs1 + i * rs2 */
    FORM_INDEXED  /* rs1 + the low EEW bits of vs2 */
} form;

/* eew: bytes of an element (FORM_UNIT), or of an index (FORM_INDEXED). */
static inline void addresses(const karat_exec *e, form f, uint32_t eew, uint32_t *addr) {
    uint32_t n = e->n, base = e->x1, imm = (uint32_t)e->insn->imm[0];
    const uint32_t *csr = e->warp->csr;
    uint32_t threads = csr[KARAT_CSR_NUMW] * csr[KARAT_CSR_NUMT];
    uint32_t first = csr[KARAT_CSR_WID] * csr[KARAT_CSR_NUMT];
    switch (f) {
    case FORM_SCALAR: addr[0] = base + imm; break;
    case FORM_LANE:
        for (uint32_t i = 0; i < n; i++)
            addr[i] = e->v1[i] + imm;
        break;
    case FORM_PRIVATE:
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = e->v1[i] + imm;
            addr[i] = csr[KARAT_CSR_PDS] + (a & ~3u) * threads + (first + i) * 4 + (a & 3);
        }
        break;
    case FORM_UNIT:
        for (uint32_t i = 0; i < n; i++)
            addr[i] = base + eew * i;
        break;
    case FORM_STRIDED:
        for (uint32_t i = 0; i < n; i++)
            addr[i] = base + i * e->x2;
        break;
    case FORM_INDEXED:
        for (uint32_t i = 0; i < n; i++)
            addr[i] = base + (eew == 4 ? e->v2[i] : e->v2[i] & ((1u << 8 * eew) - 1));
        break;
    }
}

#define LOAD_EEW(name, form, eew, bytes, is_signed, space)                                                   \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        uint32_t addr[KARAT_MAX_ELEMENT];                                                                    \
        addresses(e, form, eew, addr);                                                                       \
        load(e, bytes, is_signed, addr, form == FORM_SCALAR ? 1 : e->active, space);                         \
    }
#define STORE_EEW(name, form, eew, bytes, data, space)                                                       \
    void karat_sem_##name(karat_exec *e) {                                                                   \
        uint32_t addr[KARAT_MAX_ELEMENT];                                                                    \
        addresses(e, form, eew, addr);                                                                       \
        store(e, bytes, addr, data, form == FORM_SCALAR ? 1 : e->active, space);                             \
    }
#define LOAD(name, form, bytes, is_signed, space) LOAD_EEW(name, form, bytes, bytes, is_signed, space)
#define STORE(name, form, bytes, data, space)     STORE_EEW(name, form, bytes, bytes, data, space)

LOAD(lb, FORM_SCALAR, 1, true, KARAT_GLOBAL)
LOAD(lh, FORM_SCALAR, 2, true, KARAT_GLOBAL)
LOAD(lw, FORM_SCALAR, 4, true, KARAT_GLOBAL)
LOAD(lbu, FORM_SCALAR, 1, false, KARAT_GLOBAL)
LOAD(lhu, FORM_SCALAR, 2, false, KARAT_GLOBAL)
STORE(sb, FORM_SCALAR, 1, &e->x2, KARAT_GLOBAL)
STORE(sh, FORM_SCALAR, 2, &e->x2, KARAT_GLOBAL)
STORE(sw, FORM_SCALAR, 4, &e->x2, KARAT_GLOBAL)

LOAD(vlb12, FORM_LANE, 1, true, KARAT_GLOBAL)
LOAD(vlh12, FORM_LANE, 2, true, KARAT_GLOBAL)
LOAD(vlw12, FORM_LANE, 4, true, KARAT_GLOBAL)
LOAD(vlbu12, FORM_LANE, 1, false, KARAT_GLOBAL)
LOAD(vlhu12, FORM_LANE, 2, false, KARAT_GLOBAL)
STORE(vsb12, FORM_LANE, 1, e->v2, KARAT_GLOBAL)
STORE(vsh12, FORM_LANE, 2, e->v2, KARAT_GLOBAL)
STORE(vsw12, FORM_LANE, 4, e->v2, KARAT_GLOBAL)

LOAD(vlb, FORM_PRIVATE, 1, true, KARAT_PRIVATE)
LOAD(vlh, FORM_PRIVATE, 2, true, KARAT_PRIVATE)
LOAD(vlw, FORM_PRIVATE, 4, true, KARAT_PRIVATE)
LOAD(vlbu, FORM_PRIVATE, 1, false, KARAT_PRIVATE)
LOAD(vlhu, FORM_PRIVATE, 2, false, KARAT_PRIVATE)
STORE(vsb, FORM_PRIVATE, 1, e->v2, KARAT_PRIVATE)
STORE(vsh, FORM_PRIVATE, 2, e->v2, KARAT_PRIVATE)
STORE(vsw, FORM_PRIVATE, 4, e->v2, KARAT_PRIVATE)

/* Each lane its own element, zero-extended (section 4.1); an index is zero-extended, too. */
LOAD(vle8, FORM_UNIT, 1, false, KARAT_GLOBAL)
LOAD(vle16, FORM_UNIT, 2, false, KARAT_GLOBAL)
LOAD(vle32, FORM_UNIT, 4, false, KARAT_GLOBAL)
LOAD(vlse8, FORM_STRIDED, 1, false, KARAT_GLOBAL)
LOAD(vlse16, FORM_STRIDED, 2, false, KARAT_GLOBAL)
LOAD(vlse32, FORM_STRIDED, 4, false, KARAT_GLOBAL)
LOAD_EEW(vlxei8, FORM_INDEXED, 1, 4, false, KARAT_GLOBAL)
LOAD_EEW(vlxei16, FORM_INDEXED, 2, 4, false, KARAT_GLOBAL)
LOAD_EEW(vlxei32, FORM_INDEXED, 4, 4, false, KARAT_GLOBAL)
STORE(vse8, FORM_UNIT, 1, e->v3, KARAT_GLOBAL)
STORE(vse16, FORM_UNIT, 2, e->v3, KARAT_GLOBAL)
STORE(vse32, FORM_UNIT, 4, e->v3, KARAT_GLOBAL)
STORE(vsse8, FORM_STRIDED, 1, e->v3, KARAT_GLOBAL)
STORE(vsse16, FORM_STRIDED, 2, e->v3, KARAT_GLOBAL)
STORE(vsse32, FORM_STRIDED, 4, e->v3, KARAT_GLOBAL)
STORE_EEW(vsxei8, FORM_INDEXED, 1, 4, e->v3, KARAT_GLOBAL)
STORE_EEW(vsxei16, FORM_INDEXED, 2, 4, e->v3, KARAT_GLOBAL)
STORE_EEW(vsxei32, FORM_INDEXED, 4, 4, e->v3, KARAT_GLOBAL)
