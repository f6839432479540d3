/* The instruction table and what is derived from it.
 *
 * Usage: test_isa [PATTERN]  only tests whose name matches */
#include "support.h"

#include "fp/f32_operands.h"
#include "prefix_spec.h"
#include "row_lanes.h"

#ifndef KARAT_TEST_SCALE
#define KARAT_TEST_SCALE 1 /* How many times fewer cases a slow build runs */
#endif

static struct rng rng;

static uint32_t random_word(void) {
    return (uint32_t)(rng_next(&rng) >> 32);
}

enum {
    DOCUMENTS = 1 << KARAT_V202 | 1 << KARAT_V203 | 1 << KARAT_PUBLIC
}; /* Profiles that are known here by name */

/* The first that has it. */
static karat_profile profile_of(const karat_row *row) {
    return (karat_profile)__builtin_ctz(row->profiles);
}

/* A legal word of that row, every operand bit random. */
static uint32_t word_of(const karat_row *row) {
    return row->match | (random_word() & ~row->mask);
}

TEST(every_row_round_trips) {
    const uint64_t num = env_number("KARAT_ISA_TRIPS", 2000);
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        assert_true(row->profiles & DOCUMENTS && row->profiles < 1 << KARAT_NUM_PROFILE);
        for (int profile = 0; profile < KARAT_NUM_PROFILE; profile++)
            for (uint64_t n = 0; n < num; n++) {
                uint32_t word = word_of(row), again;
                karat_insn insn;
                int got = karat_decode((karat_profile)profile, word, &insn);
                if (!(row->profiles >> profile & 1)) {
                    assert_int_not_equal(got, i);
                    continue;
                }
                assert_int_equal(got, i);
                assert_int_equal(insn.row, i);
                assert_int_equal(insn.word, word);
                assert_int_equal(insn.prefix, 0);
                for (unsigned k = row->num_operands; k < KARAT_MAX_OPERAND; k++)
                    insn.value[k] = INT32_MAX; /* Operands that it has not */
                assert_true(karat_encode(i, insn.value, &again));
                assert_int_equal(again, word);
            }
    }
}

/* A value that does not fit a field must be refused, not cut off. */
TEST(values_out_of_range_do_not_encode) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        for (unsigned k = 0; k < row->num_operands; k++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[k]);
            if (!kind->bits)
                continue;
            karat_insn insn;
            uint32_t word;
            int32_t high = (int32_t)((1u << (kind->bits - kind->is_signed)) - 1) & ~((1 << kind->shift) - 1);
            int32_t low = kind->is_signed ? -(1 << (kind->bits - 1)) : 0, unit = 1 << kind->shift;
            karat_decode(profile_of(row), row->match, &insn);
            const int32_t good[] = {low, high}, bad[] = {low - unit, high + unit, low + unit / 2};
            for (int n = 0; n < 2; n++) {
                insn.value[k] = good[n];
                assert_true(karat_encode(i, insn.value, &word));
                assert_int_equal(karat_decode(profile_of(row), word, &insn), i);
                assert_int_equal(insn.value[k], good[n]);
            }
            for (int n = 0; n < (kind->shift ? 3 : 2); n++) {
                insn.value[k] = bad[n];
                if (karat_encode(i, insn.value, &word))
                    fail_msg("%s takes %d as operand %u", row->name, bad[n], k);
            }
        }
    }
    uint32_t word;
    assert_false(karat_encode(-1, (int32_t[KARAT_MAX_OPERAND]){0}, &word));
    assert_false(karat_encode(karat_num_rows(), (int32_t[KARAT_MAX_OPERAND]){0}, &word));
}

/* --- Against a linear scan --- */

static uint64_t hits[KARAT_NUM_PROFILE];

/* The only row that a scan finds, or KARAT_NO_ROW; two are an error. */
static int scan(unsigned profile, uint32_t word) {
    static uint32_t match[4096], mask[4096];
    static unsigned char profiles[4096];
    static int num;
    if (!num) {
        num = karat_num_rows();
        assert_true(num <= 4096);
        for (int i = 0; i < num; i++) {
            match[i] = karat_row_info(i)->match;
            mask[i] = karat_row_info(i)->mask;
            profiles[i] = karat_row_info(i)->profiles;
        }
    }
    int found = KARAT_NO_ROW;
    for (int i = 0; i < num; i++)
        if ((word & mask[i]) == match[i] && profiles[i] >> profile & 1) {
            assert_int_equal(found, KARAT_NO_ROW);
            found = i;
        }
    return found;
}

static void compare_with_scan(uint32_t word) {
    for (unsigned profile = KARAT_V202; profile < KARAT_NUM_PROFILE; profile++) {
        karat_insn insn;
        int expected = scan(profile, word), got = karat_decode((karat_profile)profile, word, &insn);
        if (got != expected || insn.row != expected)
            fail_msg("0x%08x: decoded as row %d, a scan finds %d", word, got, expected);
        bool prefix = expected != KARAT_NO_ROW && karat_row_info(expected)->unit == KARAT_UNIT_PREFIX;
        if (karat_is_prefix((karat_profile)profile, word) != prefix)
            fail_msg("0x%08x: is it a prefix?", word);
        hits[profile] += got != KARAT_NO_ROW;
    }
}

TEST(decode_agrees_with_a_scan) {
    const uint64_t num = env_number("KARAT_ISA_WORDS", 1200000 / KARAT_TEST_SCALE);
    /* A few of all words, of which 8 % are an instruction; the target exhaustive_isa takes all of them. */
    for (uint64_t i = 0; i < num; i++)
        compare_with_scan(random_word());
    /* Opcodes that the table has, and words one or two bits away from a row. */
    for (uint64_t i = 0; i < num; i++) {
        const karat_row *row = karat_row_info((int)rng_below(&rng, (uint32_t)karat_num_rows()));
        uint32_t word = word_of(row);
        switch (rng_below(&rng, 4)) {
        case 0: word = (random_word() & ~0x7fu) | (word & 0x7f); break;
        case 1: word = (random_word() & ~0x707fu) | (word & 0x707f); break;
        case 2: word ^= 1u << rng_below(&rng, 32); break;
        default: word ^= 1u << rng_below(&rng, 32) ^ 1u << rng_below(&rng, 32); break;
        }
        compare_with_scan(word);
    }
    for (unsigned profile = 0; profile < KARAT_NUM_PROFILE; profile++)
        printf("%s: %llu of %llu words are instructions\n", karat_profile_name((karat_profile)profile),
               (unsigned long long)hits[profile], (unsigned long long)(2 * num));
}

