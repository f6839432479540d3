/* Values, lane by lane (compare.c). */
#ifndef KARAT_CHECK_COMPARE_H
#define KARAT_CHECK_COMPARE_H

#include "checker.h"

/* The bits of an operand that a READ reports. */
static inline uint32_t karat_read_bits(const karat_rec_read *r) {
    return r->bits && r->bits < 32 ? (1u << r->bits) - 1 : 0xffffffffu;
}

/* The lanes that a register of that class has. */
static inline uint32_t karat_lanes_of(const karat_checker *c, unsigned cls) {
    return cls == KARAT_CLASS_X ? 1 : karat_all_lanes(c);
}

static inline void karat_copy_lanes(uint32_t *to, const uint32_t *from, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1)
        to[__builtin_ctz(lanes)] = from[__builtin_ctz(lanes)];
}

/* Lanes of mask in which two values of a register of that class differ in these bits. */
static inline uint32_t karat_differing(const karat_checker *c, unsigned cls, const uint32_t *a,
                                       const uint32_t *b, uint32_t mask, uint32_t bits) {
    uint32_t any = 0, different = 0;
    if (cls == KARAT_CLASS_X)
        return mask && (a[0] ^ b[0]) & bits;
    for (uint32_t i = 0; i < c->hello.num_thread; i++)
        any |= a[i] ^ b[i];
    if (!(any & bits))
        return 0; /* nearly always: not a branch for each lane */
    for (uint32_t m = mask; m; m &= m - 1)
        if ((a[__builtin_ctz(m)] ^ b[__builtin_ctz(m)]) & bits)
            different |= m & -m;
    return different;
}

/* The differences in the lanes of a fault, as a table of at most eight: lane, core, model, xor. */
void karat_table(char *text, size_t size, const fault *x, const uint32_t *core, const uint32_t *model);
/* A register's value is wrong. more: what is to be said besides; may be empty. */
bool karat_fail_values(karat_checker *c, const fault *x, const uint32_t *core, const uint32_t *model,
                       const char *more);

#endif
