/* Instructions of v2.03 against others of the model that compose to the same:
 *   - ABS and NEG of PREFIX against the instruction without them, on registers that subtraction and sign injection have changed
 *     before: every row that has sources in registers, at every width;
 *   - wide accesses of PRE_M_* against one access of 32 bits for each word: every row that moves 32 bits, in every space, at 32-bit and
 *     64-bit addresses.
 * KARAT_COMPOSE is how many instructions of each kind are compared, KARAT_SEED repeats a run. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "fp/f32_operands.h"

#ifndef KARAT_TEST_SCALE
#define KARAT_TEST_SCALE 1
#endif

enum { LANES = 32, MAX_CASES = 1 << 14, E32 = 0x10 };
enum {
    DEST = 4,
    SOURCE_1 = 8,
    SOURCE_2 = 12,
    SOURCE_3 = 16,
    TEMP = 20,
    SIGN = 22,
    MAGNITUDE = 24
}; /* even registers */
enum { DEFAULT, GLOBAL, PRIVATE, LOCAL };

static struct rng rng;
static rig r;
static uint32_t x[KARAT_NUM_X], v[KARAT_NUM_V * LANES];
static uint64_t results;

static uint32_t random_word(void) {
    static const uint32_t corners[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x7f800001,
                                       0xffc00000, 0x80,       0x7f,       0x8000,     0x7fff,     0x7c01,
                                       0xfff00000, 0x7ff00000, 0x3f800000, 0xbff00000};
    const uint64_t n = rng_next(&rng);
    return n & 3 ? (uint32_t)(n >> 32) : corners[n >> 2 & 15];
}

static void fill_registers(void) {
    for (unsigned i = 1; i < 32; i++)
        x[i] = random_word();
    for (unsigned i = 0; i < 32 * LANES; i++)
        v[i] = random_word();
}

/* --- ABS and NEG --- */

typedef struct item {
    int row;
    karat_width width;
} item;

/* What an instruction without a prefix does at that width: by pair where it is 64. */
static void do_at(karat_width width, uint32_t word) {
    if (width != KARAT_W64)
        do_prefixed(&r, 0, word);
    else
        do_prefixed(&r, PAIRED, word);
}

static void set_sew(karat_width width) {
    DO(&r, "vsetvli", 0, 0, width == KARAT_W64 ? E32 : (int32_t)width << 3);
}

static void change_vector(int32_t reg, karat_width width, bool is_float, bool abs, bool neg) {
    set_sew(width);
    if (is_float && width == KARAT_W8) { /* an integer: no sign injection */
        set_x(&r, SIGN, 0x80);
        set_x(&r, MAGNITUDE, 0x7f);
        if (abs)
            DO(&r, "vand.vx", reg, reg, MAGNITUDE, 1);
        if (neg)
            DO(&r, "vxor.vx", reg, reg, SIGN, 1);
    } else if (is_float) {
        if (abs)
            do_at(width, OP("vfsgnjx.vv", reg, reg, reg, 1));
        if (neg)
            do_at(width, OP("vfsgnjn.vv", reg, reg, reg, 1));
    } else {
        if (abs) {
            do_at(width, OP("vrsub.vi", TEMP, reg, 0, 1));
            do_at(width, OP("vmax.vv", reg, reg, TEMP, 1));
        }
        if (neg)
            do_at(width, OP("vrsub.vi", reg, reg, 0, 1));
    }
}

static void change_scalar(int32_t reg, karat_width width, bool is_float, bool abs, bool neg) {
    const int32_t above = width < KARAT_W32 ? 32 - (8 << width) : 0;
    const karat_width wide = width == KARAT_W64 ? KARAT_W64 : KARAT_W32;
    if (is_float) {
        if (above) /* to where the sign of binary32 is */
            DO(&r, "slli", reg, reg, above);
        if (abs)
            do_at(wide, OP("fsgnjx.s", reg, reg, reg));
        if (neg)
            do_at(wide, OP("fsgnjn.s", reg, reg, reg));
        if (above)
            DO(&r, "srli", reg, reg, above);
        return;
    }
    if (above) {
        DO(&r, "slli", reg, reg, above);
        DO(&r, "srai", reg, reg, above);
    }
    if (abs) {
        const uint32_t sign = OP("srai", TEMP, reg, 31);
        do_prefixed(&r, wide == KARAT_W64 ? OP("prefixi", 1, 0, 0, 1, 0, 0) : 0, sign);
        do_at(wide, OP("xor", reg, reg, TEMP));
        do_at(wide, OP("sub", reg, reg, TEMP));
    }
    if (neg)
        do_at(wide, OP("sub", reg, 0, reg));
}

