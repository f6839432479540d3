/* What a recording of a run with translation has besides: memory by physical address, page tables in it, and the TLBs of the recorded core. */
#ifndef KARAT_RECORD_SPACE_H
#define KARAT_RECORD_SPACE_H

#include "port.h"
#include "sched.h"

typedef struct record_space record_space;

/* NULL: out of memory. Both must outlive it. */
record_space *record_space_create(const session *s, karat_port *port, uint32_t num_sm);
void record_space_destroy(record_space *r); /* may be NULL */

/* That kernel is about to be placed. False: out of memory. */
bool record_space_begin(record_space *r, uint64_t cycle);
/* It has been: its memory, PAGING and KERNEL. False: out of memory. */
bool record_space_kernel(record_space *r, const karat_kernel *kernel, uint32_t index, uint64_t cycle);
/* The last kernel has ended, and so does the stream: the contents of all memory. */
void record_space_end(record_space *r, uint64_t cycle);

/* The SM of that header fetches from, or accesses that virtual address: FILL, where its TLB has no entry for it. */
void record_space_use(record_space *r, const karat_rec_header *of, unsigned tlb, uint64_t virt);
/* The host has written these bytes there, by physical address: also without a record_space. */
void record_host(karat_port *port, uint64_t addr, const uint8_t *bytes, size_t size, uint64_t cycle);
/* The host has written there, by virtual address. */
void record_space_host(record_space *r, uint64_t virt, const uint8_t *bytes, size_t size, uint64_t cycle);

#endif
