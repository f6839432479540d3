/* Device memory of the test bench: sparse bytes, and two ports with pseudo-random latency and back-pressure.
 *
 *  1. karat_ram_map() and karat_ram_write() lay it out, as the host does.
 *  2. Each clock cycle the harness asks karat_ram_ready() what to drive on a port's ready signal, hands
 * over what the core requested with karat_ram_request(), and fetches at most one answer a port with
 * karat_ram_respond().
 *  3. A data access is performed at the moment its answer is given, so answers come in the order of
 * performance. Requests overtake each other where their latencies say so: a core that needs order must wait
 * for answers.
 *  4. A requester has at most one reservation, of one word.  It ends when another requester or the host
 * writes to the word, and at the requester's own SC.
 *
 * Everything depends on the seed and the calls alone.  Nothing is global.
 */
#ifndef KARAT_TESTBENCH_MEMORY_H
#define KARAT_TESTBENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_RAM_LANES      32
#define KARAT_RAM_LINE_WORDS 4
#define KARAT_RAM_PENDING    32 /* requests that one port holds */

typedef struct karat_ram karat_ram;

typedef struct karat_ram_config {
    uint64_t seed;
    uint32_t latency_min, latency_max; /* cycles from request to answer, at least 1 */
    uint32_t stall_percent;            /* cycles in which a port refuses requests, 0 to 99 */
} karat_ram_config;

enum karat_ram_port { KARAT_RAM_FETCH, KARAT_RAM_DATA, KARAT_RAM_PORTS };

/* What a data access does, numbered as at the core's data port (mem_op_e of ingot_pkg). LR, SC and AMOs take
 * whole words. */
enum karat_ram_op {
    KARAT_RAM_LOAD,
    KARAT_RAM_STORE,
    KARAT_RAM_LR,   /* a load that makes the requester's reservation, in place of the one it had */
    KARAT_RAM_SC,   /* ends the reservation; answers 0 where it has stored, 1 where not: without the
                       reservation, or with no byte enabled */
    KARAT_RAM_SWAP, /* this and the following answer the word's old value */
    KARAT_RAM_ADD,
    KARAT_RAM_XOR,
    KARAT_RAM_AND,
    KARAT_RAM_OR,
    KARAT_RAM_MIN,
    KARAT_RAM_MAX,
    KARAT_RAM_MINU,
    KARAT_RAM_MAXU
};

#define KARAT_RAM_REQUESTERS 4096

/* A lane-vector access of aligned words with byte enables, or (fetch port) one line: addr[0]. */
typedef struct karat_ram_req {
    uint32_t id;        /* returned with the answer */
    uint32_t requester; /* whose reservation an LR or SC is about: one per warp slot of each SM, less than
                           KARAT_RAM_REQUESTERS */
    uint8_t op;         /* enum karat_ram_op */
    uint32_t lanes;
    uint32_t addr[KARAT_RAM_LANES];
    uint8_t be[KARAT_RAM_LANES];
    uint32_t data[KARAT_RAM_LANES];
} karat_ram_req;

typedef struct karat_ram_rsp {
    uint32_t id;
    bool error;                     /* some byte is not mapped: nothing was read or written */
    uint32_t data[KARAT_RAM_LANES]; /* by lane; a line: words 0 .. KARAT_RAM_LINE_WORDS - 1 */
} karat_ram_rsp;

/* The first data access that failed, for a message. */
typedef struct karat_ram_fault {
    bool any, store; /* store: also SC and AMOs */
    uint64_t cycle;
    uint32_t lane, addr;
} karat_ram_fault;

/* Returns NULL where the configuration is bad or memory is short.  Copies *config. */
karat_ram *karat_ram_create(const karat_ram_config *config);
void karat_ram_destroy(karat_ram *memory);

/* Map [base, base + size), widened to whole 4 KiB pages; new bytes are 0, mapped ones keep their value. False
 * where it does not fit 32-bit addresses or memory is short. */
bool karat_ram_map(karat_ram *memory, uint64_t base, uint64_t size);

/* False, and nothing done, where a byte is not mapped. */
bool karat_ram_read(const karat_ram *memory, uint64_t addr, void *bytes, size_t size);
bool karat_ram_write(karat_ram *memory, uint64_t addr, const void *bytes, size_t size);

/* XXH3_64bits of a mapped region of whole pages. */
uint64_t karat_ram_hash(const karat_ram *memory, uint64_t base, uint64_t size);

/* Whether no request is on its way. */
bool karat_ram_idle(const karat_ram *memory);

/* Whether the port takes a request in this cycle; the same answer until karat_ram_tick(). */
bool karat_ram_ready(const karat_ram *memory, enum karat_ram_port port);

/* Take a request: only where the port is ready, once a cycle. */
void karat_ram_request(karat_ram *memory, enum karat_ram_port port, const karat_ram_req *req);

/* Perform and answer the oldest request that is due, if any. */
bool karat_ram_respond(karat_ram *memory, enum karat_ram_port port, karat_ram_rsp *rsp);

/* The clock edge. */
void karat_ram_tick(karat_ram *memory);

karat_ram_fault karat_ram_first_fault(const karat_ram *memory);

#ifdef __cplusplus
}
#endif
#endif