/* The source of an operand, as a bit of ABS and NEG; 0: none that is a register. */
static unsigned source_bit(const karat_operand_kind *kind) {
    if (!kind->is_reg)
        return 0;
    switch (kind->role) {
    case KARAT_ROLE_SRC1: return 1;
    case KARAT_ROLE_SRC2: return 2;
    case KARAT_ROLE_SRC3: return 4;
    case KARAT_ROLE_DEST: return kind->is_read ? 4 : 0;
    default: return 0;
    }
}

static int32_t number_of(const karat_operand_kind *kind) {
    switch (kind->role) {
    case KARAT_ROLE_SRC1: return SOURCE_1;
    case KARAT_ROLE_SRC2: return SOURCE_2;
    case KARAT_ROLE_SRC3: return SOURCE_3;
    default: return DEST;
    }
}

static unsigned sources_of(const karat_row *row) {
    unsigned bits = 0;
    for (unsigned i = 0; i < row->num_operands; i++)
        bits |= source_bit(karat_operand_info(row->operands[i]));
    return bits;
}

static void expect_alike(const char *name, karat_width width, uint32_t prefix, const karat_commit *a,
                         const karat_commit *b) {
    bool same = a->num_writes == b->num_writes && a->flags_raised == b->flags_raised &&
                a->vxsat_raised == b->vxsat_raised && a->next_pc - a->pc == b->next_pc - b->pc &&
                a->simt == b->simt && a->mask_after == b->mask_after && a->warnings == b->warnings &&
                a->active == b->active && a->width == b->width;
    for (uint32_t i = 0; same && i < a->num_writes; i++) {
        same = a->write[i].reg == b->write[i].reg && a->write[i].mask == b->write[i].mask;
        for (uint32_t lane = 0; same && lane < LANES; lane++)
            if (a->write[i].mask >> lane & 1) {
                results++;
                same = a->write[i].value[lane] == b->write[i].value[lane];
            }
    }
    results += a->num_writes == 0;
    if (!same)
        fail_msg("%s at %u bits: prefix 0x%08x is not what it is composed of", name, 8u << width, prefix);
}

static void modify(const item *it) {
    static karat_commit direct;
    static karat_commit_values values;
    const karat_row *row = karat_row_info(it->row);
    const bool is_float = karat_row_is_float(row), by_pair = it->width == KARAT_W64;
    const unsigned sources = sources_of(row);
    const unsigned abs = rng_below(&rng, 8) & sources, neg = rng_below(&rng, 8) & sources;
    const uint32_t prefix = modified(by_pair, abs, neg);
    karat_insn insn;
    uint32_t word;
    karat_decode(KARAT_V203, row->match | ((uint32_t)rng_next(&rng) & ~row->mask), &insn);
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->is_reg)
            insn.value[i] = number_of(kind);
        else if (strcmp(kind->name, "rm") == 0)
            insn.value[i] = (int32_t)rng_below(&rng, 5);
        else if (strcmp(kind->name, "target12") == 0)
            insn.value[i] = 64;
    }
    assert_true(karat_encode(it->row, insn.value, &word));
    assert_true(karat_prefix_fits(it->row, prefix));
    fill_registers();
    for (unsigned composed = 0; composed < 2; composed++) {
        launch(&r);
        DO(&r, "csrrwi", 0, 2, 3);
        for (unsigned i = 0; composed && i < row->num_operands; i++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
            const unsigned bit = source_bit(kind);
            if (!bit)
                continue;
            const karat_width width = kind->span == KARAT_SPAN_TWICE ? it->width + 1 : it->width;
            (kind->cls == KARAT_CLASS_V ? change_vector : change_scalar)(insn.value[i], width, is_float,
                                                                         abs & bit, neg & bit);
        }
        set_sew(it->width);
        do_prefixed(&r, composed ? modified(by_pair, 0, 0) : prefix, word);
        if (!composed) {
            direct = r.commit;
            karat_commit_keep(r.model, &direct, &values);
        }
    }
    expect_alike(row->mnemonic, it->width, prefix, &direct, &r.commit);
}

static void sources(void **unused) {
    (void)unused;
    static item items[MAX_CASES];
    unsigned num = 0;
    const uint64_t count = env_number("KARAT_COMPOSE", 20000 / KARAT_TEST_SCALE);
    for (int row = 0; row < karat_num_rows(); row++) {
        const karat_row *info = karat_row_info(row);
        const bool computes = karat_row_is_legal(info, KARAT_V203) && info->widths && sources_of(info);
        for (karat_width width = KARAT_W8; computes && width <= KARAT_W64; width++)
            if (info->widths >> width & 1)
                items[num++] = (item){row, width};
    }
    rig_open_v203(&r, LANES);
    r.desc.x = x;
    r.desc.v = v;
    results = 0;
    for (uint64_t i = 0; i < count || i < num; i++)
        modify(&items[i % num]);
    rig_close(&r);
    printf("ABS and NEG: %u rows and widths, %llu results\n", num, (unsigned long long)results);
}

