/* The generator splitmix64 gives equal numbers everywhere. The timing of testbenches, schedules of `karat
 * run` and random programs draw by it, and tests do; their seeds are in recipes and verdict lines, so that
 * the sequence stays as it is. */
#ifndef KARAT_SPLITMIX_H
#define KARAT_SPLITMIX_H

#include <stdint.h>

static inline uint64_t karat_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number from 0 to n - 1. */
static inline uint32_t karat_random_below(uint64_t *state, uint32_t n) {
    return (uint32_t)((karat_random(state) >> 32) * n >> 32);
}

#endif
