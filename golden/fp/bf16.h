/* bfloat16, the upper half of binary32, with the rules of f32.h: subnormals are kept, and every NaN result is
 * the canonical one. A value is its bit pattern in a uint16_t. */
#ifndef KARAT_FP_BF16_H
#define KARAT_FP_BF16_H

#include "fp/f32.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_BF16_INF ((uint16_t)0x7f80)
#define KARAT_BF16_NAN ((uint16_t)0x7fc0) /* The canonical NaN */

uint16_t karat_bf16_add(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_bf16_sub(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_bf16_mul(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_bf16_div(uint16_t a, uint16_t b, unsigned rm, uint32_t *flags);
uint16_t karat_bf16_sqrt(uint16_t a, unsigned rm, uint32_t *flags);
uint16_t karat_bf16_fma(uint16_t a, uint16_t b, uint16_t c, unsigned rm, uint32_t *flags);

/* Conversions; to binary32 exact, except that a signaling NaN raises NV. */
uint32_t karat_f32_from_bf16(uint16_t a, uint32_t *flags);
uint16_t karat_bf16_from_f32(uint32_t a, unsigned rm, uint32_t *flags);

#ifdef __cplusplus
}
#endif

#endif
