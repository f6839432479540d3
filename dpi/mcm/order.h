/* The order of the program: which moments come before which, and by which rule. */
#ifndef KARAT_MCM_ORDER_H
#define KARAT_MCM_ORDER_H

#include "mcm.h"

enum {
    MCM_NUM_EDGE = 1024,     /* Pairs of a release and its acquire that are remembered */
    MCM_NUM_LAST_EDGE = 64,  /* A power of two */
    MCM_NUM_REACH = 4,       /* A load, and the writes that it may have got */
    MCM_NUM_ACQUIRED = 16,   /* Of a warp, until its next FENCE */
    MCM_NUM_RESERVATION = 4, /* Of a warp: its last LRs */
    MCM_NUM_FENCE = 8        /* Of a slot: the last ones */
};

typedef struct mcm_fence_at {
    mcm_moment at;
    uint32_t pc;
    bool total; /* No access before it may pass one after it; FENCE.TSO: a load may pass a store */
} mcm_fence_at;

/* A slot and the warp in it. Written by order.c and atomic_word.c (reservations). */
typedef struct mcm_warp {
    uint32_t epoch;    /* Launches before that of its warp */
    mcm_event *oldest; /* The oldest access under way, of earlier warps too */
    /* The fields from here on are the warp's: cleared by a launch. */
    uint32_t uid;
    bool live, ignored;
    uint32_t barriers;      /* Passed since its launch */
    uint32_t released;      /* Barriers passed whose release the core has shown */
    uint64_t released_step; /* Step at which the core had shown the last release */
    /* Step of the last FENCE that orders stores [0], loads [1] before stores [0], loads [1] to come. */
    uint64_t fenced[2][2];
    mcm_moment acquired[MCM_NUM_ACQUIRED]; /* Releases that its next FENCE orders before what follows it */
    uint32_t num_acquired;                 /* Ever */
    uint32_t performed_phases; /* Accesses of its workgroup before that many barriers have been performed */
    mcm_reservation reservation[MCM_NUM_RESERVATION];
    uint32_t num_reservation; /* Ever */
    bool reserves;            /* The last LR has had no SC since */
    mcm_fence_at fence[MCM_NUM_FENCE];
    uint32_t num_fence; /* Ever */
} mcm_warp;

/* A release and an acquire that has read its value. */
typedef struct mcm_edge {
    mcm_moment from, to;
    mcm_rule rule;
    uint64_t next; /* 1 + number of the edge before it to the same warp; 0: none */
} mcm_edge;

/* All that comes before a moment, see reach_of(). */
typedef struct mcm_reach {
    uint64_t num_edges; /* When it was worked out */
    uint32_t num;
    mcm_moment at[MCM_NUM_EDGE + 1]; /* The first is the one that was asked for */
    mcm_rule rule[MCM_NUM_EDGE + 1]; /* Of the edge from it */
} mcm_reach;

typedef struct mcm_order {
    mcm_edge edges[MCM_NUM_EDGE];
    uint64_t num_edges; /* Ever in this kernel */
    uint64_t last_edge[MCM_NUM_LAST_EDGE];
    mcm_reach reach[MCM_NUM_REACH]; /* Of the last moments that were asked for */
    uint32_t next_reach;
    uint64_t horizon; /* Of what was issued up to that step, not all that orders it is remembered */
} mcm_order;

struct mcm_word;

/* Which rule orders a before b, where both access one byte; MCM_NO_RULE: none does, or nothing remembered
 * says so. */
mcm_rule mcm_before(const karat_mcm *m, const mcm_moment *a, const mcm_moment *b);
/* The FENCE of that number, of e's slot; NULL: of an earlier warp, or forgotten, and what it orders with
 * it. */
const mcm_fence_at *mcm_fence_of(const karat_mcm *m, const mcm_event *e, uint32_t number);
/* An access is issued, and not yet among those under way: what the rules look at, and up to where they
 * order these before it. */
void mcm_set_rules(const karat_mcm *m, mcm_event *e);
/* An access is performed: all of its warp that a rule orders before it have been, and all of its workgroup
 * that BARRIER does; but for SCs, which may have failed. False: wrong says which has not. */
bool mcm_check_ahead(karat_mcm *m, const mcm_event *e, mcm_violation *wrong);
/* Event e reads a value: the releases that it stands for come before e, or before what the next FENCEs order
 * after it. */
void mcm_acquire(karat_mcm *m, const mcm_event *e, const mcm_moment *release, uint32_t num);
void mcm_order_kernel(karat_mcm *m);
/* Moments of the host. */
mcm_moment mcm_host_moment(karat_mcm *m, bool running);
#endif
