/* SV39 translation (RISC-V privileged specification, chapter "Sv39"), as far as a core without privilege
 * modes has it. */
#ifndef KARAT_SV39_H
#define KARAT_SV39_H

#include "karat/model.h"
#include "mem.h"

/* Walk the tables at root (a physical address, a multiple of 4096) for that virtual address, in that memory.
 * Returns KARAT_FAULT_NONE with the physical address in *phys, or the reason, with the other fields of *fault
 * and *phys unchanged. */
karat_fault_reason karat_sv39_walk(const karat_memory *memory, uint64_t root, uint64_t virt,
                                   karat_page_use use, uint64_t *phys, karat_page_fault *fault);

#endif
