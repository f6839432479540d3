/* The C end of the retire port: takes records, puts each cycle in order, and hands them to sinks (checker,
 * trace writer).
 *
 *  1. The probes call the DPI functions karat_port_<kind>() of karat_port_pkg in the clock cycle of an
 *     event; the test bench calls karat_port_send() for its own kinds.
 *  2. Simulators may call the probes of several SMs in any order.  The port holds the records of one cycle
 *     and delivers them sorted by SM, each SM's in the order in which its probe sent them, when the first
 *     record of a later cycle arrives or at karat_port_flush().  The test bench's records first flush the
 *     held ones, then are delivered directly. karat_port_batch() makes it hold several cycles: one
 *     simulated cycle runs through more code than the processor's first-level cache holds, so a checker
 *     that works now and then is cheaper than one in every cycle.
 *  3. Each record goes to every sink in the order in which sinks were added.
 *  4. karat_port_thread() delivers batches in a thread of its own, while the simulation goes on. The
 *     simulation learns at fixed places alone that a sink asks for its end: of a batch at the next one, or at
 *     karat_port_flush(). So it ends in the same cycle with a thread and without.
 *
 * DPI calls reach one retire port in a simulator process: the one of the last karat_port_attach(). */
#ifndef KARAT_DPI_PORT_H
#define KARAT_DPI_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karat_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of a stream (docs/port.md, "Limits"). */
enum {
    KARAT_PORT_SLOTS = 4096,         /* Warp slots of all SMs */
    KARAT_PORT_SM_SLOTS = 64,        /* Warp slots of one SM */
    KARAT_PORT_WARPS = 1 << 24,      /* Warps of a kernel */
    KARAT_PORT_PAGES = 1 << 20,      /* Pages of 4 KiB that REGIONs map in all; REGIONs of one kernel */
    KARAT_PORT_PAGES_SV39 = 1 << 21, /* Pages of a core that translates, which may have pages of 1 GiB */
    KARAT_PORT_IN_FLIGHT = 1024      /* Instructions of a warp with something pending */
};

/* The bit of a kind of record in karat_rec_hello.gives: KARAT_PORT_BIT(WRITE). */
#define KARAT_PORT_BIT(kind) (1u << KARAT_REC_##kind)

typedef struct karat_port karat_port;

/* Takes one record of size bytes; returns true to request the end of the simulation. The record's bytes
 * are valid only during the call. */
typedef bool karat_port_sink(void *context, const void *record, size_t size);

/* Returns NULL where memory is short.  Records of SMs at or beyond num_sm are delivered last (sinks reject
 * them). */
karat_port *karat_port_create(uint32_t num_sm);
void karat_port_destroy(karat_port *port);

/* At most 4 sinks; false where full. */
bool karat_port_add_sink(karat_port *port, karat_port_sink *sink, void *context);

/* Hold up to so many bytes of records (0, the default: one cycle's): they are delivered, in the same
 * order, when a cycle begins and more are held, at karat_port_tick(), and by karat_port_flush(). A sink then
 * stops the simulation some cycles later. */
void karat_port_batch(karat_port *port, size_t bytes);

/* Deliver batches in a thread of its own, after all sinks have been added. It works between one batch and the
 * next alone: within karat_port_flush(), karat_port_send() and karat_port_rest(), and after them up to the
 * next record or tick, sinks and what they write to belong to the caller. False where there can be no thread:
 * the port works without. */
bool karat_port_thread(karat_port *port);

/* Wait until all that was passed on is delivered: what is held stays so, and a wish to stop is not shown yet.
 * For what looks at the sinks without a change to where the run ends, and before fork(). */
void karat_port_rest(karat_port *port);
/* In the child of a fork() after karat_port_rest(): the thread is not there. */
void karat_port_forked(karat_port *port);

/* Makes this the port that the DPI functions deliver to. NULL: DPI records are dropped. */
void karat_port_attach(karat_port *port);

/* A probe's record (any kind): held until its cycle is over. */
void karat_port_receive(karat_port *port, const void *record);

/* A test bench's record: flushes the held ones, then is delivered at once.  Fills in BYE's count where it is
 * 0. */
void karat_port_send(karat_port *port, const void *record);

/* Deliver the held records. Call it before judging (at the end of simulation, or before a hang check). */
void karat_port_flush(karat_port *port);

/* Time has passed: the held records, and after them the tick, are delivered as a batch. */
void karat_port_tick(karat_port *port, uint64_t cycle);
/* Who takes the ticks; true requests the end of the simulation. */
typedef bool karat_port_ticked(void *context, uint64_t cycle);
void karat_port_on_tick(karat_port *port, karat_port_ticked *ticked, void *context);

/* A sink asked to stop, as far as the simulation is to know. */
bool karat_port_stopped(const karat_port *port);

/* Records of that kind delivered so far; waits as karat_port_rest() does. */
uint64_t karat_port_count(karat_port *port, unsigned kind);

#ifdef __cplusplus
}
#endif
#endif
