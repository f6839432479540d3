// Tests ingot_fpu: the multiply-add lanes after the core's handshake.
#include "Vingot_fpu.h"
#include "vector.hpp"

namespace {

enum Kind : unsigned { Add, Mul, Fma };

struct Fpu {
    using Model = Vingot_fpu;
    static constexpr uint32_t tolerance = 0;

    // Bits of kind: fma_kind_e, negate_product, negate_addend, times_src3, as fpu_ctrl_t has them
    static void pick(rng *rng, Op &op) {
        const uint64_t r = rng_next(rng);
        const unsigned kind = static_cast<unsigned>(r >> 32) % 3;
        op.kind = kind << 3 | (r & 6) | (kind == Fma && (r & 1));
    }
    static void drive(Model &model, const Op &op) {
        model.ctrl_i = op.kind;
        set_lanes(model.a_i, op.a);
        set_lanes(model.b_i, op.b);
        set_lanes(model.c_i, op.c);
    }
    static uint32_t written(const Op &op) { return op.active; }
    static Result lane(const Op &op, unsigned l) {
        const bool times_src3 = op.kind & 1;
        const uint32_t a = (times_src3 ? op.c[l] : op.a[l]) ^ (op.kind & 4 ? KARAT_F32_SIGN : 0);
        const uint32_t c = (times_src3 ? op.a[l] : op.c[l]), s = op.kind & 2 ? KARAT_F32_SIGN : 0;
        Result r{0, 0};
        switch (op.kind >> 3) {
        case Add: r.value = karat_f32_add(a, op.b[l] ^ s, op.rm, &r.flags); break;
        case Mul: r.value = karat_f32_mul(a, op.b[l], op.rm, &r.flags); break;
        default: r.value = karat_f32_fma(a, op.b[l], c ^ s, op.rm, &r.flags);
        }
        return r;
    }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 2000000, vector_bench<Fpu>);
}
