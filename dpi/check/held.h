/* Steps that wait for their READs (held.c). */
#ifndef KARAT_CHECK_HELD_H
#define KARAT_CHECK_HELD_H

#include "any.h"
#include "checker.h"

/* commit: as far as the step has come. */
bool karat_hold(karat_checker *c, slot *s, const karat_rec_issue *r, const karat_commit *commit);
/* No step of that slot is held any more. */
void karat_unhold(karat_checker *c, slot *s);
/* The operand's READ, which has come before the step; NULL: not yet. */
const karat_rec_read *karat_held_read(const slot *s, const karat_reg_read *read);
/* A record while some step is held; s: of the warp that it is about, or NULL. True where it has been dealt with. */
bool karat_intercept(karat_checker *c, slot *s, const karat_any *r);
/* Take the steps that have waited too long, or all. */
bool karat_release_held(karat_checker *c, uint64_t cycle, bool all);

#endif
