/* Private to golden/fp: what the formats have in common.
 *
 * The algorithms are templates: format.h, arith.h, root.h and misc.h. A file chooses the format by an include
 * of f16_round.h, f32_round.h, f64_round.h or bf16_round.h, which define
 *
 *     FP_NAME       in names: f16, f32, f64 or bf16
 *     FP_BITS       its width; FP_FRAC_BITS of them are the fraction
 *     FP_TYPE       the type of its bit patterns in the interface
 *     FP_WORD       the unsigned type that holds a pattern or a significand here, at least as wide as an int:
 *                   nothing is promoted
 *     FP_WIDE       an unsigned type of 2 * FP_BITS, for products
 *
 * Every other macro here means what it does for the format that was chosen last. */
#ifndef KARAT_FP_COMMON_H
#define KARAT_FP_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#define FP_COLD        __attribute__((cold, noinline))
#define FP_LIKELY(x)   __builtin_expect(!!(x), 1)
#define FP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* F(name) is a private name of the format (f32_name), KARAT(name) one of the interface (karat_f32_name). */
#define FP_PASTE(prefix, format, name)        prefix##format##name
#define FP_PASTE_FORMAT(prefix, format, name) FP_PASTE(prefix, format, name)
#define F(name)                               FP_PASTE_FORMAT(, FP_NAME, _##name)
#define KARAT(name)                           FP_PASTE_FORMAT(karat_, FP_NAME, _##name)

#define FP_ONE     ((FP_WORD)1)
#define FP_EXP_MAX ((1 << (FP_BITS - 1 - FP_FRAC_BITS)) - 1) /* Of infinities and NaNs */
#define FP_BIAS    (FP_EXP_MAX / 2)
#define FP_SIGN    (FP_ONE << (FP_BITS - 1))
#define FP_INF     ((FP_WORD)FP_EXP_MAX << FP_FRAC_BITS)
#define FP_HIDDEN  (FP_ONE << FP_FRAC_BITS)
#define FP_FRAC    (FP_HIDDEN - 1)
#define FP_MAX     (FP_INF - 1)
#define FP_QUIET   (FP_HIDDEN >> 1)
#define FP_NAN     (FP_INF | FP_QUIET)

/* Rounding takes a significand with its leading one at bit FP_BITS - 2, and cuts off this much. */
#define FP_LOST_BITS (FP_BITS - 2 - FP_FRAC_BITS)
#define FP_HALF      (FP_ONE << (FP_LOST_BITS - 1))
/* Such a significand, bit 0 sticky, from one of another unsigned type with its leading one at the highest
 * bit. */
#define FP_FROM_TOP(x) ((FP_WORD)((x) >> (8 * sizeof(x) - FP_BITS + 1)) | (((x) << (FP_BITS - 1)) != 0))

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

/* The 7-bit estimates of the V extension, the same for every format; the specification's tables. The
 * reciprocal is indexed by the seven highest fraction bits, the reciprocal square root by the exponent's
 * lowest bit and the six highest fraction bits. */
extern const uint8_t fp_rec7_table[128];
extern const uint8_t fp_rsqrt7_table[128];

#endif
