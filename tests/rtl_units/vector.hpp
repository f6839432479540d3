// Driving a lane-vector unit as the core does: a place is reserved when an instruction issues, its operation
// comes one cycle later, results are taken in order and with random stalls. The differences between the units
// are a policy, a struct Unit:
//
//     Model                              the Verilated unit
//     void pick(rng *, Op &)             the operation, beside what vector.hpp itself picks
//     void drive(Model &, const Op &)    puts it on the pins
//     uint32_t written(const Op &)       lanes that are to be written
//     Result lane(const Op &, unsigned)  the model's result for one of them
//     uint32_t tolerance                 places that a value may be off
#ifndef KARAT_TESTS_RTL_UNITS_VECTOR_HPP
#define KARAT_TESTS_RTL_UNITS_VECTOR_HPP

#include "unit.hpp"

#include <algorithm>
#include <array>
#include <deque>

constexpr unsigned kLanes = UNIT_THREADS;
constexpr uint32_t kAllLanes = UINT32_MAX >> (32 - kLanes);
constexpr unsigned kPatience = 20000; // Cycles without a result, stalls included

struct Op {
    unsigned warp, kind, rm;
    std::array<uint32_t, 3> dest; // 73 bits that only have to come out again
    uint32_t active;
    std::array<uint32_t, kLanes> a, b, c;
    // An instruction (vector_int.cpp), and what the model made of it.
    const char *name = nullptr;
    uint32_t word, pc, part, mask, flags;
    std::array<uint32_t, kLanes> v0, want;
};

inline uint32_t random_mask(rng *rng) {
    const uint64_t r = rng_next(rng);
    switch (r & 7) {
    case 0: return kAllLanes;
    case 1: return 0;
    case 2: return 1u << (r >> 8) % kLanes;
    default: return static_cast<uint32_t>(r >> 32) & kAllLanes;
    }
}

template <class Unit> Op random_op(rng *rng) {
    Op op;
    const uint64_t r = rng_next(rng);
    op.warp = r & 7;
    op.rm = static_cast<unsigned>(r >> 8) % 5;
    op.dest = {static_cast<uint32_t>(rng_next(rng)), static_cast<uint32_t>(rng_next(rng)),
               static_cast<uint32_t>(r >> 32) & 0x1ff};
    op.active = random_mask(rng);
    for (unsigned l = 0; l < kLanes; l++) {
        uint32_t x[3];
        random_operands(rng, x);
        op.a[l] = x[0];
        op.b[l] = x[1];
        op.c[l] = x[2];
    }
    Unit::pick(rng, op);
    return op;
}

template <class Port> void set_lanes(Port &port, const std::array<uint32_t, kLanes> &values) {
    for (unsigned l = 0; l < kLanes; l++)
        port[l] = values[l];
}

inline std::string kind_of(const Op &op) {
    return op.name ? op.name : "kind " + std::to_string(op.kind);
}

// Whether a value is another one than the model's: by the unit's own measure, else by its tolerance.
template <class Unit>
auto differs(const Op &op, uint32_t got, uint32_t want, int) -> decltype(Unit::differs(op, got, want)) {
    return Unit::differs(op, got, want);
}
template <class Unit> bool differs(const Op &, uint32_t got, uint32_t want, long) {
    return (got > want ? got - want : want - got) > Unit::tolerance;
}

// A rounding mode, of a unit that has one.
template <class Model> auto set_rm(Model &model, unsigned rm, int) -> decltype(void(model.rm_i)) {
    model.rm_i = rm;
}
template <class Model> void set_rm(Model &, unsigned, long) {}

