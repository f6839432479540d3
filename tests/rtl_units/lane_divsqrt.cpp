// Tests ingot_fp_divsqrt: divide and square root in all rounding modes, started again as soon as they are
// done.
#include "Vingot_fp_divsqrt.h"
#include "unit.hpp"

namespace {

constexpr unsigned kMaxCycles = 15; // As the module states

struct Case {
    bool sqrt;
    unsigned rm;
    uint32_t x[3];
};

Result expect(const Case &c) {
    Result r{0, 0};
    r.value = c.sqrt ? karat_f32_sqrt(c.x[0], c.rm, &r.flags) : karat_f32_div(c.x[0], c.x[1], c.rm, &r.flags);
    return r;
}

Case pick(rng *rng, uint64_t n) {
    constexpr unsigned corners = 2 * F32_CORNERS;
    Case c;
    uint64_t r = rng_next(rng);
    c.rm = static_cast<unsigned>(r >> 40) % 5;
    c.sqrt = (r & 3) == 0;
    if (n < 5 * corners * corners) {
        c.rm = n % 5;
        n /= 5;
        c.sqrt = n < corners; // Corner 0 is zero, which random operands have often enough
        c.x[0] = f32_corner(n % corners);
        c.x[1] = f32_corner(n / corners);
    } else {
        random_operands(rng, c.x);
        if (c.sqrt && (r & 12) != 0)
            c.x[0] &= ~KARAT_F32_SIGN;
        if (!c.sqrt && (r & 12) == 0) {
            // A quotient that is exact or nearly so.
            uint32_t ignored = 0;
            c.x[0] = karat_f32_mul(c.x[0], c.x[1], KARAT_RTZ, &ignored) + (r >> 60 & 1);
        }
    }
    return c;
}

void bench(Run &run) {
    Vingot_fp_divsqrt unit(&run.context);
    uint64_t cycles = 0;
    unsigned longest = 0, shortest = kMaxCycles;
    unit.clk_i = 0;
    unit.start_i = 0;
    unit.rst_ni = 0;
    unit.eval();
    clock_edge(unit);
    unit.rst_ni = 1;
    for (uint64_t n = 0; run.more(run.options().cases); n++) {
        const Case c = pick(&run.rng, n);
        unit.start_i = 1;
        unit.sqrt_i = c.sqrt;
        unit.rm_i = c.rm;
        unit.a_i = c.x[0];
        unit.b_i = c.x[1];
        clock_edge(unit);
        unit.start_i = 0;
        // Operands are needed at the start only.
        unit.sqrt_i = !c.sqrt;
        unit.rm_i = 4 - c.rm;
        unit.a_i = ~c.x[0];
        unit.b_i = ~c.x[1];
        unsigned latency = 1;
        for (; !unit.done_o && latency <= kMaxCycles; latency++)
            clock_edge(unit);
        const Result got = result_of(unit.result_o), want = expect(c);
        cycles += latency;
        longest = latency > longest ? latency : longest;
        shortest = latency < shortest ? latency : shortest;
        run.count();
        if (!unit.done_o)
            run.fail("%s %08x %08x: not done after %u cycles", c.sqrt ? "sqrt" : "div", c.x[0], c.x[1],
                     latency);
        else if (!(got == want))
            run.fail("%s %08x %08x %s: %08x flags %02x, model %08x flags %02x", c.sqrt ? "sqrt" : "div",
                     c.x[0], c.x[1], rm_name(c.rm), got.value, got.flags, want.value, want.flags);
    }
    char text[128];
    std::snprintf(text, sizeof text, "latency %u to %u, mean %.1f", shortest, longest,
                  static_cast<double>(cycles) / static_cast<double>(run.cases()));
    run.note = text;
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 10000000, bench);
}
