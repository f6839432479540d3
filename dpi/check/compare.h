/* Values, lane by lane (compare.c). */
#ifndef KARAT_CHECK_COMPARE_H
#define KARAT_CHECK_COMPARE_H

#include "checker.h"

/* Lanes of mask in which a and b differ in these bits. */
uint32_t karat_differing(const karat_checker *c, const uint32_t *a, const uint32_t *b, uint32_t mask,
                         uint32_t bits);
/* What differs, as a table of at most eight lanes: lane, core, model, xor. */
void karat_table(char *text, size_t size, const uint32_t *core, const uint32_t *model, uint32_t lanes,
                 bool scalar);
/* A register's value is wrong in these lanes. order: why no order of memory accesses gives it; may be empty. Returns true. */
bool karat_fail_values(karat_checker *c, failure_kind kind, slot *s, const flight *f, const void *r,
                       unsigned cls, unsigned reg, const uint32_t *core, const uint32_t *model,
                       uint32_t lanes, const char *order);

#endif
