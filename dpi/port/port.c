#include "port.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SINK 4

/* Records in order of arrival, each at a multiple of 8: whole cycles, and the current one. */
typedef struct batch {
    uint8_t *bytes;
    size_t used, room;
    bool ticks;    /* The records are followed by a tick */
    uint64_t tick; /* Cycle of the tick */
} batch;

struct karat_port {
    uint32_t num_sm, num_sinks;
    bool stopped;   /* As the simulation knows it */
    uint64_t cycle; /* Of the newest record */
    size_t limit;   /* Bytes that may be held when a new cycle begins */
    batch batches[2], *held, *passed;

    /* The thread's while it is busy. */
    bool asked; /* A sink has asked to stop */
    karat_port_sink *sinks[MAX_SINK];
    void *contexts[MAX_SINK];
    karat_port_ticked *ticked;
    void *tick_context;
    uint64_t counts[KARAT_REC_KINDS];

    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock; /* Guards busy and closing */
    bool busy, closing;
    pthread_cond_t changed;
};

static bool begin_batch(batch *b) {
    b->room = 64 * (size_t)KARAT_REC_MAX_SIZE;
    b->bytes = malloc(b->room);
    return b->bytes != NULL;
}

karat_port *karat_port_create(uint32_t num_sm) {
    karat_port *port = calloc(1, sizeof *port);
    if (!port)
        return NULL;
    port->num_sm = num_sm;
    port->held = &port->batches[0];
    port->passed = &port->batches[1];
    pthread_mutex_init(&port->lock, NULL);
    pthread_cond_init(&port->changed, NULL);
    if (!begin_batch(port->held) || !begin_batch(port->passed)) {
        karat_port_destroy(port);
        return NULL;
    }
    return port;
}

void karat_port_destroy(karat_port *port) {
    if (!port)
        return;
    if (port->has_thread) {
        pthread_mutex_lock(&port->lock);
        port->closing = true;
        pthread_cond_signal(&port->changed);
        pthread_mutex_unlock(&port->lock);
        pthread_join(port->thread, NULL);
    }
    pthread_mutex_destroy(&port->lock);
    pthread_cond_destroy(&port->changed);
    free(port->held->bytes);
    free(port->passed->bytes);
    free(port);
}

void karat_port_batch(karat_port *port, size_t bytes) {
    if (port)
        port->limit = bytes;
}

bool karat_port_add_sink(karat_port *port, karat_port_sink *sink, void *context) {
    if (!port || !sink || port->num_sinks == MAX_SINK)
        return false;
    port->sinks[port->num_sinks] = sink;
    port->contexts[port->num_sinks++] = context;
    return true;
}

void karat_port_on_tick(karat_port *port, karat_port_ticked *ticked, void *context) {
    if (!port)
        return;
    port->ticked = ticked;
    port->tick_context = context;
}

/* --- Delivery --- */

