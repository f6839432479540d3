// Tests ingot_alu, ingot_mul and ingot_div: instructions of the table, on registers with corners in them,
// against steps of the model.
#include "Vint_unit.h"
#include "vector.hpp"

#include "karat/karat.h"

namespace {

constexpr karat_unit kUnit = UNIT_KIND == 0   ? KARAT_UNIT_ALU
                             : UNIT_KIND == 1 ? KARAT_UNIT_MUL
                                              : KARAT_UNIT_DIV;
constexpr uint32_t kCode = 0x80000000;
constexpr uint32_t kWords = 64; // Between launches; the first sets vtype

// Small numbers, numbers about powers of two, and anything.
uint32_t integer_operand(rng *rng) {
    const uint64_t r = rng_next(rng);
    const uint32_t near = static_cast<uint32_t>(r >> 8 & 7) - 3;
    switch (r & 7) {
    case 0: return near;
    case 1: return 0x80000000u + near;
    case 2: return (1u << (r >> 16 & 31)) + near;
    case 3: return 0u - (1u << (r >> 16 & 31)) + near;
    case 4: return static_cast<uint32_t>(r >> 32) >> (r >> 16 & 31);
    default: return static_cast<uint32_t>(r >> 32);
    }
}

// A warp of the model that runs through random instructions, a few at a time, with LMUL 1 or 2.
class Warp {
  public:
    Warp() {
        karat_config config;
        karat_config_default(&config);
        config.num_thread = kLanes;
        model_ = karat_create(&config, nullptr);
        if (!model_ || karat_map(model_, kCode, 4096) != KARAT_OK)
            std::abort();
        for (int row = 0; row < karat_num_rows(); row++) {
            const karat_row *info = karat_row_info(row);
            if (info->unit == kUnit && karat_row_is_legal(info, KARAT_V202))
                rows_.push_back(row);
        }
    }

    // The next instruction, and what it does. It writes a register; where it writes two, saturation, which
    // the commit shows for both together, does not happen.
    void next(rng *rng, Op &op, karat_commit &commit) {
        do {
            if (at_ == kWords)
                launch(rng);
            const int row = rows_[rng_below(rng, static_cast<uint32_t>(rows_.size()))];
            const karat_row *info = karat_row_info(row);
            const uint32_t even = lmul2_ ? ~0x00108080u : ~0u; // Groups
            const uint32_t word = info->match | (static_cast<uint32_t>(rng_next(rng)) & ~info->mask & even);
            if (karat_write(model_, kCode + 4 * at_, &word, sizeof word) != KARAT_OK)
                std::abort();
            disturb(rng, word);
            op.rm = rng_below(rng, 4);
            if (karat_csr_write(model_, 0, 0x00a, op.rm) != KARAT_OK)
                std::abort();
            at_ = karat_step(model_, 0, &commit) == KARAT_OK ? at_ + 1 : kWords;
        } while (commit.error.kind || commit.num_writes == 0 ||
                 (commit.num_writes > 1 && commit.vxsat_raised));
    }

    bool lmul2() const { return lmul2_; }

  private:
    void launch(rng *rng) {
        lmul2_ = rng_next(rng) & 1;
        const uint32_t vset = lmul2_ ? 0x0d1070d7 : 0x0d0070d7; // vsetvli x1, x0, e32, m2 or m1
        karat_launch_desc launch{};
        karat_commit commit;
        launch.pc = kCode;
        launch.mask = random_mask(rng);
        if (launched_ && karat_workgroup_close(model_, 0) != KARAT_OK)
            std::abort();
        launched_ = true;
        if (karat_write(model_, kCode, &vset, sizeof vset) != KARAT_OK ||
            karat_workgroup_open(model_, 0, 1) != KARAT_OK || karat_launch(model_, 0, &launch) != KARAT_OK ||
            karat_step(model_, 0, &commit) != KARAT_OK)
            std::abort();
        at_ = 1;
    }

    // Give every register that the word may name new contents: groups, and v0 and v1 for masks and carries.
    void disturb(rng *rng, uint32_t word) {
        for (uint32_t reg : {0u, word >> 7 & 31, word >> 15 & 31, word >> 20 & 31})
            for (uint32_t part = 0; part < 2; part++) {
                uint32_t value[KARAT_MAX_THREAD];
                for (uint32_t &lane : value)
                    lane = integer_operand(rng);
                karat_adopt(model_, 0, KARAT_CLASS_V, reg | part, kAllLanes, value);
                if (reg)
                    karat_adopt(model_, 0, KARAT_CLASS_X, reg, 1, value);
            }
    }

    karat_model *model_;
    std::vector<int> rows_;
    uint32_t at_ = kWords;
    bool launched_ = false, lmul2_ = false;
};

struct Int {
    using Model = Vint_unit;
    static constexpr uint32_t tolerance = 0;

    static void pick(rng *rng, Op &op) {
        static Warp warp;
        karat_commit commit;
        warp.next(rng, op, commit);
        op.name = karat_row_info(commit.row)->mnemonic;
        op.word = commit.word;
        op.pc = commit.pc;
        const karat_reg_write &write = commit.write[rng_below(rng, commit.num_writes)];
        // Only instructions of the V extension work on groups.
        op.part =
            warp.lmul2() && (commit.word & 0x7f) == 0x57 && write.cls == KARAT_CLASS_V ? write.reg & 1 : 0;
        for (uint32_t &lane : op.v0)
            lane = static_cast<uint32_t>(rng_next(rng)); // Other than operands must not matter
        for (uint32_t i = 0; i < commit.num_reads; i++) {
            const karat_reg_read &read = commit.read[i];
            auto &lanes = read.source == 1 ? op.a : read.source == 2 ? op.b : read.source == 3 ? op.c : op.v0;
            if (read.cls == KARAT_CLASS_X)
                lanes.fill(read.value[0]);
            else if (read.part == op.part)
                std::copy_n(read.value, kLanes, lanes.begin());
        }
        // A scalar out of a vector is made of all active lanes.
        const bool picks =
            write.cls == KARAT_CLASS_X && commit.num_reads && commit.read[0].cls == KARAT_CLASS_V;
        op.active = picks ? commit.mask_before : write.mask;
        op.mask = write.mask;
        op.flags = commit.vxsat_raised;
        std::copy_n(write.value, kLanes, op.want.begin());
    }
    static void drive(Model &model, const Op &op) {
        model.word_i = op.word;
        model.pc_i = op.pc;
        model.part_i = op.part;
        set_lanes(model.a_i, op.a);
        set_lanes(model.b_i, op.b);
        set_lanes(model.c_i, op.c);
        set_lanes(model.v0_i, op.v0);
    }
    static uint32_t written(const Op &op) { return op.mask; }
    static Result lane(const Op &op, unsigned l) { return {op.want[l], op.flags}; }
};

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, UNIT_KIND == 2 ? 300000 : 1000000, vector_bench<Int>);
}
