// Tests ingot_half: operations of 16-bit floats after the core's handshake.
#include "Vingot_half.h"
#include "half_ops.hpp"
#include "vector.hpp"

namespace {

struct Half {
    using Model = Vingot_half;
    static constexpr uint32_t tolerance = 0;

    static void pick(rng *rng, Op &op) {
        op.kind = half::pick(rng);
        for (unsigned l = 0; l < kLanes; l++) {
            uint32_t x[3];
            half::operands(rng, op.kind, x);
            op.a[l] = x[0];
            op.b[l] = x[1];
            op.c[l] = x[2];
        }
    }
    static void drive(Model &model, const Op &op) {
        model.ctrl_i = op.kind;
        set_lanes(model.a_i, op.a);
        set_lanes(model.b_i, op.b);
        set_lanes(model.c_i, op.c);
    }
    static uint32_t written(const Op &op) { return op.active; }
    static Result lane(const Op &op, unsigned l) { return half::expect(op.kind, op.a[l], op.b[l], op.c[l]); }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 1000000, vector_bench<Half>);
}
