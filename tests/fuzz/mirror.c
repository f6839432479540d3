#include "shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pages below and above the LDS window, at both ends of the first 4 GiB, and after them. */
const mirror_region mirror_regions[MIRROR_REGIONS] = {
    {0x00000000, MIRROR_PAGE, 0},
    {MIRROR_LDS_BASE - MIRROR_PAGE, MIRROR_PAGE, MIRROR_PAGE},
    {MIRROR_LDS_BASE + MIRROR_LDS_SIZE, MIRROR_PAGE, 2 * MIRROR_PAGE},
    {MIRROR_CODE, 2 * MIRROR_PAGE, 3 * MIRROR_PAGE},
    {MIRROR_DATA, 4 * MIRROR_PAGE, 5 * MIRROR_PAGE},
    {0xfffff000, MIRROR_PAGE, 9 * MIRROR_PAGE},
    {0x100000000, MIRROR_PAGE, 10 * MIRROR_PAGE},
    {0x300000000, MIRROR_PAGE, 11 * MIRROR_PAGE},
};

enum { OPCODE_V = 0x57, OPCODE_VLOAD = 0x07, OPCODE_VSTORE = 0x27 };
enum {
    FFLAGS = 0x001,
    FRM = 0x002,
    FCSR = 0x003,
    VSTART = 0x008,
    VXSAT = 0x009,
    VXRM = 0x00a,
    VCSR = 0x00f,
    MSTATUS = 0x300,
    MTVEC = 0x305,
    MSCRATCH = 0x340,
    VL = 0xc20,
    VTYPE = 0xc21,
    VLENB = 0xc22
};

/* --- Facts about rows --- */

static mirror_facts facts[MIRROR_MAX_ROWS];

static void find_operand(mirror_facts *f, int i, const karat_operand_kind *kind) {
    static const char *const extensions[4] = {"xd", "x1", "x2", "x3"};
    bool vector = kind->cls == KARAT_CLASS_V;
    f->kind[i] = kind->is_reg                         ? (vector ? MIRROR_V : MIRROR_X)
                 : !strcmp(kind->name, "csr")         ? MIRROR_CSR
                 : !strncmp(kind->name, "vtype", 5)   ? MIRROR_VTYPE
                 : !strncmp(kind->name, "target", 6)  ? MIRROR_TARGET
                 : !strncmp(kind->name, "imm10_5", 7) ? MIRROR_IMM
                                                      : MIRROR_PLAIN;
    if (f->kind[i] == MIRROR_TARGET)
        f->target = (int8_t)i;
    if (!strncmp(kind->name, "offset", 6))
        f->offset = (int8_t)i;
    f->is_vector |= kind->is_reg && vector;
    f->wide |= kind->span == KARAT_SPAN_ADDRESS;
    f->has_imm5 |= kind->role == KARAT_ROLE_IMM && kind->bits == 5;
    for (int k = 0; k < 4; k++)
        if (!strcmp(kind->name, extensions[k]))
            f->extension[k] = (int8_t)i;
    int source = 0;
    switch (kind->role) {
    case KARAT_ROLE_SRC3: source++; /* Fall through */
    case KARAT_ROLE_SRC2: source++; /* Fall through */
    case KARAT_ROLE_SRC1:
        source++;
        f->source[source] = (int8_t)i;
        f->vector[source] = vector;
        break;
    case KARAT_ROLE_DEST:
        f->dest = (int8_t)i;
        f->vector_dest = vector;
        break;
    case KARAT_ROLE_VM:
        if (kind->bits == 1)
            f->vm = (int8_t)i;
        break;
    default: break;
    }
}

bool mirror_init(void) {
    if (karat_num_rows() > MIRROR_MAX_ROWS)
        return false;
    for (int row = 0; row < karat_num_rows(); row++) {
        mirror_facts *f = &facts[row];
        const karat_row *info = karat_row_info(row);
        *f = (mirror_facts){.row = info,
                            .source = {-1, -1, -1, -1},
                            .dest = -1,
                            .target = -1,
                            .offset = -1,
                            .vm = -1,
                            .extension = {-1, -1, -1, -1}};
        uint32_t opcode = info->match & 0x7f;
        f->own = opcode == OPCODE_V || opcode == OPCODE_VLOAD || opcode == OPCODE_VSTORE;
        f->pair = !strncmp(info->name, "regpair", 7);
        f->private = !strcmp(info->section, "4.2.7");
        f->memory = !strncmp(info->name, "pre_m", 5);
        for (int i = 0; i < info->num_operands; i++)
            find_operand(f, i, karat_operand_info(info->operands[i]));
    }
    return true;
}

const mirror_facts *mirror_row(int row) {
    return row == KARAT_NO_ROW ? NULL : &facts[row];
}

/* --- A step allocates nothing: the linker hands libkarat these (--wrap) --- */

static _Thread_local bool in_step;
static _Thread_local unsigned long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t num, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size) {
    allocations += in_step;
    return __real_malloc(size);
}
void *__wrap_calloc(size_t num, size_t size) {
    allocations += in_step;
    return __real_calloc(num, size);
}
void *__wrap_realloc(void *p, size_t size) {
    allocations += in_step;
    return __real_realloc(p, size);
}

unsigned long mirror_allocations(void) {
    return allocations;
}

/* --- Broken rules --- */

static bool broken(mirror *m, const char *rule, const char *format, ...) {
    if (m->failed)
        return false;
    m->failed = rule;
    va_list args;
    va_start(args, format);
    vsnprintf(m->detail, sizeof m->detail, format, args);
    va_end(args);
    return false;
}

/* The rule's text is the key by which failures are counted. */
#define RULE(cond, rule, ...)                                                                                \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            return broken(m, rule, __VA_ARGS__);                                                             \
    } while (0)

static void must(mirror *m, karat_status status, const char *what) {
    if (status != KARAT_OK)
        broken(m, what, "status %d", status);
}

/* --- Memory --- */

bool mirror_is_mapped(uint64_t addr, uint32_t size) {
    for (int i = 0; i < MIRROR_REGIONS; i++)
        if (addr >= mirror_regions[i].base && addr - mirror_regions[i].base <= mirror_regions[i].size &&
            size <= mirror_regions[i].size - (addr - mirror_regions[i].base))
            return true;
    return false;
}

static bool in_window(uint64_t addr) {
    return addr >= MIRROR_LDS_BASE && addr < MIRROR_LDS_BASE + MIRROR_LDS_SIZE;
}

/* The mirror's bytes at that address, which does not cross a region's end; NULL where nothing is mapped. */
static uint8_t *bytes_at(mirror *m, uint32_t group, uint64_t addr) {
    if (in_window(addr))
        return m->groups[group].lds + (addr - MIRROR_LDS_BASE);
    for (int i = 0; i < MIRROR_REGIONS; i++) {
        const mirror_region *r = &mirror_regions[i];
        if (addr >= r->base && addr - r->base < r->size)
            return m->memory + r->offset + (addr - r->base);
    }
    return NULL;
}

