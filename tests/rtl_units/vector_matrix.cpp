// Tests ingot_matrix: products of every shape, type and layout, their registers pass by pass, against sums of
// golden/fp in the order that docs/isa-notes.md fixes.
#include "Vingot_matrix.h"
#include "unit.hpp"

#include "exec/mma.h"

#include <algorithm>
#include <array>

namespace {

constexpr unsigned kPatience = 2000; // Cycles
constexpr unsigned kRegs = MMA_REGS;

using Register = std::array<uint32_t, MMA_LANES>;

struct Case {
    karat_mma f;
    std::array<Register, kRegs> a, b, c;
};

// Halves or words whose sums are mostly no overflow; one time in eight bit patterns.
uint32_t element(rng *rng, bool half, bool any) {
    const uint64_t r = rng_next(rng);
    if (any)
        return static_cast<uint32_t>(r >> 32);
    if (half)
        return static_cast<uint32_t>(r >> 32 & 0x83ff83ff) | 0x38003800 |
               static_cast<uint32_t>(r & 0x04000400);
    return static_cast<uint32_t>(r >> 32 & 0x807fffff) | (124 + static_cast<uint32_t>(r) % 6) << 23;
}

Case pick(rng *rng) {
    Case c{};
    uint64_t r = rng_next(rng);
    // A type of factors, of C, and a shape that go together.
    uint32_t word = static_cast<uint32_t>(r >> 8) & 0x0e006000;
    switch (r & 3) {
    case 0: word |= 1 << 12 | 1 << 27; break;
    case 1: word |= 1 << 28; break;
    case 2: word |= 1 << 28 | 1 << 12; break;
    default: word |= 2u << 28 | 1 << 12;
    }
    c.f = karat_mma_fields(word);
    const bool any = (r >> 60) == 0;
    for (Register &reg : c.a)
        for (uint32_t &x : reg)
            x = element(rng, c.f.type != MMA_TF32, any);
    for (Register &reg : c.b)
        for (uint32_t &x : reg)
            x = element(rng, c.f.type != MMA_TF32, any);
    for (Register &reg : c.c)
        for (uint32_t &x : reg)
            x = element(rng, c.f.half, any);
    return c;
}

karat_matrix matrix_of(const std::array<Register, kRegs> &regs, bool half) {
    karat_matrix m{};
    for (unsigned i = 0; i < kRegs; i++)
        m.reg[i] = regs[i].data();
    m.half = half;
    return m;
}

// Element i of D, and its flags.
uint32_t expect(const Case &c, uint32_t i, uint32_t *flags) {
    const karat_mma &f = c.f;
    const karat_matrix a = matrix_of(c.a, f.type != MMA_TF32), b = matrix_of(c.b, f.type != MMA_TF32),
                       d = matrix_of(c.c, f.half);
    const uint32_t row = i / f.n, column = i % f.n, first = karat_element(&d, i);
    uint32_t sum = f.half ? karat_f32_from_f16(static_cast<uint16_t>(first), KARAT_RNE, flags) : first;
    for (uint32_t k = 0; k < f.k; k++) {
        const uint32_t x = karat_element(&a, f.a_by_column ? k * f.m + row : row * f.k + k),
                       y = karat_element(&b, f.b_by_row ? column * f.k + k : k * f.n + column);
        sum = karat_f32_fma(karat_factor(x, f.type, flags), karat_factor(y, f.type, flags), sum, KARAT_RNE,
                            flags);
    }
    return f.half ? karat_f16_from_f32(sum, KARAT_RNE, flags) : sum;
}

// As matrix_ctrl_t has it.
uint32_t ctrl_of(const karat_mma &f) {
    return (f.m == 16) << 10 | (f.n == 16) << 9 | (f.k == 8) << 8 | f.a_by_column << 7 | f.b_by_row << 6 |
           f.half << 5 | f.type << 3 | (f.words - 1);
}

void feed(Run &run, Vingot_matrix &unit, const Case &c) {
    const unsigned passes = std::max({c.f.m / 4, c.f.n / 4, c.f.words});
    unit.reserve_i = 1;
    clock_edge(unit);
    unit.reserve_i = 0;
    unit.eval();
    if (unit.ready_o)
        run.fail("ready before the operation has come");
    unit.ctrl_i = ctrl_of(c.f);
    for (unsigned pass = 0; pass < passes; pass++) {
        unit.pass_i = 1;
        unit.pass_number_i = pass;
        unit.valid_i = pass + 1 == passes;
        for (unsigned l = 0; l < MMA_LANES; l++) {
            unit.a_i[l] = c.a[pass][l];
            unit.b_i[l] = c.b[pass][l];
            unit.c_i[l] = c.c[pass][l];
        }
        clock_edge(unit);
    }
    unit.pass_i = 0;
    unit.valid_i = 0;
}

void one(Run &run, Vingot_matrix &unit, const Case &c) {
    feed(run, unit, c);
    uint32_t flags = 0, want_flags = 0, words = 0;
    for (unsigned cycles = 0; words < c.f.words && !run.failed(); cycles++) {
        unit.ready_i = rng_below(&run.rng, 4) != 0;
        unit.eval();
        if (unit.ready_o)
            run.fail("ready before its last register is taken");
        if (unit.valid_o && unit.ready_i) {
            for (unsigned l = 0; l < MMA_LANES; l++) {
                const uint32_t at = words * MMA_LANES + l;
                uint32_t want = expect(c, c.f.half ? 2 * at : at, &want_flags);
                if (c.f.half)
                    want |= expect(c, 2 * at + 1, &want_flags) << 16;
                run.count();
                if (unit.data_o[l] != want || unit.mask_o != UINT32_MAX)
                    run.fail("m%un%uk%u type %u%s%s%s register %u lane %u: %08x, model %08x", c.f.m, c.f.n,
                             c.f.k, c.f.type, c.f.half ? " half" : "", c.f.a_by_column ? " A by column" : "",
                             c.f.b_by_row ? " B by row" : "", words, l, unit.data_o[l], want);
            }
            if ((unit.dest_o[0] & 0xff) != ((0x40 + words) & 0xff))
                run.fail("register %u is written as %u", 0x40 + words, unit.dest_o[0] & 0xff);
            flags |= unit.fflags_o;
            words++;
        }
        if (cycles > kPatience)
            run.fail("no result");
        clock_edge(unit);
    }
    unit.ready_i = 0;
    unit.eval();
    if (!unit.ready_o)
        run.fail("not ready after its last register");
    if (flags != want_flags)
        run.fail("m%un%uk%u type %u: flags %02x, model %02x", c.f.m, c.f.n, c.f.k, c.f.type, flags,
                 want_flags);
}

void bench(Run &run) {
    Vingot_matrix unit(&run.context);
    unit.clk_i = 0;
    unit.rst_ni = 0;
    unit.reserve_i = unit.pass_i = unit.valid_i = unit.ready_i = 0;
    unit.dest_i[0] = 0x40;
    unit.eval();
    clock_edge(unit);
    unit.rst_ni = 1;
    while (run.more(run.options().cases))
        one(run, unit, pick(&run.rng));
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 200000, bench);
}
