/* What a core that does just what the model does says of a step, and of a launch: the contents of its records, without their headers. For
 * recordings of the model itself, and for the core of the checker's tests, which adds latencies and splits what may be split. */
#ifndef KARAT_RETIRE_H
#define KARAT_RETIRE_H

#include "karat/karat.h"
#include "karat_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All CSRs are given but mstatus: that is as the model has it anyway. */
void karat_retire_launch(const karat_launch_desc *desc, karat_rec_launch *r);
/* The prefix is given. */
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
/* The address space of an access, as MEM says it. */
uint32_t karat_retire_space(const karat_config *config, const karat_mem *mem, uint64_t addr);
/* Add count bytes of an access from the byte first on, told at shift bytes behind where they are said to begin. */
void karat_retire_bytes(karat_rec_mem *r, const karat_mem *mem, const karat_access *access, uint32_t first,
                        uint32_t count, uint32_t shift);

#ifdef __cplusplus
}
#endif
#endif