/* --- Rows --- */

TEST(rows_are_found_by_name) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        assert_int_equal(karat_find_row(row->name), i);
        /* A mnemonic may belong to one row per profile. */
        int found = karat_find_row(row->mnemonic);
        assert_int_not_equal(found, KARAT_NO_ROW);
        assert_string_equal(karat_row_info(found)->mnemonic, row->mnemonic);
        if (found != i)
            assert_false(karat_row_info(found)->profiles & row->profiles);
        /* Longer and shorter names are other names. */
        char name[80];
        snprintf(name, sizeof name, "%s_", row->name);
        assert_int_equal(karat_find_row(name), KARAT_NO_ROW);
    }
    assert_int_equal(karat_find_row(""), KARAT_NO_ROW);
    assert_int_equal(karat_find_row("vadd"), KARAT_NO_ROW);
    assert_null(karat_row_info(-1));
    assert_null(karat_row_info(karat_num_rows()));
}

/* The encodings that decisions.md fixes, word by word. */
TEST(encodings_are_those_of_the_decisions) {
    static const struct {
        const char *name;
        uint32_t match, mask;
    } fixed[] = {
        {"vbeq", 0x0000005b, 0x0000707f},       {"vbne", 0x0000105b, 0x0000707f},
        {"vblt", 0x0000405b, 0x0000707f},       {"vbge", 0x0000505b, 0x0000707f},
        {"vbltu", 0x0000605b, 0x0000707f},      {"vbgeu", 0x0000705b, 0x0000707f},
        {"join", 0x0000205b, 0xffffffff},       {"setrpc", 0x0000305b, 0x0000707f},
        {"regext", 0x0000200b, 0x000fffff},     {"regexti", 0x0000300b, 0x000fffff},
        {"endprg", 0x0000400b, 0xffffffff},     {"barrier", 0x0400400b, 0xfff07fff},
        {"barriersub", 0x0600400b, 0xfff07fff}, {"vadd12.vi", 0x0000000b, 0x0000707f},
        {"vsub12.vi", 0x0000100b, 0x0000707f},  {"vlb12.v", 0x0000007b, 0x0000707f},
        {"vlh12.v", 0x0000107b, 0x0000707f},    {"vlw12.v", 0x0000207b, 0x0000707f},
        {"vlbu12.v", 0x0000407b, 0x0000707f},   {"vlhu12.v", 0x0000507b, 0x0000707f},
        {"vsw12.v", 0x0000607b, 0x0000707f},    {"vsh12.v", 0x0000307b, 0x0000707f},
        {"vsb12.v", 0x0000707b, 0x0000707f},    {"vlb.v", 0x0000002b, 0x8000707f},
        {"vlh.v", 0x0000102b, 0x8000707f},      {"vlw.v", 0x0000202b, 0x8000707f},
        {"vlbu.v", 0x0000402b, 0x8000707f},     {"vlhu.v", 0x0000502b, 0x8000707f},
        {"vsb.v", 0x8000002b, 0x8000707f},      {"vsh.v", 0x8000102b, 0x8000707f},
        {"vsw.v", 0x8000202b, 0x8000707f},      {"regpair", 0x0000500b, 0x000fffff},
        {"regpairi", 0x0000700b, 0x000fffff},   {"vlb12d.v", 0x0000002b, 0x0000707f},
        {"vlh12d.v", 0x0000102b, 0x0000707f},   {"vlw12d.v", 0x0000202b, 0x0000707f},
        {"vlbu12d.v", 0x0000402b, 0x0000707f},  {"vlhu12d.v", 0x0000502b, 0x0000707f},
        {"vsw12d.v", 0x0000602b, 0x0000707f},   {"vsh12d.v", 0x0000302b, 0x0000707f},
        {"vsb12d.v", 0x0000702b, 0x0000707f},   {"prefix", 0x00000002, 0x00001fff},
        {"prefixi", 0x0000000a, 0x00001fff},
    };
    static const char *const since[] = {"prefix",    "prefixi",   "vlb12d.v", "vlh12d.v", "vlw12d.v",
                                        "vlbu12d.v", "vlhu12d.v", "vsw12d.v", "vsh12d.v", "vsb12d.v"};
    static const char *const until[] = {"regpair", "regpairi", "vlb.v", "vlh.v", "vlw.v",
                                        "vlbu.v",  "vlhu.v",   "vsb.v", "vsh.v", "vsw.v"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const karat_row *row = karat_row_info(karat_find_row(fixed[i].name));
        assert_non_null(row);
        assert_int_equal(row->match, fixed[i].match);
        assert_int_equal(row->mask, fixed[i].mask);
        unsigned profiles = DOCUMENTS;
        for (size_t k = 0; k < sizeof since / sizeof *since; k++) {
            profiles = strcmp(fixed[i].name, since[k]) ? profiles : 1 << KARAT_V203;
            profiles = strcmp(fixed[i].name, until[k]) ? profiles : 1 << KARAT_V202 | 1 << KARAT_PUBLIC;
        }
        assert_int_equal(row->profiles & DOCUMENTS, profiles);
    }
    /* PRE_M_*: OPCODE6 is the space (default, global, private, local) and the width (1 to 4 words). */
    static const char *const spaces[] = {"", "global_", "private_", "local_"};
    for (unsigned opcode6 = 0; opcode6 < 16; opcode6++) {
        char name[32];
        snprintf(name, sizeof name, "pre_m_%s%u", spaces[opcode6 >> 2], 32 * ((opcode6 & 3) + 1));
        const karat_row *row = karat_row_info(karat_find_row(name));
        assert_non_null(row);
        assert_int_equal(row->match, opcode6 << 3 | 6);
        assert_int_equal(row->mask, 0x00007fff);
        assert_int_equal(row->profiles & DOCUMENTS, 1 << KARAT_V203);
    }
}

