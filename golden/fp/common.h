/* Private to golden/fp: what the formats have in common and what depends on none of them. */
#ifndef KARAT_FP_COMMON_H
#define KARAT_FP_COMMON_H

#include <stdint.h>

#define FP_COLD        __attribute__((cold, noinline))
#define FP_LIKELY(x)   __builtin_expect(!!(x), 1)
#define FP_UNLIKELY(x) __builtin_expect(!!(x), 0)

__extension__ typedef unsigned __int128 fp_uint128;

/* Leading zeros of a number that is not 0. */
static inline int fp_clz32(uint32_t x) {
    return __builtin_clz(x);
}
static inline int fp_clz64(uint64_t x) {
    return __builtin_clzll(x);
}
static inline int fp_clz128(fp_uint128 x) {
    return x >> 64 != 0 ? fp_clz64((uint64_t)(x >> 64)) : 64 + fp_clz64((uint64_t)x);
}
#define FP_CLZ(x) _Generic((x), uint32_t : fp_clz32, uint64_t : fp_clz64, fp_uint128 : fp_clz128)(x)

/* The 7-bit estimates of the V extension, the same for every format; the specification's tables. The reciprocal is indexed by
 * the seven highest fraction bits, the reciprocal square root by the exponent's lowest bit and the six highest fraction bits. */
extern const uint8_t fp_rec7_table[128];
extern const uint8_t fp_rsqrt7_table[128];

#endif
