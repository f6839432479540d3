/* Pseudo-random latency and back-pressure between a core's memory ports and memory.
 *
 * Holds requests, not bytes. Each clock cycle the harness drives a port's ready signal from
 * karat_traffic_ready(), passes on the core's request with karat_traffic_request(), and answers at most one
 * due request per port, karat_traffic_due(). Requests may overtake each other by their latencies: a core that
 * needs order must wait for answers.
 *
 * A request is performed at a moment of its own between request and answer, as in caches and networks. The
 * harness performs those that karat_traffic_perform() names, each cycle before it takes the one that is due.
 * At the data port it takes one a cycle, so that their order is plain, and tells the core's probe: MEM
 * records come in the order of performance, not of answers.
 *
 * Everything depends on the seed and the calls alone: a harness that makes the same calls each cycle, in the
 * order of the ports, gives a core the same timing. Nothing is global.
 */
#ifndef KARAT_TESTBENCH_TRAFFIC_H
#define KARAT_TESTBENCH_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_TRAFFIC_PENDING 32 /* Requests that one port holds */

typedef struct karat_traffic karat_traffic;

typedef struct karat_traffic_config {
    uint64_t seed;
    uint32_t latency_min, latency_max; /* Cycles from request to answer, at least 1 */
    uint32_t stall_percent;            /* Cycles in which a port refuses requests, 0 to 99 */
    bool walks;                        /* KARAT_TRAFFIC_WALK is used; otherwise it is always ready */
} karat_traffic_config;

enum karat_traffic_port {
    KARAT_TRAFFIC_FETCH,
    KARAT_TRAFFIC_DATA,
    KARAT_TRAFFIC_WALK, /* Walks of page tables; its numbers are of generators of its own */
    KARAT_TRAFFIC_PORTS
};

/* Returns NULL where the configuration is bad or memory is short.  Copies *config. */
karat_traffic *karat_traffic_create(const karat_traffic_config *config);
void karat_traffic_destroy(karat_traffic *traffic);

/* Whether no request is on its way. */
bool karat_traffic_idle(const karat_traffic *traffic);

/* Whether the port takes a request in this cycle; the same answer until karat_traffic_tick(). */
bool karat_traffic_ready(const karat_traffic *traffic, enum karat_traffic_port port);

/* Take a request: only where the port is ready, once a cycle. Copies *req. */
void karat_traffic_request(karat_traffic *traffic, enum karat_traffic_port port, const karat_ram_req *req);

/* The oldest request that is due, off the port; NULL: none is. It holds until the port's next
 * karat_traffic_request(). */
const karat_ram_req *karat_traffic_due(karat_traffic *traffic, enum karat_traffic_port port);

/* Of the requests whose moment has come and that have not been named, the one that is due first, so that of
 * one call a cycle each has been named when it is due; NULL: there is none. *rsp is to be filled:
 * karat_traffic_answer() has it when the request is due. */
const karat_ram_req *karat_traffic_perform(karat_traffic *traffic, enum karat_traffic_port port,
                                           karat_ram_rsp **rsp);
/* The answer to a request that karat_traffic_due() has just returned; NULL: it has not been performed. */
karat_ram_rsp *karat_traffic_answer(const karat_ram_req *req);

/* The clock edge. */
void karat_traffic_tick(karat_traffic *traffic);

#ifdef __cplusplus
}
#endif
#endif