static inline void deliver(karat_port *port, const void *record, size_t size) {
    const unsigned kind = ((const karat_rec_header *)record)->kind;
    port->counts[kind < KARAT_REC_KINDS ? kind : 0]++; /* 0: of no kind */
    for (uint32_t i = 0; i < port->num_sinks; i++)
        if (port->sinks[i](port->contexts[i], record, size))
            port->asked = true;
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

/* Apart from those of one SM, for the registers of the host. */
static __attribute__((noinline)) void deliver_cycles(karat_port *port, const uint8_t *at,
                                                     const uint8_t *end) {
    while (at < end) {
        const uint8_t *from = at;
        const uint64_t cycle = ((const karat_rec_header *)from)->cycle;
        do
            at += size_of(at);
        while (at < end && ((const karat_rec_header *)at)->cycle == cycle);
        deliver_cycle(port, from, at);
    }
}

/* In the caller's thread or in the port's own, never in both at once. */
static void deliver_batch(karat_port *port, batch *b) {
    const uint8_t *at = b->bytes, *const end = at + b->used;
    if (port->num_sm > 1)
        deliver_cycles(port, at, end);
    else
        for (size_t size; at < end; at += size)
            deliver(port, at, size = size_of(at));
    b->used = 0;
    if (b->ticks && port->ticked && port->ticked(port->tick_context, b->tick))
        port->asked = true;
    b->ticks = false;
}

static void *deliver_batches(void *context) {
    karat_port *port = context;
    pthread_mutex_lock(&port->lock);
    for (;;) {
        while (!port->busy && !port->closing)
            pthread_cond_wait(&port->changed, &port->lock);
        if (!port->busy)
            break;
        pthread_mutex_unlock(&port->lock);
        deliver_batch(port, port->passed);
        pthread_mutex_lock(&port->lock);
        port->busy = false;
        pthread_cond_signal(&port->changed);
    }
    pthread_mutex_unlock(&port->lock);
    return NULL;
}

bool karat_port_thread(karat_port *port) {
    sigset_t all, before;
    if (!port || port->has_thread)
        return port;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* Signals are the caller's */
    port->has_thread = pthread_create(&port->thread, NULL, deliver_batches, port) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return port->has_thread;
}

void karat_port_rest(karat_port *port) {
    if (!port || !port->has_thread)
        return;
    pthread_mutex_lock(&port->lock);
    while (port->busy)
        pthread_cond_wait(&port->changed, &port->lock);
    pthread_mutex_unlock(&port->lock);
}

void karat_port_forked(karat_port *port) {
    if (port)
        port->has_thread = false;
}

/* The simulation learns now what the batch before this one has led to. */
static void pass(karat_port *port) {
    karat_port_rest(port);
    port->stopped |= port->asked;
    batch *b = port->held;
    if (!port->has_thread) {
        deliver_batch(port, b);
        return;
    }
    port->held = port->passed;
    port->passed = b;
    pthread_mutex_lock(&port->lock);
    port->busy = true;
    pthread_cond_signal(&port->changed);
    pthread_mutex_unlock(&port->lock);
}

void karat_port_tick(karat_port *port, uint64_t cycle) {
    if (!port)
        return;
    port->held->ticks = true;
    port->held->tick = cycle;
    pass(port);
}

void karat_port_flush(karat_port *port) {
    if (!port)
        return;
    karat_port_rest(port);
    deliver_batch(port, port->held);
    port->stopped |= port->asked;
}

/* --- Records --- */

static bool make_room(batch *b, size_t size) {
    while (b->room - b->used < size) {
        uint8_t *bytes = realloc(b->bytes, 2 * b->room);
        if (!bytes)
            return false;
        b->bytes = bytes;
        b->room *= 2;
    }
    return true;
}

/* A probe's record, which need not be aligned; where it is of another cycle, and more is held than may be, or
 * where there is no room for it. */
static __attribute__((noinline)) void hold_any(karat_port *port, const void *record, size_t size,
                                               uint64_t cycle) {
    if (cycle != port->cycle && port->held->used > port->limit) {
        if (port->limit)
            pass(port);
        else
            karat_port_flush(port);
    }
    port->cycle = cycle;
    batch *b = port->held;
    if (b->room - b->used < size && !make_room(b, size)) {
        port->stopped = true;
        return;
    }
    memcpy(b->bytes + b->used, record, size);
    b->used += size;
    if (port->num_sm <= 1 && !port->limit)
        karat_port_flush(port); /* One probe: its own order is the order */
}

/* Of a size that is known where it is called: nearly always it is copied at once. */
static inline void hold(karat_port *port, const void *record, size_t size) {
    batch *b = port->held;
    uint64_t cycle;
    memcpy(&cycle, (const uint8_t *)record + offsetof(karat_rec_header, cycle), sizeof cycle);
    if (!port->limit || (cycle != port->cycle && b->used > port->limit) || b->room - b->used < size) {
        hold_any(port, record, size, cycle);
        return;
    }
    port->cycle = cycle;
    memcpy(b->bytes + b->used, record, size);
    b->used += size;
}

/* The DPI functions of karat_port_pkg. A packed record arrives as an array of 32-bit words, least significant
 * first: on a little-endian host, the record's bytes. Declared here and not with svdpi.h, so that one library
 * serves every simulator: svBitVecVal is a uint32_t. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the retire port hands records over as they are in memory: little-endian hosts only"
#endif

static karat_port *attached;

void karat_port_attach(karat_port *port) {
    attached = port;
}

#define DEFINE(name, NAME, kind, size)                                                                       \
    void karat_port_##name(const uint32_t *record);                                                          \
    void karat_port_##name(const uint32_t *record) {                                                         \
        if (attached)                                                                                        \
            hold(attached, record, size);                                                                    \
    }
#pragma GCC visibility push(default)
KARAT_REC_EACH(DEFINE)
#pragma GCC visibility pop

void karat_port_receive(karat_port *port, const void *record) {
    if (port && record)
        hold(port, record, size_of(record));
}

void karat_port_send(karat_port *port, const void *record) {
    if (!port || !record)
        return;
    karat_port_flush(port);
    if (((const karat_rec_header *)record)->kind == KARAT_REC_BYE) {
        karat_rec_bye bye = *(const karat_rec_bye *)record;
        const bool given = bye.records;
        for (unsigned kind = 0; !given && kind < KARAT_REC_KINDS; kind++)
            bye.records += port->counts[kind];
        deliver(port, &bye, sizeof bye);
    } else {
        deliver(port, record, size_of(record));
    }
    port->stopped |= port->asked;
}

bool karat_port_stopped(const karat_port *port) {
    return port && port->stopped;
}

uint64_t karat_port_count(karat_port *port, unsigned kind) {
    karat_port_rest(port);
    return port && kind < KARAT_REC_KINDS ? port->counts[kind] : 0;
}
