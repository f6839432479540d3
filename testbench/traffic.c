#include "traffic.h"

#include <stdlib.h>

#include "splitmix.h"

typedef struct pending {
    karat_ram_req req;  /* The first: karat_traffic_read_answer() */
    karat_ram_rsp rsp;  /* Once it has been read */
    uint64_t due, read; /* Cycles; read: UINT64_MAX when it has been read */
} pending;

typedef struct port_state {
    uint32_t num;
    uint32_t order[KARAT_TRAFFIC_PENDING]; /* Slots, oldest first */
    uint32_t free[KARAT_TRAFFIC_PENDING];  /* A stack of the others */
    pending slot[KARAT_TRAFFIC_PENDING];
    uint64_t next_due;  /* Nothing is due before */
    uint64_t next_read; /* Nothing is to be read before */
    uint64_t *random;
    bool stalled;
} port_state;

struct karat_traffic {
    karat_traffic_config config;
    uint64_t random, walk_random, read_random;
    uint64_t cycle;
    port_state ports[KARAT_TRAFFIC_PORTS];
};

karat_traffic *karat_traffic_create(const karat_traffic_config *config) {
    if (config->latency_min < 1 || config->latency_max < config->latency_min || config->stall_percent > 99)
        return NULL;
    karat_traffic *traffic = calloc(1, sizeof *traffic);
    if (!traffic)
        return NULL;
    traffic->config = *config;
    traffic->random = config->seed;
    traffic->walk_random = ~config->seed;
    traffic->read_random = config->seed ^ UINT64_C(0x5851f42d4c957f2d);
    for (int p = 0; p < KARAT_TRAFFIC_PORTS; p++) {
        traffic->ports[p].random = p == KARAT_TRAFFIC_WALK ? &traffic->walk_random : &traffic->random;
        for (uint32_t i = 0; i < KARAT_TRAFFIC_PENDING; i++)
            traffic->ports[p].free[i] = i;
    }
    return traffic;
}

void karat_traffic_destroy(karat_traffic *traffic) {
    free(traffic);
}

bool karat_traffic_idle(const karat_traffic *traffic) {
    for (int p = 0; p < KARAT_TRAFFIC_PORTS; p++)
        if (traffic->ports[p].num)
            return false;
    return true;
}

bool karat_traffic_ready(const karat_traffic *traffic, enum karat_traffic_port port) {
    const port_state *p = &traffic->ports[port];
    return !p->stalled && p->num < KARAT_TRAFFIC_PENDING;
}

void karat_traffic_request(karat_traffic *traffic, enum karat_traffic_port port, const karat_ram_req *req) {
    port_state *p = &traffic->ports[port];
    if (p->num == KARAT_TRAFFIC_PENDING)
        return; /* The caller did not call karat_traffic_ready() */
    uint32_t spread = traffic->config.latency_max - traffic->config.latency_min;
    uint32_t latency = traffic->config.latency_min + (spread ? karat_random_below(p->random, spread + 1) : 0);
    uint32_t slot = p->free[KARAT_TRAFFIC_PENDING - 1 - p->num];
    p->slot[slot].req = *req;
    p->slot[slot].due = traffic->cycle + latency;
    p->slot[slot].read = traffic->cycle + 1 + karat_random_below(&traffic->read_random, latency);
    if (!p->num || p->slot[slot].due < p->next_due)
        p->next_due = p->slot[slot].due;
    if (!p->num || p->slot[slot].read < p->next_read)
        p->next_read = p->slot[slot].read;
    p->order[p->num++] = slot;
}

const karat_ram_req *karat_traffic_due(karat_traffic *traffic, enum karat_traffic_port port) {
    port_state *p = &traffic->ports[port];
    if (!p->num || p->next_due > traffic->cycle)
        return NULL;
    /* The one due first; of several, the oldest. */
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->num; i++)
        if (p->slot[p->order[i]].due < p->slot[p->order[best]].due)
            best = i;
    uint32_t slot = p->order[best];
    if (p->slot[slot].due > traffic->cycle) {
        p->next_due = p->slot[slot].due;
        return NULL;
    }
    p->num--;
    for (uint32_t i = best; i < p->num; i++)
        p->order[i] = p->order[i + 1];
    p->free[KARAT_TRAFFIC_PENDING - 1 - p->num] = slot;
    p->next_due = 0; /* The next call finds out */
    return &p->slot[slot].req;
}

const karat_ram_req *karat_traffic_read(karat_traffic *traffic, enum karat_traffic_port port,
                                        karat_ram_rsp **rsp) {
    port_state *p = &traffic->ports[port];
    if (!p->num || p->next_read > traffic->cycle)
        return NULL;
    p->next_read = UINT64_MAX;
    for (uint32_t i = 0; i < p->num; i++) {
        pending *slot = &p->slot[p->order[i]];
        if (slot->read <= traffic->cycle) {
            slot->read = UINT64_MAX;
            p->next_read = 0; /* The next call finds out */
            *rsp = &slot->rsp;
            return &slot->req;
        }
        if (slot->read < p->next_read)
            p->next_read = slot->read;
    }
    return NULL;
}

const karat_ram_rsp *karat_traffic_read_answer(const karat_ram_req *req) {
    return &((const pending *)req)->rsp;
}

void karat_traffic_tick(karat_traffic *traffic) {
    traffic->cycle++;
    const int ports = traffic->config.walks ? KARAT_TRAFFIC_PORTS : KARAT_TRAFFIC_WALK;
    for (int port = 0; port < ports; port++)
        traffic->ports[port].stalled =
            traffic->config.stall_percent &&
            karat_random_below(traffic->ports[port].random, 100) < traffic->config.stall_percent;
}
