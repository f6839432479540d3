/* Correctly rounded special functions, to nearest even, of binary32, binary16 and bfloat16: of profile
 * public.
 *
 * Each function has the value of the mathematical function at the operand, rounded once: also 2^x, the
 * logarithm to base 2, 1 / sqrt(x), the hyperbolic tangent, silu x / (1 + e^-x), and gelu x / 2 (1 +
 * tanh(sqrt(2/pi) (x + 0.044715 x^3))). At infinities it is the limit. A pole raises DZ: rcp, rsqrt and lg2
 * of zero. NV: lg2, sqrt and rsqrt of a negative number, sin and cos of an infinity, signaling NaNs. NX, OF
 * and UF as for other results. */
#ifndef KARAT_FP_SPECIAL_H
#define KARAT_FP_SPECIAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As bits 31:26 of the instruction have them. */
typedef enum karat_function {
    KARAT_EX2,
    KARAT_LG2,
    KARAT_RCP,
    KARAT_SQRT,
    KARAT_RSQRT,
    KARAT_SIN,
    KARAT_COS,
    KARAT_TANH,
    KARAT_GELU,
    KARAT_SILU,
    KARAT_NUM_FUNCTION
} karat_function;

uint32_t karat_f32_special(karat_function function, uint32_t a, uint32_t *flags);
uint16_t karat_f16_special(karat_function function, uint16_t a, uint32_t *flags);
uint16_t karat_bf16_special(karat_function function, uint16_t a, uint32_t *flags);

#ifdef __cplusplus
}
#endif

#endif