/* Those that the page on the public toolchain fixes. */
TEST(public_encodings) {
    static const struct {
        const char *name;
        uint32_t match, mask;
    } fixed[] = {{"shuffle.bfly", 0x20001042, 0xfc00707f},   {"shuffle.idx", 0x24001042, 0xfc00707f},
                 {"shuffle.up", 0x28001042, 0xfc00707f},     {"shuffle.down", 0x2c001042, 0xfc00707f},
                 {"vcvt.fp32.fp16", 0x0000007a, 0xfc0ff07f}, {"vcvt.fp16.fp32", 0x0400007a, 0xfc0ff07f},
                 {"vcvt.fp32.bf16", 0x0800007a, 0xfc0ff07f}, {"vcvt.bf16.fp32", 0x0c00007a, 0xfc0ff07f},
                 {"vadd.f16x2", 0x0000005a, 0xfc00707f},     {"vadd.bf16x2", 0x0000105a, 0xfc00707f},
                 {"vmul.f16x2", 0x0400005a, 0xfc00707f},     {"vmul.bf16x2", 0x0400105a, 0xfc00707f},
                 {"vfma.f16x2", 0x0800005a, 0xfc00707f},     {"vfma.bf16x2", 0x0800105a, 0xfc00707f},
                 {"csrr.v", 0x00002072, 0x000ff07f}};
    static const char *const functions[] = {"ex2", "lg2", "rcp",  "sqrt", "rsqrt",
                                            "sin", "cos", "tanh", "gelu", "silu"};
    static const char *const formats[] = {"f32", "f16x2", "bf16x2"};
    static const char *const shapes[] = {"m8n8k16", "m16n8k16", "m8n16k16", "m16n16k16",
                                         "m8n8k8",  "m16n8k8",  "m8n16k8",  "m16n16k8"};
    static const struct {
        const char *name;
        uint32_t ab, cd;
    } types[] = {{"f32.tf32.tf32.f32", 0, 1},
                 {"f16.f16.f16.f16", 1, 0},
                 {"f32.f16.f16.f32", 1, 1},
                 {"f32.bf16.bf16.f32", 2, 1}};
    unsigned rows = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++, rows++) {
        const karat_row *row = karat_row_info(karat_find_row(fixed[i].name));
        assert_non_null(row);
        assert_true(row->match == fixed[i].match && row->mask == fixed[i].mask &&
                    row->profiles == 1 << KARAT_PUBLIC);
    }
    for (uint32_t function = 0; function < 10; function++)
        for (uint32_t format = 0; format < 3; format++) {
            char name[40];
            snprintf(name, sizeof name, "v%s.approx.%s", functions[function], formats[format]);
            const karat_row *row = karat_row_info(karat_find_row(name));
            const bool packed = function != 1 && function != 5 && function != 6;
            assert_int_equal(row != NULL, !format || packed);
            rows += row != NULL;
            if (row)
                assert_true(row->match == (function << 26 | format << 12 | 0x2a) && row->mask == 0xfc0ff07f &&
                            row->policy == KARAT_ULP);
        }
    for (uint32_t shape = 0; shape < 8; shape++)
        for (uint32_t type = 0; type < 4; type++)
            for (uint32_t layout = 0; layout < 4; layout++) {
                char name[64];
                snprintf(name, sizeof name, "mma.%s.%s.%s.%s", shapes[shape], layout & 2 ? "col" : "row",
                         layout & 1 ? "row" : "col", types[type].name);
                const karat_row *row = karat_row_info(karat_find_row(name));
                assert_int_equal(row != NULL, type != 0 || shape >= 4);
                rows += row != NULL;
                if (!row)
                    continue;
                assert_int_equal(row->match, types[type].ab << 28 | shape << 25 | layout << 13 |
                                                 types[type].cd << 12 | 0x0a);
                assert_int_equal(row->mask, 0xfe00707f);
                assert_int_equal(row->policy, KARAT_SUM);
                const uint32_t m = shape & 1 ? 16 : 8, n = shape & 2 ? 16 : 8,
                               registers[] = {m * n / (types[type].cd ? 32 : 64), m / 4, n / 4};
                for (unsigned k = 0; k < 3; k++)
                    assert_int_equal(karat_operand_registers(karat_operand_info(row->operands[k])),
                                     registers[k]);
            }
    for (int i = 0; i < karat_num_rows(); i++)
        rows -= karat_row_info(i)->profiles == 1 << KARAT_PUBLIC;
    assert_int_equal(rows, 0); /* There are no others */
    assert_int_equal(karat_operand_registers(NULL), 1);
}

