// Tests ingot_fp_misc: comparisons to estimates. One-operand operations see every upper half (which is all
// that classes and estimates depend on, but for NaNs and zeros) with several lower halves, and two-operand
// ones every pair of corners; random operands fill up the rest.
#include "Vingot_fp_misc.h"
#include "misc_ops.hpp"

namespace {

void one(Run &run, Vingot_fp_misc &unit, unsigned op, unsigned rm, uint32_t a, uint32_t b) {
    unit.op_i = op;
    unit.rm_i = rm;
    unit.a_i = a;
    unit.b_i = b;
    clock_edge(unit);
    const Result got = result_of(unit.result_o), want = misc_expect(op, rm, a, b);
    run.count();
    if (!(got == want))
        run.fail("%s %08x %08x %s: %08x flags %02x, model %08x flags %02x", misc_name(op), a, b, rm_name(rm),
                 got.value, got.flags, want.value, want.flags);
}

void bench(Run &run) {
    constexpr unsigned corners = 2 * F32_CORNERS;
    Vingot_fp_misc unit(&run.context);
    unit.advance_i = 1;
    unit.clk_i = 0;
    unit.eval();
    for (unsigned n = 0; n < corners * corners && !run.failed(); n++)
        for (unsigned op = Eq; op < Class; op++)
            one(run, unit, op, n % 5, f32_corner(n % corners), f32_corner(n / corners));
    for (uint32_t high = 0; high < 0x10000 && !run.failed(); high++) {
        const uint32_t random = static_cast<uint32_t>(rng_next(&run.rng));
        const uint32_t lows[] = {0, 1, 0x8000, 0xffff, random & 0xffff};
        for (unsigned op = Class; op < MiscOps; op++)
            for (unsigned i = 0; i < 5; i++)
                one(run, unit, op, (i + high + (random >> 16)) % 5, high << 16 | lows[i], random);
    }
    while (run.more(run.options().cases)) {
        uint32_t x[3];
        random_operands(&run.rng, x);
        const uint64_t r = rng_next(&run.rng);
        const unsigned op = static_cast<unsigned>(r >> 32) % MiscOps;
        // Integers of all magnitudes.
        if (op == FromInt || op == FromUint)
            x[0] = static_cast<uint32_t>(rng_next(&run.rng)) >> (r & 31) ^ (r & 32 ? UINT32_MAX : 0);
        one(run, unit, op, static_cast<unsigned>(r >> 40) % 5, x[0], x[1]);
    }
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 10000000, bench);
}
