/* Results of units that approximate (ulp.c). */
#ifndef KARAT_CHECK_ULP_H
#define KARAT_CHECK_ULP_H

#include "checker.h"

/* Take the bounds of the configuration; false where memory is short or one is bad. */
bool karat_make_bounds(karat_checker *c);
/* A READ reports lanes of a register whose approximate result has not been written yet, as the core's bypass may:
 * take what is within the bound as that result. Returns those lanes. */
uint32_t karat_tell_result(karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes,
                           const uint32_t *value);
/* A store's MEM: its data that are approximate results are compared within their bound, the whole words. */
void karat_tell_stored(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r);
/* Of these lanes, those whose number is at most ulp from the model's. */
uint32_t karat_within_bound(const uint32_t *core, const uint32_t *model, uint32_t lanes, uint32_t ulp);

#endif
