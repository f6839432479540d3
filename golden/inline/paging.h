/* Address spaces of the kernels of a run: which one each kernel is in, by which ASID, and whether the core's
 * TLBs drop their entries before it.
 *
 * Without a seed all kernels are in one address space, with ASID 0, and the TLBs drop all entries before
 * each. With a seed a kernel is in the last one's address space, in an earlier one, or in a new one, which
 * has the memory of the earlier kernels, too: memory that two kernels use is the same. Either the TLBs drop
 * their entries, or the kernel has an ASID that they have not seen since.
 */
#ifndef KARAT_PAGING_H
#define KARAT_PAGING_H

#include "karat/space.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karat_paging karat_paging;

/* Memory: whole pages. */
typedef struct karat_range {
    uint64_t base, size;
} karat_range;

typedef struct karat_ranges {
    karat_range *at; /* To be freed by free() */
    uint32_t num;
} karat_ranges;

/* A model's memory. */
karat_space_memory karat_space_of_model(karat_model *model);

/* For kernels of warps of so many threads, in that memory, of which the context and the functions count: with
 * translation (sv39), or by physical addresses. Returns NULL where memory is short. */
karat_paging *karat_paging_create(const karat_space_memory *memory, uint32_t num_thread, bool sv39,
                                  const uint64_t *seed);
void karat_paging_destroy(karat_paging *paging);

/* Choose the next kernel's address space and place the kernel there. */
karat_status karat_paging_place(karat_paging *paging, karat_kernel *kernel);

bool karat_paging_translates(const karat_paging *paging);
/* Of the kernel that was placed last. NULL: of none, or without translation. */
karat_space *karat_paging_space(const karat_paging *paging);
bool karat_paging_invalidates(const karat_paging *paging);
/* Pages of all kernels so far, and tables, in ascending order, and adjacent ones as one range. */
const karat_ranges *karat_paging_memory(const karat_paging *paging);

/* As the kernel that was placed last addresses it; karat_paging_look(): or else an earlier one. */
karat_status karat_paging_read(const karat_paging *paging, uint64_t addr, void *bytes, size_t size);
karat_status karat_paging_write(karat_paging *paging, uint64_t addr, const void *bytes, size_t size);
karat_status karat_paging_look(const karat_paging *paging, uint64_t addr, void *bytes, size_t size);
/* Where that is in memory: up to size bytes that are together, and their number. 0: it is not mapped. */
size_t karat_paging_find(const karat_paging *paging, uint64_t addr, size_t size, uint64_t *phys);

#ifdef __cplusplus
}
#endif
#endif
