// Tests ingot_wide, with ingot_decode203 and ingot_operands: instructions of profile v2.03 with random
// prefixes on registers with corners in them, against steps of the model.
#include "Vwide_unit.h"
#include "unit.hpp"

#include "karat/karat.h"

#include <algorithm>
#include <array>

namespace {

constexpr unsigned kLanes = UNIT_THREADS;
constexpr uint32_t kAllLanes = UINT32_MAX >> (32 - kLanes);
constexpr uint32_t kCode = 0x80000000;
constexpr unsigned kPatience = 200; // Cycles

using Lanes = std::array<uint32_t, kLanes>;

template <class Port> void set_lanes(Port &port, const Lanes &values) {
    for (unsigned l = 0; l < kLanes; l++)
        port[l] = values[l];
}

// A word of an operand: halves of binary64 among other numbers, which are as often near an edge as anywhere.
uint32_t word_of(rng *rng) {
    uint64_t x[3];
    const uint64_t r = rng_next(rng);
    switch (r & 7) {
    case 0: return static_cast<uint32_t>(r >> 8 & 7) - 3;
    case 1: return 0x80000000u + static_cast<uint32_t>(r >> 8 & 7) - 3;
    case 2: return static_cast<uint32_t>(r >> 32) >> (r >> 8 & 31);
    case 3: format_random_operands(binary16, rng, x); return static_cast<uint32_t>(x[0] | x[1] << 16);
    case 4: format_random_operands(binary32, rng, x); return static_cast<uint32_t>(x[0]);
    case 5: format_random_operands(binary64, rng, x); return static_cast<uint32_t>(x[0] >> 32);
    default: return static_cast<uint32_t>(r >> 32);
    }
}

class Warp {
  public:
    Warp() {
        karat_config config;
        karat_config_default(&config);
        config.num_thread = kLanes;
        config.profile = KARAT_V203;
        model_ = karat_create(&config, nullptr);
        if (!model_ || karat_map(model_, kCode, 4096) != KARAT_OK)
            std::abort();
        for (int row = 0; row < karat_num_rows(); row++) {
            const karat_row *info = karat_row_info(row);
            if (info->widths & ~(1u << KARAT_W32) && karat_row_is_legal(info, KARAT_V203) &&
                info->unit != KARAT_UNIT_BRANCH && info->unit != KARAT_UNIT_SIMT)
                rows_.push_back(row);
        }
    }
    ~Warp() { karat_destroy(model_); }

    // The next instruction that runs, and what it does.
    void next(rng *rng, karat_commit &commit, unsigned &sew, uint32_t &frm, uint32_t &vxrm) {
        do {
            const uint64_t r = rng_next(rng);
            sew = static_cast<unsigned>(r % 3);
            frm = static_cast<uint32_t>(r >> 8) % 5;
            vxrm = static_cast<uint32_t>(r >> 16) % 4;
            const karat_row *info =
                karat_row_info(rows_[rng_below(rng, static_cast<uint32_t>(rows_.size()))]);
            const uint32_t even = r >> 24 & 3 ? ~0x00108080u : ~0u; // Pairs
            const uint32_t word = info->match | (static_cast<uint32_t>(rng_next(rng)) & ~info->mask & even);
            // PREFIX and PREFIXI with pair, abs and neg, one time in two each.
            static const uint32_t prefixes[] = {0x00000002, 0x0000000a, 0x0008000a, 0x00080002, 0x00080002};
            uint32_t prefix = prefixes[r >> 32 & 3] | (static_cast<uint32_t>(r >> 40) & 0x7e000);
            if (r >> 60 & 1)
                prefix &= ~0x7e000u;
            const std::array<uint32_t, 3> code{sew << 23 | 0x000072d7, prefix, word}; // vsetvli x5, x0
            launch(rng, code.data(), sizeof code, frm, vxrm);
            disturb(rng, word);
            karat_step(model_, 0, &commit);
        } while (commit.error.kind);
    }

  private:
    void launch(rng *rng, const uint32_t *code, size_t size, uint32_t frm, uint32_t vxrm) {
        karat_launch_desc launch{};
        karat_commit commit;
        launch.pc = kCode;
        launch.mask = static_cast<uint32_t>(rng_next(rng)) & kAllLanes;
        if (launched_ && karat_workgroup_close(model_, 0) != KARAT_OK)
            std::abort();
        launched_ = true;
        if (karat_write(model_, kCode, code, size) != KARAT_OK ||
            karat_workgroup_open(model_, 0, 1) != KARAT_OK || karat_launch(model_, 0, &launch) != KARAT_OK ||
            karat_step(model_, 0, &commit) != KARAT_OK ||
            karat_csr_write(model_, 0, 0x002, frm) != KARAT_OK ||
            karat_csr_write(model_, 0, 0x00a, vxrm) != KARAT_OK)
            std::abort();
    }

