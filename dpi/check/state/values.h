/* Knowledge of the values in a warp's registers (values.c). */
#ifndef KARAT_CHECK_VALUES_H
#define KARAT_CHECK_VALUES_H

#include "check.h"
#include "port.h"

typedef struct flight flight;
typedef struct slot slot;

/* Knowledge of a value, by lane, of those that there are.  A lane in none of the masks is exact: the model
 * holds what the core does. */
typedef struct knowledge {
    uint32_t unwritten;  /* The program has never written it */
    uint32_t unreported; /* No record has reported it: the core may hold something else */
    uint32_t within;     /* Unreported, and within a bound of the model's value (ulp.c) */
} knowledge;

/* The core's value of these lanes is known, and the model's. */
static inline void karat_learn(knowledge *k, uint32_t lanes) {
    k->unreported &= ~lanes;
    k->within &= ~lanes;
}

/* Nothing is known of these lanes any more. */
static inline void karat_lose(knowledge *k, uint32_t lanes) {
    k->unreported |= lanes;
    k->within &= ~lanes;
}

/* A result takes the place of what was in these lanes: exact, but for lanes that depend on what no record
 * has reported (tainted; undefined: and that the program has never written), and lanes that are within a
 * bound. */
static inline void karat_overwrite(knowledge *k, uint32_t lanes, uint32_t tainted, uint32_t undefined,
                                   uint32_t within) {
    karat_learn(k, lanes);
    k->unwritten = (k->unwritten & ~lanes) | (undefined & lanes);
    k->unreported |= (tainted & lanes) | within;
    k->within |= within;
}

/* A register of a warp, since its launch; masks of lanes.  All that a step and its WRITE touch: half a
 * cache line.  Written by issue.c (the model's write), write.c and audit.c (what has landed), values.c
 * (what is known). */
typedef struct register_state {
    knowledge is;
    /* The last instruction that has written it in the model, of use where the history does not reach so
     * far back. */
    uint32_t wrote_lanes, wrote_seq, wrote_pc; /* No lanes: none */
    /* The newest WRITE that has landed in it. */
    uint32_t landed_seq;
    uint32_t audited; /* Lanes in which an AUDIT has seen the newest WRITE that has landed */
    bool landed;
    bool loading;     /* The last WRITE may be pending, of a load or atomic (use_before_write.c) */
    uint16_t ulp_row; /* Of lanes within a bound: whose result they hold */
} register_state;

/* Where an operand that nothing had written was used, and how often. */
typedef struct undefined_use {
    uint32_t kernel, pc;
    uint8_t cls;
    uint16_t reg;
    uint64_t count;
} undefined_use;
#define NUM_UNDEFINED_USE 32 /* The first places; others are counted only in total */

/* The warp has written them, or an instruction has used them, and the core has reported them. */
void karat_define(slot *s, unsigned cls, unsigned reg, uint32_t lanes);
/* The model's read port. */
karat_read_answer karat_check_operand(void *checker, uint32_t warp, const karat_commit *commit,
                                      uint32_t value[KARAT_MAX_THREAD]);
/* A step that was just taken: count what it uses and the warp never wrote, find what is tainted by it. True
 * where control or an address depends on what no record has reported. */
bool karat_check_undefined(karat_checker *c, slot *s, flight *f);

/* Believe the core's value of lanes of a register, as they are when f has written them, or now where f is
 * NULL. Returns those that no younger instruction has overwritten. */
uint32_t karat_adopt_value(karat_checker *c, slot *s, flight *f, unsigned cls, unsigned reg, uint32_t lanes,
                           const uint32_t *value);

/* Which source of a store is its data: the third where there is one, else the second. */
uint8_t karat_data_source(const karat_commit *commit);

#endif
