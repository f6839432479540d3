/* REGEXT and REGEXTI (section 4.2.2; decisions, "Prefixes"). */
#include "step.h"

/* The number of a register: three bits in the prefix, five in the instruction. */
static unsigned number(unsigned high, unsigned low) {
    return high << 5 | low;
}

static void regext_fields(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    ramp_v(&r, number(1, 2), 100, 1);
    ramp_v(&r, number(2, 1), 2000, 10);
    uint32_t prefix = regext(0, 1, 2, 3), word = OP("vsub.vv", 3, 2, 1, 1);
    do_prefixed(&r, prefix, word);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(get_v(&r, number(3, 3))[i], 100 + i - (2000 + 10 * i));
    /* One step: the instruction's pc, and on after it. */
    assert_int_equal(r.commit.pc, CODE + 4);
    assert_int_equal(r.commit.word, word);
    assert_int_equal(r.commit.prefix, prefix);
    assert_int_equal(r.commit.next_pc, CODE + 8);
    assert_int_equal(pc_of(&r), CODE + 8);
    assert_int_equal(r.commit.row, karat_find_row("vsub.vv"));
    assert_int_equal(r.commit.warnings, 0);
    assert_int_equal(r.commit.num_reads, 2);
    assert_int_equal(r.commit.read[0].reg, number(2, 1));
    assert_int_equal(r.commit.read[1].reg, number(1, 2));
    assert_int_equal(r.commit.write[0].reg, number(3, 3));
    /* The highest register of all. */
    splat_v(&r, 255, 77);
    do_prefixed(&r, regext(0, 7, 7, 7), OP("vadd.vv", 30, 31, 31, 1));
    assert_int_equal(get_v(&r, 254)[3], 154);
    rig_close(&r);
}

static void scalar_numbers(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    set_x(&r, 34, 1000);
    set_x(&r, 63, 234);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("sub", 1, 2, 31));
    assert_int_equal(get_x(&r, 33), 766);
    do_prefixed(&r, regext(0, 0, 1, 0), OP("addi", 5, 2, -1));
    assert_int_equal(get_x(&r, 5), 999);
    /* x32 is not x0. */
    do_prefixed(&r, regext(0, 0, 1, 1), OP("addi", 0, 2, 5));
    assert_int_equal(get_x(&r, 32), 1005);
    assert_int_equal(r.commit.num_writes, 1);
    do_prefixed(&r, regext(0, 1, 0, 0), OP("add", 6, 0, 0));
    assert_int_equal(get_x(&r, 6), 1005);
    /* Scalars end at x63. */
    fail_prefixed(&r, regext(0, 0, 0, 2), OP("add", 0, 0, 0), KARAT_ERR_REGISTER);
    fail_prefixed(&r, regext(0, 0, 2, 0), OP("add", 1, 0, 0), KARAT_ERR_REGISTER);
    fail_prefixed(&r, regext(0, 4, 0, 0), OP("add", 1, 0, 0), KARAT_ERR_REGISTER);
    fail_prefixed(&r, regext(0, 0, 2, 0), OP("vadd.vx", 1, 1, 1, 1), KARAT_ERR_REGISTER);
    fail_prefixed(&r, regext(0, 0, 0, 7), OP("vmv.x.s", 1, 1), KARAT_ERR_REGISTER);
    fail_prefixed(&r, regext(0, 0, 2, 0), OP("vle32.v", 1, 1, 1), KARAT_ERR_REGISTER);
    fail_prefixed(&r, regexti(0, 0, 2), OP("csrrwi", 1, 0x340, 0), KARAT_ERR_REGISTER);
    /* and a scalar operand of a vector instruction reaches that far. */
    set_x(&r, 63, 7);
    splat_v(&r, 40, 3);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vmul.vx", 9, 8, 31, 1));
    assert_int_equal(get_v(&r, 41)[7], 21);
    rig_close(&r);
}