    // Every register that the word may name, and the next one, gets new contents; so does v0. One time in
    // eight all are the most negative number of one width: a pair's is in its second register. And one time
    // in eight the first registers of pairs are the same.
    void disturb(rng *rng, uint32_t word) {
        const uint64_t r = rng_next(rng);
        const uint32_t same = word_of(rng);
        const uint32_t lowest[] = {0x80, 0x8000, 0x80000000, 0};
        for (uint32_t field : {0u, word >> 7 & 31, word >> 15 & 31, word >> 20 & 31, word >> 27 & 31})
            for (uint32_t reg = field; reg <= field + 1; reg++) {
                uint32_t value[KARAT_MAX_THREAD];
                for (uint32_t &lane : value) {
                    lane = r & 7 ? word_of(rng) : reg > field ? 0x80000000 : lowest[r >> 8 & 3];
                    if ((r & 7) == 1 && reg == field)
                        lane = same;
                }
                karat_adopt(model_, 0, KARAT_CLASS_V, reg, kAllLanes, value);
                if (reg)
                    karat_adopt(model_, 0, KARAT_CLASS_X, reg, 1, value);
            }
    }

    karat_model *model_;
    std::vector<int> rows_;
    bool launched_ = false;
};

// The operands of both passes; what is no operand must not matter.
struct Operands {
    std::array<std::array<Lanes, 4>, 2> pass; // [pass][source]

    Operands(rng *rng, const karat_commit &commit) {
        for (auto &sources : pass)
            for (Lanes &lanes : sources)
                for (uint32_t &lane : lanes)
                    lane = static_cast<uint32_t>(rng_next(rng));
        for (uint32_t i = 0; i < commit.num_reads; i++) {
            const karat_reg_read &read = commit.read[i];
            Lanes &lanes = pass[read.part][read.source];
            if (read.cls == KARAT_CLASS_X)
                lanes.fill(read.value[0]);
            else
                std::copy_n(read.value, kLanes, lanes.begin());
            // A register that is no pair, x0 among them, is read again in the second pass.
            if (read.part == 0)
                pass[1][read.source] = lanes;
        }
    }
};

void compare(Run &run, Vwide_unit &unit, const karat_commit &commit, uint32_t i, const char *text) {
    const karat_reg_write &w = commit.write[i];
    if (unit.rd_o != w.reg || unit.mask_o != w.mask)
        run.fail("%s: writes register %u lanes %x, model register %u lanes %x", text, unit.rd_o,
                 static_cast<unsigned>(unit.mask_o), w.reg, w.mask);
    for (unsigned l = 0; l < kLanes; l++)
        if (w.mask >> l & 1 && unit.data_o[l] != w.value[l])
            run.fail("%s: register %u lane %u %08x, model %08x", text, w.reg, l, unit.data_o[l], w.value[l]);
}

void bench(Run &run) {
    Warp warp;
    Vwide_unit unit(&run.context);
    unit.clk_i = 0;
    unit.rst_ni = 0;
    unit.reserve_i = unit.valid_i = unit.ready_i = 0;
    unit.eval();
    clock_edge(unit);
    unit.rst_ni = 1;
    while (run.more(run.options().cases)) {
        karat_commit commit;
        unsigned sew;
        uint32_t frm, vxrm;
        warp.next(&run.rng, commit, sew, frm, vxrm);
        unit.pc_i = commit.pc;
        unit.word_i = commit.word;
        unit.prefix_i = commit.prefix;
        unit.has_prefix_i = commit.prefix != 0;
        unit.sew_i = sew;
        unit.frm_i = frm;
        unit.vxrm_i = vxrm;
        unit.eval();
        if (!unit.mine_o)
            continue; // 32 bits, or a result for x0
        const karat_row *row = karat_row_info(commit.row);
        char text[128];
        karat_disassemble(KARAT_V203, commit.pc, commit.prefix, commit.word, text, sizeof text);
        const bool scalar = row->owes & KARAT_OWES_X;
        const Operands operands(&run.rng, commit);
        // A scalar out of a vector is made of all active lanes.
        unit.active_i = static_cast<uint32_t>(scalar && commit.elements == 1 ? 1 : commit.active) & kAllLanes;
        unit.reserve_i = 1;
        clock_edge(unit);
        unit.reserve_i = 0;
        unit.valid_i = 1;
        for (unsigned pass = 0; pass <= unit.second_o; pass++) {
            unit.pass_i = pass;
            set_lanes(unit.a_i, operands.pass[pass][1]);
            set_lanes(unit.b_i, operands.pass[pass][2]);
            set_lanes(unit.c_i, operands.pass[pass][3]);
            set_lanes(unit.v0_i, operands.pass[0][0]);
            clock_edge(unit);
        }
        unit.valid_i = 0;
        uint32_t flags = 0;
        unit.ready_i = 1;
        // An instruction that writes no lane, or x0, offers a result all the same.
        const uint32_t results = std::max(commit.num_writes, 1u);
        for (uint32_t i = 0, cycles = 0; i < results && !run.failed(); cycles++) {
            unit.eval();
            if (unit.valid_o) {
                if (i < commit.num_writes)
                    compare(run, unit, commit, i, text);
                flags |= unit.fflags_o;
                i++;
            } else if (cycles > kPatience) {
                run.fail("%s: no result", text);
            }
            clock_edge(unit);
        }
        // The high half of a result that no lane writes.
        for (unsigned n = 0; n < 2; n++) {
            flags |= unit.valid_o ? unit.fflags_o : 0;
            clock_edge(unit);
        }
        unit.ready_i = 0;
        run.count();
        if (flags != commit.flags_raised || unit.saturated_o != commit.vxsat_raised)
            run.fail("%s: flags %02x vxsat %d, model %02x %d", text, flags, unit.saturated_o,
                     commit.flags_raised, commit.vxsat_raised);
    }
}

} // namespace

int main(int argc, char **argv) {
    return unit_main(argc, argv, 250000, bench);
}
