// Tests ingot_wide_fp: operations of binary16, binary32 and binary64, and conversions between them and from
// and to integers of all widths.
#include "Vingot_wide_fp.h"
#include "misc_ops.hpp"

#include "fp/f16.h"
#include "fp/f64.h"

namespace {

// Units and kinds as in ingot_pkg and ingot_fp_pkg.
enum Unit { Fpu = 6, Fdiv = 7, Fmisc = 8 };
enum Kind { Add, Mul, Fma };
constexpr unsigned kConvert = MiscOps; // FmiscConvert
constexpr unsigned kPatience = 64;     // Cycles

struct Wide {
    uint64_t value;
    uint32_t flags;
};

struct Case {
    unsigned unit, kind, rm; // The kind is one of an Fpu or Fmisc operation; Fdiv: 1 is a square root
    unsigned width, result;  // As log2 of the bytes
    bool negate_product, negate_addend, odd;
    uint64_t x[3];
};

struct F16 {
    using T = uint16_t;
    static const format &form() { return binary16; }
#define OP(name, ...) karat_f16_##name(__VA_ARGS__)
#define FORMAT_OPS                                                                                           \
    static T add(T a, T b, unsigned rm, uint32_t *f) {                                                       \
        return OP(add, a, b, rm, f);                                                                         \
    }                                                                                                        \
    static T sub(T a, T b, unsigned rm, uint32_t *f) {                                                       \
        return OP(sub, a, b, rm, f);                                                                         \
    }                                                                                                        \
    static T mul(T a, T b, unsigned rm, uint32_t *f) {                                                       \
        return OP(mul, a, b, rm, f);                                                                         \
    }                                                                                                        \
    static T div(T a, T b, unsigned rm, uint32_t *f) {                                                       \
        return OP(div, a, b, rm, f);                                                                         \
    }                                                                                                        \
    static T sqrt(T a, unsigned rm, uint32_t *f) {                                                           \
        return OP(sqrt, a, rm, f);                                                                           \
    }                                                                                                        \
    static T fma(T a, T b, T c, unsigned rm, uint32_t *f) {                                                  \
        return OP(fma, a, b, c, rm, f);                                                                      \
    }                                                                                                        \
    static T min(T a, T b, uint32_t *f) {                                                                    \
        return OP(min, a, b, f);                                                                             \
    }                                                                                                        \
    static T max(T a, T b, uint32_t *f) {                                                                    \
        return OP(max, a, b, f);                                                                             \
    }                                                                                                        \
    static bool eq(T a, T b, uint32_t *f) {                                                                  \
        return OP(eq, a, b, f);                                                                              \
    }                                                                                                        \
    static bool lt(T a, T b, uint32_t *f) {                                                                  \
        return OP(lt, a, b, f);                                                                              \
    }                                                                                                        \
    static bool le(T a, T b, uint32_t *f) {                                                                  \
        return OP(le, a, b, f);                                                                              \
    }                                                                                                        \
    static uint32_t cls(T a) {                                                                               \
        return OP(class, a);                                                                                 \
    }                                                                                                        \
    static T sgnj(T a, T b) {                                                                                \
        return OP(sgnj, a, b);                                                                               \
    }                                                                                                        \
    static T sgnjn(T a, T b) {                                                                               \
        return OP(sgnjn, a, b);                                                                              \
    }                                                                                                        \
    static T sgnjx(T a, T b) {                                                                               \
        return OP(sgnjx, a, b);                                                                              \
    }                                                                                                        \
    static T from_int(uint64_t i, bool s, unsigned rm, uint32_t *f) {                                        \
        return OP(from_int, i, s, rm, f);                                                                    \
    }                                                                                                        \
    static uint64_t to_int(T a, unsigned bits, bool s, unsigned rm, uint32_t *f) {                           \
        return OP(to_int, a, bits, s, rm, f);                                                                \
    }                                                                                                        \
    static T rec7(T a, unsigned rm, uint32_t *f) {                                                           \
        return OP(rec7, a, rm, f);                                                                           \
    }                                                                                                        \
    static T rsqrt7(T a, uint32_t *f) {                                                                      \
        return OP(rsqrt7, a, f);                                                                             \
    }
    FORMAT_OPS
#undef OP
};
struct F32 {
    using T = uint32_t;
    static const format &form() { return binary32; }
#define OP(name, ...) karat_f32_##name(__VA_ARGS__)
    FORMAT_OPS
#undef OP
};
struct F64 {
    using T = uint64_t;
    static const format &form() { return binary64; }
#define OP(name, ...) karat_f64_##name(__VA_ARGS__)
    FORMAT_OPS
#undef OP
};

uint64_t low_bits(uint64_t value, unsigned width) {
    return width == 3 ? value : value & ((UINT64_C(1) << (8u << width)) - 1);
}

uint64_t sign_extended(uint64_t value, unsigned width) {
    const unsigned unused = 64 - (8u << width);
    return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
}

// An integer of c.width becomes a number of c.result.
template <class F> uint64_t number_of(const Case &c, uint32_t *flags) {
    return c.kind == FromInt ? F::from_int(sign_extended(c.x[0], c.width), true, c.rm, flags)
                             : F::from_int(low_bits(c.x[0], c.width), false, c.rm, flags);
}

uint64_t convert(const Case &c, uint32_t *flags) {
    const unsigned rm = c.odd ? KARAT_ROD : c.rm;
    const uint64_t a = c.x[0];
    if (c.width < c.result)
        return c.width == 1 ? karat_f32_from_f16(static_cast<uint16_t>(a), rm, flags)
                            : karat_f64_from_f32(static_cast<uint32_t>(a), rm, flags);
    return c.width == 2 ? karat_f16_from_f32(static_cast<uint32_t>(a), rm, flags)
                        : karat_f32_from_f64(a, rm, flags);
}

template <class F> Wide expect_in(const Case &c) {
    using T = typename F::T;
    const T a = static_cast<T>(c.x[0]), b = static_cast<T>(c.x[1]), d = static_cast<T>(c.x[2]);
    const T sign = static_cast<T>(sign_bit(F::form()));
    const T p = c.negate_product ? static_cast<T>(a ^ sign) : a;
    Wide r{0, 0};
    uint32_t *f = &r.flags;
    if (c.unit == Fpu) {
        if (c.kind == Add)
            r.value = c.negate_addend ? F::sub(p, b, c.rm, f) : F::add(p, b, c.rm, f);
        else if (c.kind == Mul)
            r.value = F::mul(p, b, c.rm, f);
        else
            r.value = F::fma(p, b, c.negate_addend ? static_cast<T>(d ^ sign) : d, c.rm, f);
        return r;
    }
    if (c.unit == Fdiv) {
        r.value = c.kind ? F::sqrt(a, c.rm, f) : F::div(a, b, c.rm, f);
        return r;
    }
    switch (c.kind) {
    case Eq: r.value = F::eq(a, b, f); break;
    case Ne: r.value = !F::eq(a, b, f); break;
    case Lt: r.value = F::lt(a, b, f); break;
    case Le: r.value = F::le(a, b, f); break;
    case Gt: r.value = F::lt(b, a, f); break;
    case Ge: r.value = F::le(b, a, f); break;
    case Min: r.value = F::min(a, b, f); break;
    case Max: r.value = F::max(a, b, f); break;
    case Sgnj: r.value = F::sgnj(a, b); break;
    case Sgnjn: r.value = F::sgnjn(a, b); break;
    case Sgnjx: r.value = F::sgnjx(a, b); break;
    case Class: r.value = F::cls(a); break;
    case ToInt: r.value = low_bits(F::to_int(a, 8u << c.result, true, c.rm, f), c.result); break;
    case ToUint: r.value = low_bits(F::to_int(a, 8u << c.result, false, c.rm, f), c.result); break;
    case Rec7: r.value = F::rec7(a, c.rm, f); break;
    case Rsqrt7: r.value = F::rsqrt7(a, f); break;
    default: r.value = convert(c, f); break;
    }
    return r;
}

Wide expect(const Case &c) {
    if (c.unit == Fmisc && (c.kind == FromInt || c.kind == FromUint)) {
        Wide r{0, 0};
        r.value = c.result == 1   ? number_of<F16>(c, &r.flags)
                  : c.result == 2 ? number_of<F32>(c, &r.flags)
                                  : number_of<F64>(c, &r.flags);
        return r;
    }
    return c.width == 1 ? expect_in<F16>(c) : c.width == 2 ? expect_in<F32>(c) : expect_in<F64>(c);
}

const format &form_of(unsigned width) {
    return width == 1 ? binary16 : width == 2 ? binary32 : binary64;
}

// 0, infinity or a quiet NaN, of either sign.
uint64_t special(const format &f, unsigned which) {
    const uint64_t sign = static_cast<uint64_t>(which & 1) << (f.bits - 1);
    const uint64_t infinity = static_cast<uint64_t>(exponent_max(f)) << f.fraction;
    if (which < 4)
        return sign;
    return sign | infinity | (which < 6 ? 0 : uint64_t{1} << (f.fraction - 1));
}

// A product of half to one unit of a subnormal number, and the largest of these: the sum may round to the
// lowest normal number.
void below_normal(const format &f, uint64_t random, uint64_t x[3]) {
    const int bias = exponent_bias(f), exponent = -bias - f.fraction;
    const uint64_t ones = (UINT64_C(1) << f.fraction) - 1, sign = UINT64_C(1) << (f.bits - 1);
    x[0] = static_cast<uint64_t>(exponent / 2 + bias) << f.fraction | (random & ones);
    x[1] = static_cast<uint64_t>(exponent - exponent / 2 + bias) << f.fraction;
    x[2] = ones | (random >> 63 ? sign : 0);
}

Case pick(rng *rng) {
    static const unsigned units[] = {Fpu, Fpu, Fpu, Fdiv, Fmisc, Fmisc};
    Case c{};
    const uint64_t r = rng_next(rng);
    c.unit = units[r % 6];
    c.rm = static_cast<unsigned>(r >> 8) % 5;
    c.width = c.result = 1 + static_cast<unsigned>(r >> 16) % 3;
    c.negate_product = c.unit == Fpu && (r >> 24 & 1);
    c.negate_addend = c.unit == Fpu && (r >> 25 & 1);
    c.kind = c.unit == Fpu    ? static_cast<unsigned>(r >> 32) % 3
             : c.unit == Fdiv ? static_cast<unsigned>(r >> 32) % 2
                              : static_cast<unsigned>(r >> 32) % (kConvert + 1);
    format_random_operands(form_of(c.width), rng, c.x);
    if (c.unit == Fpu && c.kind == Fma && !(r >> 56 & 7))
        below_normal(form_of(c.width), rng_next(rng), c.x);
    // Infinity times zero, quiet NaNs beside it, zeros of both signs.
    for (unsigned i = 0; i < 3 && !(r >> 26 & 31); i++)
        c.x[i] = special(form_of(c.width), static_cast<unsigned>(r >> (52 + 3 * i)) & 7);
    if (c.unit != Fmisc)
        return c;
    if (c.kind == ToInt || c.kind == ToUint) {
        c.result = static_cast<unsigned>(r >> 40) % 4;
    } else if (c.kind == FromInt || c.kind == FromUint) {
        c.width = static_cast<unsigned>(r >> 40) % 4;
        // Integers of all magnitudes.
        c.x[0] = sign_extended(rng_next(rng) >> (r >> 48 & 63) ^ (r >> 54 & 1 ? UINT64_MAX : 0), c.width);
    } else if (c.kind == kConvert) {
        c.result = c.width == 1 ? 2 : c.width == 3 ? 2 : 1 + 2 * (r >> 40 & 1);
        c.odd = c.result < c.width && (r >> 41 & 1);
    }
    return c;
}

void bench(Run &run) {
    Vingot_wide_fp unit(&run.context);
    unit.clk_i = 0;
    unit.rst_ni = 0;
    unit.start_i = 0;
    unit.eval();
    clock_edge(unit);
    unit.rst_ni = 1;
    while (run.more(run.options().cases)) {
        const Case c = pick(&run.rng);
        unit.start_i = 1;
        unit.unit_i = c.unit;
        unit.ctrl_i = c.rm << 12 | (c.unit == Fpu ? c.kind : 0) << 10 | c.negate_product << 9 |
                      c.negate_addend << 8 | (c.unit == Fdiv && c.kind ? 1 : 0) << 6 |
                      (c.unit == Fmisc ? c.kind : 0);
        unit.round_odd_i = c.odd;
        unit.width_i = c.width;
        unit.result_i = c.result;
        // Bits above the width do not matter.
        unit.a_i = c.width == 3 ? c.x[0] : sign_extended(c.x[0], c.width);
        unit.b_i = c.width == 3 ? c.x[1] : sign_extended(c.x[1], c.width);
        unit.c_i = c.width == 3 ? c.x[2] : sign_extended(c.x[2], c.width);
        clock_edge(unit);
        unit.start_i = 0;
        for (unsigned n = 0; n < kPatience && !unit.done_o; n++)
            clock_edge(unit);
        unit.eval();
        const Wide got{unit.result_o[0] | static_cast<uint64_t>(unit.result_o[1]) << 32, unit.result_o[2]};
        const Wide want = expect(c);
        run.count();
        if (!unit.done_o || low_bits(got.value, c.result) != want.value || got.flags != want.flags)
            run.fail("unit %u kind %u of %u bits, result %u bits%s, %c%c: %016" PRIx64 " %016" PRIx64
                     " %016" PRIx64 " %s: %016" PRIx64 " flags %02x, model %016" PRIx64 " flags %02x%s",
                     c.unit, c.kind, 8u << c.width, 8u << c.result, c.odd ? ", to odd" : "",
                     c.negate_product ? '-' : '+', c.negate_addend ? '-' : '+', c.x[0], c.x[1], c.x[2],
                     rm_name(c.rm), low_bits(got.value, c.result), got.flags, want.value, want.flags,
                     unit.done_o ? "" : ", not done");
    }
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 2000000, bench);
}