static void regexti_immediates(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    /* Signed: 11 bits. {imm[10:5], imm[4:0]}; the five bits alone would be sign-extended. */
    static const struct {
        unsigned high;
        int32_t low, value;
    } rows[] = {{0x00, 15, 15}, {0x00, -16, 16}, {0x00, -1, 31}, {0x1f, -1, 1023},  {0x20, 0, -1024},
                {0x3f, -1, -1}, {0x3f, 0, -32},  {0x01, 0, 32},  {0x15, 10, 0x2aa}, {0x2a, -11, -683}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        splat_v(&r, 64 + 2, 5000);
        do_prefixed(&r, regexti(rows[i].high, 2, 1), OP("vadd.vi", 3, 2, rows[i].low, 1));
        assert_int_equal(get_v(&r, 32 + 3)[4], 5000 + rows[i].value);
        assert_int_equal(r.commit.write[0].reg, 35);
        assert_int_equal(r.commit.read[0].reg, 66);
        do_prefixed(&r, regexti(rows[i].high, 0, 0), OP("vmv.v.i", 4, rows[i].low));
        assert_int_equal((int32_t)get_v(&r, 4)[0], rows[i].value);
    }
    /* Unsigned: zero-extended; a shift takes the low five bits. */
    splat_v(&r, 2, 0x80000001);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("vsll.vi", 5, 2, 4, 1));
    assert_int_equal(get_v(&r, 5)[0], 0x00000010);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("vsrl.vi", 5, 2, 31, 1));
    assert_int_equal(get_v(&r, 5)[0], 1);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("vsra.vi", 5, 2, 30, 1));
    assert_int_equal(get_v(&r, 5)[0], 0xfffffffe);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("vssrl.vi", 5, 2, 30, 1));
    assert_int_equal(get_v(&r, 5)[0], 2);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("vssra.vi", 5, 2, 30, 1));
    assert_int_equal(get_v(&r, 5)[0], -2u);
    do_prefixed(&r, regexti(0x20, 0, 0), OP("vsadd.vi", 5, 6, 0, 1)); /* -1024 */
    assert_int_equal(get_v(&r, 5)[0], -1024u);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("vsaddu.vi", 5, 5, 0, 1)); /* -32, as 0xffffffe0 */
    assert_int_equal(get_v(&r, 5)[0], 0xffffffff);
    set_x(&r, 1, 0x80000001);
    do_prefixed(&r, regexti(0x3f, 0, 1), OP("srai", 2, 1, 4));
    assert_int_equal(get_x(&r, 34), 0xf8000000);
    do_prefixed(&r, regexti(0x15, 0, 0), OP("csrrwi", 1, 0x340, 0x0a));
    assert_int_equal(get_csr(&r, 0x340), 0x2aa);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("csrrwi", 1, 0x340, 0x1f));
    assert_int_equal(get_csr(&r, 0x340), 0x7ff);
    do_prefixed(&r, regexti(0x3f, 0, 0), OP("csrrci", 1, 0x340, 0x10));
    assert_int_equal(get_csr(&r, 0x340), 0x00f);
    do_prefixed(&r, regexti(0x01, 0, 1), OP("vsetivli", 2, 0, 0x10)); /* AVL 32 */
    assert_int_equal(get_x(&r, 34), 8);
    do_prefixed(&r, regexti(0x20, 0, 1), OP("vsetivli", 2, 1, 0x10)); /* 1025: not negative */
    assert_int_equal(get_x(&r, 34), 8);
    rig_close(&r);
}