/* A row's completions follow from its operands and its unit. */
TEST(owes_agrees_with_operands) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        unsigned dest_x = 0, dest_v = 0;
        bool seen[KARAT_ROLE_IGNORED + 1] = {false};
        for (unsigned k = 0; k < row->num_operands; k++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[k]);
            assert_non_null(kind);
            assert_true(kind->role <= KARAT_ROLE_IGNORED);
            /* One operand a role, immediates (fence, prefixes) apart. */
            if (kind->is_reg)
                assert_false(seen[kind->role]);
            seen[kind->role] = true;
            if (kind->role == KARAT_ROLE_DEST)
                ++*(kind->cls == KARAT_CLASS_X ? &dest_x : &dest_v);
        }
        if (row->illegal) {
            assert_int_equal(row->owes, 0);
            continue;
        }
        bool mem = row->unit == KARAT_UNIT_MEM || row->unit == KARAT_UNIT_AMO;
        assert_int_equal(!!(row->owes & KARAT_OWES_X), dest_x);
        assert_int_equal(!!(row->owes & KARAT_OWES_V), dest_v);
        assert_int_equal(!!(row->owes & KARAT_OWES_MEM), mem);
        if (mem && !dest_x && !dest_v) /* A store has data */
            assert_true(seen[KARAT_ROLE_SRC2] || seen[KARAT_ROLE_SRC3]);
        if (mem)
            assert_true(seen[KARAT_ROLE_SRC1]); /* Every access has a base */
        /* csrr.v reads alone. */
        bool csr = (row->unit == KARAT_UNIT_CSR && dest_x) || row->unit == KARAT_UNIT_CONFIG ||
                   strcmp(row->name, "setrpc") == 0;
        assert_int_equal(!!(row->owes & KARAT_OWES_CSR), csr);
        assert_int_equal(!!(row->owes & KARAT_OWES_SIMT), row->unit == KARAT_UNIT_SIMT && !csr);
        assert_int_equal(!!(row->owes & KARAT_OWES_BARRIER), strcmp(row->name, "barrier") == 0);
        assert_int_equal(!!(row->owes & KARAT_OWES_EXIT), strcmp(row->name, "endprg") == 0);
        if (row->unit == KARAT_UNIT_PREFIX)
            assert_int_equal(row->owes, 0);
        if (row->rounds)
            assert_true(row->owes & (KARAT_OWES_V | KARAT_OWES_X));
        assert_non_null(row->section);
        assert_true(*row->section != 0);
    }
    uint8_t last = 0;
    for (int i = 0; i < karat_num_rows(); i++)
        for (unsigned k = 0; k < karat_row_info(i)->num_operands; k++)
            last = karat_row_info(i)->operands[k] > last ? karat_row_info(i)->operands[k] : last;
    assert_non_null(karat_operand_info(last));
    assert_null(karat_operand_info(last + 1));
    assert_null(karat_operand_info(255));
}

/* Checks that karat_destination() and karat_sources() agree with the operands. */
TEST(registers_named) {
    for (int i = 0; i < karat_num_rows(); i++)
        for (unsigned n = 0; n < 20; n++) {
            const karat_row *row = karat_row_info(i);
            const uint32_t word = word_of(row);
            karat_insn insn;
            if (karat_decode(profile_of(row), word, &insn) != i)
                continue;
            karat_source named = {0}, sources[KARAT_MAX_SOURCE];
            bool writes = false, reads[2][4] = {{false}};
            for (unsigned k = 0; k < row->num_operands; k++) {
                const karat_operand_kind *kind = karat_operand_info(row->operands[k]);
                if (kind->role == KARAT_ROLE_DEST) {
                    assert_true(karat_destination(profile_of(row), 0, word, &named));
                    assert_int_equal(named.cls, kind->cls);
                    assert_int_equal(named.reg, insn.value[k]);
                    writes = true;
                }
                if (kind->role == KARAT_ROLE_SRC1 || kind->role == KARAT_ROLE_SRC2 ||
                    kind->role == KARAT_ROLE_SRC3)
                    reads[kind->cls][kind->role - KARAT_ROLE_SRC1 + 1] = true;
            }
            assert_int_equal(karat_destination(profile_of(row), 0, word, &named), writes);
            const uint32_t num = karat_sources(profile_of(row), 0, 0, word, sources);
            for (uint32_t k = 0; k < num; k++)
                reads[sources[k].cls][sources[k].source] = false;
            for (unsigned k = 1; k < 4; k++)
                assert_false(reads[0][k] || reads[1][k]);
        }
    /* Decodes vmacc.vv v7, v1, v2 after a prefix whose x3 is 4: the third operand's number is the
     * destination's, except where a core reads {x3, vd}. */
    const int32_t value[KARAT_MAX_OPERAND] = {7, 1, 2, 1}, ext[KARAT_MAX_OPERAND] = {4, 3, 2, 1};
    uint32_t word, prefix;
    assert_true(karat_encode(karat_find_row("vmacc.vv"), value, &word));
    assert_true(karat_encode(karat_find_row("regext"), ext, &prefix));
    karat_source named, sources[KARAT_MAX_SOURCE];
    assert_true(karat_destination(KARAT_V202, prefix, word, &named));
    assert_int_equal(named.reg, 7 + 32);
    for (unsigned apart = 0; apart < 2; apart++) {
        const uint32_t deviations =
            apart ? KARAT_DEV_THIRD_OPERAND_APART : ~(uint32_t)KARAT_DEV_THIRD_OPERAND_APART;
        assert_int_equal(karat_sources(KARAT_V202, deviations, prefix, word, sources), 3);
        for (unsigned k = 0; k < 3; k++) {
            const uint16_t regs[] = {0, 1 + 2 * 32, 2 + 3 * 32, apart ? 7 + 4 * 32 : 7 + 32};
            assert_int_equal(sources[k].reg, regs[sources[k].source]);
        }
        assert_int_equal(karat_sources(KARAT_V202, deviations, 0, word, sources), 3);
        assert_int_equal(sources[2].reg, 7);
    }
    /* Where a row fixes a register its operand has no bits: any number is that one. */
    const int32_t merged[KARAT_MAX_OPERAND] = {8, 1, 2, 1}, usual[KARAT_MAX_OPERAND] = {8, 1, 2, 0};
    uint32_t same;
    assert_true(karat_encode(karat_find_row("vmerge.vvm"), merged, &word));
    assert_true(karat_encode(karat_find_row("vmerge.vvm"), usual, &same));
    assert_int_equal(word, same);
}

