/* The memory model: all that the rest of the checker uses of it (order.c, searched.c, serial.c, forgotten.c, untold.c, races.c, flags.c,
 * reserved.c, early.c). Its fields in struct flight, struct slot and struct karat_checker are in one block each, "memory model". */
#ifndef KARAT_CHECK_SHARED_H
#define KARAT_CHECK_SHARED_H

#include "check.h"
#include "port.h"

typedef struct flight flight;
typedef struct slot slot;

/* A place in the program order of a warp. */
typedef struct karat_moment {
    uint32_t uid;        /* of the warp in its kernel: workgroup * wg_size + warp */
    uint32_t generation; /* barriers that the warp has passed */
    uint64_t step;       /* number of the instruction, of all that were issued; 0: none */
    /* Accesses (KARAT_READS, KARAT_WRITES): what a FENCE orders; of others, twice what it is. */
    uint8_t before, behind;
} karat_moment;
enum { KARAT_WRITES = 1, KARAT_READS = 2 }; /* as in the word of a FENCE */

/* What an LR has reserved. */
typedef struct karat_reservation {
    uint64_t addr;
    uint32_t seq;
    uint64_t performed;   /* number of its MEM record */
    uint64_t step, cycle; /* of its ISSUE */
} karat_reservation;
#define KARAT_NUM_RESERVATION 4

/* A warp's FENCEs, the last of them. */
typedef struct karat_fence {
    karat_moment at;
    uint32_t pc;
    bool total; /* fm is 0: no access before it may pass one behind it */
} karat_fence;
#define KARAT_NUM_FENCE 8

typedef struct karat_order karat_order;
typedef struct karat_races karat_races;
typedef struct karat_flags karat_flags;
typedef struct karat_logged karat_logged;
#define KARAT_NUM_ACQUIRED 16

/* Whether there is an order that the program allows. */
typedef enum serial_answer {
    SERIAL_ORDER,  /* there is an order */
    SERIAL_NONE,   /* there is none */
    SERIAL_UNKNOWN /* the search gave up, or had to guess before */
} serial_answer;

/* What loads and atomics may see where warps race (order.c). */
karat_order *karat_order_create(uint32_t num_thread); /* NULL: out of memory */
void karat_order_destroy(karat_order *o);
/* A kernel begins, before c->kernel is its; known: memory at the end of the one before is the model's. */
void karat_order_kernel(karat_checker *c, bool known);
void karat_order_host(karat_checker *c, uint64_t addr, const uint8_t *bytes,
                      uint32_t size);                        /* the host is about to write */
bool karat_order_step(karat_checker *c, slot *s, flight *f); /* f was issued; false: out of memory */
void karat_order_released(const karat_checker *c, slot *s);  /* from a barrier */
void karat_order_mem(karat_checker *c);                      /* a MEM record has come; */
/* It completes accesses of f (bit k: access k). True after a failure. */
bool karat_order_performed(karat_checker *c, slot *s, flight *f, uint64_t accesses, const karat_rec_mem *r);
/* Byte number bit of access k of f, a store, is not what the model has stored: its commit has the core's now. */
void karat_order_took(karat_checker *c, const slot *s, const flight *f, uint32_t k, uint32_t bit);
/* An AMO or SC is performed: what it finds and writes in that order. True after a failure. */
bool karat_order_atomic(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);
/* Why an SC may not store, behind what has been said: who has written its word since the LR, and when (reserved.c). Nothing where that
 * is not known. */
void karat_order_explain_sc(const karat_checker *c, const slot *s, const flight *sc, char *text, size_t size);
/* f is an SC that has failed in the model, and only its MEM would say that it has not in the core. */
bool karat_order_may_store(const karat_checker *c, const flight *f);
/* An atomic's result is written, and MEM does not tell the order: the commit takes what is legal. True after a failure. */
bool karat_order_returned(karat_checker *c, slot *s, flight *f, const karat_rec_write *r);
/* A READ tells an atomic's result before that, perhaps not the model's: whether it is legal, and then the commit's. An SC that can
 * not have stored is a failure. */
bool karat_searched_told(karat_checker *c, slot *s, flight *f, uint32_t value);
/* Something of f cannot be told right or wrong: no PASS any more. */
void karat_unjudged(karat_checker *c, const slot *s, const flight *f, const char *why);
void karat_unjudged_memory(karat_checker *c, uint64_t addr,
                           const char *why); /* the same of a byte at a kernel's end */