/* Non-zero extensions of what the instruction has not. */
static void fields_that_are_not_there(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    const struct {
        uint32_t prefix, word;
    } bad[] = {
        {regext(1, 0, 0, 0), OP("vadd.vv", 3, 2, 1, 1)}, /* no third source */
        {regext(1, 0, 0, 0), OP("vmul.vv", 3, 2, 1, 1)},
        {regext(0, 1, 0, 0), OP("addi", 1, 2, 3)}, /* no rs2 */
        {regext(0, 1, 0, 0), OP("vmv.v.v", 3, 1)},
        {regext(0, 1, 0, 0), OP("vadd12.vi", 3, 1, 5)},
        {regext(0, 1, 0, 0), OP("vlw12.v", 3, 0, 1)},
        {regext(0, 0, 1, 0), OP("vid.v", 3, 1)}, /* no vs1 */
        {regext(0, 0, 1, 0), OP("vmv.x.s", 3, 1)},
        {regext(0, 0, 1, 0), OP("lui", 3, 1)},
        {regext(0, 0, 1, 0), OP("vadd.vi", 3, 2, 1, 1)}, /* an immediate there */
        {regext(0, 0, 1, 0), OP("csrrwi", 3, 0x340, 1)},
        {regext(0, 0, 0, 1), OP("vsw12.v", 3, 0, 1)}, /* nothing is written */
        {regext(0, 0, 0, 1), OP("vse32.v", 3, 1, 1)},
        {regext(0, 0, 0, 1), OP("sw", 3, 0, 1)},
        {regext(0, 0, 0, 1), OP("beq", 3, 1, 8)},
        {regext(0, 0, 0, 1), OP("vbeq", 3, 1, 8)},
        {regext(1, 0, 0, 0), OP("vsw12.v", 3, 0, 1)}, /* data is vs2 */
        {regext(0, 1, 0, 0), OP("vse32.v", 3, 1, 1)}, /* data is vs3 */
        {regext(0, 1, 0, 0), OP("vfmv.v.f", 3, 1)},
        {regext(0, 0, 1, 0), OP("vfcvt.x.f.v", 3, 2, 1)},
        {regext(0, 0, 1, 0), OP("vfmv.f.s", 3, 1)},
        {regext(1, 0, 0, 0), OP("vfmerge.vfm", 3, 2, 1)},
        {regext(0, 1, 0, 0), OP("vle8.v", 3, 1, 1)},
        {regext(0, 0, 0, 1), OP("vse16.v", 3, 1, 1)},
        {regext(1, 0, 0, 0), OP("vluxei8.v", 3, 1, 2, 1)},
        {regext(0, 0, 0, 1), OP("vsoxei16.v", 3, 1, 2, 1)},
        {regext(0, 0, 0, 1), OP("join", 0)},
        {regext(0, 0, 1, 0), OP("endprg", 0)},
        {regext(0, 0, 1, 0), OP("barrier", 0)},
        {regext(0, 0, 1, 0), OP("fence", 0, 0, 0, 0, 0)},
        {regext(0, 0, 0, 1), OP("fence", 0, 0, 0, 0, 0)},
        {regexti(1, 0, 0), OP("vadd.vv", 3, 2, 1, 1)}, /* no 5-bit immediate */
        {regexti(1, 0, 0), OP("addi", 1, 2, 3)},
        {regexti(1, 0, 0), OP("vadd12.vi", 3, 2, 1)},
        {regexti(1, 0, 0), OP("lui", 1, 2)},
        {regexti(1, 0, 0), OP("barrier", 3)},
        {regexti(1, 0, 0), OP("vlw12.v", 3, 0, 1)},
        {regexti(0, 1, 0), OP("vmv.v.i", 3, 1)},
        {regexti(0, 1, 0), OP("slli", 3, 1, 1)},
        {regexti(0, 0, 1), OP("sb", 3, 1, 1)},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fail_prefixed(&r, bad[i].prefix, bad[i].word, KARAT_ERR_PREFIX);
    /* A prefix of zeros fits everything, and says that it was there. */
    do_prefixed(&r, regext(0, 0, 0, 0), OP("join", 0));
    assert_int_equal(r.commit.prefix, 0x0000200b);
    do_prefixed(&r, regexti(0, 0, 0), OP("add", 1, 2, 3));
    assert_int_equal(r.commit.prefix, 0x0000300b);
    do_prefixed(&r, regext(0, 0, 0, 0), OP("endprg", 0));
    assert_int_equal(r.commit.ended, 1);
    rig_close(&r);
}

static void before_what_is_no_instruction(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    fail_prefixed(&r, regext(0, 0, 0, 0), regext(0, 0, 0, 0), KARAT_ERR_PREFIX);
    assert_int_equal(r.commit.pc, CODE + 4);
    assert_int_equal(r.commit.prefix, 0x0000200b);
    fail_prefixed(&r, regext(0, 0, 0, 1), regexti(0, 0, 0), KARAT_ERR_PREFIX);
    fail_prefixed(&r, regext(0, 0, 0, 0), 0xffffffff, KARAT_ERR_ILLEGAL);
    fail_prefixed(&r, regext(0, 0, 0, 0), OP("ecall", 0), KARAT_ERR_LEFT_OUT);
    /* A prefix as the last mapped word. */
    r.desc.pc = CODE + MAPPED - 4;
    launch(&r);
    fail_word(&r, regext(0, 0, 0, 0), KARAT_ERR_FETCH);
    /* Not quite a prefix: its zero fields must be zero. */
    r.desc.pc = CODE;
    launch(&r);
    fail_word(&r, 0x0000200b | 1u << 7, KARAT_ERR_ILLEGAL);
    fail_word(&r, 0x0000200b | 1u << 15, KARAT_ERR_ILLEGAL);
    rig_close(&r);
}

/* A destination that is also the third operand is read and written at {xd, vd}, whatever x3 is. A core with the deviation
 * third-operand-apart reads it at {x3, vd}; each step in which that is another register is counted. */
static void third_operand_at(bool apart) {
    rig r;
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 8;
    config.deviations = apart ? KARAT_DEV_THIRD_OPERAND_APART : 0;
    rig_open_config(&r, &config);
    narrow(&r, 0x0f);
    ramp_v(&r, number(1, 5), 1000, 1); /* of x3 */
    splat_v(&r, number(2, 5), 9);      /* of xd */
    splat_v(&r, number(3, 6), 3);
    ramp_v(&r, number(4, 7), 0, 1);
    do_prefixed(&r, regext(1, 4, 3, 2), OP("vmacc.vv", 5, 6, 7, 1)); /* vd, vs1, vs2 */
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(get_v(&r, number(2, 5))[i], i < 4 ? (apart ? 1000 + i : 9) + 3 * i : 9);
        assert_int_equal(get_v(&r, number(1, 5))[i], 1000 + i);
        assert_int_equal(r.commit.write[0].old[i], 9);
    }
    assert_int_equal(r.commit.num_reads, 3);
    assert_int_equal(r.commit.read[2].source, 3);
    assert_int_equal(r.commit.read[2].reg, number(apart ? 1 : 2, 5));
    assert_int_equal(r.commit.deviated, apart ? KARAT_DEV_THIRD_OPERAND_APART : 0);
    do_prefixed(&r, regext(2, 4, 3, 2), OP("vmacc.vv", 5, 6, 7, 1)); /* both alike: it could not be known */
    assert_int_equal(r.commit.read[2].reg, number(2, 5));
    assert_int_equal(r.commit.deviated, 0);
    /* REGEXTI: x3 = x1 = 0. */
    splat_v(&r, 5, 1);
    splat_v(&r, number(2, 5), 50);
    set_x(&r, 6, 2);
    do_prefixed(&r, regexti(0, 4, 2), OP("vmacc.vx", 5, 6, 7, 1));
    assert_int_equal(get_v(&r, number(2, 5))[3], (apart ? 1 : 50) + 2 * 3);
    /* A floating-point one. */
    splat_v(&r, number(7, 5), 0x3f800000); /* 1.0 */
    splat_v(&r, number(6, 5), 0x40800000); /* 4.0 */
    splat_v(&r, number(3, 6), 0x40000000); /* 2.0 */
    splat_v(&r, number(4, 7), 0x40400000); /* 3.0 */
    do_prefixed(&r, regext(7, 4, 3, 6), OP("vfmsac.vv", 5, 6, 7, 1));
    assert_int_equal(get_v(&r, number(6, 5))[0], apart ? 0x40a00000 : 0x40000000); /* 2 * 3 - 1, 2 * 3 - 4 */
    /* Stores of the V extension have a third operand of their own. */
    set_x(&r, 8, DATA);
    do_prefixed(&r, regext(7, 0, 0, 0), OP("vse32.v", 5, 8, 1));
    assert_int_equal(get_word(&r, DATA), 0x3f800000);
    assert_int_equal(r.commit.deviated, 0);
    rig_close(&r);
}

