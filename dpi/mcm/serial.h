/* The accesses of several warps to one word, where the core does not report the order in which it
 * performed them: is there an order that gives every value that the core has returned?
 *
 *  1. An access is entered when it is issued. It comes after those that the program orders before it, and
 *     after those that have answered already: what has returned a value was performed before. An SC that
 *     has not answered may fail: what comes after it does not wait for it.
 *  2. An answer (the old value of an AMO or LR, the value written, the outcome of an SC) is a condition on
 *     the place of that access in the order. All that have answered must be in it; the others may be in it
 *     or come later.
 *  3. The search goes through the orders depth first, and never twice through one set of accesses with one
 *     value. It finds every order there is, or says that it gave up.
 *  4. An access that is the first in every order is fixed in the coherence order: it leaves the search,
 *     and the word begins with its value. Where more are open than fit, one is fixed by guess; a search
 *     that finds nothing afterwards proves nothing. */
#ifndef KARAT_MCM_SERIAL_H
#define KARAT_MCM_SERIAL_H

#include "mcm.h"

enum {
    MCM_SEARCH_MAX = 64,        /* Bits of a set of accesses: those that are open, and a load */
    MCM_SEARCH_NODES = 20000,   /* Steps of a search before it gives up */
    MCM_SEARCH_TABLE = 1 << 16, /* More than that, a power of two */
    MCM_NUM_GUARD = 8           /* Of LRs that are fixed */
};

typedef struct mcm_node {
    /* From the caller. */
    mcm_kind kind;
    bool stores_in_image; /* SC: it stores in the model */
    bool no_more_answers; /* No (further) answer will come */
    uint8_t amo;          /* funct5 */
    uint32_t operand;     /* STORE: in place in the word */
    uint32_t mask;        /* Of bits; STORE and LOAD */
    uint64_t reserved_by; /* SC: step of the warp's LR; 0: it has none */
    mcm_moment at;        /* Names it; uid is the warp */
    uint64_t logged;      /* As in mcm_event */
    mcm_name name;
    /* Knowledge. */
    bool answered, knows_old;
    uint32_t old, value, knows; /* Bits of value, which it has written, that are known */
    uint64_t preds;             /* Accesses that come before it: bits */
} mcm_node;

typedef struct mcm_guard {
    uint32_t uid;
    uint64_t step; /* Of the LR */
    bool broken;
} mcm_guard;

typedef struct mcm_serial {
    uint32_t value; /* Of the word before all of at[] */
    uint32_t num, room;
    uint32_t num_reservation; /* Ever */
    bool guessed, lost;
    mcm_guard reservation[MCM_NUM_GUARD];
    mcm_node *at;                  /* In order of issue */
    uint8_t order[MCM_SEARCH_MAX]; /* The last that was found, of num_order accesses */
    uint32_t num_order;
} mcm_serial;

/* Scratch memory of searches: one serves all words. */
typedef struct mcm_search mcm_search;
/* The parameter amo is as in mcm_env; off has rules that are switched off (bits). NULL: out of memory. */
mcm_search *mcm_search_create(uint32_t (*amo)(unsigned, uint32_t, uint32_t), uint32_t off);

/* The next access that was fixed, in coherence order, and the word's value after it. False: there is no
 * more. */
bool mcm_serial_next_fixed(mcm_search *x, uint64_t *logged, uint32_t *value);
void mcm_search_destroy(mcm_search *x);
/* The cost of its last search: steps, of which MCM_SEARCH_NODES are the most. */
uint32_t mcm_search_steps(const mcm_search *x);

/* Whether the program orders a before b. */
typedef bool mcm_serial_before(const void *context, const mcm_moment *a, const mcm_moment *b);

mcm_serial *mcm_serial_create(uint32_t value); /* NULL: out of memory */
void mcm_serial_destroy(mcm_serial *s);

/* An access is issued. False: out of memory. */
bool mcm_serial_issue(mcm_serial *s, mcm_search *x, const mcm_node *a, mcm_serial_before *before,
                      const void *context);

/* The access of that moment is open. */
mcm_node *mcm_serial_find(const mcm_serial *s, const mcm_moment *at);

/* It has returned that old value; has written these bits of a value (an SC: all of it). final: no more
 * answers of it will come. */
mcm_verdict mcm_serial_returned(mcm_serial *s, mcm_search *x, mcm_node *a, uint32_t old, bool final);
mcm_verdict mcm_serial_wrote(mcm_serial *s, mcm_search *x, mcm_node *a, uint32_t value, uint32_t bits,
                             bool final);

/* An SC has failed: it is no access any more. Whether the others have an order without it. */
mcm_verdict mcm_serial_failed(mcm_serial *s, mcm_search *x, mcm_node *a);

/* A load that is none of these may have got those bits of the value. */
mcm_verdict mcm_serial_loaded(const mcm_serial *s, mcm_search *x, const mcm_moment *at, uint32_t mask,
                              uint32_t value, mcm_serial_before *before, const void *context);

/* Memory may hold those bits of the value when all have been performed. */
mcm_verdict mcm_serial_left(const mcm_serial *s, mcm_search *x, uint32_t mask, uint32_t value);

/* The search gave up: go on from that value, with what has not answered yet. */
void mcm_serial_restart(mcm_serial *s, uint32_t value);

/* The contents of memory when all of them have been performed, in the order found and then that of issue. */
uint32_t mcm_serial_final(mcm_serial *s, const mcm_search *x);

#endif
