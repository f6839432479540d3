/* The three-level walk of SV39. The tables as they are at an access decide it, of a page that is kept too. */
#include "sv39.h"

#define PTE_RESERVED (~UINT64_C(0) << 54) /* N, PBMT and bits without a meaning: no extension here has them */

#define ENTRY_SIZE 8

static uint64_t read_entry(const uint8_t *p) {
    return karat_get(p, 4) | (uint64_t)karat_get(p + 4, 4) << 32;
}

/* May a leaf be used so? */
static karat_fault_reason check_leaf(uint64_t entry, karat_page_use use) {
    switch (use) {
    case KARAT_USE_FETCH:
        if (!(entry & PTE_X))
            return KARAT_FAULT_NOT_EXECUTABLE;
        break;
    case KARAT_USE_LOAD:
        if (!(entry & PTE_R))
            return KARAT_FAULT_NOT_READABLE;
        break;
    case KARAT_USE_STORE:
        if (!(entry & PTE_W))
            return KARAT_FAULT_NOT_WRITABLE;
        break;
    }
    if (!(entry & PTE_A))
        return KARAT_FAULT_NOT_ACCESSED;
    if (use == KARAT_USE_STORE && !(entry & PTE_D))
        return KARAT_FAULT_NOT_DIRTY;
    return KARAT_FAULT_NONE;
}

karat_fault_reason karat_sv39_walk(const karat_memory *memory, uint64_t root, uint64_t virt,
                                   karat_page_use use, uint64_t *phys, karat_page_fault *fault,
                                   const uint8_t *entries[LEVELS]) {
    *fault = (karat_page_fault){.use = use, .virt = virt, .level = LEVELS - 1};
    const uint64_t above = virt >> (VIRT_BITS - 1);
    if (above && above != UINT64_MAX >> (VIRT_BITS - 1))
        return fault->reason = KARAT_FAULT_NOT_CANONICAL;
    uint64_t table = root;
    for (int level = LEVELS - 1; level >= 0; level--) {
        const unsigned shift = KARAT_PAGE_BITS + VPN_BITS * (unsigned)level;
        fault->level = (uint8_t)level;
        fault->entry_addr = table + (virt >> shift & ((1u << VPN_BITS) - 1)) * ENTRY_SIZE;
        fault->entry = 0;
        const uint8_t *page = karat_page(memory, fault->entry_addr);
        if (!page)
            return fault->reason = KARAT_FAULT_NO_TABLE;
        for (int below = level; below >= 0; below--)
            entries[below] = page + (fault->entry_addr & (KARAT_PAGE - 1));
        const uint64_t entry = fault->entry = read_entry(entries[level]);
        if (!(entry & PTE_V) || (!(entry & PTE_R) && entry & PTE_W))
            return fault->reason = KARAT_FAULT_INVALID;
        if (entry & PTE_RESERVED)
            return fault->reason = KARAT_FAULT_RESERVED;
        const uint64_t base = entry >> 10 << KARAT_PAGE_BITS;
        if (entry & (PTE_R | PTE_X)) {
            const uint64_t offsets = (UINT64_C(1) << shift) - 1;
            if (base & offsets)
                return fault->reason = KARAT_FAULT_MISALIGNED_SUPERPAGE;
            fault->phys = base | (virt & offsets);
            fault->reason = check_leaf(entry, use);
            if (fault->reason == KARAT_FAULT_NONE)
                *phys = fault->phys;
            return fault->reason;
        }
        if (entry & (PTE_A | PTE_D | PTE_U))
            return fault->reason = KARAT_FAULT_RESERVED;
        table = base;
    }
    return fault->reason = KARAT_FAULT_NO_LEAF;
}

static bool holds(const karat_translation_kept *t) {
    uint64_t differ = 0;
    for (int level = 0; level < LEVELS; level++)
        differ |= read_entry(t->entry[level]) ^ t->held[level];
    return !differ;
}

uint8_t *karat_sv39_page(const karat_memory *memory, karat_translation_kept *kept, uint64_t root,
                         uint64_t virt, karat_page_use use, uint64_t *phys, karat_page_fault *fault) {
    const uint64_t offset = virt & (KARAT_PAGE - 1), page = virt >> KARAT_PAGE_BITS,
                   key = (virt - offset) | (1u + use);
    karat_translation_kept *t = &kept[(page * (KARAT_USE_STORE + 1) + use) % KARAT_TRANSLATIONS];
    if (t->key == key && t->root == root && holds(t)) {
        fault->reason = KARAT_FAULT_NONE;
        *phys = t->frame | offset;
        return t->bytes;
    }
    t->key = 0;
    if (karat_sv39_walk(memory, root, virt, use, phys, fault, t->entry) != KARAT_FAULT_NONE)
        return NULL;
    t->bytes = karat_page_for(memory, *phys, use == KARAT_USE_STORE);
    if (!t->bytes)
        return NULL;
    for (int level = 0; level < LEVELS; level++)
        t->held[level] = read_entry(t->entry[level]);
    t->frame = *phys - offset;
    t->root = root;
    t->key = key;
    return t->bytes;
}