static void third_operand(void **unused) {
    (void)unused;
    third_operand_at(false);
    third_operand_at(true);
}

/* The immediate of vmsleu and vmsgtu is unsigned; with the deviation it is sign-extended, and each use where that matters is counted. */
static void compare_immediate_at(bool is_signed) {
    static const struct {
        int32_t high, low; /* high -1: no prefix */
        uint32_t value, wide;
    } rows[] = {{-1, 15, 15, 15},       {-1, 16, 16, 0xfffffff0},    {-1, 31, 31, 0xffffffff},
                {0x1f, 31, 1023, 1023}, {0x20, 0, 1024, 0xfffffc00}, {0x3f, 31, 2047, 0xffffffff}};
    rig r;
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    config.deviations = is_signed ? KARAT_DEV_COMPARE_IMMEDIATE_SIGNED : 0;
    rig_open_config(&r, &config);
    launch(&r);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t against = is_signed ? rows[i].wide : rows[i].value;
        const uint32_t values[KARAT_MAX_THREAD] = {against - 1, against, against + 1, 0x7fffffff};
        for (int greater = 0; greater < 2; greater++) {
            set_v(&r, 2, values);
            const uint32_t word = OP(greater ? "vmsgtu.vi" : "vmsleu.vi", 5, 2, rows[i].low, 1);
            rows[i].high < 0 ? do_word(&r, word)
                             : do_prefixed(&r, regexti((unsigned)rows[i].high, 0, 0), word);
            for (unsigned lane = 0; lane < 4; lane++)
                assert_int_equal(get_v(&r, 5)[lane], (values[lane] > against) == greater);
            assert_int_equal(r.commit.deviated, is_signed && rows[i].wide != rows[i].value
                                                    ? KARAT_DEV_COMPARE_IMMEDIATE_SIGNED
                                                    : 0);
        }
    }
    rig_close(&r);
}

