// Tests ingot_sfu: e^x, within one place, after the core's handshake.
#include "Vingot_sfu.h"
#include "vector.hpp"

namespace {

struct Sfu {
    using Model = Vingot_sfu;
    static constexpr uint32_t tolerance = 1;

    static void pick(rng *, Op &op) { op.kind = 0; }
    static void drive(Model &model, const Op &op) { set_lanes(model.a_i, op.a); }
    static uint32_t written(const Op &op) { return op.active; }
    static Result lane(const Op &op, unsigned l) {
        Result r{0, 0};
        r.value = karat_f32_exp(op.a[l], op.rm, &r.flags);
        return r;
    }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 1000000, vector_bench<Sfu>);
}
