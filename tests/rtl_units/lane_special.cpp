// Tests ingot_fp_special: within one place of the correctly rounded result, its flags exact. Also counts how
// often it is not the correctly rounded result itself.
#include "Vingot_fp_special.h"
#include "special_ops.hpp"

namespace {

constexpr unsigned kPatience = 200; // Cycles
constexpr uint32_t kBound = 1;      // Places

void bench(Run &run) {
    Vingot_fp_special unit(&run.context);
    uint64_t off = 0;
    unit.clk_i = 0;
    unit.rst_ni = 0;
    unit.start_i = 0;
    unit.eval();
    clock_edge(unit);
    unit.rst_ni = 1;
    while (run.more(run.options().cases)) {
        unsigned function;
        do
            function = rng_below(&run.rng, special::Functions);
        while (special::divides(function));
        const uint32_t a = special::operand(&run.rng, function);
        unit.start_i = 1;
        unit.function_i = function;
        unit.rm_i = KARAT_RNE;
        unit.a_i = a;
        clock_edge(unit);
        unit.start_i = 0;
        for (unsigned n = 0; n < kPatience && !unit.done_o; n++)
            clock_edge(unit);
        const Result got = result_of(unit.result_o);
        Result want{0, 0};
        want.value = karat_f32_special(special::kFunctions[function], a, &want.flags);
        run.count();
        const bool exact = got.value == want.value, special = !(want.flags & KARAT_NX);
        off += !exact;
        if (!unit.done_o || (!exact && special) || special::distance(got.value, want.value, 32) > kBound ||
            got.flags != want.flags)
            run.fail("function %u of %08x: %08x flags %02x, model %08x flags %02x%s", function, a, got.value,
                     got.flags, want.value, want.flags, unit.done_o ? "" : ", not done");
    }
    char text[160];
    std::snprintf(text, sizeof text, "one place off: %" PRIu64 " (%.4f %%), never more", off,
                  100.0 * static_cast<double>(off) / static_cast<double>(std::max<uint64_t>(run.cases(), 1)));
    run.note = text;
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 500000, bench);
}
