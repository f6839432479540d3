/* The accesses to one word of several warps, where the core does not say in which order it performed them: whether there
 * is an order that gives every value that the core has returned.
 *
 *  1. An access is entered when it is issued. It comes behind those that the program orders before it, and behind
 *     those that have answered already: what has returned a value was performed before.
 *     An SC that has not answered may fail: what comes behind it does not wait for it.
 *  2. An answer (the old value of an AMO or LR, what was written, the outcome of an SC) is a condition on the place
 *     of that access in the order. All that have answered must be in it; the others may be in it or come later.
 *  3. The search goes through the orders depth first, and never twice through one set of accesses with one value. It
 *     finds every order there is, or says that it gave up.
 *  4. An access that is the first in every order is settled: it is gone, and the word begins with its value. Where
 *     more are open than fit, one is settled by guess; a search that finds nothing afterwards proves nothing. */
#ifndef KARAT_CHECK_SERIAL_H
#define KARAT_CHECK_SERIAL_H

#include "checker.h"

enum {
    SERIAL_MAX = 64,           /* bits of a set of accesses: those that are open, and a load */
    SERIAL_NODES = 20000,      /* steps of a search before it gives up */
    SERIAL_TABLE = 1 << 16,    /* more than that, a power of two */
    SERIAL_MAX_RESERVATION = 8 /* of LRs that are settled */
};

typedef enum serial_kind { SERIAL_LOAD, SERIAL_LR, SERIAL_STORE, SERIAL_AMO, SERIAL_SC } serial_kind;

typedef struct serial_access {
    /* From the caller. */
    serial_kind kind;
    bool believed;        /* SC: it stores in the model */
    bool silent;          /* no (further) answer will come */
    uint8_t amo;          /* funct5 */
    uint32_t operand;     /* STORE: in place in the word */
    uint32_t mask;        /* of bits; STORE and LOAD */
    uint32_t reserved_by; /* SC: 1 + seq of the warp's LR; 0: it has none */
    karat_moment at;      /* names it; uid is the warp */
    uint32_t seq, pc, word, prefix;
    uint64_t cycle, logged; /* as in flight */
    /* What is known. */
    bool answered, knows_old;
    uint32_t old, value, knows; /* bits of value, which it has written, that are known */
    uint64_t behind;            /* accesses that come before it */
} serial_access;

typedef struct serial_reservation {
    uint32_t uid, seq;
    bool broken;
} serial_reservation;

typedef struct karat_serial {
    uint32_t value; /* of the word before all of at[] */
    uint32_t num, room;
    uint32_t num_reservation; /* ever */
    bool guessed, lost;
    serial_reservation reservation[SERIAL_MAX_RESERVATION];
    serial_access *at;         /* in order of issue */
    uint8_t order[SERIAL_MAX]; /* the last that was found, of num_order accesses */
    uint32_t num_order;
} karat_serial;

/* Scratch memory of searches: one serves all words. */
typedef struct serial_search serial_search;

/* What was settled since the last call, in order: access and what the word held then. False: no more. */
bool karat_serial_settled(serial_search *x, uint64_t *logged, uint32_t *value);
serial_search *karat_serial_search_create(void); /* NULL: out of memory */
void karat_serial_search_destroy(serial_search *x);
/* What its last search has cost: steps, of which SERIAL_NODES are the most. */
uint32_t karat_serial_steps(const serial_search *x);

/* Whether the program orders a before b. */
typedef bool serial_before(const void *context, const karat_moment *a, const karat_moment *b);

karat_serial *karat_serial_create(uint32_t value); /* NULL: out of memory */
void karat_serial_destroy(karat_serial *s);

/* An access is issued. False: out of memory. */
bool karat_serial_issue(karat_serial *s, serial_search *x, const serial_access *a, serial_before *before,
                        const void *context);

/* The access of that moment is open. */
serial_access *karat_serial_find(const karat_serial *s, const karat_moment *at);

/* It has returned that old value; has written these bits of a value (an SC: all of it). final: no more answers of it will
 * come. */
serial_answer karat_serial_returned(karat_serial *s, serial_search *x, serial_access *a, uint32_t old,
                                    bool final);
serial_answer karat_serial_wrote(karat_serial *s, serial_search *x, serial_access *a, uint32_t value,
                                 uint32_t bits, bool final);

/* An SC has failed: it is no access any more. Whether the others have an order without it. */
serial_answer karat_serial_failed(karat_serial *s, serial_search *x, serial_access *a);

/* A load that is none of these may have got those bits of the value. */
serial_answer karat_serial_loaded(const karat_serial *s, serial_search *x, const karat_moment *at,
                                  uint32_t mask, uint32_t value, serial_before *before, const void *context);

/* The same of memory when all have been performed. */
serial_answer karat_serial_left(const karat_serial *s, serial_search *x, uint32_t mask, uint32_t value);

/* The search gave up: go on from that value, with what has not answered yet. */
void karat_serial_restart(karat_serial *s, uint32_t value);

/* What memory holds when all of them have been performed, in the order found and then that of issue. */
uint32_t karat_serial_final(karat_serial *s);

#endif
