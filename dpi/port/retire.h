/* The records of a core that behaves exactly like the model, for a step and for a launch: their contents,
 * without headers. For recordings of the model itself, and for the core of the checker's tests, which adds
 * latencies and splits records. */
#ifndef KARAT_RETIRE_H
#define KARAT_RETIRE_H

#include "karat/karat.h"
#include "karat/kernel.h"
#include "karat_port.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* All CSRs are valid except mstatus, which has the model's value anyway. */
void karat_retire_launch(const karat_launch_desc *desc, karat_rec_launch *r);
/* Of which so many REGIONs have been sent, on a device with warps of num_thread threads. */
void karat_retire_kernel(const karat_kernel *kernel, uint32_t num_thread, uint32_t index, uint32_t num_region,
                         karat_rec_kernel *r);
/* False: the kernel's are the usual ones, and no such record is to be sent. */
bool karat_retire_items(const karat_kernel *kernel, karat_rec_items *r);
/* The prefix is valid. */
void karat_retire_issue(const karat_commit *commit, uint32_t seq, karat_rec_issue *r);
/* Of one of its operands: a scalar, or these lanes of a vector. */
void karat_retire_read(const karat_commit *commit, uint32_t seq, uint32_t read, uint32_t lanes,
                       karat_rec_read *r);
/* These lanes of one of its results. */
void karat_retire_write(const karat_reg_write *write, uint32_t seq, uint32_t lanes, karat_rec_write *r);
void karat_retire_simt(const karat_commit *commit, uint32_t seq, karat_rec_simt *r);
void karat_retire_csr(const karat_commit *commit, uint32_t seq, karat_rec_csr *r);

/* A piece of its memory accesses that has no lane yet. space: KARAT_SPACE_*. */
void karat_retire_mem(const karat_mem *mem, uint32_t seq, uint32_t space, karat_rec_mem *r);
/* The address space of an access, as in MEM. */
uint32_t karat_retire_space(const karat_config *config, const karat_mem *mem, uint64_t addr);
/* Add count bytes of an access from the byte first on, reported shift bytes after the start of the access. */
void karat_retire_bytes(karat_rec_mem *r, const karat_mem *mem, const karat_access *access, uint32_t first,
                        uint32_t count, uint32_t shift);

/* An ACCESS of no lane yet. space: KARAT_SPACE_*. */
void karat_retire_access(const karat_mem *mem, uint32_t seq, uint32_t space, karat_rec_access *r);
/* Add count bytes of its access k from the byte first on; virtual addresses where it has some. False, and
 * nothing done, where the lane has bytes already and these are not within 16 bytes of its first one on the
 * same pages. */
bool karat_retire_wide(const karat_mem *mem, uint32_t k, uint32_t first, uint32_t count, bool has_virt,
                       karat_rec_access *r);
/* Two results in consecutive registers of the same lanes, or of these of them, in one record. */
void karat_retire_pair(const karat_reg_write *lower, const karat_reg_write *upper, uint32_t seq,
                       uint32_t lanes, karat_rec_pair *r);
/* Register number part that a WRITE, PAIR or AUDIT shows, as a WRITE. False beyond the last one, and of
 * any other record. */
bool karat_retire_shown(const void *record, unsigned part, karat_rec_write *r);
/* The TLB entry of that level 0, 1 or 2 that holds an address, as the tables at ptbr have it in the model;
 * false where they have none. */
bool karat_retire_fill(const karat_model *model, uint64_t ptbr, uint64_t virt, karat_rec_tlb *r);
/* A page fault of the step. */
void karat_retire_fault(const karat_page_fault *fault, uint32_t seq, karat_rec_tlb *r);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
