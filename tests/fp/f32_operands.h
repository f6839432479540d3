/* Corner-biased binary32 operands. */
#ifndef KARAT_TESTS_FP_F32_OPERANDS_H
#define KARAT_TESTS_FP_F32_OPERANDS_H

#include "operands.h"

enum { F32_CORNERS = CORNERS };

static inline uint32_t f32_corner(unsigned n) {
    return (uint32_t)format_corner(binary32, n);
}

static inline uint32_t random_fraction(struct rng *rng) {
    return (uint32_t)format_random_fraction(binary32, rng);
}

static inline uint32_t random_operand(struct rng *rng) {
    return (uint32_t)format_random_operand(binary32, rng);
}

static inline uint32_t with_exponent(uint32_t x, int e) {
    return (uint32_t)move_exponent(binary32, x, e);
}

static inline void random_operands(struct rng *rng, uint32_t x[3]) {
    uint64_t wide[3];
    format_random_operands(binary32, rng, wide);
    for (int i = 0; i < 3; i++)
        x[i] = (uint32_t)wide[i];
}

#endif