TEST(words_behind_a_prefix) {
    const int32_t value[KARAT_MAX_OPERAND] = {7, 1, 2, 1}, ext[KARAT_MAX_OPERAND] = {4, 3, 2, 1};
    const int vmacc = karat_find_row("vmacc.vv");
    uint32_t word, prefix;
    assert_true(karat_encode(vmacc, value, &word));
    assert_true(karat_encode(karat_find_row("regext"), ext, &prefix));
    karat_insn insn;
    int32_t apart;
    assert_int_equal(karat_decode_prefixed(KARAT_V202, prefix, word, &insn, &apart), vmacc);
    assert_true(insn.row == vmacc && insn.prefix == prefix && insn.value[0] == 7 + 32 &&
                insn.value[1] == 1 + 2 * 32 && insn.value[2] == 2 + 3 * 32 && apart == 7 + 4 * 32);
    assert_int_equal(karat_decode_prefixed(KARAT_V202, prefix, word, &insn, NULL), vmacc);
    assert_int_equal(karat_decode_prefixed(KARAT_V202, 0, word, &insn, &apart), vmacc);
    assert_true(insn.row == vmacc && !insn.prefix && insn.value[0] == 7 && insn.value[1] == 1 &&
                insn.value[2] == 2);
    for (unsigned k = 0; k < 2; k++) /* No instruction, with a prefix or without */
        assert_int_equal(karat_decode_prefixed(KARAT_V202, k ? prefix : 0, 0, &insn, &apart), KARAT_NO_ROW);
    assert_int_equal(karat_decode_prefixed(KARAT_V202, prefix, prefix, &insn, &apart), KARAT_NO_ROW);
    assert_int_equal(insn.row, KARAT_NO_ROW);
}

/* --- Behind any prefix --- */

static bool same_prefix(const karat_prefix *a, const karat_prefix *b) {
    return a->x3 == b->x3 && a->x2 == b->x2 && a->x1 == b->x1 && a->xd == b->xd && a->imm == b->imm &&
           a->has_imm == b->has_imm && a->regpair == b->regpair && a->memory == b->memory &&
           a->pair == b->pair && a->abs == b->abs && a->neg == b->neg && a->space == b->space &&
           a->words == b->words && a->hint == b->hint;
}

/* A prefix of that profile with few of its fields set, or 0: none. */
static uint32_t random_prefix(karat_profile profile) {
    static const uint32_t both[] = {0x200b, 0x300b}, only_202[] = {0x500b, 0x700b};
    uint32_t prefix;
    if (rng_below(&rng, 8) == 0)
        return 0;
    if (rng_below(&rng, 3) == 0)
        prefix = both[rng_below(&rng, 2)];
    else if (profile != KARAT_V203)
        prefix = only_202[rng_below(&rng, 2)];
    else
        prefix = rng_below(&rng, 2) ? rng_below(&rng, 2) << 3 | 2 : rng_below(&rng, 16) << 3 | 6;
    for (unsigned field = 0; field < 4; field++)
        if (rng_below(&rng, 3) == 0)
            prefix |= (random_word() & 7) << (20 + 3 * field);
    if (prefix & 1)
        return prefix;
    prefix |= rng_below(&rng, 3) == 0 ? 1u << 19 : 0;
    if (prefix & 4)
        prefix |= rng_below(&rng, 16) << 15;
    else
        for (unsigned field = 0; field < 2; field++)
            prefix |= rng_below(&rng, 3) == 0 ? (random_word() & 7) << (13 + 3 * field) : 0;
    return prefix;
}

TEST(prefixes_taken_apart) {
    for (unsigned n = 0; n < 200000 / KARAT_TEST_SCALE; n++) {
        uint32_t word = random_prefix((karat_profile)(n % KARAT_NUM_PROFILE));
        word ^= rng_below(&rng, 4) ? 0 : 1u << rng_below(&rng, 32); /* May be none */
        const karat_prefix expected = fields_of(word), got = karat_prefix_of(word);
        if (!same_prefix(&expected, &got))
            fail_msg("%08x is taken apart wrongly", word);
        const bool any = expected.has_imm || expected.memory || (word & 0xfffff) == 0x200b ||
                         (word & 0xfffff) == 0x500b || (word & 0x1fff) == 2;
        assert_int_equal(karat_is_prefix(KARAT_V202, word), any && word & 1);
        assert_int_equal(karat_is_prefix(KARAT_PUBLIC, word), any && word & 1);
        assert_int_equal(karat_is_prefix(KARAT_V203, word), any && !expected.regpair);
    }
}

static void same_registers(const expected *x, karat_profile profile, uint32_t prefix, uint32_t word) {
    karat_source source[KARAT_MAX_SOURCE] = {{0}}, destination = {0};
    assert_int_equal(karat_sources(profile, 0, prefix, word, source), x->num_source);
    for (uint32_t k = 0; k < x->num_source; k++)
        assert_true(source[k].source == x->source[k].source && source[k].cls == x->source[k].cls &&
                    source[k].reg == x->source[k].reg);
    assert_int_equal(karat_destination(profile, prefix, word, &destination), x->writes);
    assert_int_equal(destination.cls, x->destination.cls);
    assert_int_equal(destination.reg, x->destination.reg);
}