/* The core's SC has failed, and the model's has not: it has failed in the model, too. False where f is no such SC. */
bool karat_order_sc_failed(karat_checker *c, slot *s, flight *f);
/* The same of an SC whose MEM does not come, where no WRITE tells: that is how such a one fails. f may be gone then. */
bool karat_order_sc_given_up(karat_checker *c, slot *s, flight *f);
/* A load's result number i differs in these lanes: those in which the core's value is legal, which the commit takes.
 * text, empty before: why the first of the others is not, where other warps write there. */
uint32_t karat_order_loaded(karat_checker *c, slot *s, flight *f, uint32_t i, uint32_t lanes,
                            const uint32_t *value, char *text, size_t size);

/* Lanes of a load that may be wrong where they are the model's: that is one of several orders, or not the core's. */
uint32_t karat_order_doubt(const karat_checker *c, const slot *s, const flight *f);

/* A kernel has ended, and memory holds that byte: whether some order of its writes leaves it there. text: who wrote what the
 * model has there. */
bool karat_order_left(karat_checker *c, uint64_t addr, uint8_t value, char *text, size_t size);

/* That byte is the model's, and no order of the accesses to an atomic's word leaves it there. */
bool karat_order_never_left(const karat_checker *c, uint64_t addr, uint8_t value);

/* Whether the program orders a before b; whether atomics use that word (lds: 1 + workgroup, 0: device memory). */
bool karat_order_before(const karat_checker *c, const karat_moment *a, const karat_moment *b);
/* What was issued up to that step may be ordered by something that is forgotten. */
uint64_t karat_order_horizon(const karat_checker *c);
bool karat_order_is_atomic(const karat_checker *c, uint64_t addr, uint32_t lds);

/* The host reads memory for a warp that has asked for it at that moment (NULL: nobody knows when), with all that it has stored before: when, in
 * *now. */
void karat_order_host_takes(karat_checker *c, const karat_moment *asked, karat_moment *now);
/* Whether it may have read that byte then. text, empty before: why not. */
serial_answer karat_order_host_read(karat_checker *c, const karat_moment *now, uint64_t addr, uint8_t value,
                                    char *text, size_t size);

/* f is issued, of a core that gives no WRITE: whether it is one that returns, or changes, what nobody will tell (untold.c). */
void karat_note_race(karat_checker *c, const flight *f);

/* Races as errors (races.c). */
karat_races *karat_races_create(void); /* NULL: out of memory */
void karat_races_destroy(karat_races *r);
void karat_races_kernel(karat_races *r); /* a kernel begins */
/* All accesses of f have been performed: true after a failure. */
bool karat_races_performed(karat_checker *c, slot *s, const flight *f);
bool karat_races_end(karat_checker *c); /* all of the kernel's warps have ended. The same */

/* Words by which warps synchronise with plain accesses and FENCEs (flags.c). */
karat_flags *karat_flags_create(void); /* NULL: out of memory */
void karat_flags_destroy(karat_flags *g);
void karat_flags_kernel(karat_flags *g); /* a kernel begins */
/* Accesses of f have been performed: true after a failure. */
bool karat_flags_performed(karat_checker *c, slot *s, const flight *f, uint64_t accesses);
/* A warp's FENCE is issued, with reads before it. */
void karat_flags_fence(karat_flags *g, uint32_t uid);
/* Of the word at that address (lds: 1 + workgroup, 0: device memory): whether a value was ever stored to it that releases anything;
 * whether some warp has acquired one. */
bool karat_flags_released(const karat_flags *g, uint64_t addr, uint32_t lds);
bool karat_flags_synchronises(const karat_flags *g, uint64_t addr, uint32_t lds);

/* Whether these lanes are those of a legal order of the warps' accesses in f's result number i: then it is the commit's, too.
 * doubtful: lanes that are the model's, perhaps in spite of that. text, empty before: why not. */
bool karat_other_order(karat_checker *c, slot *s, flight *f, uint32_t i, const uint32_t *value,
                       uint32_t lanes, uint32_t doubtful, char *text, size_t size);

/* Results of loads and atomics that are used before their WRITE (early.c). Lanes of a register whose last write in flight is such a
 * one that nobody has told, and that need not be the model's. */
uint32_t karat_early_lanes(const karat_checker *c, const slot *s, unsigned cls, unsigned reg);
/* A READ gives them: those whose value is another than the model's and legal, and the result's from now on. */
uint32_t karat_tell_early(karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes,
                          const uint32_t *value);
/* None has: they are used as the model has them. */
void karat_use_early(const karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes);
/* Whether such a use is open that what differs in f may be the reason of; f: NULL, where it is any instruction of the warp. by_others: of another
 * warp, too. */
bool karat_is_used_early(const karat_checker *c, const slot *s, const flight *f, bool by_others);

#endif
