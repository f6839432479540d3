/* The effect of an access on one word: loads, stores, LR, SC and AMOs, and their reservations. For the owners
 * of the bytes: memory.c, and the SystemC bridge, whose targets do not know atomics.
 *
 * A requester has at most one reservation, of one word. It ends when another requester or the host writes to
 * the word, and at the requester's own SC.
 */
#ifndef KARAT_TESTBENCH_ATOMICS_H
#define KARAT_TESTBENCH_ATOMICS_H

#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karat_reservation {
    bool stands;
    uint64_t addr;
} karat_reservation;

/* All zero: there are none. */
typedef struct karat_reservations {
    karat_reservation of[KARAT_RAM_REQUESTERS];
    uint32_t num; /* Valid ones */
} karat_reservations;

/* The host writes: the reservations of all requesters on these bytes' words end. */
void karat_reservations_break(karat_reservations *reserved, uint64_t addr, uint64_t size);

typedef struct karat_word {
    uint32_t answer; /* 0 for a store */
    bool store;      /* Value is to be written, where req->be enables bytes */
    uint32_t value;
} karat_word;

/* One lane's part of a request on a mapped word that holds old (a store does not need it). */
karat_word karat_word_perform(karat_reservations *reserved, const karat_ram_req *req, uint32_t lane,
                              uint32_t old);

#ifdef __cplusplus
}
#endif
#endif
