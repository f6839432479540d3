// Tests ingot_fp_fma: add, multiply and multiply-add with all signs and rounding modes, one new operation
// every cycle.
#include "Vingot_fp_fma.h"
#include "unit.hpp"

#include <deque>

namespace {

enum Kind { Add, Mul, Fma };
constexpr unsigned kStages = 4;

struct Case {
    unsigned kind, rm;
    bool negate_product, negate_addend;
    uint32_t x[3];
};

Result expect(const Case &c) {
    const uint32_t a = c.x[0] ^ (c.negate_product ? KARAT_F32_SIGN : 0);
    const uint32_t s = c.negate_addend ? KARAT_F32_SIGN : 0;
    Result r{0, 0};
    switch (c.kind) {
    case Add:
        r.value = c.negate_addend ? karat_f32_sub(a, c.x[1], c.rm, &r.flags)
                                  : karat_f32_add(a, c.x[1], c.rm, &r.flags);
        break;
    case Mul: r.value = karat_f32_mul(a, c.x[1], c.rm, &r.flags); break;
    default: r.value = karat_f32_fma(a, c.x[1], c.x[2] ^ s, c.rm, &r.flags);
    }
    return r;
}

// Operands whose result is around the smallest normal number, where tininess is decided: that number or a
// neighbour, and a product of about a quarter of its last place.
void near_smallest(rng *rng, Case &c) {
    const uint64_t r = rng_next(rng);
    const int e = 60 + static_cast<int>(r % 8);
    c.x[0] = with_exponent(c.x[0], e);
    c.x[1] = with_exponent(c.x[1], 102 - e + static_cast<int>(r >> 8 & 3));
    c.x[2] = (0x00800000 + static_cast<uint32_t>(r >> 16) % 3 - 1) | (c.x[2] & KARAT_F32_SIGN);
}

// First every triple of corners where there is room for them, then random operands that are related often
// enough to be interesting.
Case pick(rng *rng, uint64_t n, bool all_corners) {
    constexpr unsigned corners = 2 * F32_CORNERS;
    Case c;
    const uint64_t r = rng_next(rng);
    c.kind = static_cast<unsigned>(r >> 32) % 4;
    if (c.kind > Fma)
        c.kind = Fma;
    c.rm = static_cast<unsigned>(r >> 40) % 5;
    c.negate_product = r & 1;
    c.negate_addend = r & 2;
    if (all_corners && n < 3 * corners * corners * corners) {
        c.kind = n % 3;
        n /= 3;
        c.x[0] = f32_corner(n % corners);
        c.x[1] = f32_corner(n / corners % corners);
        c.x[2] = f32_corner(n / corners / corners);
        return c;
    }
    random_operands(rng, c.x);
    if ((r >> 48) % 32 == 0) {
        near_smallest(rng, c);
    } else if ((r >> 48) % 32 == 1) {
        static const uint32_t special[] = {0, 1, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000};
        for (uint32_t &x : c.x)
            x = special[rng_below(rng, 7)] | (rng_below(rng, 2) ? KARAT_F32_SIGN : 0);
    }
    return c;
}

void bench(Run &run) {
    static const char *const names[] = {"add", "mul", "fma"};
    Vingot_fp_fma unit(&run.context);
    const bool all_corners = run.options().cases >= 4000000; // Their triples are 2 M
    std::deque<Case> pending;
    uint64_t n = 0;
    unit.advance_i = 0xf;
    unit.clk_i = 0;
    unit.eval();
    while (run.more(run.options().cases)) {
        pending.push_back(pick(&run.rng, n++, all_corners));
        const Case &c = pending.back();
        unit.op_i = c.kind << 2 | c.negate_product << 1 | c.negate_addend;
        unit.rm_i = c.rm;
        unit.a_i = c.x[0];
        unit.b_i = c.x[1];
        unit.c_i = c.x[2];
        clock_edge(unit);
        if (pending.size() < kStages)
            continue;
        const Case done = pending.front();
        pending.pop_front();
        const Result got = result_of(unit.result_o), want = expect(done);
        run.count();
        if (!(got == want))
            run.fail("%s %08x %08x %08x %s product %c addend %c: %08x flags %02x, model %08x flags %02x",
                     names[done.kind], done.x[0], done.x[1], done.x[2], rm_name(done.rm),
                     done.negate_product ? '-' : '+', done.negate_addend ? '-' : '+', got.value, got.flags,
                     want.value, want.flags);
    }
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 10000000, bench);
}
