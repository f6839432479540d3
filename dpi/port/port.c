#include "port.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SINK 4

typedef struct held {
    uint32_t sm;
    uint32_t offset; /* of the record in bytes[] */
    uint32_t size;
} held;

struct karat_port {
    uint32_t num_sm, num_sinks;
    bool stopped;
    karat_port_sink *sinks[MAX_SINK];
    void *contexts[MAX_SINK];
    uint64_t counts[KARAT_REC_KINDS], total;
    /* The cycle that is held: grown where a cycle needs more than any before it. */
    uint64_t cycle;
    held *list;
    uint8_t *bytes;
    uint32_t num, used, list_room, byte_room;
};

karat_port *karat_port_create(uint32_t num_sm) {
    karat_port *port = calloc(1, sizeof *port);
    if (!port)
        return NULL;
    port->num_sm = num_sm ? num_sm : 1;
    port->list_room = 256;
    port->byte_room = port->list_room * KARAT_REC_MAX_SIZE;
    port->list = malloc(port->list_room * sizeof *port->list);
    port->bytes = malloc(port->byte_room);
    if (!port->list || !port->bytes) {
        karat_port_destroy(port);
        return NULL;
    }
    return port;
}

void karat_port_destroy(karat_port *port) {
    if (!port)
        return;
    free(port->list);
    free(port->bytes);
    free(port);
}

bool karat_port_add_sink(karat_port *port, karat_port_sink *sink, void *context) {
    if (port->num_sinks == MAX_SINK)
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

/* An unknown kind is passed on as a bare header: the sinks reject it. */
static size_t size_of(const void *record) {
    size_t size = karat_rec_size(((const karat_rec_header *)record)->kind);
    return size ? size : sizeof(karat_rec_header);
}

void karat_port_flush(karat_port *port) {
    for (uint32_t sm = 0; sm <= port->num_sm && port->num; sm++)
        for (uint32_t i = 0; i < port->num; i++)
            if (port->list[i].sm == sm)
                deliver(port, port->bytes + port->list[i].offset, port->list[i].size);
    port->num = port->used = 0;
}

static bool hold(karat_port *port, const void *record, size_t size, uint32_t sm) {
    if (port->num == port->list_room) {
        held *list = realloc(port->list, 2 * port->list_room * sizeof *list);
        if (!list)
            return false;
        port->list = list;
        uint8_t *bytes = realloc(port->bytes, 2 * (size_t)port->byte_room);
        if (!bytes)
            return false;
        port->bytes = bytes;
        port->byte_room *= 2;
        port->list_room *= 2;
    }
    port->list[port->num++] = (held){sm < port->num_sm ? sm : port->num_sm, port->used, (uint32_t)size};
    memcpy(port->bytes + port->used, record, size);
    port->used += (uint32_t)(size + 7) & ~7u;
    return true;
}

void karat_port_receive(karat_port *port, const void *record) {
    const karat_rec_header *header = record;
    size_t size = size_of(record);
    if (port->num_sm == 1) {
        deliver(port, record, size); /* one probe: its own order is the order */
        return;
    }
    if (port->num && header->cycle != port->cycle)
        karat_port_flush(port);
    port->cycle = header->cycle;
    if (!hold(port, record, size, header->sm))
        port->stopped = true;
}

void karat_port_send(karat_port *port, const void *record) {
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
    return port->stopped;
}

uint64_t karat_port_count(const karat_port *port, unsigned kind) {
    return kind < KARAT_REC_KINDS ? port->counts[kind] : 0;
}