TEST(behind_any_prefix) {
    const uint64_t num = env_number("KARAT_ISA_PREFIXED", 400);
    uint64_t fitting[KARAT_NUM_PROFILE] = {0};
    for (int n = 0; n < KARAT_NUM_PROFILE * karat_num_rows(); n++) {
        const int i = n / KARAT_NUM_PROFILE;
        const karat_profile profile = (karat_profile)(n % KARAT_NUM_PROFILE);
        const karat_row *row = karat_row_info(i);
        if (!(row->profiles >> profile & 1))
            continue;
        for (uint64_t k = 0; k < num; k++) {
            const uint32_t word = word_of(row), prefix = random_prefix(profile);
            karat_insn plain, insn;
            int32_t apart = -7;
            if (karat_decode(profile, word, &plain) != i)
                fail_msg("%08x is %s", word, row->name);
            const row_spec spec = spec_of(row);
            const expected x = expect_behind(&spec, row, fields_of(prefix), &plain);
            const bool is_prefix = row->unit == KARAT_UNIT_PREFIX;
            if (prefix && karat_prefix_fits(i, prefix) != (x.legal && !is_prefix))
                fail_msg("prefix %08x before %s: expected %s", prefix, row->name,
                         x.legal ? "to fit" : "not to fit");
            const int got = karat_decode_prefixed(profile, prefix, word, &insn, &apart);
            assert_int_equal(got, x.legal ? i : KARAT_NO_ROW);
            assert_int_equal(insn.row, got);
            if (got == i) {
                assert_true(insn.word == word && insn.prefix == prefix);
                assert_memory_equal(insn.value, x.value, row->num_operands * sizeof *x.value);
                assert_int_equal(apart, x.apart);
            }
            fitting[profile] += prefix && got == i;
            same_registers(&x, profile, prefix, word);
            /* A word that is no prefix extends nothing. */
            const expected alone = expect_behind(&spec, row, fields_of(0), &plain);
            same_registers(&alone, profile, 0xfff00013, word);
        }
    }
    for (unsigned p = 0; p < KARAT_NUM_PROFILE; p++) {
        printf("%s: %llu prefixes fit\n", karat_profile_name((karat_profile)p),
               (unsigned long long)fitting[p]);
        assert_true(fitting[p]);
    }
    karat_source sources[KARAT_MAX_SOURCE], destination;
    for (unsigned k = 0; k < 2; k++) { /* No instruction */
        assert_int_equal(karat_sources(KARAT_V202, 0, k ? 0x200b : 0, 0, sources), 0);
        assert_false(karat_destination(KARAT_V202, k ? 0x200b : 0, 0, &destination));
    }
}

/* --- Widths and pairs --- */

/* PREFIX, and with bit 3 PREFIXI, and PRE_M_32, with pair alone. */
enum { PREFIX_PAIR = 0x00080002, PRE_M_32_PAIR = 0x00080006 };

TEST(widths_are_those_of_the_decisions) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        const compute kind = spec_of(row).computes;
        assert_int_equal(karat_row_follows_sew(row), kind >= BY_SEW);
        for (unsigned sew = KARAT_W8; sew <= KARAT_W32; sew++)
            for (unsigned n = 0; n < 8; n++) {
                static const uint32_t fixed[] = {0, PREFIX_PAIR, PREFIX_PAIR | 8, PRE_M_32_PAIR};
                const uint32_t prefix = n < 4 ? fixed[n] : random_prefix(KARAT_V203);
                const karat_prefix f = fields_of(prefix);
                const int expected = expect_width(kind, f.pair && !f.memory, (karat_width)sew);
                if (karat_row_width(row, prefix, (karat_width)sew) != expected)
                    fail_msg("%s after %08x, SEW %u: expected width %d", row->name, prefix, 8u << sew,
                             expected);
            }
    }
    assert_int_equal(karat_row_width(NULL, 0, KARAT_W32), -1);
}

/* Whether an instruction's operand with that role is a mask: one register whatever the width. */
static bool is_mask(const karat_row *row, unsigned role) {
    const uint32_t funct3 = bits_of(row->match, 14, 12), funct6 = bits_of(row->match, 31, 26);
    if (role != KARAT_ROLE_DEST || (row->match & 0x7f) != 0x57)
        return false;
    const bool is_integer = funct3 == 0 || funct3 == 3 || funct3 == 4;
    return (is_integer &&
            (funct6 >> 3 == 3 || funct6 == 0x11 || funct6 == 0x13)) || /* Rows vmseq ..., vmadc, vmsbc */
           ((funct3 == 1 || funct3 == 5) && funct6 >> 3 == 3);         /* Rows vmfeq ... */
}

/* Whether it has twice the width of the others. */
static bool is_twice(const karat_row *row, unsigned role) {
    const uint32_t funct3 = bits_of(row->match, 14, 12), funct6 = bits_of(row->match, 31, 26);
    if (funct3 == 1) /* Conversions: of vfncvt the source, of vfwcvt the destination */
        return bits_of(row->match, 19, 15) >> 3 == 2 ? role == KARAT_ROLE_SRC2 : role == KARAT_ROLE_DEST;
    if (role == KARAT_ROLE_DEST)
        return true;
    return funct6 >> 2 == 0xd && (role == KARAT_ROLE_SRC2 || funct3 == 2); /* .wv and .wx */
}

/* Whether it is a 64-bit address. */
static bool is_address(const karat_row *row, unsigned role) {
    const uint32_t opcode = row->match & 0x7f, funct3 = bits_of(row->match, 14, 12);
    if (role != KARAT_ROLE_SRC1)
        return false;
    return (opcode == 0x2b && (row->profiles & DOCUMENTS) == 1 << KARAT_V203) ||
           (funct3 == 3 && (opcode == 0x03 || opcode == 0x23 || opcode == 0x2f));
}

TEST(pairs_are_those_of_the_decisions) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        const compute kind = spec_of(row).computes;
        const bool matrix =
            row->unit == KARAT_UNIT_TENSOR && (row->match & 0x7f) == 0x0a; /* Registers of its own */
        for (unsigned k = 0; !row->illegal && !matrix && k < row->num_operands; k++) {
            const karat_operand_kind *operand = karat_operand_info(row->operands[k]);
            for (unsigned width = KARAT_W8; width <= KARAT_W64; width++) {
                bool expected = operand->is_reg && width == KARAT_W64 && !is_mask(row, operand->role);
                if (kind == WIDENING || kind == WIDENING_FP)
                    expected = operand->is_reg &&
                               (is_twice(row, operand->role) ? width == KARAT_W32 : width == KARAT_W64);
                if (is_address(row, operand->role))
                    expected = true;
                if (karat_operand_is_pair(operand, (karat_width)width) != expected)
                    fail_msg("%s: operand %u: expected %s with width %u", row->name, k,
                             expected ? "a pair" : "no pair", 8u << width);
            }
        }
    }
    assert_false(karat_operand_is_pair(NULL, KARAT_W64));
}

/* A row is legal in a profile that has it and does not leave it out: the widening and narrowing rows that
 * v2.03 adds are left out in the others, but vfwcvt in profile public. */
