#include "retire.h"

#include <string.h>

void karat_retire_launch(const karat_launch_desc *desc, karat_rec_launch *r) {
    r->pc = desc->pc;
    r->mask = desc->mask;
    r->csr_given = (1u << KARAT_LAUNCH_MSTATUS) - 1;
    memcpy(r->csr, desc->csr, sizeof r->csr);
}

void karat_retire_kernel(const karat_kernel *kernel, uint32_t num_thread, uint32_t index, uint32_t num_region,
                         karat_rec_kernel *r) {
    r->index = index;
    memcpy(r->grid, kernel->grid, sizeof r->grid);
    r->wg_size = kernel->wg_size;
    r->wf_size = karat_kernel_wf_size(kernel, num_thread);
    r->pc = kernel->start_addr;
    r->knl = kernel->knl;
    r->lds_base = kernel->lds_base;
    r->lds_size = kernel->lds_size;
    r->pds_base = kernel->pds_base;
    r->pds_size = kernel->pds_size;
    r->sgprs = (uint16_t)kernel->sgprs;
    r->vgprs = (uint16_t)kernel->vgprs;
    r->num_region = num_region;
}

bool karat_retire_items(const karat_kernel *kernel, karat_rec_items *r) {
    memcpy(r->group_items, kernel->local, sizeof r->group_items);
    memcpy(r->grid_items, kernel->global, sizeof r->grid_items);
    memcpy(r->first_id, kernel->offset, sizeof r->first_id);
    r->pds_slots = kernel->pds_slots;
    return kernel->local[0] || kernel->pds_slots;
}

void karat_retire_issue(const karat_commit *m, uint32_t seq, karat_rec_issue *r) {
    r->seq = seq;
    r->pc = m->pc;
    r->word = m->word;
    r->mask = m->mask_before;
    r->prefix = m->prefix;
    r->prefix_kind = m->prefix ? KARAT_PREFIX_WORD : KARAT_PREFIX_NONE;
}

void karat_retire_read(const karat_commit *m, uint32_t seq, uint32_t index, uint32_t lanes,
                       karat_rec_read *r) {
    const karat_reg_read *read = &m->read[index];
    r->seq = seq;
    r->source = read->source;
    r->cls = read->cls;
    r->part = read->part;
    r->mask = read->cls == KARAT_CLASS_X ? 1 : lanes;
    for (uint32_t left = r->mask; left; left &= left - 1)
        r->data[__builtin_ctz(left)] = read->value[__builtin_ctz(left)];
}

void karat_retire_write(const karat_reg_write *w, uint32_t seq, uint32_t lanes, karat_rec_write *r) {
    r->seq = seq;
    r->cls = w->cls;
    r->regno = w->reg;
    r->mask = lanes;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        r->data[lane] = lanes >> lane & 1 ? w->value[lane] : 0;
}

void karat_retire_simt(const karat_commit *m, uint32_t seq, karat_rec_simt *r) {
    r->seq = seq;
    r->mask = m->mask_after;
    r->next_pc = m->next_pc;
    r->depth = m->depth;
    r->top_valid = m->depth != 0;
    r->top_rpc = m->top.rpc;
    r->top_next = m->top.next;
    r->top_mask = m->top.mask;
}

void karat_retire_csr(const karat_commit *m, uint32_t seq, karat_rec_csr *r) {
    r->seq = seq;
    r->addr = m->csr;
    r->value = m->csr_value;
}

void karat_retire_mem(const karat_mem *mem, uint32_t seq, uint32_t space, karat_rec_mem *r) {
    r->seq = seq;
    r->op = mem->op;
    r->space = (uint8_t)space;
}

uint32_t karat_retire_space(const karat_config *config, const karat_mem *mem, uint64_t addr) {
    if (mem->space == KARAT_PRIVATE)
        return KARAT_SPACE_PRIVATE;
    return addr - config->lds_base < config->lds_size ? KARAT_SPACE_LDS : KARAT_SPACE_GLOBAL;
}

void karat_retire_bytes(karat_rec_mem *r, const karat_mem *mem, const karat_access *a, uint32_t first,
                        uint32_t count, uint32_t shift) {
    const uint64_t addr = a->addr + first - shift;
    r->mask |= 1u << a->lane;
    r->addr_hi = (uint32_t)(addr >> 32);
    r->addr[a->lane] = (uint32_t)addr;
    r->bytes[a->lane / 2] |= (uint8_t)(((1u << count) - 1) << shift << a->lane % 2 * 4);
    if (mem->op != KARAT_LOAD) {
        uint32_t data = a->value >> 8 * first;
        data &= count == 4 ? 0xffffffffu : (1u << 8 * count) - 1;
        r->data[a->lane] = data << 8 * shift;
    }
}

