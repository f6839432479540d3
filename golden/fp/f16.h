/* IEEE 754 binary16 with RISC-V rules: the functions of f32.h, with the same contracts. A value is its bit
 * pattern in a uint16_t. */
#ifndef KARAT_FP_F16_H
#define KARAT_FP_F16_H

#include "fp/f32.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_F16_SIGN ((uint16_t)0x8000)
#define KARAT_F16_INF  ((uint16_t)0x7c00)
#define KARAT_F16_NAN  ((uint16_t)0x7e00) /* The canonical NaN */

uint16_t karat_f16_add(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_f16_sub(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_f16_mul(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_f16_div(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_f16_sqrt(uint16_t a, unsigned rm, uint32_t *flags);
uint16_t karat_f16_fma(uint16_t a, uint16_t b, uint16_t c, unsigned rm, uint32_t *flags);

uint16_t karat_f16_min(uint16_t a, uint16_t b, uint32_t *flags);
uint16_t karat_f16_max(uint16_t a, uint16_t b, uint32_t *flags);

bool karat_f16_eq(uint16_t a, uint16_t b, uint32_t *flags);
bool karat_f16_lt(uint16_t a, uint16_t b, uint32_t *flags);
bool karat_f16_le(uint16_t a, uint16_t b, uint32_t *flags);

uint32_t karat_f16_class(uint16_t a);

uint16_t karat_f16_from_int(uint64_t value, bool is_signed, unsigned rm, uint32_t *flags);
uint64_t karat_f16_to_int(uint16_t a, unsigned bits, bool is_signed, unsigned rm, uint32_t *flags);

/* To and from binary32. The conversion to the narrower format takes KARAT_ROD as well. */
uint32_t karat_f32_from_f16(uint16_t a, unsigned rm, uint32_t *flags);
uint16_t karat_f16_from_f32(uint32_t a, unsigned rm, uint32_t *flags);

uint16_t karat_f16_rec7(uint16_t a, unsigned rm, uint32_t *flags);
uint16_t karat_f16_rsqrt7(uint16_t a, uint32_t *flags);

static inline uint16_t karat_f16_sgnj(uint16_t a, uint16_t b) {
    return (uint16_t)((a & ~KARAT_F16_SIGN) | (b & KARAT_F16_SIGN));
}

static inline uint16_t karat_f16_sgnjn(uint16_t a, uint16_t b) {
    return (uint16_t)((a & ~KARAT_F16_SIGN) | (~b & KARAT_F16_SIGN));
}

static inline uint16_t karat_f16_sgnjx(uint16_t a, uint16_t b) {
    return (uint16_t)(a ^ (b & KARAT_F16_SIGN));
}

#ifdef __cplusplus
}
#endif

#endif
