// Tests ingot_special: special functions of all formats after the core's handshake. Reciprocals and square
// roots are exact, the others within one place.
#include "Vingot_special.h"
#include "special_ops.hpp"
#include "vector.hpp"

namespace {

struct Special {
    using Model = Vingot_special;

    // Bits of kind as special_ctrl_t has them: function, format.
    static void pick(rng *rng, Op &op) {
        const uint64_t r = rng_next(rng);
        unsigned function = static_cast<unsigned>(r % special::Functions),
                 format = static_cast<unsigned>(r >> 32) % 3;
        if (special::single(function))
            format = special::F32;
        op.kind = function << 2 | format;
        for (uint32_t &a : op.a) {
            a = special::operand(rng, function);
            // Halves of numbers: the upper one of binary32 is a bfloat16.
            if (format == special::Bf16)
                a = (a & 0xffff0000) | special::operand(rng, function) >> 16;
            else if (format == special::F16 && rng_below(rng, 4))
                a = static_cast<uint32_t>(rng_next(rng) >> 32);
        }
    }
    static void drive(Model &model, const Op &op) {
        model.ctrl_i = op.kind;
        set_lanes(model.a_i, op.a);
    }
    static uint32_t written(const Op &op) { return op.active; }
    static Result lane(const Op &op, unsigned l) {
        Result r{0, 0};
        const karat_function function = special::kFunctions[op.kind >> 2];
        if ((op.kind & 3) == special::F32) {
            r.value = karat_f32_special(function, op.a[l], &r.flags);
            return r;
        }
        for (unsigned at = 0; at < 32; at += 16) {
            const auto half = static_cast<uint16_t>(op.a[l] >> at);
            const uint16_t value = (op.kind & 3) == special::F16
                                       ? karat_f16_special(function, half, &r.flags)
                                       : karat_bf16_special(function, half, &r.flags);
            r.value |= static_cast<uint32_t>(value) << at;
        }
        return r;
    }
    static bool differs(const Op &op, uint32_t got, uint32_t want) {
        const uint32_t bound = special::divides(op.kind >> 2) ? 0 : 1;
        if ((op.kind & 3) == special::F32)
            return special::distance(got, want, 32) > bound;
        return special::distance(got & 0xffff, want & 0xffff, 16) > bound ||
               special::distance(got >> 16, want >> 16, 16) > bound;
    }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 100000, vector_bench<Special>);
}