static uint32_t get(const uint8_t *p, uint32_t bytes) {
    uint32_t value = 0;
    for (uint32_t i = bytes; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static void put(uint8_t *p, uint32_t value, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++, value >>= 8)
        p[i] = (uint8_t)value;
}

/* A store clears other warps' reservations on its bytes (decisions, "Memory"); by: NULL for the host. */
static void clear_reservations(mirror *m, const mirror_warp *by, uint64_t addr, uint32_t bytes) {
    for (uint32_t i = 0; i < MIRROR_WARPS; i++) {
        mirror_warp *w = &m->warps[i];
        bool same = !in_window(addr) || (by && by->workgroup == w->workgroup);
        if (w != by && same && w->reserved_addr < addr + bytes && addr < w->reserved_addr + 4)
            w->reserved = false;
    }
}

void mirror_store(mirror *m, uint32_t addr, uint32_t value, uint32_t bytes) {
    uint8_t b[4];
    put(b, value, bytes);
    clear_reservations(m, NULL, addr, bytes);
    must(m, karat_write(m->model, addr, b, bytes), "karat_write() to mapped memory works");
    put(bytes_at(m, 0, addr), value, bytes);
}

void mirror_begin(mirror *m, karat_model *model, const uint8_t memory[MIRROR_MEMORY]) {
    m->model = model;
    m->config = karat_get_config(model);
    m->failed = NULL;
    m->refuse = false;
    m->steps = 0;
    for (uint32_t i = 0; i < MIRROR_GROUPS; i++) {
        karat_workgroup_close(model, i);
        m->groups[i].open = false;
    }
    for (uint32_t i = 0; i < MIRROR_WARPS; i++)
        m->warps[i].live = m->warps[i].reserved = false;
    for (int i = 0; i < MIRROR_REGIONS; i++) {
        const mirror_region *r = &mirror_regions[i];
        must(m, karat_write(model, r->base, memory + r->offset, r->size),
             "karat_write() to mapped memory works");
    }
    memcpy(m->memory, memory, MIRROR_MEMORY);
}

/* --- Workgroups, launch, adoption --- */

void mirror_open(mirror *m, uint32_t group, uint32_t num_warp) {
    mirror_group *g = &m->groups[group];
    if (g->open)
        must(m, karat_workgroup_close(m->model, group), "an open workgroup can be closed");
    for (uint32_t i = 0; i < MIRROR_WARPS; i++)
        if (m->warps[i].workgroup == group)
            m->warps[i].live = m->warps[i].reserved = false;
    for (uint32_t page = 0; page < MIRROR_LDS_SIZE / MIRROR_PAGE; page++)
        if (g->dirty >> page & 1)
            memset(g->lds + page * MIRROR_PAGE, 0, MIRROR_PAGE),
                memset(g->written + page * MIRROR_PAGE, 0, MIRROR_PAGE);
    g->dirty = g->arrived = g->ended = 0;
    g->num_warp = num_warp;
    g->open = true;
    must(m, karat_workgroup_open(m->model, group, num_warp), "a closed workgroup can be opened");
}

void mirror_launch(mirror *m, uint32_t warp, const karat_launch_desc *desc) {
    mirror_warp *w = &m->warps[warp];
    const uint32_t num_thread = m->config->num_thread;
    must(m, karat_launch(m->model, warp, desc), "a warp that has ended can be launched");
    memset(w, 0, offsetof(mirror_warp, stack));
    w->live = true;
    w->workgroup = desc->workgroup;
    w->pc = desc->pc;
    w->mask = w->initial_mask = desc->mask;
    w->sgprs = desc->sgprs ? desc->sgprs : KARAT_NUM_X;
    w->vgprs = desc->vgprs ? desc->vgprs : KARAT_NUM_V;
    w->vl = num_thread;
    w->vtype = 0x10;
    memcpy(w->csr, desc->csr, sizeof w->csr);
    memcpy(w->x, desc->x, sizeof w->x);
    w->x[0] = 0;
    memcpy(w->v, desc->v, KARAT_NUM_V * num_thread * sizeof *w->v);
}

void mirror_adopt(mirror *m, uint32_t warp, unsigned cls, uint32_t reg, const uint32_t *value) {
    mirror_warp *w = &m->warps[warp];
    const uint32_t num_thread = m->config->num_thread;
    must(m, karat_adopt(m->model, warp, cls, reg, 0xffffffffu, value), "a register can be adopted");
    if (cls == KARAT_CLASS_V)
        memcpy(w->v + reg * num_thread, value, num_thread * sizeof *value);
    else if (reg != 0)
        w->x[reg] = value[0];
}

/* --- CSRs (decisions, "Registers, CSRs, launch") --- */

static bool csr_get(const mirror *m, const mirror_warp *w, uint32_t csr, uint32_t *value) {
    switch (csr) {
    case FFLAGS: *value = w->fflags; return true;
    case FRM: *value = w->frm; return true;
    case FCSR: *value = w->frm << 5 | w->fflags; return true;
    case VSTART: *value = 0; return true;
    case VXSAT: *value = w->vxsat; return true;
    case VXRM: *value = w->vxrm; return true;
    case VCSR: *value = w->vxrm << 1 | w->vxsat; return true;
    case MSTATUS: *value = w->mstatus; return true;
    case MTVEC: *value = w->mtvec; return true;
    case MSCRATCH: *value = w->mscratch; return true;
    case VL: *value = w->vl; return true;
    case VTYPE: *value = w->vtype; return true;
    case VLENB: *value = 4 * m->config->num_thread; return true;
    default: break;
    }
    if (csr < KARAT_CSR_BASE || csr >= KARAT_CSR_BASE + KARAT_NUM_CUSTOM_CSR)
        return false;
    *value = w->csr[csr - KARAT_CSR_BASE];
    return true;
}

/* False: read-only. */
static bool csr_set(mirror_warp *w, uint32_t csr, uint32_t value) {
    switch (csr) {
    case FCSR:
        w->fflags = value & 31;
        w->frm = value >> 5 & 7;
        return true;
    case VCSR:
        w->vxsat = value & 1;
        w->vxrm = value >> 1 & 3;
        return true;
    case FFLAGS: w->fflags = value & 31; return true;
    case FRM: w->frm = value & 7; return true;
    case VSTART: return value == 0;
    case VXSAT: w->vxsat = value & 1; return true;
    case VXRM: w->vxrm = value & 3; return true;
    case MSTATUS: w->mstatus = value; return true;
    case MTVEC: w->mtvec = value; return true;
    case MSCRATCH: w->mscratch = value; return true;
    case KARAT_CSR_BASE + KARAT_CSR_PRINT: w->csr[KARAT_CSR_PRINT] = value; return true;
    case KARAT_CSR_BASE + KARAT_CSR_RPC: w->csr[KARAT_CSR_RPC] = value; return true;
    default: return false;
    }
}

void mirror_csr(mirror *m, uint32_t warp, uint32_t csr, uint32_t value) {
    must(m, karat_csr_write(m->model, warp, csr, value), "a writable CSR can be written");
    csr_set(&m->warps[warp], csr, value);
}

uint32_t mirror_lmul(const mirror_warp *w) {
    return w->vtype >> 31 ? 1 : 1u << (w->vtype & 7);
}

/* --- Allowed effects of a step --- */

typedef struct step {
    mirror_warp *w;
    mirror_group *g;
    const karat_commit *c;
    const mirror_facts *f; /* NULL: no instruction */
    const karat_row *row;  /* The row of those facts */
    karat_insn insn;
    uint32_t num_thread;
    uint32_t parts;     /* Registers of a group */
    uint32_t active[2]; /* Lanes that write or access memory, by part */
    int dest;           /* Operand that is the destination, -1: none */
    int target;         /* Operand that is a jump's target, -1: none */
    uint32_t xd;        /* prefix: extension of the destination */
    bool has_imm;       /* Prefix that extends an immediate by imm */
    uint32_t imm;
    shape shape;
} step;

static uint32_t count(uint32_t mask) {
    uint32_t n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

static uint32_t low_bits(uint32_t n) {
    return n >= 32 ? 0xffffffffu : (1u << n) - 1;
}

/* The meaning of the words. */
static void take_apart(mirror *m, step *s) {
    const karat_commit *c = s->c;
    const karat_profile profile = m->config->profile;
    const mirror_warp *w = s->w;
    s->num_thread = m->config->num_thread;
    s->f = mirror_row(karat_decode(profile, c->word, &s->insn));
    s->row = s->f ? s->f->row : NULL;
    if (c->prefix) {
        karat_insn prefix;
        const mirror_facts *p = mirror_row(karat_decode(profile, c->prefix, &prefix));
        if (p && p->extension[0] >= 0)
            s->xd = (uint32_t)prefix.value[p->extension[0]];
        for (unsigned i = 0; p && i < p->row->num_operands; i++)
            if (p->kind[i] == MIRROR_IMM) {
                s->has_imm = true;
                s->imm = (uint32_t)prefix.value[i];
            }
    }
    if (!s->f)
        return;
    s->shape = shape_of(profile, w, c->prefix, c->word);
    if (s->shape.is_void)
        s->xd = 0;
    s->dest = s->f->dest;
    s->target = s->f->target;
    s->parts = s->f->own && (s->dest < 0 || s->f->vector_dest) ? mirror_lmul(w) : 1;
    bool masked = s->f->vm >= 0 && !s->insn.value[s->f->vm];
    for (uint32_t part = 0; part < s->parts; part++) {
        uint32_t first = part * s->num_thread;
        uint32_t active = w->mask & (w->vl > first ? low_bits(w->vl - first) : 0);
        for (uint32_t i = 0; masked && i < s->num_thread; i++)
            if (!(w->v[first + i] & 1))
                active &= ~(1u << i);
        s->active[part] = active;
    }
}

static bool can_fetch(const mirror *m, const step *s) {
    uint32_t pc = s->w->pc, next = pc + 4;
    if (pc & 3 || !mirror_is_mapped(pc, 4))
        return false;
    uint32_t word = get(bytes_at((mirror *)m, 0, pc), 4);
    return !karat_is_prefix(m->config->profile, word) || mirror_is_mapped(next, 4);
}

static bool check_words(mirror *m, const step *s) {
    const karat_commit *c = s->c;
    uint32_t pc = s->w->pc, next = pc + 4, word = get(bytes_at(m, 0, pc), 4), prefix = 0;
    if (karat_is_prefix(m->config->profile, word)) {
        prefix = word;
        word = get(bytes_at(m, 0, next), 4);
        pc = next;
    }
    RULE(c->pc == pc, "commit.pc is the instruction's own", "0x%08x, not 0x%08x", c->pc, pc);
    RULE(c->word == word && c->prefix == prefix, "word and prefix are those in memory",
         "%08x %08x, not %08x %08x", c->prefix, c->word, prefix, word);
    RULE(c->row == s->insn.row, "commit.row is what karat_decode() says", "%d, not %d", c->row, s->insn.row);
    return true;
}

/* Arrays within their bounds: checked before anything is read from them. */
static bool check_bounds(mirror *m, const karat_commit *c, const step *s) {
    RULE(c->num_reads <= KARAT_MAX_READ, "num_reads is in bounds", "%u", c->num_reads);
    RULE(c->num_writes <= KARAT_MAX_WRITE, "num_writes is in bounds", "%u", c->num_writes);
    RULE(!c->has_mem || c->mem.num <= KARAT_MAX_ACCESS, "mem.num is in bounds", "%u", c->mem.num);
    RULE(c->depth <= (s->num_thread - 1) * 2, "the SIMT stack stays within 2 * (num_thread - 1)", "%u",
         c->depth);
    RULE(c->mask_before == s->w->mask, "mask_before is the warp's mask", "%08x, not %08x", c->mask_before,
         s->w->mask);
    RULE(!(c->mask_after & ~s->w->initial_mask), "mask_after is within the launch mask", "%08x of %08x",
         c->mask_after, s->w->initial_mask);
    RULE(!(c->deviated & ~m->config->deviations & ~(uint32_t)KARAT_DEV_SIMT_ORDER) &&
             (!(c->deviated & KARAT_DEV_SIMT_ORDER) || m->config->simt_order != KARAT_SMALLER_FIRST),
         "only deviations of the configuration are reported", "%x", c->deviated);
    return true;
}

/* Whether the step reads a byte of LDS that its workgroup has not written. */
static bool reads_unwritten(const step *s) {
    const karat_mem *mem = &s->c->mem;
    if (!s->c->has_mem || mem->op == KARAT_STORE || (mem->op == KARAT_AMO && mem->amo == KARAT_AMO_SC))
        return false;
    for (uint32_t i = 0; i < mem->num; i++) {
        const karat_access a = karat_mem_access(mem, i);
        for (uint64_t addr = a.addr; addr < a.addr + a.bytes; addr++)
            if (in_window(addr) && !s->g->written[addr - MIRROR_LDS_BASE])
                return true;
    }
    return false;
}

static bool check_warnings(mirror *m, const step *s) {
    const karat_commit *c = s->c;
    uint32_t before = s->w->pc - 4;
    bool skipped = s->w->jumped && mirror_is_mapped(before, 4) &&
                   karat_is_prefix(m->config->profile, get(bytes_at(m, 0, before), 4));
    RULE(skipped == !!(c->warnings & KARAT_WARN_SKIPPED_PREFIX), "a jump behind a prefix is warned of", "%x",
         c->warnings);
    if (!m->has_port && c->error.kind == KARAT_ERR_NONE)
        RULE(reads_unwritten(s) == !!(c->warnings & KARAT_WARN_LDS_UNWRITTEN),
             "a read of LDS that was not written is warned of", "%x", c->warnings);
    RULE(!(c->warnings & KARAT_WARN_LANES_DIFFER) ||
             (s->row->owes & KARAT_OWES_X && c->num_reads == s->shape.num_reads),
         "lanes differ only where a scalar is read from them", "%x", c->warnings);
    return true;
}

/* Element i of an access, if it is one that is made. */
static bool is_accessed(const step *s, uint32_t i) {
    if (s->shape.form == FORM_SCALAR)
        return i == 0;
    return i < s->parts * s->num_thread && s->active[i / s->num_thread] >> i % s->num_thread & 1;
}

/* The first access that cannot be made.  Returns KARAT_ERR_NONE where all can. */
static karat_error_kind first_fault(const step *s, uint32_t *lane, uint64_t *addr) {
    for (uint32_t i = 0; i < 2 * s->num_thread; i++)
        for (uint32_t word = 0; is_accessed(s, i) && word < s->shape.words; word++) {
            *lane = i % s->num_thread;
            *addr = shape_address(&s->shape, s->w, s->c, s->num_thread, i, word);
            if (*addr & (s->shape.bytes - 1))
                return KARAT_ERR_MISALIGNED;
            if (!in_window(*addr) && !mirror_is_mapped(*addr, 1))
                return KARAT_ERR_UNMAPPED;
        }
    return KARAT_ERR_NONE;
}

/* The registers that a step reads: those of its shape, each once. */
static bool check_operands(mirror *m, const step *s) {
    const karat_commit *c = s->c;
    RULE(c->num_reads == s->shape.num_reads, "a step reads its operands, and no more", "%u, not %u",
         c->num_reads, s->shape.num_reads);
    for (uint32_t i = 0; i < s->shape.num_reads; i++) {
        const shape_read *r = &s->shape.read[i];
        uint32_t found = 0;
        for (uint32_t k = 0; k < c->num_reads; k++)
            found += c->read[k].source == r->source && c->read[k].cls == r->cls &&
                     c->read[k].part == r->part && c->read[k].reg == r->reg;
        RULE(found == 1, "each operand is read once", "source %u part %u register %u: %u times", r->source,
             r->part, r->reg, found);
    }
    return true;
}

/* Illegal for a reason that its shape does not have: a value, or the configuration. */
static bool may_be_illegal(const step *s) {
    bool rounds = s->row->unit == KARAT_UNIT_CSR || s->row->unit == KARAT_UNIT_TENSOR;
    for (unsigned i = 0; i < s->row->num_operands; i++)
        rounds |= !strcmp(karat_operand_info(s->row->operands[i])->name, "rm");
    return rounds;
}

/* By the words and the state alone, and of accesses the first one that fails. */
static bool check_shape_error(mirror *m, const step *s) {
    const karat_error *e = &s->c->error;
    const shape *shape = &s->shape;
    const char *name = karat_error_name(e->kind);
    if (s->row->unit == KARAT_UNIT_PREFIX)
        RULE(e->kind == KARAT_ERR_TWO_PREFIXES, "a prefix after a prefix is an error", "%s", name);
    else if (!karat_row_is_legal(s->row, m->config->profile))
        RULE(e->kind == KARAT_ERR_LEFT_OUT, "what is left out is reported as that", "%s", name);
    else if (shape->bad_prefix)
        RULE(e->kind == KARAT_ERR_PREFIX, "a prefix that does not fit is reported", "%s", name);
    else if (shape->illegal || shape->beyond)
        RULE((e->kind == KARAT_ERR_ILLEGAL && (shape->illegal || may_be_illegal(s))) ||
                 (e->kind == KARAT_ERR_REGISTER && shape->beyond),
             "an illegal combination is reported", "%s: illegal %d, beyond the usage %d", name,
             shape->illegal, shape->beyond);
    else
        RULE(e->kind != KARAT_ERR_PREFIX && e->kind != KARAT_ERR_TWO_PREFIXES &&
                 e->kind != KARAT_ERR_REGISTER && e->kind != KARAT_ERR_LEFT_OUT &&
                 (e->kind != KARAT_ERR_ILLEGAL || may_be_illegal(s)),
             "a legal combination is no such error", "%s", name);
    if (e->kind != KARAT_ERR_MISALIGNED && e->kind != KARAT_ERR_UNMAPPED)
        return true;
    uint32_t lane = 0;
    uint64_t addr = 0;
    karat_error_kind kind = first_fault(s, &lane, &addr);
    RULE(kind == e->kind && lane == (uint32_t)e->lane && addr == e->addr,
         "the first access that fails is reported", "%s of lane %d at 0x%llx, not lane %u at 0x%llx", name,
         e->lane, (unsigned long long)e->addr, lane, (unsigned long long)addr);
    return check_operands(m, s);
}

static bool check_shape(mirror *m, const step *s) {
    const shape *shape = &s->shape;
    RULE(!shape->bad_prefix, "a prefix that does not fit does not run", "%s", s->row->name);
    RULE(!shape->illegal, "an illegal combination does not run", "%s at width %u", s->row->name,
         shape->width);
    RULE(!shape->beyond, "registers beyond the usage are not used", "%s", s->row->name);
    RULE(s->c->width == shape->width, "commit.width is that of the elements", "%u, not %u", s->c->width,
         shape->width);
    return check_operands(m, s);
}

static bool check_error(mirror *m, step *s) {
    const karat_commit *c = s->c;
    const karat_error *e = &c->error;
    RULE(e->kind > KARAT_ERR_NONE && e->kind < KARAT_ERR_KINDS, "a program error has a kind", "%d", e->kind);
    RULE(c->num_writes == 0, "a program error writes no register", "%u", c->num_writes);
    RULE(!c->has_mem || c->mem.num == 0, "a program error accesses no memory", "%u", c->mem.num);
    RULE(c->mask_after == c->mask_before, "a program error leaves the mask", "%08x, was %08x", c->mask_after,
         c->mask_before);
    RULE(!c->csr_written && !c->flags_raised && !c->vxsat_raised, "a program error leaves CSRs and flags",
         "csr %d, flags %x, vxsat %d", c->csr_written, c->flags_raised, c->vxsat_raised);
    RULE(!c->ended && !c->barrier && c->simt == KARAT_SIMT_NONE, "a program error has no other outcome",
         "ended %d, barrier %d, simt %d", c->ended, c->barrier, c->simt);
    RULE(c->depth == s->w->depth, "a program error leaves the SIMT stack", "%u, was %u", c->depth,
         s->w->depth);
    RULE(e->pc == c->pc, "error.pc is commit.pc", "%08x, not %08x", e->pc, c->pc);
    RULE((e->kind == KARAT_ERR_FETCH) == !can_fetch(m, s), "what cannot be fetched is a fetch error",
         "pc 0x%08x: %s", s->w->pc, karat_error_name(e->kind));
    if (e->kind == KARAT_ERR_FETCH)
        return true;
    if (!check_words(m, s) || !check_warnings(m, s))
        return false;
    if (!s->row)
        RULE(e->kind == KARAT_ERR_ILLEGAL, "what is no instruction is illegal", "%s",
             karat_error_name(e->kind));
    RULE((e->kind == KARAT_ERR_ILLEGAL) == (e->illegal != KARAT_ILLEGAL_NONE) &&
             !s->row == (e->illegal == KARAT_ILLEGAL_WORD),
         "an illegal instruction says why", "%s: %s", karat_error_name(e->kind),
         karat_illegal_name(e->illegal));
    if (s->row && !check_shape_error(m, s))
        return false;
    if (e->kind == KARAT_ERR_MISALIGNED || e->kind == KARAT_ERR_UNMAPPED) {
        RULE(s->row->owes & KARAT_OWES_MEM, "only memory accesses are misaligned or unmapped", "%s",
             karat_error_name(e->kind));
        RULE(e->lane >= 0 && e->lane < (int32_t)s->num_thread, "an access error names its lane", "%d",
             e->lane);
        RULE(e->kind == KARAT_ERR_MISALIGNED ? (e->addr & 3) != 0
                                             : !mirror_is_mapped(e->addr, 1) && !in_window(e->addr),
             "an access error's address is faulty", "0x%llx: %s", (unsigned long long)e->addr,
             karat_error_name(e->kind));
    }
    return true;
}

static bool check_reads(mirror *m, const step *s) {
    const mirror_warp *w = s->w;
    for (uint32_t i = 0; i < s->c->num_reads; i++) {
        const karat_reg_read *r = &s->c->read[i];
        RULE(r->cls <= KARAT_CLASS_V && r->source <= 3, "a read has a class and a source", "%d %d", r->cls,
             r->source);
        if (r->cls == KARAT_CLASS_X) {
            RULE(r->reg < w->sgprs, "reads are within the register usage", "x%u of %u", r->reg, w->sgprs);
            RULE(r->value[0] == w->x[r->reg], "reads give the register's value", "x%u %08x, not %08x", r->reg,
                 r->value[0], w->x[r->reg]);
            continue;
        }
        RULE(r->reg < w->vgprs, "reads are within the register usage", "v%u of %u", r->reg, w->vgprs);
        RULE(!memcmp(r->value, w->v + r->reg * s->num_thread, s->num_thread * sizeof *w->v),
             "reads give the register's value", "v%u", r->reg);
    }
    return true;
}

static bool check_x_write(mirror *m, const step *s, const karat_reg_write *r) {
    RULE(s->row->owes & KARAT_OWES_X, "only rows that owe a scalar write make one", "x%u", r->reg);
    RULE(r->reg != 0, "x0 is never written", "%08x", r->value[0]);
    RULE(r->mask == 1, "a scalar write has mask 1", "%08x", r->mask);
    RULE(r->reg < s->w->sgprs, "writes are within the register usage", "x%u of %u", r->reg, s->w->sgprs);
    RULE(r->old[0] == s->w->x[r->reg], "write.old is the register's value", "x%u %08x, not %08x", r->reg,
         r->old[0], s->w->x[r->reg]);
    s->w->x[r->reg] = r->value[0];
    return true;
}

static bool check_v_write(mirror *m, const step *s, const karat_reg_write *r, uint32_t part) {
    uint32_t *v = s->w->v + r->reg * s->num_thread;
    /* A pair is two registers of the same lanes. */
    uint32_t active = s->active[part < s->parts ? part : 0];
    RULE(s->row->owes & KARAT_OWES_V, "only rows that owe a vector write make one", "v%u", r->reg);
    RULE(r->reg < s->w->vgprs, "writes are within the register usage", "v%u of %u", r->reg, s->w->vgprs);
    RULE(!(r->mask & ~s->c->mask_before), "only active lanes are written", "%08x of %08x", r->mask,
         s->c->mask_before);
    RULE(r->mask && (s->row->unit == KARAT_UNIT_TENSOR ? !(r->mask & ~active) : r->mask == active),
         "written are the lanes of mask, vl and v0.t", "%08x, not %08x", r->mask, active);
    RULE(!memcmp(r->old, v, s->num_thread * sizeof *v), "write.old is the register's value", "v%u", r->reg);
    for (uint32_t i = 0; i < s->num_thread; i++) {
        RULE(r->mask >> i & 1 || r->value[i] == v[i], "lanes that are not written keep their value",
             "v%u lane %u: %08x, was %08x", r->reg, i, r->value[i], v[i]);
        v[i] = r->value[i];
    }
    return true;
}

static bool check_writes(mirror *m, const step *s) {
    const karat_commit *c = s->c;
    uint32_t expected = 0;
    uint32_t rd = s->dest < 0 ? 0 : (uint32_t)s->insn.value[s->dest] | s->xd << 5;
    const uint32_t most = s->shape.dest_words > 2 ? s->shape.dest_words : 2;
    for (uint32_t i = 0; i < c->num_writes; i++) {
        const karat_reg_write *r = &c->write[i];
        RULE(s->dest >= 0 && r->reg >= rd && r->reg < rd + most, "writes go to the destination", "%u, not %u",
             r->reg, rd);
        RULE(i == 0 || r->reg > c->write[i - 1].reg, "no register is written twice", "%u", r->reg);
        if (!(r->cls == KARAT_CLASS_X ? check_x_write(m, s, r) : check_v_write(m, s, r, r->reg - rd)))
            return false;
        for (uint32_t lane = 0; lane < s->num_thread; lane++)
            RULE(!(r->mask >> lane & 1) || r->value[lane] == shape_extend(s->shape.result, r->value[lane]),
                 "a narrow result is sign-extended, boxed, or a mask", "register %u lane %u: %08x", r->reg,
                 lane, r->value[lane]);
    }
    if (s->row->unit == KARAT_UNIT_TENSOR || s->dest < 0)
        return true;
    const uint32_t words = s->shape.dest_words;
    if (s->row->owes & KARAT_OWES_V)
        for (uint32_t part = 0; part < s->parts; part++)
            expected += s->active[part] ? words : 0;
    else if (s->row->owes & KARAT_OWES_X)
        /* A scalar read from lanes needs one. */
        expected = words > (rd == 0) &&
                   ((c->word & 0x7f) != OPCODE_V || s->row->unit == KARAT_UNIT_CONFIG || s->active[0] != 0);
    if (!s->f->vector_dest)
        expected = expected ? words - (rd == 0) : 0; /* If there are several words, x0 loses the first */
    RULE(c->num_writes == expected, "every expected write is made, and no other", "%u, not %u", c->num_writes,
         expected);
    return true;
}

/* Loads give what memory holds, stores and AMOs change it, in the order of the accesses. */
static bool check_access(mirror *m, const step *s, const karat_access *a) {
    const karat_mem *mem = &s->c->mem;
    RULE(a->bytes == 1 || a->bytes == 2 || a->bytes == 4, "an access has 1, 2 or 4 bytes", "%u", a->bytes);
    RULE(!(a->addr & (a->bytes - 1u)), "accesses are aligned", "0x%llx", (unsigned long long)a->addr);
    uint8_t *bytes = bytes_at(m, s->w->workgroup, a->addr);
    RULE(bytes, "accesses are mapped", "0x%llx", (unsigned long long)a->addr);
    if (mem->op == KARAT_LOAD) {
        RULE(get(bytes, a->bytes) == a->value, "a load gives what memory holds", "0x%llx: %08x, not %08x",
             (unsigned long long)a->addr, a->value, get(bytes, a->bytes));
        return true;
    }
    RULE(a->bytes == 4 || a->value >> 8 * a->bytes == 0, "a stored value has no bits above its bytes", "%08x",
         a->value);
    clear_reservations(m, s->w, a->addr, a->bytes);
    put(bytes, a->value, a->bytes);
    if (in_window(a->addr)) {
        s->g->dirty |= 1u << ((a->addr - MIRROR_LDS_BASE) / MIRROR_PAGE);
        memset(s->g->written + (a->addr - MIRROR_LDS_BASE), 1, a->bytes);
    }
    return true;
}

/* LR, SC and AMO against the reservations that the mirror keeps. */
static bool check_atomic(mirror *m, const step *s) {
    const karat_mem *mem = &s->c->mem;
    mirror_warp *w = s->w;
    uint64_t addr = mem->num ? karat_mem_access(mem, 0).addr : 0;
    RULE(mem->amo == s->c->word >> 27, "mem.amo is funct5", "%u", mem->amo);
    if (mem->amo == KARAT_AMO_LR) {
        RULE(mem->op == KARAT_LOAD, "LR is a load", "%d", mem->op);
        w->reserved = true;
        w->reserved_addr = addr;
        return true;
    }
    RULE(mem->op == KARAT_AMO, "an atomic is one", "%d", mem->op);
    if (mem->amo == KARAT_AMO_SC) {
        RULE(!mem->succeeded || (w->reserved && w->reserved_addr == addr),
             "SC succeeds by a reservation alone", "0x%llx", (unsigned long long)addr);
        addr = shape_address(&s->shape, w, s->c, s->num_thread, 0, 0);
        RULE(mem->succeeded || m->refuse || !w->reserved || addr != w->reserved_addr,
             "SC succeeds where the reservation stands", "0x%llx", (unsigned long long)addr);
        RULE(!s->c->num_writes || s->c->write[0].value[0] == !mem->succeeded, "SC writes 0 or 1", "%08x",
             s->c->write[0].value[0]);
        w->reserved = false;
        return true;
    }
    uint32_t held = get(bytes_at(m, w->workgroup, addr), 4);
    RULE(mem->old == held, "an AMO gets what memory holds", "0x%llx: %08x, not %08x",
         (unsigned long long)addr, mem->old, held);
    RULE(!s->c->num_writes || s->c->write[0].value[0] == held, "an AMO writes back what it got", "%08x",
         s->c->write[0].value[0]);
    return true;
}

/* The value that register rd + word gets in that lane. */
static uint32_t loaded_into(const step *s, uint32_t word, uint32_t lane) {
    const uint32_t reg = s->shape.dest + word;
    return s->f->vector_dest ? s->w->v[reg * s->num_thread + lane] : s->w->x[reg];
}

/* The accesses, one by one: address, width, data. */
static bool check_shape_memory(mirror *m, const step *s) {
    const karat_mem *mem = &s->c->mem;
    const shape *shape = &s->shape;
    const uint32_t kept = shape->bytes == 4 ? 0xffffffffu : (1u << 8 * shape->bytes) - 1;
    uint32_t lane = 0, k = 0;
    uint64_t addr = 0;
    RULE(first_fault(s, &lane, &addr) == KARAT_ERR_NONE, "no faulty access is made", "lane %u at 0x%llx",
         lane, (unsigned long long)addr);
    RULE(mem->words == shape->words && mem->hint == shape->hint && mem->wide_address == shape->wide,
         "words, hint and the address's width are the prefix's", "%u %u %u, not %u %u %u", mem->words,
         mem->hint, mem->wide_address, shape->words, shape->hint, shape->wide);
    RULE((mem->space == KARAT_PRIVATE) == (shape->space == KARAT_PREFIX_PRIVATE), "private is by prefix",
         "%u", mem->space);
    for (uint32_t i = 0; i < 2 * s->num_thread && mem->num; i++)
        for (uint32_t word = 0; is_accessed(s, i) && word < shape->words; word++) {
            const karat_access a = karat_mem_access(mem, k++);
            const uint32_t part = i < s->num_thread ? word : 1;
            lane = i % s->num_thread;
            addr = shape_address(shape, s->w, s->c, s->num_thread, i, word);
            RULE(a.addr == addr && a.lane == lane && a.bytes == shape->bytes && a.reg == part,
                 "every word is accessed at its address", "lane %u at 0x%llx, not lane %u at 0x%llx", a.lane,
                 (unsigned long long)a.addr, lane, (unsigned long long)addr);
            if (mem->op == KARAT_STORE) {
                uint32_t data = 0;
                for (uint32_t r = 0; r < s->c->num_reads; r++)
                    if (s->c->read[r].source == shape->data_source && s->c->read[r].part == part)
                        data = s->c->read[r].value[lane];
                RULE(a.value == (data & kept), "what is stored is the data register's", "%08x, not %08x",
                     a.value, data & kept);
            } else if (mem->op == KARAT_LOAD && (s->f->vector_dest || shape->dest + part)) {
                uint32_t sign = kept / 2 + 1, want = shape->is_signed ? (a.value ^ sign) - sign : a.value;
                RULE(loaded_into(s, part, lane) == want, "a load extends what it loads", "%08x, loaded %08x",
                     loaded_into(s, part, lane), a.value);
            }
        }
    return true;
}

static bool check_memory(mirror *m, const step *s) {
    const karat_mem *mem = &s->c->mem;
    bool owes = s->row->owes & KARAT_OWES_MEM;
    RULE(s->c->has_mem == owes, "memory is accessed by the rows that owe it", "%d", s->c->has_mem);
    if (!owes)
        return true;
    bool vector = s->f->is_vector;
    uint32_t due = 1;
    if (vector) {
        due = 0;
        for (uint32_t part = 0; part < s->parts; part++)
            due += count(s->active[part]);
    }
    bool sc = mem->op == KARAT_AMO && mem->amo == KARAT_AMO_SC;
    RULE(mem->num == (sc && !mem->succeeded ? 0 : due * s->shape.words),
         "every active lane accesses memory once", "%u, of %u lanes", mem->num, due);
    if (!check_shape_memory(m, s) || (s->row->unit == KARAT_UNIT_AMO && !check_atomic(m, s)))
        return false;
    karat_access before = {0};
    for (uint32_t i = 0; i < mem->num; i++) {
        const karat_access a = karat_mem_access(mem, i);
        RULE(vector ? a.lane < s->num_thread && s->active[a.reg < s->parts ? a.reg : 0] >> a.lane & 1
                    : a.lane == 0,
             "only active lanes access memory", "lane %u", a.lane);
        RULE(i == 0 || (s->shape.words > 1 && a.lane >= before.lane) || a.reg > before.reg ||
                 (a.reg == before.reg && a.lane > before.lane),
             "accesses are in ascending order", "lane %u after lane %u", a.lane, before.lane);
        before = a;
        if (!check_access(m, s, &a))
            return false;
    }
    if (mem->num && mem->space != KARAT_PRIVATE)
        RULE((mem->space == KARAT_LDS) == in_window(karat_mem_access(mem, 0).addr),
             "the space is that of the first access", "%d at 0x%llx", mem->space,
             (unsigned long long)karat_mem_access(mem, 0).addr);
    return true;
}

static bool check_branch(mirror *m, step *s, uint32_t target) {
    const karat_commit *c = s->c;
    mirror_warp *w = s->w;
    uint32_t next = c->pc + 4, rpc = w->csr[KARAT_CSR_RPC];
    bool on_target = c->next_pc == target, on_next = c->next_pc == next;
    RULE(on_target || on_next, "a branch goes to its target or on", "0x%08x", c->next_pc);
    if (c->simt == KARAT_SIMT_UNIFORM) {
        RULE(c->mask_after == w->mask && c->depth == w->depth, "a uniform branch leaves mask and stack",
             "%08x, %u", c->mask_after, c->depth);
        RULE(w->mask || on_next, "a branch of no lane falls through", "0x%08x", c->next_pc);
        return true;
    }
    RULE(c->simt == KARAT_SIMT_DIVERGE, "a branch is uniform or diverges", "%d", c->simt);
    RULE(c->depth == w->depth + 2, "a divergence pushes two entries", "%u after %u", c->depth, w->depth);
    RULE(c->mask_after && c->top.mask && !(c->mask_after & c->top.mask) &&
             (c->mask_after | c->top.mask) == w->mask,
         "the halves of a divergence are disjoint and cover the mask", "%08x and %08x of %08x", c->mask_after,
         c->top.mask, w->mask);
    RULE(c->top.rpc == rpc, "a divergence takes the rpc", "%08x, not %08x", c->top.rpc, rpc);
    RULE((on_target && c->top.next == next) || (on_next && c->top.next == target),
         "the path that waits is the other one", "0x%08x", c->top.next);
    if (target != next) {
        uint32_t running = count(c->mask_after), waiting = count(c->top.mask);
        bool smaller = running < waiting || (running == waiting && on_target);
        karat_simt_order order = m->config->simt_order;
        bool right = order == KARAT_SMALLER_FIRST ? smaller : order == KARAT_IF_FIRST ? on_next : on_target;
        RULE(right, "the path that runs first is the order's", "%08x before %08x", c->mask_after,
             c->top.mask);
        RULE(smaller == !(c->deviated & KARAT_DEV_SIMT_ORDER), "another order than smaller-first is reported",
             "%x", c->deviated);
    }
    w->stack[w->depth++] = (karat_simt_entry){rpc, rpc, w->mask};
    w->stack[w->depth++] = c->top;
    w->mask = c->mask_after;
    return true;
}

static bool check_join(mirror *m, step *s) {
    const karat_commit *c = s->c;
    mirror_warp *w = s->w;
    const karat_simt_entry *top = w->depth ? &w->stack[w->depth - 1] : NULL;
    if (!top || top->rpc != c->pc) {
        RULE(c->simt == KARAT_SIMT_PASS && c->mask_after == w->mask && c->depth == w->depth &&
                 c->next_pc == c->pc + 4,
             "a JOIN away from the rpc does nothing", "simt %d", c->simt);
        return true;
    }
    RULE(c->simt == KARAT_SIMT_POP && c->depth == w->depth - 1 && c->mask_after == top->mask &&
             c->next_pc == top->next,
         "a JOIN at the rpc pops", "simt %d, %08x 0x%08x", c->simt, c->mask_after, c->next_pc);
    w->depth--;
    w->mask = top->mask;
    return true;
}

/* Where the warp goes on, and its mask and stack. */
static bool check_flow(mirror *m, step *s) {
    const karat_commit *c = s->c;
    mirror_warp *w = s->w;
    uint32_t next = c->pc + 4;
    uint32_t target = s->target < 0 ? 0 : c->pc + (uint32_t)s->insn.value[s->target];
    if (s->row->owes & KARAT_OWES_SIMT) {
        if (!(s->target < 0 ? check_join(m, s) : check_branch(m, s, target)))
            return false;
    } else {
        RULE(c->simt == KARAT_SIMT_NONE && c->mask_after == w->mask && c->depth == w->depth,
             "only VBRANCH and JOIN change mask and stack", "%08x, %u", c->mask_after, c->depth);
        if (s->row->unit != KARAT_UNIT_BRANCH)
            RULE(c->next_pc == next, "the next instruction is the one behind", "0x%08x", c->next_pc);
        else if (s->target >= 0)
            RULE(c->next_pc == target || (!(s->row->owes & KARAT_OWES_X) && c->next_pc == next),
                 "a jump goes to its target", "0x%08x, not 0x%08x", c->next_pc, target);
        else /* jalr: rs1 is its only register read, the offset its last but one operand */
            RULE(c->num_reads == 1 &&
                     c->next_pc == ((c->read[0].value[0] + ((uint32_t)((int32_t)c->word >> 20))) & ~1u),
                 "jalr goes to rs1 + offset, bit 0 clear", "0x%08x", c->next_pc);
    }
    if (w->depth)
        RULE(!memcmp(&c->top, &w->stack[w->depth - 1], sizeof c->top), "top is the stack's top", "0x%08x",
             c->top.rpc);
    else
        RULE(!(c->top.rpc | c->top.next | c->top.mask), "top is empty where the stack is", "0x%08x",
             c->top.rpc);
    w->pc = c->next_pc;
    w->jumped = c->next_pc != next;
    return true;
}

/* The value for a CSR instruction to write: rs1 or its immediate, or bits to set or clear.  False where the
 * row is no such instruction. */
static bool wanted_csr(const mirror *m, const step *s, uint32_t *wanted) {
    const karat_commit *c = s->c;
    const char *name = s->row->name;
    if (strncmp(name, "csrr", 4) != 0)
        return false;
    uint32_t operand = c->word >> 15 & 31, old = 0;
    if (s->f->source[1] >= 0)
        operand = c->num_reads ? c->read[0].value[0] : 0;
    else if (s->has_imm)
        operand |= s->imm << 5;
    csr_get(m, s->w, c->csr, &old);
    *wanted = name[4] == 'w' ? operand : name[4] == 's' ? old | operand : old & ~operand;
    return true;
}

static bool check_csr(mirror *m, step *s, uint32_t warp) {
    const karat_commit *c = s->c;
    mirror_warp *w = s->w;
    uint32_t value = 0;
    if (c->flags_raised || c->vxsat_raised) {
        karat_unit unit = (karat_unit)s->row->unit;
        bool fp = unit == KARAT_UNIT_FP || unit == KARAT_UNIT_FDIV || unit == KARAT_UNIT_SFU ||
                  unit == KARAT_UNIT_TENSOR;
        RULE(!(c->flags_raised & ~31) && (!c->flags_raised || fp), "floating point alone raises flags", "%x",
             c->flags_raised);
        RULE(c->vxsat_raised <= 1 && (!c->vxsat_raised || (c->word & 0x7f) == OPCODE_V),
             "fixed point alone saturates", "%x", c->vxsat_raised);
        RULE(!c->csr_written, "flags and a CSR write exclude each other", "%x", c->flags_raised);
        w->fflags |= c->flags_raised;
        w->vxsat |= c->vxsat_raised;
    }
    uint32_t wanted = 0;
    bool known = false;
    if (c->csr_written) {
        known = wanted_csr(m, s, &wanted);
        RULE(s->row->owes & KARAT_OWES_CSR, "only rows that owe it write a CSR", "0x%03x", c->csr);
        RULE(csr_get(m, w, c->csr, &value) && value == c->csr_old, "csr_old is the CSR's value",
             "0x%03x: %08x, not %08x", c->csr, c->csr_old, value);
        if (s->row->unit == KARAT_UNIT_CONFIG) {
            RULE(c->csr == VL, "vset reports vl", "0x%03x", c->csr);
            w->vl = c->csr_value;
            must(m, karat_csr_read(m->model, warp, VTYPE, &w->vtype), "vtype can be read");
            const bool vill = w->vtype >> 31, narrow = m->config->profile == KARAT_V203;
            RULE(vill ? w->vtype == 1u << 31 && w->vl == 0
                      : ((w->vtype & ~0xc1u) == 0x10 || (narrow && !(w->vtype & ~0xc9u))) &&
                            w->vl <= s->num_thread << (w->vtype & 7),
                 "vtype is e32 (v2.03: e8, e16) m1 or m2, or vill with vl 0", "vtype %08x, vl %u", w->vtype,
                 w->vl);
        } else {
            RULE(csr_set(w, c->csr, known ? wanted : c->csr_value), "read-only CSRs are not written",
                 "0x%03x", c->csr);
        }
        RULE(csr_get(m, w, c->csr, &value) && value == c->csr_value, "csr_value is what was to be written",
             "0x%03x: %08x, not %08x", c->csr, c->csr_value, value);
        RULE(karat_csr_read(m->model, warp, c->csr, &value) == KARAT_OK && value == c->csr_value,
             "csr_value is what the CSR holds", "0x%03x: %08x, not %08x", c->csr, c->csr_value, value);
    }
    karat_csr_read(m->model, warp, FCSR, &value);
    RULE(value == (w->frm << 5 | w->fflags), "fcsr is what the commits say", "%02x, not %02x", value,
         w->frm << 5 | w->fflags);
    karat_csr_read(m->model, warp, VCSR, &value);
    RULE(value == (w->vxrm << 1 | w->vxsat), "vcsr is what the commits say", "%x, not %x", value,
         w->vxrm << 1 | w->vxsat);
    return true;
}

static bool check_sync(mirror *m, step *s) {
    const karat_commit *c = s->c;
    mirror_warp *w = s->w;
    mirror_group *g = s->g;
    bool diverged = w->depth || w->mask != w->initial_mask;
    RULE(!c->ended || s->row->owes & KARAT_OWES_EXIT, "only ENDPRG ends a warp", "%d", c->ended);
    RULE(!c->barrier || s->row->owes & KARAT_OWES_BARRIER, "only BARRIER arrives", "%d", c->barrier);
    if (s->row->owes & KARAT_OWES_EXIT) {
        RULE(c->ended == 1 && !diverged && !g->arrived, "a warp ends whole, and while none waits", "%u wait",
             g->arrived);
        w->live = w->reserved = false;
        g->ended++;
    }
    if (s->row->owes & KARAT_OWES_BARRIER && (c->word >> 18 & 3) != 1) {
        bool last = g->arrived + 1 == g->num_warp;
        RULE(c->barrier == (last ? 2 : 1), "the last warp of a workgroup releases its barrier", "%d",
             c->barrier);
        RULE(!diverged && !g->ended, "a warp arrives whole, and before any has ended", "%u ended", g->ended);
        w->waiting = true;
        g->arrived++;
        if (last) {
            g->arrived = 0;
            for (uint32_t i = 0; i < MIRROR_WARPS; i++)
                if (m->warps[i].workgroup == w->workgroup)
                    m->warps[i].waiting = false;
        }
    } else {
        RULE(!c->barrier, "a barrier of one thread waits for none", "%d", c->barrier);
    }
    return true;
}

static bool check_success(mirror *m, step *s, uint32_t warp) {
    RULE(s->row && karat_row_is_legal(s->row, m->config->profile), "only instructions of the profile run",
         "row %d", s->c->row);
    RULE(s->row->unit != KARAT_UNIT_PREFIX, "a prefix does not run alone", "%s", s->row->name);
    RULE(s->c->error.kind == KARAT_ERR_NONE, "a step that worked has no error", "%d", s->c->error.kind);
    RULE(s->w->frm <= 4 || !s->row->rounds, "vector floating point is illegal where frm is reserved", "%u",
         s->w->frm);
    RULE(!(s->w->vtype >> 31) || s->row->unit == KARAT_UNIT_CONFIG ||
             ((s->c->word & 0x7f) != OPCODE_V && (s->c->word & 0x7f) != OPCODE_VLOAD &&
              (s->c->word & 0x7f) != OPCODE_VSTORE),
         "the V extension is illegal where vill is set", "%s", s->row->name);
    /* Reads and write.old are compared before the writes are entered; the words before stores are. */
    return check_words(m, s) && check_warnings(m, s) && check_reads(m, s) && check_shape(m, s) &&
           check_writes(m, s) && check_memory(m, s) && check_sync(m, s) && check_csr(m, s, warp) &&
           check_flow(m, s);
}

/* --- The memory port --- */

void mirror_port(void *context, uint32_t warp, karat_mem *mem) {
    mirror *m = context;
    uint32_t group = m->warps[warp].workgroup;
    if (mem->op == KARAT_LOAD && mem->shape != KARAT_SHAPE_EACH && mem->base & 64)
        karat_mem_spread(mem); /* A port may have them lane by lane after all */
    if (mem->op == KARAT_LOAD) {
        for (uint32_t left = mem->lanes; mem->shape != KARAT_SHAPE_EACH && left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            const uint64_t addr = mem->base + (uint64_t)((int64_t)lane * mem->stride);
            mem->lane_value[lane] = get(bytes_at(m, group, addr), mem->bytes);
        }
        for (uint32_t i = 0; mem->shape == KARAT_SHAPE_EACH && i < mem->num; i++)
            mem->access[i].value = get(bytes_at(m, group, mem->access[i].addr), mem->access[i].bytes);
        return;
    }
    mem->old = get(bytes_at(m, group, karat_mem_access(mem, 0).addr), 4);
    if (mem->amo == KARAT_AMO_SC && m->refuse)
        mem->succeeded = 0;
}

/* --- Snapshots --- */

static uint8_t *save(mirror *m, uint8_t **to, size_t *size) {
    *size = karat_save_size(m->model);
    if (*size > m->room || !*to) {
        free(m->snapshot);
        free(m->again);
        m->room = *size + *size / 2;
        m->snapshot = malloc(m->room);
        m->again = malloc(m->room);
    }
    if (!*to)
        broken(m, "there is memory for a snapshot", "%zu bytes", m->room);
    else
        must(m, karat_save(m->model, *to, *size), "a model can be saved");
    return *to;
}

const uint8_t *mirror_snapshot(mirror *m, size_t *size) {
    return save(m, &m->snapshot, size);
}

void mirror_free(mirror *m) {
    free(m->snapshot);
    free(m->again);
}

void mirror_restore(mirror *m) {
    size_t size, size_again;
    karat_status status;
    const uint8_t *first = save(m, &m->snapshot, &size);
    if (m->failed)
        return;
    karat_model *model = karat_restore(first, size, &status);
    if (!model) {
        broken(m, "what was saved can be restored", "status %d", status);
        return;
    }
    karat_destroy(m->model);
    m->model = model;
    m->config = karat_get_config(model);
    if (karat_save_size(model) != size)
        broken(m, "a restored model gives the same bytes", "%zu, not %zu", karat_save_size(model), size);
    else if (memcmp(save(m, &m->again, &size_again), m->snapshot, size) != 0)
        broken(m, "a restored model gives the same bytes", "%zu of them", size);
    if (!m->failed)
        mirror_compare(m);
}

/* --- Comparison of the state itself --- */

static bool compare_warp(mirror *m, uint32_t warp, bool all) {
    const mirror_warp *w = &m->warps[warp];
    karat_warp_view view;
    must(m, karat_view(m->model, warp, &view), "a warp can be viewed");
    if (m->failed)
        return false;
    RULE(view.live == w->live, "a warp is live as the commits say", "warp %u: %d", warp, view.live);
    RULE(!w->live || (view.pc == w->pc && view.mask == w->mask && view.depth == w->depth &&
                      view.waiting == w->waiting && view.initial_mask == w->initial_mask &&
                      view.workgroup == w->workgroup),
         "pc, mask and depth are what the commits say", "warp %u: 0x%08x %08x %u, not 0x%08x %08x %u", warp,
         view.pc, view.mask, view.depth, w->pc, w->mask, w->depth);
    RULE(!memcmp(view.x, w->x, sizeof w->x), "scalar registers are what the commits say", "warp %u", warp);
    if (!w->live && !all)
        return true;
    RULE(!memcmp(view.stack, w->stack, w->depth * sizeof *w->stack), "the SIMT stack is what the commits say",
         "warp %u", warp);
    if (!all)
        return true;
    for (uint32_t reg = 0; reg < KARAT_NUM_V; reg++)
        RULE(!memcmp(view.v[reg], w->v + reg * m->config->num_thread, m->config->num_thread * sizeof *w->v),
             "vector registers are what the commits say", "warp %u v%u", warp, reg);
    static const uint32_t numbers[] = {FFLAGS, FRM,      VSTART, VXSAT, VXRM, MSTATUS,
                                       MTVEC,  MSCRATCH, VL,     VTYPE, VLENB};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers + KARAT_NUM_CUSTOM_CSR; i++) {
        uint32_t csr = i < KARAT_NUM_CUSTOM_CSR ? KARAT_CSR_BASE + i : numbers[i - KARAT_NUM_CUSTOM_CSR];
        uint32_t is = 0, said = 1;
        karat_csr_read(m->model, warp, csr, &is);
        csr_get(m, w, csr, &said);
        RULE(is == said, "CSRs are what the commits say", "warp %u: 0x%03x %08x, not %08x", warp, csr, is,
             said);
    }
    return true;
}

static bool compare_memory(mirror *m) {
    uint64_t addr = 0;
    const uint8_t *page;
    uint32_t seen = 0;
    for (; (page = karat_next_page(m->model, &addr)); addr += MIRROR_PAGE, seen++) {
        RULE(mirror_is_mapped(addr, MIRROR_PAGE), "no page is mapped but by karat_map()", "0x%08llx",
             (unsigned long long)addr);
        RULE(!memcmp(page, bytes_at(m, 0, addr), MIRROR_PAGE), "memory is what the commits say",
             "page 0x%llx", (unsigned long long)addr);
    }
    RULE(seen == MIRROR_MEMORY / MIRROR_PAGE, "every mapped page is walked", "%u", seen);
    uint8_t lds[MIRROR_LDS_SIZE];
    for (uint32_t i = 0; i < MIRROR_GROUPS; i++) {
        if (!m->groups[i].open)
            continue;
        must(m, karat_lds_read(m->model, i, MIRROR_LDS_BASE, lds, sizeof lds), "LDS can be read");
        RULE(!memcmp(lds, m->groups[i].lds, sizeof lds), "LDS is what the commits say", "workgroup %u", i);
    }
    return true;
}

void mirror_compare(mirror *m) {
    for (uint32_t i = 0; i < MIRROR_WARPS && !m->failed; i++)
        compare_warp(m, i, true);
    if (!m->failed)
        compare_memory(m);
}

karat_status mirror_step(mirror *m, uint32_t warp, karat_commit *commit) {
    mirror_warp *w = &m->warps[warp];
    step s = {.w = w, .g = &m->groups[w->workgroup], .c = commit, .dest = -1, .target = -1};
    unsigned long before = allocations;
    in_step = true;
    karat_status status = karat_step(m->model, warp, commit);
    in_step = false;
    m->steps++;
    if (allocations != before)
        broken(m, "a step allocates nothing", "%lu", allocations - before);
    if (!w->live || w->waiting) {
        if (status != (w->live ? KARAT_WAITING : KARAT_ENDED))
            broken(m, "a warp that waits or has ended does not step", "status %d", status);
        return status;
    }
    take_apart(m, &s);
    bool good = false;
    if (!check_bounds(m, commit, &s))
        return status;
    if (status == KARAT_OK) {
        good = check_success(m, &s, warp);
    } else if (status == KARAT_PROGRAM_ERROR) {
        good = check_error(m, &s);
        w->live = w->reserved = false;
    } else {
        broken(m, "a live warp steps", "status %d", status);
    }
    if (good)
        compare_warp(m, warp, m->steps % 32 == 0);
    if (good && m->steps % 4096 == 0)
        mirror_compare(m);
    return status;
}