void karat_retire_access(const karat_mem *mem, uint32_t seq, uint32_t space, karat_rec_access *r) {
    r->seq = seq;
    r->op = mem->op;
    r->space = (uint8_t)space;
}

bool karat_retire_wide(const karat_mem *mem, uint32_t k, uint32_t first, uint32_t count, bool has_virt,
                       karat_rec_access *r) {
    const karat_access a = karat_mem_access(mem, k);
    const uint32_t lane = a.lane;
    const uint64_t phys = a.addr + first, virt = has_virt ? mem->virt[k] + first : 0;
    const bool taken = r->mask >> lane & 1;
    const uint64_t at = taken ? phys - r->phys[lane] : 0;
    const uint32_t bytes = ((1u << count) - 1) << (at & 15);
    if (taken && (at > 16 - count || r->bytes[lane] & bytes || (has_virt && virt - r->virt[lane] != at) ||
                  (phys ^ r->phys[lane]) >> 12))
        return false;
    if (!taken) {
        r->phys[lane] = phys;
        r->virt[lane] = virt;
    }
    r->mask |= 1u << lane;
    r->bytes[lane] |= (uint16_t)bytes;
    for (uint32_t i = 0; i < count && mem->op != KARAT_LOAD; i++)
        r->data[4 * lane + (at + i) / 4] |= (a.value >> 8 * (first + i) & 0xff) << 8 * ((at + i) % 4);
    return true;
}

void karat_retire_pair(const karat_reg_write *lower, const karat_reg_write *upper, uint32_t seq,
                       uint32_t lanes, karat_rec_pair *r) {
    r->seq = seq;
    r->cls = lower->cls;
    r->regno = lower->reg;
    r->mask = lanes;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        r->data[lane] = lanes >> lane & 1 ? lower->value[lane] | (uint64_t)upper->value[lane] << 32 : 0;
}

bool karat_retire_fill(const karat_model *model, uint64_t ptbr, uint64_t virt, karat_rec_tlb *r) {
    karat_page_fault walk;
    uint64_t phys;
    karat_translate(model, ptbr, virt, KARAT_USE_LOAD, &phys, &walk);
    if (walk.reason != KARAT_FAULT_NONE && walk.reason < KARAT_FAULT_NOT_READABLE)
        return false; /* No leaf */
    const uint64_t offsets = (UINT64_C(4096) << 9 * walk.level) - 1;
    r->action = KARAT_TLB_FILL;
    r->level = walk.level;
    r->virt = virt & ~offsets;
    r->phys = walk.phys & ~offsets;
    r->entry = walk.entry;
    r->entry_addr = walk.entry_addr;
    return true;
}

void karat_retire_fault(const karat_page_fault *fault, uint32_t seq, karat_rec_tlb *r) {
    r->action = KARAT_TLB_FAULT;
    r->seq = seq;
    r->tlb = fault->use == KARAT_USE_FETCH ? KARAT_TLB_INSTRUCTION : KARAT_TLB_DATA;
    r->level = fault->level;
    r->access = (uint8_t)fault->use; /* KARAT_ACCESS_* has the same values */
    r->reason = (uint32_t)fault->reason;
    r->virt = fault->virt;
    r->entry = fault->entry;
    r->entry_addr = fault->entry_addr;
}

bool karat_retire_shown(const void *record, unsigned part, karat_rec_write *r) {
    const karat_rec_audit *audit = record;
    const karat_rec_pair *pair = record;
    switch (((const karat_rec_header *)record)->kind) {
    case KARAT_REC_WRITE: *r = *(const karat_rec_write *)record; return part == 0;
    case KARAT_REC_AUDIT:
        *r = (karat_rec_write){.h = audit->h, .cls = audit->cls, .regno = audit->regno, .mask = audit->mask};
        memcpy(r->data, audit->data, sizeof r->data);
        return part == 0;
    case KARAT_REC_PAIR:
        memcpy(r, pair, offsetof(karat_rec_write, data)); /* These fields are in both */
        r->regno = (uint16_t)(r->regno + part);
        for (uint32_t lane = 0; lane < KARAT_PORT_MAX_THREAD; lane++)
            r->data[lane] = (uint32_t)(pair->data[lane] >> 32 * (part & 1));
        return part < 2;
    default: return false; /* It shows no register */
    }
}
