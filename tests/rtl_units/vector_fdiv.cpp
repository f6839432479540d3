// Tests ingot_fdiv: divide and square root lanes after the core's handshake.
#include "Vingot_fdiv.h"
#include "vector.hpp"

namespace {

struct Fdiv {
    using Model = Vingot_fdiv;
    static constexpr uint32_t tolerance = 0;

    // Bits of kind: sqrt, reverse, as fdiv_ctrl_t has them
    static void pick(rng *rng, Op &op) { op.kind = static_cast<unsigned>(rng_next(rng) >> 32) % 3; }
    static void drive(Model &model, const Op &op) {
        model.ctrl_i = op.kind;
        set_lanes(model.a_i, op.a);
        set_lanes(model.b_i, op.b);
    }
    static uint32_t written(const Op &op) { return op.active; }
    static Result lane(const Op &op, unsigned l) {
        Result r{0, 0};
        if (op.kind & 2)
            r.value = karat_f32_sqrt(op.a[l], op.rm, &r.flags);
        else if (op.kind & 1)
            r.value = karat_f32_div(op.b[l], op.a[l], op.rm, &r.flags);
        else
            r.value = karat_f32_div(op.a[l], op.b[l], op.rm, &r.flags);
        return r;
    }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 500000, vector_bench<Fdiv>);
}
