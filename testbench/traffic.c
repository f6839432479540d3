#include "traffic.h"

#include <stdlib.h>

#include "splitmix.h"

typedef struct pending {
    karat_ram_req req;    /* The first: karat_traffic_answer() */
    karat_ram_rsp rsp;    /* Once it has been performed */
    uint64_t due, moment; /* Cycles; moment: UINT64_MAX when it has been performed */
} pending;

typedef struct port_state {
    uint32_t num;
    uint32_t order[KARAT_TRAFFIC_PENDING]; /* Slots, oldest first */
    uint32_t free[KARAT_TRAFFIC_PENDING];  /* A stack of the others */
    pending slot[KARAT_TRAFFIC_PENDING];
    uint64_t next_due;         /* Nothing is due before */
    uint64_t next_moment;      /* Nothing is to be performed before */
    uint64_t *random, moments; /* Generators: of latencies and stalls, of moments */
    bool stalled;
} port_state;

struct karat_traffic {
    karat_traffic_config config;
    uint64_t random, walk_random;
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
    for (int p = 0; p < KARAT_TRAFFIC_PORTS; p++) {
        traffic->ports[p].moments = (config->seed ^ UINT64_C(0x5851f42d4c957f2d)) + (uint64_t)p;
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
    p->slot[slot].moment = traffic->cycle + 1 + karat_random_below(&p->moments, latency);
    if (!p->num || p->slot[slot].due < p->next_due)
        p->next_due = p->slot[slot].due;
    if (!p->num || p->slot[slot].moment < p->next_moment)
        p->next_moment = p->slot[slot].moment;
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

const karat_ram_req *karat_traffic_perform(karat_traffic *traffic, enum karat_traffic_port port,
                                           karat_ram_rsp **rsp) {
    port_state *p = &traffic->ports[port];
    if (!p->num || p->next_moment > traffic->cycle)
        return NULL;
    pending *first = NULL;
    p->next_moment = UINT64_MAX;
    for (uint32_t i = 0; i < p->num; i++) {
        pending *slot = &p->slot[p->order[i]];
        if (slot->moment > traffic->cycle) {
            if (slot->moment < p->next_moment)
                p->next_moment = slot->moment;
        } else if (!first || slot->due < first->due) {
            first = slot;
        }
    }
    if (!first)
        return NULL;
    first->moment = UINT64_MAX;
    p->next_moment = 0; /* The next call finds out */
    *rsp = &first->rsp;
    return &first->req;
}

karat_ram_rsp *karat_traffic_answer(const karat_ram_req *req) {
    pending *slot = (pending *)(uintptr_t)req;
    return slot->moment == UINT64_MAX ? &slot->rsp : NULL;
}

void karat_traffic_tick(karat_traffic *traffic) {
    traffic->cycle++;
    const int ports = traffic->config.walks ? KARAT_TRAFFIC_PORTS : KARAT_TRAFFIC_WALK;
    for (int port = 0; port < ports; port++)
        traffic->ports[port].stalled =
            traffic->config.stall_percent &&
            karat_random_below(traffic->ports[port].random, 100) < traffic->config.stall_percent;
}