/* --- Wide accesses --- */

static uint32_t pre_m(unsigned space, unsigned words, unsigned pair) {
    return pair << 19 | space << 5 | (words - 1) << 3 | 6;
}

typedef enum form { OFFSET, UNIT, STRIDED, INDEXED } form;

/* A row that moves 32 bits in every lane, or once, and the form of its addresses. */
static bool is_word_access(const karat_row *row, form *f) {
    static const struct {
        const char *name;
        form form;
    } forms[] = {
        {"lw", OFFSET},          {"sw", OFFSET},          {"ld", OFFSET},          {"sd", OFFSET},
        {"vlw12_v", OFFSET},     {"vsw12_v", OFFSET},     {"vlw12d_v", OFFSET},    {"vsw12d_v", OFFSET},
        {"vle32_v", UNIT},       {"vse32_v", UNIT},       {"vlse32_v", STRIDED},   {"vsse32_v", STRIDED},
        {"vluxei8_v", INDEXED},  {"vluxei16_v", INDEXED}, {"vluxei32_v", INDEXED}, {"vloxei8_v", INDEXED},
        {"vloxei16_v", INDEXED}, {"vloxei32_v", INDEXED}, {"vsuxei8_v", INDEXED},  {"vsuxei16_v", INDEXED},
        {"vsuxei32_v", INDEXED}, {"vsoxei8_v", INDEXED},  {"vsoxei16_v", INDEXED}, {"vsoxei32_v", INDEXED}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(row->name, forms[i].name) == 0) {
            *f = forms[i].form;
            return true;
        }
    return false;
}

typedef struct state {
    uint32_t x[KARAT_NUM_X], v[KARAT_NUM_V * LANES];
    uint8_t memory[MAPPED], lds[4096];
} state;

static void state_of(state *s) {
    karat_warp_view view;
    assert_int_equal(karat_view(r.model, 0, &view), KARAT_OK);
    memcpy(s->x, view.x, sizeof s->x);
    for (unsigned reg = 0; reg < KARAT_NUM_V; reg++)
        memcpy(s->v + reg * LANES, view.v[reg], LANES * sizeof *s->v);
    assert_int_equal(karat_read(r.model, DATA, s->memory, MAPPED), KARAT_OK);
    assert_int_equal(karat_lds_read(r.model, 0, LDS, s->lds, sizeof s->lds), KARAT_OK);
}

/* Addresses: the base, plus a multiple of 16 for each lane that no other has. */
static void choose_addresses(unsigned space, bool wide, form f, bool lanes) {
    const uint32_t base = (space == PRIVATE || space == LOCAL ? 0 : DATA) + 16 * rng_below(&rng, 4);
    uint32_t lane_of[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        lane_of[i] = i;
    for (uint32_t i = LANES; i > 1; i--) {
        const uint32_t k = rng_below(&rng, i), other = lane_of[k];
        lane_of[k] = lane_of[i - 1];
        lane_of[i - 1] = other;
    }
    x[SOURCE_1] = base;
    x[SOURCE_1 + 1] = wide ? 0 : random_word();
    x[SOURCE_2] = f == STRIDED ? 16 + 4 * rng_below(&rng, 3) : random_word();
    for (uint32_t i = 0; i < LANES; i++) {
        if (lanes) {
            v[SOURCE_1 * LANES + i] = base + 16 * lane_of[i];
            v[(SOURCE_1 + 1) * LANES + i] = wide ? 0 : random_word();
        }
        v[i] = rng_below(&rng, 4) ? v[i] | 1 : v[i] & ~1u; /* v0.t */
        if (f == INDEXED) {                                /* 8 bits have room for 16 lanes */
            v[SOURCE_2 * LANES + i] = 16 * (lane_of[i] % 16);
            v[i] &= lane_of[i] < 16 ? ~0u : ~1u;
        }
    }
}

/* The access of word w alone, to or from the register that it is in. */
static void narrow_access(const karat_row *row, const karat_insn *insn, form f, unsigned words, unsigned w,
                          unsigned space, unsigned pair) {
    int32_t value[KARAT_MAX_OPERAND];
    int row_number = karat_find_row(row->name);
    const bool store = !(row->owes & (KARAT_OWES_X | KARAT_OWES_V));
    const char *data = store ? (f == OFFSET ? "2" : "3") : "d";
    uint32_t word;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        const bool moved = *data == 'd' ? kind->role == KARAT_ROLE_DEST
                                        : kind->role == (*data == '2' ? KARAT_ROLE_SRC2 : KARAT_ROLE_SRC3);
        value[i] = insn->value[i] + (moved && kind->is_reg ? (int32_t)w : 0);
        if (f == OFFSET && strncmp(kind->name, "offset", 6) == 0)
            value[i] += 4 * (int32_t)w;
    }
    if (f != OFFSET) { /* the base moves on; unit stride becomes a stride of all words */
        set_x(&r, SOURCE_1, x[SOURCE_1] + 4 * w);
        if (f == UNIT) {
            row_number = karat_find_row(store ? "vsse32_v" : "vlse32_v");
            value[3] = value[2]; /* vm */
            value[2] = TEMP;
            set_x(&r, TEMP, 4 * words);
        }
    }
    assert_true(karat_encode(row_number, value, &word));
    do_prefixed(&r, pre_m(space, 1, pair), word);
}

