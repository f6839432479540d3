/* The host: places kernels in device memory, sends their workgroups to the core's dispatch port one by one,
 * and reports its actions to the retire port (REGION, HOST, PAGING, KERNEL, BYE records).
 *
 * Each clock cycle the harness drives the dispatch port with karat_host_offer(), and reports the core's
 * events with karat_host_accepted() and karat_host_workgroup_done(); karat_host_step() moves on to the next
 * kernel.
 *
 * Printing: when the core shows that a warp's CSR_PRINT is not 0, the harness calls karat_host_print(). The
 * host learns from the port which warp of which workgroup is in a slot: karat_host_record() is one of its
 * sinks.
 */
#ifndef KARAT_TESTBENCH_HOST_H
#define KARAT_TESTBENCH_HOST_H

#include <stdio.h>

#include "karat/kernel.h"
#include "memory.h"
#include "karat/space.h"
#include "port.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karat_host karat_host;
typedef struct karat_paging karat_paging; /* Declared in paging.h */

/* Device memory as seen by the host, by physical address and without simulated time. */
typedef struct karat_host_memory {
    karat_space_memory bytes; /* Context and functions alone */
    /* The lowest page of 4096 bytes from *addr to last that may hold anything but zeros, its address in
     * *addr; false: none does. NULL: each may, and all are read where memory is hashed. */
    bool (*next_written)(void *context, uint64_t *addr, uint64_t last);
} karat_host_memory;

/* Such memory of memory.h, and of a model. */
karat_host_memory karat_host_ram(karat_ram *ram);
karat_host_memory karat_host_model(karat_model *model);

typedef struct karat_host_config {
    karat_kernel *const *kernels; /* Run one after the other on one memory; must outlive the host */
    uint32_t num_kernels;
    uint32_t num_sm, num_warp, num_thread, lds_bytes; /* Of the core; warp slots and bytes of each SM */
    uint32_t num_sgpr, num_vgpr, reg_granule; /* Rows of an SM's register files, and how many go together */
    /* The core takes workgroups some of whose threads do not start; else such kernels do not fit */
    bool starts_partial;
    /* Workgroups begin with the kernel's first contents of LDS; else kernels that have any but zeros do not
     * fit */
    bool fills_lds;
    karat_host_memory memory;
    karat_paging *paging; /* The kernels' address spaces, in that memory */
    karat_port *port;
} karat_host_config;

/* One workgroup as the dispatch port takes it. */
typedef struct karat_workgroup {
    uint32_t index; /* Linear index in the grid */
    uint32_t warps, threads;
    uint32_t starts; /* Warps that start: those with a thread that does */
    /* Threads that start are work-items (x, y, z) below live, of thread number x + local[0] * (y + local[1] *
     * z). live[0] 0: all. */
    uint32_t local[3], live[3];
    /* Work-items of the grid, and the first global id, of kernels with a metadata buffer: for ids of lanes */
    uint32_t items[2], offset[3];
    uint32_t pc;
    /* CSRs of warp 0: the core makes CSR_WID and CSR_TID for the others */
    uint32_t csr[KARAT_NUM_CUSTOM_CSR];
    uint32_t lds_size;
    uint32_t sgprs, vgprs; /* Registers that each warp uses; 0: all */
    bool translate;        /* With SV39, by the tables at ptbr, an address of memory */
    bool invalidate;       /* TLBs drop all entries before this workgroup begins */
    uint64_t ptbr;
    uint16_t asid;
} karat_workgroup;

/* Returns NULL with one line in *diag where a kernel does not fit the core.  Copies *config. */
karat_host *karat_host_create(const karat_host_config *config, karat_diag *diag);
void karat_host_destroy(karat_host *host);

/* Start the next kernel where the last one has ended. False with one line in *diag where memory is short, or
 * two kernels cannot share it. */
bool karat_host_step(karat_host *host, uint64_t cycle, karat_diag *diag);
/* For a caller that itself places kernels: it is about to place the next one, and has. False: memory is
 * short. */
bool karat_host_before(karat_host *host, uint64_t cycle);
bool karat_host_after(karat_host *host, uint64_t cycle);

/* The workgroup that waits to be dispatched; NULL: none. */
const karat_workgroup *karat_host_offer(const karat_host *host);
void karat_host_accepted(karat_host *host);

/* The core reports the end of this workgroup.  False where it was not running: the core is wrong. */
bool karat_host_workgroup_done(karat_host *host, uint32_t index);

/* The core has stored to that byte, by its physical address: CONTENTS will have its page even if its contents
 * did not change. Where warps race, the model may have other contents, and those of the core's memory
 * count. */
void karat_host_stored(karat_host *host, uint64_t addr);

/* Memory as the kernel that runs (or ran last) addresses it. False, without effect, where a byte is not
 * mapped. */
bool karat_host_read(const karat_host *host, uint64_t addr, void *bytes, size_t size);

/* Bytes that the caller has written there: HOST records. */
void karat_host_wrote(const karat_host *host, uint64_t addr, const void *bytes, size_t size, uint64_t cycle);

/* A sink of the retire port (karat_port_sink; context: the host). Never requests a stop. */
bool karat_host_record(void *host, const void *record, size_t size);

/* That warp has written CSR_PRINT, and its earlier stores are in memory: print the buffer's text to stream as
 * "print wg=W warp=N: TEXT" (stream NULL: not at all), clear the buffer's first byte, and report it in PRINT,
 * HOST and HOSTCSR records. Without a print buffer PRINT says so: it is a fault of the program or of the
 * core, which the checker decides. The core's CSR_PRINT is 0 from this cycle on. False with one line in *diag
 * where there is no such warp, or memory is short. */
bool karat_host_print(karat_host *host, uint32_t sm, uint32_t slot, uint64_t cycle, FILE *stream,
                      karat_diag *diag);

/* Every kernel has ended. */
bool karat_host_finished(const karat_host *host);

/* Kernel that runs (or ran last), and its workgroups that have ended: for a progress line. */
void karat_host_progress(const karat_host *host, uint32_t *kernel, uint32_t *done, uint32_t *total);

/* For a core whose HELLO lacks `prints`: one line about a warp that has written CSR_PRINT and that the core
 * did not show before the slot's next launch, or until now; NULL: none. Valid until the host is destroyed. */
const char *karat_host_lost_print(karat_host *host);

/* Send BYE, and before it, if all kernels have ended, the contents of memory; once, at the end. */
void karat_host_bye(karat_host *host, uint64_t cycle, uint32_t reason);

#ifdef __cplusplus
}
#endif
#endif
