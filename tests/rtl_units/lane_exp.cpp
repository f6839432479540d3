// Tests ingot_fp_exp: within one place of the correctly rounded result in every rounding mode, its flags
// exact. Also counts how often it is not the correctly rounded result itself.
//
// --full: every operand in every rounding mode, but for those whose magnitude is below 2^-32 (next to 1) or
// from 2^8 on (out of range): of these only those whose lower 12 bits are all equal. KARAT_EXP_FROM=N goes on
// at magnitude N.
#include "Vingot_fp_exp.h"
#include "unit.hpp"

#include <algorithm>
#include <array>

namespace {

constexpr unsigned kStages = 5;
constexpr uint32_t kBound = 1; // Places

struct Case {
    uint32_t a;
    unsigned rm;
};

class Bench {
  public:
    explicit Bench(Run &run) : run_(run), unit_(&run.context) {
        unit_.advance_i = 0x1f;
        unit_.clk_i = 0;
        unit_.eval();
    }

    void one(uint32_t a, unsigned rm) {
        Case &slot = pending_[fed_++ % kStages];
        slot = {a, rm};
        unit_.a_i = a;
        unit_.rm_i = rm;
        clock_edge(unit_);
        if (fed_ >= kStages)
            compare(pending_[fed_ % kStages]); // The oldest
    }

    void finish() {
        for (unsigned i = 1; i < kStages; i++)
            one(0, 0); // Results still in the pipeline come out
        char text[160];
        std::snprintf(text, sizeof text, "one place off: %" PRIu64 " (%.3f %%), never more than %u", off_,
                      100.0 * static_cast<double>(off_) /
                          static_cast<double>(std::max<uint64_t>(run_.cases(), 1)),
                      kBound);
        run_.note = text;
    }

  private:
    void compare(const Case &c) {
        const Result got = result_of(unit_.result_o);
        Result want{0, 0};
        want.value = karat_f32_exp(c.a, c.rm, &want.flags);
        run_.count();
        // Results are not negative, so that neighbours are one apart as integers as well, +inf included.
        const bool exact = got.value == want.value;
        off_ += !exact;
        const bool special = want.flags == 0 || (want.flags & KARAT_NV);
        const uint32_t distance = got.value > want.value ? got.value - want.value : want.value - got.value;
        if ((!exact && special) || distance > kBound || got.flags != want.flags)
            run_.fail("exp %08x %s: %08x flags %02x, model %08x flags %02x", c.a, rm_name(c.rm), got.value,
                      got.flags, want.value, want.flags);
    }

    Run &run_;
    Vingot_fp_exp unit_;
    std::array<Case, kStages> pending_{};
    uint64_t fed_ = 0, off_ = 0;
};

uint32_t pick(rng *rng) {
    const uint64_t r = rng_next(rng);
    const uint32_t sign = static_cast<uint32_t>(r >> 63) << 31;
    const uint32_t fraction = static_cast<uint32_t>(r >> 32) & 0x7fffff;
    switch (r & 15) {
    case 0: return random_operand(rng);
    case 1: return static_cast<uint32_t>(r >> 16);
    case 2: // Around the ends of the range: 88.72, -87.33, -103.97
        return (r & 16   ? 0x42b17218
                : r & 32 ? 0xc2aeac50
                         : 0xc2cff1b4) +
               static_cast<uint32_t>(r >> 40) % 129 - 64;
    case 3: { // Around a multiple of ln2 / 128
        uint32_t ignored = 0,
                 k = karat_f32_from_i32(static_cast<int32_t>(r >> 32) >> 17, KARAT_RNE, &ignored);
        return karat_f32_mul(k, 0x3bb17218, KARAT_RNE, &ignored) + static_cast<uint32_t>(r >> 8) % 5 - 2;
    }
    default: return sign | (127 - 26 + (static_cast<uint32_t>(r >> 24) & 0xff) % 33) << 23 | fraction;
    }
}

void bench(Run &run) {
    Bench b(run);
    if (run.options().full) {
        const auto from = static_cast<uint32_t>(env_number("KARAT_EXP_FROM", 0));
        for (uint32_t magnitude = from; magnitude <= 0x7fffffff && !run.failed(); magnitude++) {
            const uint32_t exponent = magnitude >> 23;
            const uint32_t low = magnitude & 0xfff;
            if ((exponent < 127 - 32 || exponent >= 127 + 8) && low != 0 && low != 0xfff)
                continue;
            for (unsigned rm = 0; rm < 5; rm++) {
                b.one(magnitude, rm);
                b.one(magnitude | KARAT_F32_SIGN, rm);
            }
        }
    } else {
        for (unsigned n = 0; n < 10 * F32_CORNERS && !run.failed(); n++)
            b.one(f32_corner(n / 5), n % 5);
        while (run.more(run.options().cases))
            b.one(pick(&run.rng), static_cast<unsigned>(rng_next(&run.rng) >> 32) % 5);
    }
    b.finish();
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 10000000, bench);
}