static void access_words(int number, form f) {
    static state before, direct, composed;
    const karat_row *row = karat_row_info(number);
    const unsigned words = 2 + rng_below(&rng, 3), space = rng_below(&rng, 4), pair = rng_below(&rng, 2);
    bool lanes = false, wide = pair;
    karat_insn insn;
    uint32_t word;
    karat_decode(KARAT_V203, row->match | ((uint32_t)rng_next(&rng) & ~row->mask), &insn);
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->is_reg)
            insn.value[i] = number_of(kind);
        else if (strncmp(kind->name, "offset", 6) == 0)
            insn.value[i] = 4 * (int32_t)rng_below(&rng, 16);
        else if (kind->role == KARAT_ROLE_VM && f == INDEXED)
            insn.value[i] = 0;
        lanes = lanes || (kind->role == KARAT_ROLE_SRC1 && kind->cls == KARAT_CLASS_V);
        wide = wide || kind->span == KARAT_SPAN_ADDRESS;
    }
    assert_true(karat_encode(number, insn.value, &word));
    fill_registers();
    choose_addresses(space, wide, f, lanes);
    launch(&r);
    for (uint32_t i = 0; i < sizeof before.memory; i += 4)
        for (unsigned k = 0; k < 4; k++)
            before.memory[i + k] = (uint8_t)(i * 2654435761u >> 8 * k);
    assert_int_equal(karat_write(r.model, DATA, before.memory, MAPPED), KARAT_OK);
    assert_int_equal(karat_lds_write(r.model, 0, LDS, before.memory, 4096), KARAT_OK);
    do_prefixed(&r, pre_m(space, words, pair), word);
    assert_int_equal(r.commit.mem.words, words);
    results += r.commit.mem.num;
    state_of(&direct);
    launch(&r);
    assert_int_equal(karat_write(r.model, DATA, before.memory, MAPPED), KARAT_OK);
    assert_int_equal(karat_lds_write(r.model, 0, LDS, before.memory, 4096), KARAT_OK);
    for (unsigned w = 0; w < words; w++)
        narrow_access(row, &insn, f, words, w, space, pair);
    state_of(&composed);
    composed.x[TEMP] = direct.x[TEMP];
    composed.x[SOURCE_1] = direct.x[SOURCE_1];
    if (memcmp(&direct, &composed, sizeof direct) != 0)
        fail_msg("%s: %u words in space %u, pair %u, are not what they are composed of", row->mnemonic, words,
                 space, pair);
}

static void words(void **unused) {
    (void)unused;
    int rows[64];
    form forms[64];
    unsigned num = 0;
    const uint64_t count = env_number("KARAT_COMPOSE", 20000 / KARAT_TEST_SCALE) / 8;
    for (int row = 0; row < karat_num_rows(); row++)
        if (is_word_access(karat_row_info(row), &forms[num]))
            rows[num++] = row;
    assert_int_equal(num, 24);
    rig_open_v203(&r, LANES);
    r.desc.x = x;
    r.desc.v = v;
    r.desc.csr[KARAT_CSR_PDS] = DATA + 0x1000;
    r.desc.csr[KARAT_CSR_LDS] = LDS;
    results = 0;
    for (uint64_t i = 0; i < count || i < num; i++)
        access_words(rows[i % num], forms[i % num]);
    rig_close(&r);
    printf("wide accesses: %u rows, %llu words\n", num, (unsigned long long)results);
}

int main(void) {
    rng.state = test_seed();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests_name("compose", tests, NULL, NULL);
}
