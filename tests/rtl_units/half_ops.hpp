// Operations of 16-bit floats and their conversions, as half_ctrl_t has them, and what the model makes of
// them.
#ifndef KARAT_TESTS_RTL_UNITS_HALF_OPS_HPP
#define KARAT_TESTS_RTL_UNITS_HALF_OPS_HPP

#include "unit.hpp"

#include "fp/bf16.h"
#include "fp/f16.h"

namespace half {

enum Format : unsigned { F32, F16, Bf16 };
enum Kind : unsigned { Add, Mul, Fma, None };

// Bits as half_ctrl_t has them: kind, from, to.
constexpr unsigned ctrl(unsigned kind, unsigned from, unsigned to) {
    return kind << 4 | from << 2 | to;
}

constexpr unsigned kOperations[] = {ctrl(None, F16, F32),  ctrl(None, F32, F16),  ctrl(None, Bf16, F32),
                                    ctrl(None, F32, Bf16), ctrl(Add, F16, F16),   ctrl(Mul, F16, F16),
                                    ctrl(Fma, F16, F16),   ctrl(Fma, F16, F16),   ctrl(Add, Bf16, Bf16),
                                    ctrl(Mul, Bf16, Bf16), ctrl(Fma, Bf16, Bf16), ctrl(Fma, Bf16, Bf16)};

inline unsigned pick(rng *rng) {
    return kOperations[rng_below(rng, sizeof kOperations / sizeof *kOperations)];
}

inline uint16_t operation(unsigned op, uint16_t a, uint16_t b, uint16_t c, uint32_t *flags) {
    const bool f16 = (op & 3) == F16;
    switch (op >> 4) {
    case Add: return f16 ? karat_f16_add(a, b, KARAT_RNE, flags) : karat_bf16_add(a, b, KARAT_RNE, flags);
    case Mul: return f16 ? karat_f16_mul(a, b, KARAT_RNE, flags) : karat_bf16_mul(a, b, KARAT_RNE, flags);
    default:
        return f16 ? karat_f16_fma(a, b, c, KARAT_RNE, flags) : karat_bf16_fma(a, b, c, KARAT_RNE, flags);
    }
}

inline Result expect(unsigned op, uint32_t a, uint32_t b, uint32_t c) {
    Result r{0, 0};
    const auto low = static_cast<uint16_t>(a);
    switch (op & 15) {
    case F16 << 2 | F32: r.value = karat_f32_from_f16(low, KARAT_RNE, &r.flags); break;
    case Bf16 << 2 | F32: r.value = karat_f32_from_bf16(low, &r.flags); break;
    case F32 << 2 | F16: r.value = karat_f16_from_f32(a, KARAT_RNE, &r.flags); break;
    case F32 << 2 | Bf16: r.value = karat_bf16_from_f32(a, KARAT_RNE, &r.flags); break;
    default:
        for (unsigned at = 0; at < 32; at += 16)
            r.value |= static_cast<uint32_t>(operation(op, static_cast<uint16_t>(a >> at),
                                                       static_cast<uint16_t>(b >> at),
                                                       static_cast<uint16_t>(c >> at), &r.flags))
                       << at;
    }
    return r;
}

// Operands of that operation, related often enough to be interesting.
inline void operands(rng *rng, unsigned op, uint32_t x[3]) {
    static const format bfloat16 = {16, 7};
    uint64_t low[3], high[3];
    const unsigned from = op >> 2 & 3;
    if (from == F32) {
        random_operands(rng, x);
        // Exponents of binary16, and bits that a half does not have next to a tie.
        const uint64_t r = rng_next(rng);
        if (r & 1)
            x[0] = (x[0] & 0x807fffff) | (127 - 28 + static_cast<uint32_t>(r >> 8) % 48) << 23;
        if (r & 2)
            x[0] = (x[0] & ~((r & 4 ? 0x1fffu : 0xffffu) >> (r >> 4 & 3))) +
                   static_cast<uint32_t>(r >> 16) % 3 - 1;
        return;
    }
    format_random_operands(from == F16 ? binary16 : bfloat16, rng, low);
    format_random_operands(from == F16 ? binary16 : bfloat16, rng, high);
    for (unsigned i = 0; i < 3; i++)
        x[i] = static_cast<uint32_t>(low[i] | high[i] << 16);
}

} // namespace half

#endif
