#include "port.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SINK 4

struct karat_port {
    uint32_t num_sm, num_sinks;
    bool stopped;
    karat_port_sink *sinks[MAX_SINK];
    void *contexts[MAX_SINK];
    uint64_t counts[KARAT_REC_KINDS], total;
    /* The held records in order of arrival, each at a multiple of 8: whole cycles, and the current one. */
    uint64_t cycle; /* Of the newest record */
    uint8_t *bytes;
    size_t used, room, batch; /* Batch: bytes that may be held when a new cycle begins */
};

karat_port *karat_port_create(uint32_t num_sm) {
    karat_port *port = calloc(1, sizeof *port);
    if (!port)
        return NULL;
    port->num_sm = num_sm;
    port->room = 64 * (size_t)KARAT_REC_MAX_SIZE;
    port->bytes = malloc(port->room);
    if (!port->bytes) {
        karat_port_destroy(port);
        return NULL;
    }
    return port;
}

void karat_port_destroy(karat_port *port) {
    if (!port)
        return;
    free(port->bytes);
    free(port);
}

void karat_port_batch(karat_port *port, size_t bytes) {
    if (port)
        port->batch = bytes;
}

bool karat_port_add_sink(karat_port *port, karat_port_sink *sink, void *context) {
    if (!port || !sink || port->num_sinks == MAX_SINK)
        return false;
    port->sinks[port->num_sinks] = sink;
    port->contexts[port->num_sinks++] = context;
    return true;
}

static void deliver(karat_port *port, const void *record, size_t size) {
    const karat_rec_header *header = record;
    if (header->kind < KARAT_REC_KINDS)
        port->counts[header->kind]++;
    port->total++;
    for (uint32_t i = 0; i < port->num_sinks; i++)
        if (port->sinks[i](port->contexts[i], record, size))
            port->stopped = true;
}

/* An unknown kind is passed on as a bare header: the sinks reject it. Every size keeps the next record
 * aligned: that of a struct does. */
static size_t size_of(const void *record) {
    size_t size = karat_rec_size(((const karat_rec_header *)record)->kind);
    return size ? size : sizeof(karat_rec_header);
}

/* A cycle's records, sorted by SM; those of SMs that do not exist come last. */
static void deliver_cycle(karat_port *port, const uint8_t *from, const uint8_t *to) {
    for (uint32_t sm = 0; sm <= port->num_sm; sm++)
        for (const uint8_t *at = from; at < to; at += size_of(at)) {
            uint32_t of = ((const karat_rec_header *)at)->sm;
            if (of == sm || (sm == port->num_sm && of > sm))
                deliver(port, at, size_of(at));
        }
}

void karat_port_flush(karat_port *port) {
    if (!port)
        return;
    const uint8_t *at = port->bytes, *end = at + port->used;
    if (port->num_sm <= 1) {
        while (at < end) {
            const size_t size = size_of(at);
            deliver(port, at, size);
            at += size;
        }
    }
    while (at < end) {
        const uint8_t *from = at;
        const uint64_t cycle = ((const karat_rec_header *)from)->cycle;
        do
            at += size_of(at);
        while (at < end && ((const karat_rec_header *)at)->cycle == cycle);
        deliver_cycle(port, from, at);
    }
    port->used = 0;
}

static bool make_room(karat_port *port, size_t size) {
    while (port->room - port->used < size) {
        uint8_t *bytes = realloc(port->bytes, 2 * port->room);
        if (!bytes)
            return false;
        port->bytes = bytes;
        port->room *= 2;
    }
    return true;
}

void karat_port_hold(karat_port *port, const void *record, size_t size) {
    uint64_t cycle;
    if (!port || !record || size < sizeof(karat_rec_header))
        return;
    memcpy(&cycle, (const uint8_t *)record + offsetof(karat_rec_header, cycle), sizeof cycle);
    if (cycle != port->cycle && port->used > port->batch)
        karat_port_flush(port);
    port->cycle = cycle;
    if (port->room - port->used < size && !make_room(port, size)) {
        port->stopped = true;
        return;
    }
    memcpy(port->bytes + port->used, record, size);
    port->used += size;
    if (port->num_sm <= 1 && !port->batch)
        karat_port_flush(port); /* One probe: its own order is the order */
}

void karat_port_receive(karat_port *port, const void *record) {
    if (record)
        karat_port_hold(port, record, size_of(record));
}

void karat_port_send(karat_port *port, const void *record) {
    if (!port || !record)
        return;
    karat_port_flush(port);
    if (((const karat_rec_header *)record)->kind == KARAT_REC_BYE) {
        karat_rec_bye bye = *(const karat_rec_bye *)record;
        if (!bye.records)
            bye.records = port->total;
        deliver(port, &bye, sizeof bye);
        return;
    }
    deliver(port, record, size_of(record));
}

bool karat_port_stopped(const karat_port *port) {
    return port && port->stopped;
}

uint64_t karat_port_count(const karat_port *port, unsigned kind) {
    return port && kind < KARAT_REC_KINDS ? port->counts[kind] : 0;
}
