/* Conversions between binary32 and the formats beside it. */
#include "fp/bf16_round.h"
#include "fp/f16_round.h"
#include "fp/f32_round.h"
#include "fp/f64_round.h"

/* A number that is 0 or not finite keeps its kind and sign, except that a NaN becomes the canonical one. */
#define CONVERT_SPECIAL(from, to, inf)                                                                       \
    if (from##_is_nan(a))                                                                                    \
        return to##_nan_result(from##_is_snan(a), flags);                                                    \
    if (from##_is_inf(a) || from##_is_zero(a))                                                               \
        return to##_pack(from##_sign(a), from##_is_inf(a) ? (inf) : 0);

/* Towards the wider format everything is exact. */
uint64_t karat_f64_from_f32(uint32_t a, unsigned rm, uint32_t *flags) {
    CONVERT_SPECIAL(f32, f64, KARAT_F64_INF)
    struct f32_parts x = f32_parts(a);
    return f64_round(f32_sign(a), x.exp - 127 + 1023, (uint64_t)x.sig << (62 - 23), rm, flags);
}

uint32_t karat_f32_from_f16(uint16_t a, unsigned rm, uint32_t *flags) {
    CONVERT_SPECIAL(f16, f32, KARAT_F32_INF)
    struct f16_parts x = f16_parts(a);
    return f32_round(f16_sign(a), x.exp - 15 + 127, x.sig << (30 - 10), rm, flags);
}

/* To odd is towards zero, and then a last bit of one for what is inexact: the largest number, where there is
 * overflow, has it already. */
static inline unsigned cut_off(unsigned rm) {
    return rm == KARAT_ROD ? KARAT_RTZ : rm;
}

static inline uint32_t last_bit(unsigned rm, uint32_t raised) {
    return rm == KARAT_ROD && raised & KARAT_NX;
}

uint32_t karat_f32_from_f64(uint64_t a, unsigned rm, uint32_t *flags) {
    CONVERT_SPECIAL(f64, f32, KARAT_F32_INF)
    struct f64_parts x = f64_parts(a);
    uint32_t raised = 0;
    uint32_t value =
        f32_round_wide((uint32_t)f64_sign(a), x.exp - 1023 + 127, x.sig << (62 - 52), cut_off(rm), &raised);
    *flags |= raised;
    return value | last_bit(rm, raised);
}

uint16_t karat_f16_from_f32(uint32_t a, unsigned rm, uint32_t *flags) {
    CONVERT_SPECIAL(f32, f16, KARAT_F16_INF)
    struct f32_parts x = f32_parts(a);
    uint32_t raised = 0;
    uint32_t value = f16_round_wide(f32_sign(a), x.exp - 127 + 15, x.sig << (30 - 23), cut_off(rm), &raised);
    *flags |= raised;
    return (uint16_t)(value | last_bit(rm, raised));
}

uint32_t karat_f32_from_bf16(uint16_t a, uint32_t *flags) {
    return bf16_is_nan(a) ? f32_nan_result(bf16_is_snan(a), flags) : (uint32_t)a << 16;
}

uint16_t karat_bf16_from_f32(uint32_t a, unsigned rm, uint32_t *flags) {
    CONVERT_SPECIAL(f32, bf16, KARAT_BF16_INF)
    struct f32_parts x = f32_parts(a);
    return (uint16_t)bf16_round_wide(f32_sign(a), x.exp, x.sig << (30 - 23), rm, flags);
}
