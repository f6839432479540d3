// Tests ingot_tensor: VFTTA after the core's handshake. The expected results follow docs/decisions.md,
// "VFTTA".
#include "Vingot_tensor.h"
#include "vector.hpp"

namespace {

constexpr unsigned kRows = kLanes >= 16 ? 4 : 2; // M = K = 2^floor(log2(T) / 2)
constexpr unsigned kTerms = kLanes / kRows;      // N
static_assert(kLanes == 4 || kLanes == 8 || kLanes == 16 || kLanes == 32, "NUM_THREAD");

struct Tensor {
    using Model = Vingot_tensor;
    static constexpr uint32_t tolerance = 0;

    // A is vs2, b is vs1, c is vd.
    static void pick(rng *rng, Op &op) {
        op.kind = 0;
        // Sums of anything are mostly the largest term, or NaN: on most operations keep the exponents close
        // together.
        const uint64_t r = rng_next(rng);
        if (r % 8 == 0)
            return;
        for (auto *operand : {&op.a, &op.b, &op.c})
            for (uint32_t &x : *operand)
                x = (x & 0x807fffff) | (127 - 4 + static_cast<uint32_t>(rng_next(rng) >> 32) % 8) << 23;
        if (r % 8 == 1) { // One lane only that is not finite, or that overflows
            op.a[(r >> 8) % kLanes] = f32_corner(static_cast<unsigned>(r >> 16) % (2 * F32_CORNERS));
            op.b[(r >> 32) % kLanes] = f32_corner(static_cast<unsigned>(r >> 40) % (2 * F32_CORNERS));
        }
    }
    static void drive(Model &model, const Op &op) {
        set_lanes(model.a_i, op.a);
        set_lanes(model.b_i, op.b);
        set_lanes(model.c_i, op.c);
    }
    static uint32_t written(const Op &op) { return op.active & (UINT32_MAX >> (32 - kRows * kRows)); }
    static Result lane(const Op &op, unsigned l) {
        Result r{0, 0};
        std::array<uint32_t, kTerms> p;
        for (unsigned n = 0; n < kTerms; n++)
            p[n] = karat_f32_mul(op.b[l / kRows * kTerms + n], op.a[l % kRows * kTerms + n], op.rm, &r.flags);
        for (unsigned terms = kTerms; terms > 1; terms /= 2)
            for (unsigned n = 0; n < terms / 2; n++)
                p[n] = karat_f32_add(p[2 * n], p[2 * n + 1], op.rm, &r.flags);
        r.value = karat_f32_add(op.c[l], p[0], op.rm, &r.flags);
        return r;
    }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 200000, vector_bench<Tensor>);
}