static void compare_immediate(void **unused) {
    (void)unused;
    compare_immediate_at(false);
    compare_immediate_at(true);
}

static void stores(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    ramp_v(&r, number(3, 4), 70, 1);
    set_x(&r, 40, DATA);
    do_prefixed(&r, regext(3, 0, 1, 0), OP("vse32.v", 4, 8, 1)); /* vs3, base */
    assert_int_equal(get_word(&r, DATA + 28), 77);
    ramp_v(&r, number(2, 9), DATA + 64, 4);
    do_prefixed(&r, regext(0, 3, 2, 0), OP("vsw12.v", 4, 0, 9)); /* vs2, offset, vs1 */
    assert_int_equal(get_word(&r, DATA + 64 + 12), 73);
    set_x(&r, 33, 0xabcd1234);
    do_prefixed(&r, regext(0, 1, 1, 0), OP("sw", 1, 4, 8));
    assert_int_equal(get_word(&r, DATA + 4), 0xabcd1234);
    do_prefixed(&r, regext(0, 0, 1, 1), OP("lw", 2, 4, 8));
    assert_int_equal(get_x(&r, 34), 0xabcd1234);
    rig_close(&r);
}

static void v0_is_never_extended(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    const uint32_t mask[KARAT_MAX_THREAD] = {1, 0, 3, 2}, ones[KARAT_MAX_THREAD] = {1, 1, 1, 1, 1, 1, 1, 1};
    set_v(&r, 0, mask);
    for (unsigned high = 1; high < 8; high++)
        set_v(&r, number(high, 0), ones);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vv", 1, 0, 0, 0));
    static const uint32_t expected[4] = {2, 0, 2, 0};
    assert_memory_equal(get_v(&r, number(1, 1)), expected, sizeof expected);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadc.vvm", 2, 0, 0));
    static const uint32_t sum[4] = {3, 2, 3, 2};
    assert_memory_equal(get_v(&r, number(1, 2)), sum, sizeof sum);
    rig_close(&r);
}

