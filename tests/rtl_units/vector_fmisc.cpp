// Tests ingot_fmisc: the one-cycle lanes after the core's handshake.
#include "Vingot_fmisc.h"
#include "misc_ops.hpp"
#include "vector.hpp"

namespace {

struct Fmisc {
    using Model = Vingot_fmisc;
    static constexpr uint32_t tolerance = 0;

    static void pick(rng *rng, Op &op) { op.kind = static_cast<unsigned>(rng_next(rng) >> 32) % MiscOps; }
    static void drive(Model &model, const Op &op) {
        model.op_i = op.kind;
        set_lanes(model.a_i, op.a);
        set_lanes(model.b_i, op.b);
    }
    static uint32_t written(const Op &op) { return op.active; }
    static Result lane(const Op &op, unsigned l) { return misc_expect(op.kind, op.rm, op.a[l], op.b[l]); }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 2000000, vector_bench<Fmisc>);
}
