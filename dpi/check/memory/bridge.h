/* Memory that warps share: the only caller of the memory model (dpi/mcm).
 *
 * It turns steps and records into the model's events, the model's answers into what commits hold, and its
 * refusals into failures. Handlers of records call it; nothing else of the checker knows the memory model. */
#ifndef KARAT_CHECK_BRIDGE_H
#define KARAT_CHECK_BRIDGE_H

#include "check.h"
#include "failure.h"
#include "mcm.h"
#include "port.h"

typedef struct flight flight;
typedef struct slot slot;

/* A race, unless that word is one of synchronisation. */
typedef struct possible_race {
    mcm_place word;
    bool scalar; /* The two accesses are scalar: no race where atomics use that word */
    failure what;
} possible_race;
enum { NUM_POSSIBLE_RACES = 16 /* Words of which the first race is kept */ };

/* HELLO has come. False: out of memory. */
bool karat_bridge_create(karat_checker *c);
void karat_bridge_destroy(karat_checker *c);
/* A kernel begins, and c->kernel is it; known: memory at the end of the one before is the model's. */
void karat_bridge_kernel(karat_checker *c, bool known);
void karat_bridge_launch(karat_checker *c, const slot *s);
/* The warp in that slot was released from a barrier, as the core shows. */
void karat_bridge_released(karat_checker *c, const slot *s);
void karat_bridge_warp_ended(karat_checker *c, const slot *s);
/* The warp in that slot is not compared any more (excluded.c). */
void karat_bridge_ignore_warp(karat_checker *c, const slot *s);
/* The core provides no WRITE, and a load or atomic may have returned another value than the model's. False
 * before HELLO. */
bool karat_bridge_raced(const karat_checker *c);
/* All of the kernel's warps have ended: races that are only known now. True after a failure. */
bool karat_bridge_end(karat_checker *c);

/* Instruction f was issued. False: out of memory. */
bool karat_bridge_step(karat_checker *c, slot *s, flight *f);
/* A MEM record has come: the accesses that it completes follow. */
void karat_bridge_mem_record(karat_checker *c);
/* Access k of f was performed at several times. */
void karat_bridge_in_pieces(flight *f, uint32_t k);
/* A MEM record completes accesses of f (bit k: access k). True after a failure. */
bool karat_bridge_performed(karat_checker *c, slot *s, flight *f, mcm_parts accesses, const karat_rec_mem *r);
/* Byte number bit of access k of f, a store, is not what the model has stored: its commit has the core's
 * now. */
void karat_bridge_adopt_byte(karat_checker *c, flight *f, uint32_t k, uint32_t bit);
/* A MEM record of f, an AMO or SC: what it finds and writes in that order. True after a failure. */
bool karat_bridge_atomic(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);

/* The WRITE of an atomic's result, where MEM does not report the order: the commit takes what is legal.
 * True after a failure. */
bool karat_bridge_returned(karat_checker *c, slot *s, flight *f, const karat_rec_write *r);
/* A READ reports an atomic's result before that, perhaps not the model's: whether it is legal, and then
 * the commit's. An SC that cannot have stored is a failure. */
bool karat_bridge_read_before_write(karat_checker *c, slot *s, flight *f, uint32_t value);
/* Whether the values of f's result number i in these lanes are those of some legal order: then they are
 * the commit's. doubtful: lanes that are the model's, perhaps in spite of that. why, empty before: why
 * not. */
bool karat_bridge_other_order(karat_checker *c, slot *s, flight *f, uint32_t i, const uint32_t *value,
                              uint32_t lanes, uint32_t doubtful, reasons *why);
/* Instruction f is a load or atomic that may return something else than the model's value. */
bool karat_bridge_may_differ(const karat_checker *c, const flight *f);
/* Lanes of a load that may be wrong where they are the model's: that is one of several orders, or not the
 * core's. */
uint32_t karat_bridge_doubt(const karat_checker *c, const flight *f);

/* The name of rule number rule of the memory model, as in failure.rules. */
const char *karat_bridge_rule_name(unsigned rule);
/* Why an SC may not store: the rule, and, where that is known, who has written its word since the LR, and
 * when. Appended. */
void karat_bridge_explain_sc(const karat_checker *c, const flight *sc, reasons *why);
/* Instruction f is an SC that has failed in the model, and only its MEM would say that it has not in the
 * core. */
bool karat_bridge_may_store(const karat_checker *c, const flight *f);
/* An SC whose MEM does not come, and no WRITE reports its result: it has failed. False: f is no such SC.
 * It may be gone after that. */
bool karat_bridge_sc_given_up(karat_checker *c, slot *s, flight *f);

/* The host is about to write. */
void karat_bridge_host_writes(karat_checker *c, uint64_t addr, const uint8_t *bytes, uint32_t size);
/* The host reads memory for a warp that has asked for it at that moment (NULL: it is not known when). When
 * that is. */
mcm_moment karat_bridge_host_reads(karat_checker *c, const mcm_moment *asked);
/* It may have read that byte then. why, empty before: why not. */
bool karat_bridge_host_read(karat_checker *c, const mcm_moment *now, uint64_t addr, uint8_t value,
                            reasons *why);
/* A kernel has ended, and memory holds that byte: some order of its writes leaves it there. *lanes: that
 * of lanes of one store alone. text: who wrote what the model has there. */
bool karat_bridge_left(karat_checker *c, uint64_t addr, uint8_t value, bool *lanes, char *text, size_t size);

/* That byte is the model's, and no order of the accesses to an atomic's word leaves it there. */
bool karat_bridge_never_left(const karat_checker *c, uint64_t addr, uint8_t value);

/* A byte at a kernel's end can be called neither right nor wrong: no PASS any more. */
void karat_unjudged_memory(karat_checker *c, uint64_t addr, const char *why);

/* --- Results of loads and atomics that are used before their WRITE (use_before_write.c) --- */

/* A step reads a register. Lanes whose last write in flight is such a one that no record has reported, and
 * that need not be the model's, are as the operand's READ reports them, where that is legal, and else used
 * as the model has them. True where the READ has to come first. */
bool karat_waits_for_early(karat_checker *c, slot *s, const karat_reg_read *read);
/* Such a use is open that what differs in f may be the reason of; f NULL: in any instruction of the warp.
 * by_others: of another warp, too. */
bool karat_is_used_early(const karat_checker *c, const slot *s, const flight *f, bool by_others);

/* --- Answers of the memory model in words: which accesses, and why not (bridge_text.c) --- */

/* An access of a warp, as reports name it: workgroup, warp, seq, pc, instruction. Appended to text. */
void karat_put_access(const karat_checker *c, uint32_t uid, const mcm_name *name, char *text, size_t size);
/* A line for a write that a byte may come from. Appended. */
void karat_put_witness(const karat_checker *c, const mcm_witness *w, char *text, size_t size);
/* A line for each write that was considered, and why the byte does not come from it, with the rule.
 * Appended. */
void karat_list_witnesses(const karat_checker *c, const mcm_answer *x, reasons *why);
/* The accesses to a word of which no order gives an answer. Appended. */
void karat_list_considered(const karat_checker *c, const mcm_atomic *x, char *text, size_t size);
/* An access of f was performed too early or too late. Returns true. */
bool karat_fail_violation(karat_checker *c, slot *s, const flight *f, const void *r,
                          const mcm_violation *wrong);

/* --- Races as errors (bridge_races.c) --- */

/* All accesses of f have been performed: true after a failure. */
bool karat_find_races(karat_checker *c, slot *s, flight *f);

#endif