static void pc_relative(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    do_prefixed(&r, regext(0, 0, 0, 1), OP("auipc", 1, 1));
    assert_int_equal(get_x(&r, 33), CODE + 4 + 0x1000);
    do_prefixed(&r, regext(0, 0, 0, 1), OP("jal", 2, 0x100));
    assert_int_equal(get_x(&r, 34), CODE + 16);
    assert_int_equal(pc_of(&r), CODE + 12 + 0x100);
    uint32_t pc = pc_of(&r);
    do_prefixed(&r, regext(0, 1, 1, 0), OP("beq", 1, 1, 0x20));
    assert_int_equal(pc_of(&r), pc + 4 + 0x20);
    pc = pc_of(&r);
    do_prefixed(&r, regext(0, 1, 1, 0), OP("bne", 1, 1, 0x20));
    assert_int_equal(pc_of(&r), pc + 8);
    /* A divergence after a prefix: the if path is after the instruction. */
    pc = pc_of(&r);
    ramp_v(&r, 32, 0, 1);
    do_prefixed(&r, regext(0, 1, 2, 0), OP("vbeq", 0, 0, 0x40)); /* lane 0 */
    assert_int_equal(r.commit.simt, KARAT_SIMT_DIVERGE);
    assert_int_equal(r.commit.top.next, pc + 8);
    assert_int_equal(pc_of(&r), pc + 4 + 0x40);
    rig_close(&r);
}

/* The word before a jump's target looks like a prefix: executed without it, counted. */
static void skipped_prefix(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    set_word(&r, CODE + 0x3c, regext(0, 0, 0, 1));
    DO(&r, "jal", 0, 0x40);
    assert_int_equal(r.commit.warnings, 0);
    DO(&r, "addi", 1, 0, 5);
    assert_int_equal(r.commit.warnings, KARAT_WARN_SKIPPED_PREFIX);
    assert_int_equal(r.commit.prefix, 0);
    assert_int_equal(get_x(&r, 1), 5);
    assert_int_equal(get_x(&r, 33), 0);
    /* Not at the next instruction, not where a warp starts, and not where the prefix itself is the target. */
    DO(&r, "addi", 1, 0, 6);
    assert_int_equal(r.commit.warnings, 0);
    r.desc.pc = CODE + 0x40;
    launch(&r);
    DO(&r, "addi", 1, 0, 7);
    assert_int_equal(r.commit.warnings, 0);
    r.desc.pc = CODE;
    launch(&r);
    DO(&r, "jal", 0, 0x3c);
    do_prefixed(&r, regext(0, 0, 0, 1), OP("addi", 1, 0, 5));
    assert_int_equal(r.commit.warnings, 0);
    assert_int_equal(get_x(&r, 33), 5);
    /* A target at the very beginning of what is mapped has no word before it. */
    DO(&r, "jal", 0, -0x44);
    DO(&r, "addi", 1, 0, 5);
    assert_int_equal(r.commit.warnings, 0);
    rig_close(&r);
}

static void profile_v203(void **unused) {
    (void)unused;
    karat_config config;
    karat_config_default(&config);
    config.profile = KARAT_V203;
    config.num_thread = 8;
    rig r;
    rig_open_config(&r, &config);
    splat_v(&r, 32, 6);
    do_prefixed(&r, regext(0, 1, 1, 2), OP("vadd.vv", 0, 0, 0, 1));
    assert_int_equal(get_v(&r, 64)[7], 12);
    do_prefixed(&r, regexti(1, 1, 2), OP("vadd.vi", 0, 0, 1, 1));
    assert_int_equal(get_v(&r, 64)[7], 6 + 33);
    DO(&r, "vsub12.vi", 1, 0, 1);
    assert_int_equal(get_v(&r, 1)[0], 0xffffffff);
    /* The private stores are v2.02's alone: with funct3 000 their words are vlb12d.v, whose base must be even. */
    FAIL(&r, KARAT_ERR_ILLEGAL, "vsb.v", 1, 0, 3);
    rig_close(&r);
}

int prefix_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regext_fields),
        cmocka_unit_test(scalar_numbers),
        cmocka_unit_test(regexti_immediates),
        cmocka_unit_test(fields_that_are_not_there),
        cmocka_unit_test(before_what_is_no_instruction),
        cmocka_unit_test(third_operand),
        cmocka_unit_test(compare_immediate),
        cmocka_unit_test(stores),
        cmocka_unit_test(v0_is_never_extended),
        cmocka_unit_test(pc_relative),
        cmocka_unit_test(skipped_prefix),
        cmocka_unit_test(profile_v203),
    };
    return cmocka_run_group_tests_name("prefix", tests, NULL, NULL);
}
