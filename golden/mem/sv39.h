/* SV39 translation (RISC-V privileged specification, chapter "Sv39"), as far as a core without privilege
 * modes has it. */
#ifndef KARAT_SV39_H
#define KARAT_SV39_H

#include "karat/model.h"
#include "mem.h"
#include "pte.h"

/* Walk the tables at root (a physical address, a multiple of 4096) for that virtual address, in that memory.
 * Returns KARAT_FAULT_NONE with the physical address in *phys, and in entry[] where the entry of each level
 * is, those below a superpage's as that one; or the reason, with the other fields of *fault and *phys
 * unchanged. */
karat_fault_reason karat_sv39_walk(const karat_memory *memory, uint64_t root, uint64_t virt,
                                   karat_page_use use, uint64_t *phys, karat_page_fault *fault,
                                   const uint8_t *entry[LEVELS]);

/* A page that was translated for one use. It holds while the entries that the walk read are the same, which
 * is looked up at each access: so nobody need be told of a write to a page table. Where memory is unmapped,
 * all are dropped. */
typedef struct karat_translation_kept {
    uint64_t root, key; /* Key: the virtual page and the use; 0: none is kept here */
    uint64_t frame;
    uint8_t *bytes;               /* Of the page, which is mapped */
    const uint8_t *entry[LEVELS]; /* The entries that the walk read, and what they held */
    uint64_t held[LEVELS];
} karat_translation_kept;

#define KARAT_TRANSLATIONS 1024u /* Kept by a model */

/* The page of that address, as karat_sv39_walk() finds it, by what is kept where that holds. Returns NULL
 * where it is not mapped (*fault with KARAT_FAULT_NONE) or faults. For a store, the page is written from now
 * on. kept[]: KARAT_TRANSLATIONS of them. */
uint8_t *karat_sv39_page(const karat_memory *memory, karat_translation_kept *kept, uint64_t root,
                         uint64_t virt, karat_page_use use, uint64_t *phys, karat_page_fault *fault);

#endif
