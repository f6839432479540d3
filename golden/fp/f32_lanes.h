/* binary32 arithmetic of many elements at once, by the host's own: the same results and flags as the functions of f32.h, rounding to
 * nearest even.
 *
 * Each function computes r[i] for the elements of active (bit i: element i < num) that are easy, raises their flags, and returns the
 * other ones of active, which the caller computes one by one: those with NaNs, infinities, overflow, underflow, and what is close to
 * these. r[i] of all elements but the easy ones is undefined; r has room for 4. Where the host does not have the arithmetic that the
 * argument in f32_lanes.c needs, no element is easy. b_sign and so on are exclusive-ored onto all elements of a source: 0 or
 * KARAT_F32_SIGN. */
#ifndef KARAT_FP_F32_LANES_H
#define KARAT_FP_F32_LANES_H

#include "exec/level.h"

#include <stdint.h>

#define karat_f32_lanes_add KARAT_LEVEL(karat_f32_lanes_add)
#define karat_f32_lanes_mul KARAT_LEVEL(karat_f32_lanes_mul)
#define karat_f32_lanes_div KARAT_LEVEL(karat_f32_lanes_div)
#define karat_f32_lanes_fma KARAT_LEVEL(karat_f32_lanes_fma)

uint64_t karat_f32_lanes_add(const uint32_t *a, const uint32_t *b, uint32_t b_sign, uint32_t num,
                             uint64_t active, uint32_t *r, uint32_t *flags);
uint64_t karat_f32_lanes_mul(const uint32_t *a, const uint32_t *b, uint32_t num, uint64_t active, uint32_t *r,
                             uint32_t *flags);
uint64_t karat_f32_lanes_div(const uint32_t *a, const uint32_t *b, uint32_t num, uint64_t active, uint32_t *r,
                             uint32_t *flags);
uint64_t karat_f32_lanes_fma(const uint32_t *a, uint32_t a_sign, const uint32_t *b, const uint32_t *c,
                             uint32_t c_sign, uint32_t num, uint64_t active, uint32_t *r, uint32_t *flags);

#endif
