// Tests ingot_fp_half: operations of 16-bit floats and conversions, one new operation every cycle. First
// every operand of the conversions from 16 bits.
#include "Vingot_fp_half.h"
#include "half_ops.hpp"

#include <array>

namespace {

constexpr unsigned kStages = 5;

struct Case {
    unsigned op;
    std::array<uint32_t, 3> x;
};

Case pick(rng *rng, uint64_t n) {
    Case c{half::pick(rng), {}};
    half::operands(rng, c.op, c.x.data());
    if (n < 0x20000) {
        c.op = n & 0x10000 ? half::ctrl(half::None, half::Bf16, half::F32)
                           : half::ctrl(half::None, half::F16, half::F32);
        c.x[0] = (c.x[0] & 0xffff0000) | (n & 0xffff);
    }
    return c;
}

void bench(Run &run) {
    Vingot_fp_half unit(&run.context);
    std::array<Case, kStages> pending{};
    unit.clk_i = 0;
    unit.advance_i = 0x1f;
    unit.eval();
    for (uint64_t fed = 0; run.more(run.options().cases);) {
        Case &slot = pending[fed++ % kStages];
        slot = pick(&run.rng, fed);
        unit.ctrl_i = slot.op;
        unit.a_i = slot.x[0];
        unit.b_i = slot.x[1];
        unit.c_i = slot.x[2];
        clock_edge(unit);
        if (fed < kStages)
            continue;
        const Case &c = pending[fed % kStages]; // The oldest
        const Result got = result_of(unit.result_o), want = half::expect(c.op, c.x[0], c.x[1], c.x[2]);
        run.count();
        if (!(got == want))
            run.fail("operation %02x: %08x %08x %08x: %08x flags %02x, model %08x flags %02x", c.op, c.x[0],
                     c.x[1], c.x[2], got.value, got.flags, want.value, want.flags);
    }
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 3000000, bench);
}
