/* ABS and NEG of PREFIX (v2.03) against the instruction without them, on registers that subtraction and sign
 * injection have changed before: every row that has sources in registers, at every width. KARAT_COMPOSE is
 * how many instructions are compared, KARAT_SEED repeats a run. */
#include "support.h"

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
}; /* Even registers */

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

typedef struct item {
    int row;
    karat_width width;
} item;

/* The effect of an instruction without a prefix at that width: by pair where it is 64. */
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
    if (is_float && width == KARAT_W8) { /* An integer: no sign injection */
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
        if (above) /* To where the sign of binary32 is */
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

TEST(sources) {
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

int main(void) {
    rng.state = test_seed();
    return run_suite("compose", NULL, NULL);
}
