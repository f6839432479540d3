/* Device memory of the test bench: sparse bytes, and two ports with pseudo-random latency and back-pressure.
 *
 *  1. karat_memory_map() and karat_memory_write() lay it out, as the host does.
 *  2. Each clock cycle the harness asks karat_memory_ready() what to drive on a port's ready signal, hands
 * over what the core requested with karat_memory_request(), and fetches at most one answer a port with
 * karat_memory_respond().
 *  3. A data access is performed at the moment its answer is given, so answers come in the order of
 * performance. Requests overtake each other where their latencies say so: a core that needs order must wait
 * for answers.
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

#define KARAT_MEMORY_LANES      32
#define KARAT_MEMORY_LINE_WORDS 4
#define KARAT_MEMORY_PENDING    32 /* requests that one port holds */

typedef struct karat_memory karat_memory;

typedef struct karat_memory_config {
    uint64_t seed;
    uint32_t latency_min, latency_max; /* cycles from request to answer, at least 1 */
    uint32_t stall_percent;            /* cycles in which a port refuses requests, 0 to 99 */
} karat_memory_config;

enum karat_memory_port { KARAT_MEMORY_FETCH, KARAT_MEMORY_DATA, KARAT_MEMORY_PORTS };

/* A lane-vector access of aligned words with byte enables, or (fetch port) one line: addr[0]. */
typedef struct karat_memory_req {
    uint32_t id; /* returned with the answer */
    bool store;
    uint32_t lanes;
    uint32_t addr[KARAT_MEMORY_LANES];
    uint8_t be[KARAT_MEMORY_LANES];
    uint32_t data[KARAT_MEMORY_LANES];
} karat_memory_req;

typedef struct karat_memory_rsp {
    uint32_t id;
    bool error;                        /* some byte is not mapped: nothing was read or written */
    uint32_t data[KARAT_MEMORY_LANES]; /* by lane; a line: words 0 .. KARAT_MEMORY_LINE_WORDS - 1 */
} karat_memory_rsp;

/* The first data access that failed, for a message. */
typedef struct karat_memory_fault {
    bool any, store;
    uint64_t cycle;
    uint32_t lane, addr;
} karat_memory_fault;

/* Returns NULL where the configuration is bad or memory is short.  Copies *config. */
karat_memory *karat_memory_create(const karat_memory_config *config);
void karat_memory_destroy(karat_memory *memory);

/* Map [base, base + size), widened to whole 4 KiB pages; new bytes are 0, mapped ones keep their value. False
 * where it does not fit 32-bit addresses or memory is short. */
bool karat_memory_map(karat_memory *memory, uint64_t base, uint64_t size);

/* False, and nothing done, where a byte is not mapped. */
bool karat_memory_read(const karat_memory *memory, uint64_t addr, void *bytes, size_t size);
bool karat_memory_write(karat_memory *memory, uint64_t addr, const void *bytes, size_t size);

/* XXH3_64bits of a mapped region of whole pages. */
uint64_t karat_memory_hash(const karat_memory *memory, uint64_t base, uint64_t size);

/* Whether the port takes a request in this cycle; the same answer until karat_memory_tick(). */
bool karat_memory_ready(const karat_memory *memory, enum karat_memory_port port);

/* Take a request: only where the port is ready, once a cycle. */
void karat_memory_request(karat_memory *memory, enum karat_memory_port port, const karat_memory_req *req);

/* Perform and answer the oldest request that is due, if any. */
bool karat_memory_respond(karat_memory *memory, enum karat_memory_port port, karat_memory_rsp *rsp);

/* The clock edge. */
void karat_memory_tick(karat_memory *memory);

karat_memory_fault karat_memory_first_fault(const karat_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