TEST(legal_by_profile) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        const compute kind = spec_of(row).computes;
        for (unsigned p = KARAT_V202; p < KARAT_NUM_PROFILE; p++) {
            const bool since203 = p != KARAT_V203 && (kind == WIDENING || kind == WIDENING_FP);
            const bool widens = p == KARAT_PUBLIC && strncmp(row->name, "vfwcvt", 6) == 0;
            const bool left_out = row->illegal || (since203 && !widens);
            assert_int_equal(row->left_out >> p & 1, left_out && row->profiles >> p & 1);
            assert_int_equal(karat_row_is_legal(row, (karat_profile)p), row->profiles >> p & 1 && !left_out);
        }
    }
    assert_false(karat_row_is_legal(NULL, KARAT_V203));
}

TEST(features_of_profiles) {
    static const karat_feature of[KARAT_NUM_PROFILE][8] = {
        {KARAT_FEATURE_REGPAIR, KARAT_FEATURE_PRIVATE, KARAT_NUM_FEATURE},
        {KARAT_FEATURE_PREFIX, KARAT_FEATURE_WIDTHS, KARAT_FEATURE_WIDEN, KARAT_FEATURE_OFFSET64,
         KARAT_FEATURE_RV64, KARAT_NUM_FEATURE},
        {KARAT_FEATURE_REGPAIR, KARAT_FEATURE_PRIVATE, KARAT_FEATURE_WIDEN, KARAT_FEATURE_PUBLIC,
         KARAT_NUM_FEATURE}};
    unsigned has[KARAT_NUM_PROFILE] = {0};
    for (unsigned p = 0; p < KARAT_NUM_PROFILE; p++)
        for (const karat_feature *feature = of[p]; *feature != KARAT_NUM_FEATURE; feature++)
            has[p] |= 1u << *feature;
    for (unsigned f = 0; f < KARAT_NUM_FEATURE; f++) {
        assert_int_equal(karat_profile_has(KARAT_V202, (karat_feature)f), has[0] >> f & 1);
        assert_int_equal(karat_profile_has(KARAT_V203, (karat_feature)f), has[1] >> f & 1);
        assert_int_equal(karat_profile_has(KARAT_PUBLIC, (karat_feature)f), has[2] >> f & 1);
        assert_false(karat_profile_has(KARAT_NUM_PROFILE, (karat_feature)f));
    }
    assert_string_equal(karat_profile_name(KARAT_DEFAULT_PROFILE), "v2.02");
    assert_string_equal(karat_profile_names(), "v2.02 or v2.03 or public");
}

/* The lanes and halves that a row computes on, by its name. */
TEST(lanes_and_halves) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        const bool f16 = strstr(row->mnemonic, ".f16x2"), bf16 = strstr(row->mnemonic, ".bf16x2");
        assert_int_equal(karat_row_halves(row), f16    ? KARAT_HALVES_F16
                                                : bf16 ? KARAT_HALVES_BF16
                                                       : KARAT_NO_HALVES);
        assert_int_equal(karat_row_crosses_lanes(row), strncmp(row->name, "shuffle", 7) == 0 ||
                                                           strncmp(row->name, "mma", 3) == 0 ||
                                                           strcmp(row->name, "vftta_vv") == 0);
        for (unsigned p = 0; p < KARAT_NUM_PROFILE; p++)
            assert_int_equal(karat_row_is_single(row, (karat_profile)p),
                             p == KARAT_PUBLIC && (row->profiles == 1 << KARAT_PUBLIC ||
                                                   strncmp(row->name, "vfwcvt", 6) == 0));
    }
    assert_int_equal(karat_row_halves(NULL), KARAT_NO_HALVES);
    static const char *const shuffles[] = {"shuffle.bfly", "shuffle.idx", "shuffle.up", "shuffle.down"};
    static const uint32_t read[] = {5 ^ 3, 3, 5 - 3, 5 + 3};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(karat_shuffle_lane(karat_find_row(shuffles[i]), 5, 3), read[i]);
    assert_int_equal(karat_shuffle_lane(karat_find_row("add"), 5, 3), KARAT_NO_LANE);
    assert_int_equal(karat_shuffle_lane(KARAT_NO_ROW, 5, 3), KARAT_NO_LANE);
    assert_false(karat_row_crosses_lanes(NULL) || karat_row_is_single(NULL, KARAT_PUBLIC));
}

/* The 16-bit floats in the sources of a row, threads that it needs, fields of matrix products, by name. */
TEST(sources_of_rows) {
    static const char *const shapes[] = {"m8n8k16", "m16n8k16", "m8n16k16", "m16n16k16",
                                         "m8n8k8",  "m16n8k8",  "m8n16k8",  "m16n16k8"},
                             *const types[] = {"f32.tf32.tf32.f32", "f16.f16.f16.f16", "f32.f16.f16.f32",
                                               "f32.bf16.bf16.f32"},
                             *const layouts[] = {"row.col", "row.row", "col.col", "col.row"};
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        const char *name = row->mnemonic;
        const bool matrix = strncmp(name, "mma.", 4) == 0, widens = strncmp(name, "vfwcvt", 6) == 0;
        assert_int_equal(karat_row_threads(row), matrix ? 32 : strcmp(name, "vftta.vv") == 0 ? 4 : 1);
        assert_int_equal(karat_row_is_matrix(row), matrix);
        if (matrix) {
            char text[64];
            const karat_product p = karat_product_of(row->match);
            snprintf(text, sizeof text, "mma.%s.%s.%s", shapes[p.shape], layouts[p.layouts], types[p.types]);
            assert_string_equal(text, name);
        }
        for (unsigned source = 1; source <= 3; source++) {
            const char *same = source == 3 ? ".f16.f16.f16.f16" : ".f16.f16";
            const bool f16 = matrix ? strstr(name, same) != NULL
                                    : strstr(name, ".f16x2") || !strcmp(name, "vcvt.fp32.fp16"),
                       bf16 = matrix ? source < 3 && strstr(name, ".bf16")
                                     : strstr(name, ".bf16x2") || !strcmp(name, "vcvt.fp32.bf16");
            bool both = false;
            const karat_halves halves = karat_source_halves(row, KARAT_PUBLIC, source, &both);
            assert_int_equal(halves, bf16            ? KARAT_HALVES_BF16
                                     : f16 || widens ? KARAT_HALVES_F16
                                                     : KARAT_NO_HALVES);
            if (halves)
                assert_int_equal(both, matrix || strstr(name, "16x2"));
            assert_int_equal(karat_source_halves(row, KARAT_V203, source, &both),
                             widens ? KARAT_NO_HALVES : halves);
        }
    }
}

