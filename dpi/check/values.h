/* What is known of the values in a warp's registers (values.c). */
#ifndef KARAT_CHECK_VALUES_H
#define KARAT_CHECK_VALUES_H

#include "check.h"
#include "port.h"

typedef struct flight flight;
typedef struct slot slot;

/* A register of a warp, since its launch; masks of lanes.  All that a step and its WRITE touch: half a cache line.  Written by issue.c
 * (the model's write), write.c and audit.c (what has landed), values.c (what is known). */
typedef struct register_state {
    uint32_t written, known; /* see values.c; where the model holds what the core does */
    uint32_t lost; /* lanes of which a write was owed, and given up: of use where they are not known */
    /* The last instruction that has written it in the model, of use where the history does not reach so far back. */
    uint32_t wrote_lanes, wrote_seq, wrote_pc; /* no lanes: none */
    /* The newest WRITE that has landed in it. */
    uint32_t landed_seq, audited; /* lanes in which an AUDIT has seen it there */
    bool landed;
    bool loading; /* its last WRITE may be owed, and be that of a load or atomic (early.c) */
    uint16_t
        near_row; /* of lanes written, neither known nor lost: whose result, within its bound, they hold */
} register_state;

/* Where an operand that nothing had written was used, and how often. */
typedef struct undefined_use {
    uint32_t kernel, pc;
    uint8_t cls;
    uint16_t reg;
    uint64_t count;
} undefined_use;
#define NUM_UNDEFINED_USE 32 /* the first places; others are counted only in total */

/* Registers that a launch left unknown (values.c). Lanes of a register: nobody has told them yet; the core
 * has; the warp has written them, or an instruction has used them. */
uint32_t karat_unknown_lanes(const karat_checker *c, const slot *s, unsigned cls, unsigned reg);
void karat_learn(slot *s, unsigned cls, unsigned reg, uint32_t lanes);
void karat_forget(slot *s, unsigned cls, unsigned reg, uint32_t lanes);
void karat_define(slot *s, unsigned cls, unsigned reg, uint32_t lanes);
/* The model's read port. */
karat_read_answer karat_check_operand(void *checker, uint32_t warp, const karat_commit *commit,
                                      karat_reg_read *read);
/* A step that was just taken: count what it uses and the warp never wrote, find what is tainted by it. True
 * where control or an address depends on what nobody has told. */
bool karat_check_undefined(karat_checker *c, slot *s, flight *f);

/* Believe the core's value of lanes of a register, as they are when f has written them, or now where f is NULL. Returns those
 * that no younger instruction has overwritten. */
uint32_t karat_believe(karat_checker *c, slot *s, flight *f, unsigned cls, unsigned reg, uint32_t lanes,
                       const uint32_t *value);

/* Which source of a store is its data: the third where there is one, else the second. */
uint8_t karat_data_source(const karat_commit *commit);

#endif
