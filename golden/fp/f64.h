/* IEEE 754 binary64 with RISC-V rules: the functions of f32.h, with the same contracts. A value is its bit
 * pattern in a uint64_t. */
#ifndef KARAT_FP_F64_H
#define KARAT_FP_F64_H

#include "fp/f32.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_F64_SIGN UINT64_C(0x8000000000000000)
#define KARAT_F64_INF  UINT64_C(0x7ff0000000000000)
#define KARAT_F64_NAN  UINT64_C(0x7ff8000000000000) /* The canonical NaN */

uint64_t karat_f64_add(uint64_t a, uint64_t b, unsigned rm, uint32_t *flags);
uint64_t karat_f64_sub(uint64_t a, uint64_t b, unsigned rm, uint32_t *flags);
uint64_t karat_f64_mul(uint64_t a, uint64_t b, unsigned rm, uint32_t *flags);
uint64_t karat_f64_div(uint64_t a, uint64_t b, unsigned rm, uint32_t *flags);
uint64_t karat_f64_sqrt(uint64_t a, unsigned rm, uint32_t *flags);
uint64_t karat_f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint32_t *flags);

uint64_t karat_f64_min(uint64_t a, uint64_t b, uint32_t *flags);
uint64_t karat_f64_max(uint64_t a, uint64_t b, uint32_t *flags);

bool karat_f64_eq(uint64_t a, uint64_t b, uint32_t *flags);
bool karat_f64_lt(uint64_t a, uint64_t b, uint32_t *flags);
bool karat_f64_le(uint64_t a, uint64_t b, uint32_t *flags);

uint32_t karat_f64_class(uint64_t a);

uint64_t karat_f64_from_int(uint64_t value, bool is_signed, unsigned rm, uint32_t *flags);
uint64_t karat_f64_to_int(uint64_t a, unsigned bits, bool is_signed, unsigned rm, uint32_t *flags);

/* To and from binary32. The conversion to the narrower format takes KARAT_ROD as well. */
uint64_t karat_f64_from_f32(uint32_t a, unsigned rm, uint32_t *flags);
uint32_t karat_f32_from_f64(uint64_t a, unsigned rm, uint32_t *flags);

uint64_t karat_f64_rec7(uint64_t a, unsigned rm, uint32_t *flags);
uint64_t karat_f64_rsqrt7(uint64_t a, uint32_t *flags);

static inline uint64_t karat_f64_sgnj(uint64_t a, uint64_t b) {
    return (a & ~KARAT_F64_SIGN) | (b & KARAT_F64_SIGN);
}

static inline uint64_t karat_f64_sgnjn(uint64_t a, uint64_t b) {
    return (a & ~KARAT_F64_SIGN) | (~b & KARAT_F64_SIGN);
}

static inline uint64_t karat_f64_sgnjx(uint64_t a, uint64_t b) {
    return a ^ (b & KARAT_F64_SIGN);
}

#ifdef __cplusplus
}
#endif

#endif
