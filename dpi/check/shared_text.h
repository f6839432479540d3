/* Answers of the memory model in words: which accesses, and why not. */
#ifndef KARAT_CHECK_SHARED_TEXT_H
#define KARAT_CHECK_SHARED_TEXT_H

#include "shared.h"

/* An access of a warp, as reports name it: workgroup, warp, seq, pc, instruction. Appended to text. */
void karat_put_access(const karat_checker *c, uint32_t uid, const mcm_name *name, char *text, size_t size);
/* A line for a write that a byte may come from. Appended. */
void karat_put_witness(const karat_checker *c, const mcm_witness *w, char *text, size_t size);
/* The same for each write that was considered, and why the byte does not come from it, with the rule. Appended. */
void karat_list_witnesses(const karat_checker *c, const mcm_answer *x, reasons *why);
/* The accesses to a word of which no order gives an answer. Appended. */
void karat_list_considered(const karat_checker *c, const mcm_atomic *x, char *text, size_t size);
/* An access of f was performed too early or too late. Returns true. */
bool karat_fail_violation(karat_checker *c, slot *s, const flight *f, const void *r,
                          const mcm_violation *wrong);

/* --- Races as errors (shared_races.c) --- */

/* All accesses of f have been performed: true after a failure. */
bool karat_find_races(karat_checker *c, slot *s, flight *f);

#endif
