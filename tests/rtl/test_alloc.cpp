// Compares ingot_alloc alone with first fit as the textbook has it: ranges of any size, given back in any
// order, so that the file is in pieces. (In the core all ranges of a kernel have one size.)
#include "Vingot_alloc.h"
#include "verilated.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr unsigned kSlots = 8, kRows = 200; // As in CMakeLists.txt

struct Range {
    bool used = false;
    unsigned begin = 0, end = 0;
};

// The lowest place at which that many rows are free, or -1.
int first_fit(const std::vector<Range> &ranges, unsigned rows) {
    std::vector<bool> taken(kRows);
    for (const Range &r : ranges)
        for (unsigned i = r.begin; r.used && i < r.end; i++)
            taken[i] = true;
    unsigned run = 0;
    for (unsigned i = 0; i < kRows; i++) {
        run = taken[i] ? 0 : run + 1;
        if (run == rows)
            return static_cast<int>(i + 1 - rows);
    }
    return -1;
}

} // namespace

int main() {
    const unsigned seed = 1;
    std::mt19937 random(seed);
    VerilatedContext context;
    Vingot_alloc core(&context);
    auto cycle = [&] {
        core.clk_i = 1;
        core.eval();
        core.clk_i = 0;
        core.eval();
    };
    core.clk_i = 0;
    core.rst_ni = 1;
    core.eval();
    core.rst_ni = 0;
    core.valid_i = core.take_i = core.free_i = 0;
    core.eval();
    cycle();
    core.rst_ni = 1;

    std::vector<Range> ranges(kSlots);
    unsigned taken = 0, refused = 0, in_pieces = 0, bad = 0;
    for (int n = 0; n < 200000 && !bad; n++) {
        // Give one back in some cycles; what it had can be taken from the next one on.
        unsigned leaving = random() % kSlots;
        bool leaves = ranges[leaving].used && random() % 3 == 0;
        unsigned rows = 1 + random() % (random() % 4 ? 40 : kRows), slot = 0;
        while (slot < kSlots && ranges[slot].used)
            slot++;
        core.valid_i = 1;
        core.rows_i = rows;
        core.take_i = 0;
        core.free_i = leaves;
        core.free_slot_i = leaving;
        core.eval();
        int want = first_fit(ranges, rows);
        if (core.fits_o != (want >= 0) || (want >= 0 && core.base_o != static_cast<unsigned>(want))) {
            std::printf("test_alloc: step %d, seed %u: %u rows: fits %d at %u, first fit is at %d\n", n, seed,
                        rows, core.fits_o, core.base_o, want);
            bad++;
        }
        unsigned room = kRows;
        for (const Range &r : ranges)
            room -= r.used ? r.end - r.begin : 0;
        refused += want < 0;
        in_pieces += want < 0 && room >= rows;
        bool takes = want >= 0 && slot < kSlots;
        core.take_i = takes;
        core.slot_i = slot < kSlots ? slot : 0;
        core.eval();
        cycle();
        if (leaves)
            ranges[leaving].used = false;
        if (takes) {
            ranges[slot] = {true, static_cast<unsigned>(want), static_cast<unsigned>(want) + rows};
            taken++;
        }
    }
    std::printf("%u taken, %u refused, %u of these for want of one piece; seed %u\n", taken, refused,
                in_pieces, seed);
    return bad || taken < 10000 || in_pieces < 1000;
}