TEST(unit_names) {
    for (unsigned unit = 0; unit < KARAT_NUM_UNIT; unit++)
        assert_non_null(karat_unit_name(unit));
    assert_string_equal(karat_unit_name(KARAT_UNIT_ALU), "alu");
    assert_null(karat_unit_name(KARAT_NUM_UNIT));
}

/* A prefix that extends nothing fits every instruction, and no prefix. */
TEST(prefixes_fit) {
    const int32_t none[KARAT_MAX_OPERAND] = {0};
    uint32_t prefix;
    assert_true(karat_encode(karat_find_row("regext"), none, &prefix));
    for (int i = 0; i < karat_num_rows(); i++)
        assert_int_equal(karat_prefix_fits(i, prefix), karat_row_info(i)->unit != KARAT_UNIT_PREFIX);
    assert_false(karat_prefix_fits(-1, prefix));
    assert_false(karat_prefix_fits(karat_num_rows(), prefix));
}

/* --- Disassembly --- */

enum { GUARD = 0x5a };

static void check_buffer(karat_profile profile, uint32_t prefix, uint32_t word) {
    char whole[256], text[112];
    int row = karat_disassemble(profile, 0x80000000u, prefix, word, whole, sizeof whole);
    size_t length = strlen(whole);
    assert_true(length > 0 && length < 96);
    karat_insn insn;
    assert_int_equal(row, karat_decode(profile, word, &insn));
    for (size_t size = 0; size <= 96; size++) {
        memset(text, GUARD, sizeof text);
        assert_int_equal(karat_disassemble(profile, 0x80000000u, prefix, word, text, size), row);
        if (size) {
            assert_non_null(memchr(text, 0, size));
            assert_int_equal(strlen(text), length < size ? length : size - 1);
            assert_memory_equal(text, whole, strlen(text));
        }
        for (size_t k = size; k < sizeof text; k++)
            assert_int_equal(text[k], GUARD);
    }
    for (const char *c = whole; *c; c++)
        assert_true(*c >= ' ' && *c < 127);
}

TEST(disassembly_stays_in_its_buffer) {
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        for (int n = 0; n < 8 / KARAT_TEST_SCALE + 2; n++) {
            uint32_t word = word_of(row);
            check_buffer(profile_of(row), 0, word);
            check_buffer(profile_of(row), (random_word() & 0xfff00000u) | 0x200b, word);
            check_buffer(profile_of(row), (random_word() & 0xfff00000u) | 0x300b, word);
            check_buffer(KARAT_V203, random_prefix(KARAT_V203), word);
            check_buffer(KARAT_V203, 0xfffff00a, word); /* The longest: all of its fields */
        }
    }
    for (int n = 0; n < 2000 / KARAT_TEST_SCALE; n++)
        check_buffer(n & 1 ? KARAT_V203 : KARAT_V202, n & 2 ? random_word() : 0, random_word());
    check_buffer(KARAT_V202, 0, 0);
    char text[32];
    karat_disassemble(KARAT_V202, 0, 0, 0xffffffffu, text, sizeof text);
    assert_string_equal(text, ".4byte 0xffffffff");
}

/* The fields of a prefix that its instruction's operands do not show. */
TEST(prefixes_in_text) {
    static const struct {
        uint32_t prefix, word;
        const char *text;
    } cases[] = {
        {0x00082002 | 1u << 16, 0x002081b3, "add x3, x1, x2  {prefix pair abs(1) neg(1)}"},
        {0x0008c002 | 1u << 16, 0x102081c3, "fmadd.s x3, x1, x2, x2, rne  {prefix pair abs(1) neg(2,3)}"},
        {0x00070002, 0x102081c3, "fmadd.s x3, x1, x2, x2, rne  {prefix abs(1,2,3)}"},
        {0x84000002 | 1u << 29, 0x002081b3, "add x3, x1, x34  {prefix, does not fit}"},
        {0x0010000a | 1u << 26, 0x02100157 | 3u << 12, "vadd.vi v34, v1, 32  {prefixi}"},
        {0x0009802e, 0x0000a183, "lw x3, 0(x1)  {pre_m_global_64 pair hint(3)}"},
        {0x00100006, 0x0000207b | 2u << 7, "vlw12.v v34, 0(v0)  {pre_m_32}"},
        {0xfff0005e, 0x002081b3, "add x3, x1, x2  {pre_m_private_128}"}, /* Without effect */
    };
    char text[96];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        karat_disassemble(KARAT_V203, 0, cases[i].prefix, cases[i].word, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    /* In v2.02 none of them is a prefix. */
    karat_disassemble(KARAT_V202, 0, cases[0].prefix, cases[0].word, text, sizeof text);
    assert_string_equal(text, "add x3, x1, x2");
}

TEST(csr_names) {
    assert_string_equal(karat_csr_name(0x800), "tid");
    assert_string_equal(karat_csr_name(0x80c), "rpc");
    assert_string_equal(karat_csr_name(0xc20), "vl");
    assert_null(karat_csr_name(0x80d));
    assert_null(karat_csr_name(0xc00)); /* Counters such as cycle do not exist */
}

int main(int argc, char **argv) {
    rng.state = test_seed();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return run_suite("isa", NULL, NULL);
}
