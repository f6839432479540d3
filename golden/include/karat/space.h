/* Address spaces of launches, for a model with translation (karat_config.translation): page tables in the model's memory, and the
 * host's accesses by virtual address. */
#ifndef KARAT_SPACE_H
#define KARAT_SPACE_H

#include "karat/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karat_space karat_space;

/* A new address space without a page. seed NULL: physical addresses are the virtual ones, in pages of 4 KiB, and the tables are above
 * 256 GiB. Otherwise the layout is drawn, and equal seeds and calls have equal layouts: pages of 4 KiB anywhere below 256 GiB of
 * physical memory, superpages of 2 MiB and 1 GiB where a range holds one, tables among them, with values other than 0 in the entries
 * that are not valid, and for each range that is mapped a page with a second virtual address, an alias. NULL for a model without
 * translation (KARAT_BAD_ARGUMENT), or lack of memory; *status (may be NULL) says which. The model must outlive it. */
karat_space *karat_space_create(karat_model *model, const uint64_t *seed, karat_status *status);
/* The pages and tables stay in the model's memory. */
void karat_space_destroy(karat_space *space);

/* The physical address of the root table, and the ASID: of each launch in it. 0 for NULL. */
uint64_t karat_space_ptbr(const karat_space *space);
uint32_t karat_space_asid(const karat_space *space);

/* Map [virt, virt + size), widened to whole 4 KiB pages: readable and writable, A and D set, and executable on request. New pages are
 * 0; those mapped already keep their place and contents, and their permissions grow. KARAT_BAD_ARGUMENT for addresses that are not
 * canonical or in the LDS window, and without a seed from 2^38 on. After KARAT_NO_MEMORY part of it may be mapped. */
karat_status karat_space_map(karat_space *space, uint64_t virt, uint64_t size, bool executable);

/* A second virtual address for the page of virt, with its permissions: *alias is the byte of virt. No other page was there; a later
 * karat_space_map() of that address removes it. KARAT_NOT_MAPPED where virt is not mapped. */
karat_status karat_space_alias(karat_space *space, uint64_t virt, uint64_t *alias);

/* Read or write memory by virtual address, across pages, as karat_read() and karat_write() do by physical address; the LDS window is
 * not mapped. KARAT_NOT_MAPPED, without effect, where any byte faults or is not mapped. */
karat_status karat_space_read(const karat_space *space, uint64_t virt, void *bytes, size_t size);
karat_status karat_space_write(karat_space *space, uint64_t virt, const void *bytes, size_t size);

/* karat_kernel_place() in that address space: all buffers are executable, private memory outside of them is not. The kernel's
 * launches (karat_kernel_launch()) are in it from then on. */
karat_status karat_space_place(karat_space *space, karat_kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