template <class Unit> void compare(Run &run, const typename Unit::Model &model, const Op &op) {
    const uint32_t written = Unit::written(op);
    if (model.warp_o != op.warp || model.dest_o[0] != op.dest[0] || model.dest_o[1] != op.dest[1] ||
        model.dest_o[2] != op.dest[2])
        run.fail("a result for warp %u dest %x%08x%08x, where that of warp %u dest %x%08x%08x is next",
                 model.warp_o, model.dest_o[2], model.dest_o[1], model.dest_o[0], op.warp, op.dest[2],
                 op.dest[1], op.dest[0]);
    if (model.mask_o != written)
        run.fail("%s: mask %08x, to be written %08x", kind_of(op).c_str(),
                 static_cast<uint32_t>(model.mask_o), written);
    uint32_t flags = 0;
    for (unsigned l = 0; l < kLanes; l++) {
        if (!(written >> l & 1))
            continue;
        const Result want = Unit::lane(op, l);
        flags |= want.flags;
        run.count();
        const uint32_t got = model.data_o[l];
        if (differs<Unit>(op, got, want.value, 0))
            run.fail("%s lane %u of %08x: %08x %08x %08x %s: %08x, model %08x", kind_of(op).c_str(), l,
                     written, op.a[l], op.b[l], op.c[l], rm_name(op.rm), got, want.value);
    }
    if (model.fflags_o != flags)
        run.fail("%s lanes %08x: flags %02x, model %02x", kind_of(op).c_str(), written, model.fflags_o,
                 flags);
}

template <class Unit> void vector_bench(Run &run) {
    typename Unit::Model model(&run.context);
    struct Pending {
        Op op;
        uint64_t start;
        bool seen; // The result is offered
    };
    std::deque<Pending> expected; // Operations whose results are to come
    uint64_t shortest = UINT64_MAX, longest = 0;
    Op issued;
    bool reserved = false; // Issued is to come in this cycle
    uint64_t cycle = 0, last = 0;
    unsigned issue_percent = 100, take_percent = 100;

    model.clk_i = 0;
    model.rst_ni = 0;
    model.reserve_i = 0;
    model.valid_i = 0;
    model.ready_i = 0;
    model.eval();
    clock_edge(model);
    model.rst_ni = 1;

    for (bool drain = false; !run.failed(); cycle++) {
        drain = drain || !run.more(run.options().cases);
        if (drain && !reserved && expected.empty())
            break;
        if (cycle % 256 == 0) {
            // Now and then another mix: unit always busy, writeback always stalling, and everything between.
            const uint64_t r = rng_next(&run.rng);
            issue_percent = r & 1 ? 100 : 1 + (r >> 8) % 100;
            take_percent = r & 2 ? 100 : 1 + (r >> 16) % 100;
        }
        model.valid_i = reserved;
        set_rm(model, static_cast<unsigned>(rng_below(&run.rng, 5)), 0); // A mode that another unit gets
        if (reserved) {
            model.warp_i = issued.warp;
            for (unsigned i = 0; i < 3; i++)
                model.dest_i[i] = issued.dest[i];
            model.active_i = issued.active;
            set_rm(model, issued.rm, 0);
            Unit::drive(model, issued);
            expected.push_back({issued, cycle, false});
        }
        model.ready_i = rng_below(&run.rng, 100) < take_percent;
        model.reserve_i = 0;
        model.eval();

        if (model.valid_o && expected.empty()) {
            run.fail("a result that no operation has asked for");
        } else if (model.valid_o && !expected.front().seen) {
            // Where several are on their way, the longest has waited for others to be taken.
            expected.front().seen = true;
            shortest = std::min(shortest, cycle - expected.front().start);
            longest = std::max(longest, cycle - expected.front().start);
        }
        if (model.valid_o && model.ready_i && !expected.empty()) {
            compare<Unit>(run, model, expected.front().op);
            expected.pop_front();
            last = cycle;
        }
        if (expected.empty())
            last = cycle;
        if (cycle - last > kPatience)
            run.fail("no result taken in %u cycles", kPatience);

        reserved = !drain && model.ready_o && rng_below(&run.rng, 100) < issue_percent;
        model.reserve_i = reserved;
        if (reserved)
            issued = random_op<Unit>(&run.rng);
        clock_edge(model);
    }
    char text[128];
    std::snprintf(text, sizeof text, "%u lanes, %" PRIu64 " cycles, latency %" PRIu64 " to %" PRIu64, kLanes,
                  cycle, shortest, longest);
    run.note = text;
}

#endif
