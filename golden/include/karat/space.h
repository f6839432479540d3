/* Address spaces of launches: page tables in the memory of a model with translation
 * (karat_config.translation) or of a core, and the host's accesses by virtual address. */
#ifndef KARAT_SPACE_H
#define KARAT_SPACE_H

#include "karat/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct karat_space karat_space;

/* A new address space without a page. seed NULL: physical addresses are the virtual ones, in pages of 4 KiB,
 * and the tables are above 256 GiB. Otherwise the layout is drawn, and equal seeds and calls have equal
 * layouts: pages of 4 KiB anywhere in physical memory, half of them below 4 GiB and a quarter up to 2^56,
 * superpages of 2 MiB and 1 GiB where a range holds one, tables among them, with values other than 0 in the
 * entries that are not valid, U and G in some that are, and for each range with a new page a page with a
 * second virtual address, an alias, or 2 MiB of aliases by a table that is shared. Every fourth seed has
 * superpages where a range is smaller, too: what is around it is mapped then. NULL for a model without
 * translation (KARAT_BAD_ARGUMENT), or lack of memory; *status (may be NULL) says which. The model must
 * outlive it. */
karat_space *karat_space_create(karat_model *model, const uint64_t *seed, karat_status *status);

/* Memory that is not a model's, by physical address; map, read and write as karat_map(), karat_read() and
 * karat_write(). */
typedef struct karat_space_memory {
    void *context;
    uint32_t lds_base, lds_size; /* The LDS window: neither address is mapped there */
    uint32_t num_thread;         /* Threads of a warp: a kernel's private memory depends on it */
    karat_status (*map)(void *context, uint64_t base, uint64_t size);
    karat_status (*read)(void *context, uint64_t addr, void *bytes, size_t size);
    karat_status (*write)(void *context, uint64_t addr, const void *bytes, size_t size);
} karat_space_memory;

/* As karat_space_create(), in that memory, which *memory is copied of. */
karat_space *karat_space_create_in(const karat_space_memory *memory, const uint64_t *seed,
                                   karat_status *status);

/* A new address space of the same family, with tables of its own: where a space of the family has a page, a
 * page that another one maps is the same physical memory, perhaps of another size. It is laid out as older
 * is. karat_space_place() gives about half of such pages memory of their own where layouts are drawn, and
 * copies to it what the last kernel's space has. */
karat_space *karat_space_create_after(karat_space *older, karat_status *status);

/* The pages and tables stay in the model's memory. */
void karat_space_destroy(karat_space *space);

/* The physical address of the root table, and the ASID: of each launch in it. 0 for NULL. */
uint64_t karat_space_ptbr(const karat_space *space);
uint32_t karat_space_asid(const karat_space *space);
/* Of the kernels that are placed from then on. */
void karat_space_set_asid(karat_space *space, uint32_t asid);

/* Map [virt, virt + size), widened to whole 4 KiB pages: readable and writable, A and D set, and executable
 * on request. New pages are 0; those mapped already keep their place and contents, and their permissions
 * grow. KARAT_BAD_ARGUMENT for addresses that are not canonical or in the LDS window, and without a seed from
 * 2^38 on. After KARAT_NO_MEMORY part of it may be mapped. */
karat_status karat_space_map(karat_space *space, uint64_t virt, uint64_t size, bool executable);

/* A second virtual address for the page of virt, with its permissions: *alias is the byte of virt. No other
 * page was there; a later karat_space_map() of that address removes it. KARAT_NOT_MAPPED where virt is not
 * mapped. */
karat_status karat_space_alias(karat_space *space, uint64_t virt, uint64_t *alias);

/* Read or write memory by virtual address, across pages, as karat_read() and karat_write() do by physical
 * address; the LDS window is not mapped. KARAT_NOT_MAPPED, without effect, where any byte faults or is not
 * mapped. */
karat_status karat_space_read(const karat_space *space, uint64_t virt, void *bytes, size_t size);
karat_status karat_space_write(karat_space *space, uint64_t virt, const void *bytes, size_t size);

/* Up to size bytes from virt on that are on one page: their number, and where they are in memory. 0 where
 * virt is not mapped. */
size_t karat_space_find(const karat_space *space, uint64_t virt, size_t size, uint64_t *phys);

/* Visit all tables (4 KiB each) and pages, aliases apart; false where a visit has returned false, which is
 * the last then. */
typedef bool karat_space_visit(void *context, uint64_t phys, uint64_t size, bool is_table);
bool karat_space_each(const karat_space *space, karat_space_visit *visit, void *context);

/* Change the tables of one virtual address. The pages around it that a new page of that level has room for
 * stay mapped, with their contents, and share its permissions. A later karat_space_map() of the address may
 * undo it. Failed: one line in *diag (may be NULL). */
karat_status karat_space_change(karat_space *space, const karat_page_change *change, karat_diag *diag);

/* As karat_kernel_place(), in that address space: all buffers are executable, private memory outside of them
 * is not. The memory of the kernels that were placed before, in whichever space of the family, is mapped here
 * as well. Then the changes of page tables that the kernel's file has (karat_kernel.pages). The kernel's
 * launches (karat_kernel_launch()) are in it from then on. */
karat_status karat_space_place(karat_space *space, karat_kernel *kernel);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
