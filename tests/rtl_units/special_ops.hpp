// Special functions, as special_ctrl_t has them, and what the model makes of them.
#ifndef KARAT_TESTS_RTL_UNITS_SPECIAL_OPS_HPP
#define KARAT_TESTS_RTL_UNITS_SPECIAL_OPS_HPP

#include "unit.hpp"

#include "fp/special.h"

#include <algorithm>

namespace special {

static const karat_function kFunctions[] = {KARAT_EX2, KARAT_LG2, KARAT_RCP,  KARAT_SQRT, KARAT_RSQRT,
                                            KARAT_SIN, KARAT_COS, KARAT_TANH, KARAT_GELU, KARAT_SILU};
enum Number : unsigned { Ex2, Lg2, Rcp, Sqrt, Rsqrt, Sin, Cos, Tanh, Gelu, Silu, Functions };
enum Format : unsigned { F32, F16, Bf16 };

inline bool divides(unsigned function) {
    return function == Rcp || function == Sqrt;
}

// Binary32 alone.
inline bool single(unsigned function) {
    return function == Lg2 || function == Sin || function == Cos;
}

// Places between two numbers of that many bits; -0 and +0 are one apart from their neighbours, and the same.
inline uint32_t distance(uint32_t a, uint32_t b, unsigned bits) {
    const uint32_t sign = 1u << (bits - 1);
    const auto place = [&](uint32_t x) {
        return x & sign ? -static_cast<int64_t>(x & (sign - 1)) : static_cast<int64_t>(x);
    };
    const int64_t d = place(a) - place(b);
    return static_cast<uint32_t>(d < 0 ? -d : d);
}

// An operand of binary32: where each function does something else, and where it rounds to another number.
inline uint32_t operand(rng *rng, unsigned function) {
    const uint64_t r = rng_next(rng);
    const uint32_t sign = static_cast<uint32_t>(r >> 63) << 31,
                   fraction = static_cast<uint32_t>(r >> 32) & 0x7fffff;
    switch (r & 7) {
    case 0: return random_operand(rng);
    case 1: return static_cast<uint32_t>(r >> 24);
    case 2: // Around an integer, a power of two, a multiple of pi/4
    {
        uint32_t flags = 0,
                 k = karat_f32_from_i32(static_cast<int32_t>(r >> 32) >> (r >> 8 & 31), KARAT_RNE, &flags);
        if (function == Sin || function == Cos)
            k = karat_f32_mul(k, 0x3f490fdb, KARAT_RNE, &flags);
        return k + static_cast<uint32_t>(r >> 16) % 3 - 1;
    }
    case 3: return sign | (127 - 4 + (static_cast<uint32_t>(r >> 8) & 15)) << 23 | (fraction & 0x700000);
    case 4: // Around 1
        return 0x3f800000 + (static_cast<uint32_t>(r >> 8) >> (r >> 40 & 15)) % 0x200000 - 0x100000;
    default: return sign | (127 - 26 + (static_cast<uint32_t>(r >> 8) & 0xff) % 40) << 23 | fraction;
    }
}

} // namespace special

#endif
