// The decoder of ingot refuses exactly the words that the model refuses: random instructions of every row,
// whole and damaged, with and without prefixes, under every legal vtype and vill, with every frm, and with
// any number of registers. DECODE_PROFILE is the profile of both.
//
// In lockstep a program error ends the run before the core can show whether it saw it as well.
#include "Vdecode_top.h"
#include "karat/karat.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr karat_profile kProfile = DECODE_PROFILE == 203    ? KARAT_V203
                                   : DECODE_PROFILE == 2026 ? KARAT_PUBLIC
                                                            : KARAT_V202;
constexpr uint32_t kCode = 0x80000000;

bool is_illegal(karat_error_kind kind) {
    return kind == KARAT_ERR_ILLEGAL || kind == KARAT_ERR_LEFT_OUT || kind == KARAT_ERR_PREFIX ||
           kind == KARAT_ERR_TWO_PREFIXES || kind == KARAT_ERR_REGISTER;
}

// A write of vstart is illegal by its value, which the decoder does not see.
bool is_left_to_others(uint32_t word) {
    return (word & 0x7f) == 0x73 && word >> 20 == 0x008;
}

class Model {
  public:
    Model() {
        karat_config config;
        karat_config_default(&config);
        config.num_thread = 8;
        config.profile = kProfile;
        model_ = karat_create(&config, nullptr);
        if (!model_ || karat_map(model_, kCode, 4096) != KARAT_OK)
            std::abort();
    }
    ~Model() { karat_destroy(model_); }

    // The error of the instruction after a vset of that word and a write of frm; KARAT_ERR_NONE where it
    // runs.
    karat_error_kind run(uint32_t vset, uint32_t frm, bool has_prefix, uint32_t prefix, uint32_t word,
                         uint32_t sgprs, uint32_t vgprs) {
        std::array<uint32_t, 4> code{vset, 0x00205073 | frm << 15, has_prefix ? prefix : word, word};
        karat_launch_desc launch{};
        launch.pc = kCode;
        launch.mask = 0xff;
        launch.sgprs = sgprs;
        launch.vgprs = vgprs;
        karat_commit commit;
        if (karat_write(model_, kCode, code.data(), sizeof code) != KARAT_OK ||
            karat_workgroup_open(model_, 0, 1) != KARAT_OK || karat_launch(model_, 0, &launch) != KARAT_OK ||
            karat_step(model_, 0, &commit) != KARAT_OK || karat_step(model_, 0, &commit) != KARAT_OK)
            std::abort();
        karat_step(model_, 0, &commit);
        if (karat_workgroup_close(model_, 0) != KARAT_OK)
            std::abort();
        return static_cast<karat_error_kind>(commit.error.kind);
    }

  private:
    karat_model *model_;
};

} // namespace

int main(int argc, char **argv) {
    const char *given = std::getenv("KARAT_SEED");
    const uint64_t seed = given ? std::strtoull(given, nullptr, 0) : std::random_device{}();
    const long total = argc > 1 ? std::atol(argv[1]) : 300000;
    std::printf("seed %" PRIu64 " (KARAT_SEED repeats it), %ld instructions\n", seed, total);
    std::mt19937_64 random(seed);
    auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };

    std::vector<uint32_t> vtypes{0x010, 0x011, 0x012}; // Types e32 with m1, m2, m4
    if (kProfile == KARAT_V203)
        vtypes.insert(vtypes.end(), {0x000, 0x001, 0x008, 0x009}); // Types e8 and e16
    std::vector<const karat_row *> prefixes;
    for (int row = 0; row < karat_num_rows(); row++)
        if (karat_row_info(row)->unit == KARAT_UNIT_PREFIX &&
            karat_row_is_legal(karat_row_info(row), kProfile))
            prefixes.push_back(karat_row_info(row));

    Model model;
    Vdecode_top decoder;
    long legal = 0, illegal = 0, different = 0;
    while (legal + illegal < total) {
        const karat_row *row =
            karat_row_info(static_cast<int>(below(static_cast<uint32_t>(karat_num_rows()))));
        uint32_t word = row->match | (static_cast<uint32_t>(random()) & ~row->mask);
        if (below(8) == 0)
            word ^= 1u << below(32);
        bool has_prefix = below(4) != 0;
        // Most instructions have few of the fields that a prefix extends.
        const karat_row *kind = prefixes[below(static_cast<uint32_t>(prefixes.size()))];
        uint32_t extension = below(3) == 0 ? static_cast<uint32_t>(random()) : 1u << below(32);
        if (below(2)) // Pairs have even numbers
            word &= ~(has_prefix ? 0x00108080u & ~kind->mask & ~row->mask : 0u);
        uint32_t prefix = has_prefix ? kind->match | ((below(8) ? extension : 0) & ~kind->mask) : 0;
        const uint32_t vtype = vtypes[below(static_cast<uint32_t>(vtypes.size()))];
        uint32_t frm = below(4) ? below(5) : below(8);
        if (is_left_to_others(word) || (!has_prefix && karat_is_prefix(kProfile, word)))
            continue;
        // Whole granules, as the core allocates them.
        uint32_t sgprs = below(2) ? 64 : 8 * (1 + below(8)), vgprs = below(2) ? 256 : 8 * (1 + below(32));
        bool want =
            is_illegal(model.run(0x000072d7 | vtype << 20, frm, has_prefix, prefix, word, sgprs, vgprs));
        decoder.word_i = word;
        decoder.prefix_i = prefix;
        decoder.has_prefix_i = has_prefix;
        decoder.lmul2_i = (vtype & 7) == 1;
        decoder.vill_i = (vtype & 7) > 1;
        decoder.sew_i = vtype >> 3 & 3;
        decoder.frm_i = static_cast<uint8_t>(frm);
        decoder.sgprs_i = static_cast<uint8_t>(sgprs);
        decoder.vgprs_i = static_cast<uint16_t>(vgprs);
        decoder.eval();
        (want ? illegal : legal)++;
        if (want == static_cast<bool>(decoder.illegal_o))
            continue;
        if (different++ < 20) {
            char text[128];
            karat_disassemble(kProfile, kCode, prefix, word, text, sizeof text);
            std::printf("prefix %08" PRIx32 " word %08" PRIx32 " frm %" PRIu32 " with %" PRIu32
                        " and %" PRIu32 " registers, vtype %03" PRIx32
                        ": %s for the model, %s for the core: %s\n",
                        prefix, word, frm, sgprs, vgprs, vtype, want ? "illegal" : "legal",
                        want ? "legal" : "illegal", text);
        }
    }
    std::printf("%ld legal, %ld illegal, %ld differ\n", legal, illegal, different);
    return different || !legal || !illegal;
}
