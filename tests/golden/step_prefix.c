/* REGEXT and REGEXTI (section 4.2.2; decisions, "Prefixes"): deviations. Register numbers, immediates, and
 * what does not fit: test_isa, tests/fuzz. */
#include "support.h"

/* The number of a register: three bits in the prefix, five in the instruction. */
static unsigned number(unsigned high, unsigned low) {
    return high << 5 | low;
}

/* A destination that is also the third operand is read and written at {xd, vd}, whatever x3 is. A core with
 * the deviation third-operand-apart reads it at {x3, vd}; each step in which that is another register is
 * counted. */
static void third_operand_at(bool apart) {
    RIG(r, rig_open_deviating, KARAT_V202, 8, apart ? KARAT_DEV_THIRD_OPERAND_APART : 0);
    narrow(&r, 0x0f);
    ramp_v(&r, number(1, 5), 1000, 1); /* Field x3 */
    splat_v(&r, number(2, 5), 9);      /* Field xd */
    splat_v(&r, number(3, 6), 3);
    ramp_v(&r, number(4, 7), 0, 1);
    do_prefixed(&r, regext(1, 4, 3, 2), OP("vmacc.vv", 5, 6, 7, 1)); /* Operands vd, vs1, vs2 */
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(get_v(&r, number(2, 5))[i], i < 4 ? (apart ? 1000 + i : 9) + 3 * i : 9);
        assert_int_equal(get_v(&r, number(1, 5))[i], 1000 + i);
        assert_int_equal(r.commit.write[0].old[i], 9);
    }
    assert_int_equal(r.commit.num_reads, 3);
    assert_int_equal(r.commit.read[2].source, 3);
    assert_int_equal(r.commit.read[2].reg, number(apart ? 1 : 2, 5));
    assert_int_equal(r.commit.deviated, apart ? KARAT_DEV_THIRD_OPERAND_APART : 0);
    do_prefixed(&r, regext(2, 4, 3, 2), OP("vmacc.vv", 5, 6, 7, 1)); /* Both alike: it could not be known */
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
}

TEST(third_operand) {
    third_operand_at(false);
    third_operand_at(true);
}

/* The immediate of vmsleu and vmsgtu is unsigned; with the deviation it is sign-extended, and each use where
 * that matters is counted. */
static void compare_immediate_at(bool is_signed) {
    static const struct {
        int32_t high, low; /* High -1: no prefix */
        uint32_t value, wide;
    } rows[] = {{-1, 15, 15, 15},       {-1, 16, 16, 0xfffffff0},    {-1, 31, 31, 0xffffffff},
                {0x1f, 31, 1023, 1023}, {0x20, 0, 1024, 0xfffffc00}, {0x3f, 31, 2047, 0xffffffff}};
    RIG(r, rig_open_deviating, KARAT_V202, 4, is_signed ? KARAT_DEV_COMPARE_IMMEDIATE_SIGNED : 0);
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
}

TEST(compare_immediate) {
    compare_immediate_at(false);
    compare_immediate_at(true);
}

/* Two prefixes: an error; with the deviation the first is a step of its own, and the second is that of the
 * instruction. What a prefix is alone or before goes by the word behind it as it is now. */
TEST(prefix_before_a_prefix) {
    const uint32_t first = regext(7, 7, 7, 7), second = regexti(0, 0, 1), word = OP("vadd.vi", 1, 1, 5, 1);
    for (unsigned level = 0; level < 2; level++) {
        RIG(r, rig_open_deviating, KARAT_V202, 4, level ? KARAT_DEV_PREFIX_LAST_WINS : 0);
        launch(&r);
        const uint32_t pc = r.desc.pc;
        ramp_v(&r, 1, 10, 1);
        const uint32_t words[] = {first, second, word, second};
        for (unsigned i = 0; i < 4; i++)
            set_word(&r, pc + 4 * i, words[i]);
        const karat_status status = karat_step(r.model, 0, &r.commit);
        if (!level) {
            assert_int_equal(status, KARAT_PROGRAM_ERROR);
            assert_int_equal(r.commit.error.kind, KARAT_ERR_TWO_PREFIXES);
            assert_string_equal(karat_error_name(r.commit.error.kind), "a prefix before a prefix");
            continue;
        }
        assert_int_equal(status, KARAT_OK);
        assert_int_equal(r.commit.pc, pc);
        assert_int_equal(r.commit.word, first);
        assert_int_equal(r.commit.prefix, 0);
        assert_int_equal(r.commit.next_pc, pc + 4);
        assert_int_equal(r.commit.num_writes + r.commit.num_reads, 0);
        assert_int_equal(r.commit.deviated, KARAT_DEV_PREFIX_LAST_WINS);
        assert_int_equal(karat_step(r.model, 0, &r.commit), KARAT_OK);
        assert_int_equal(r.commit.prefix, second);
        assert_int_equal(r.commit.pc, pc + 8);
        assert_int_equal(r.commit.deviated, 0);
        for (unsigned lane = 0; lane < 4; lane++)
            assert_int_equal(get_v(&r, 33)[lane], 15 + lane);
        /* A prefix at the end, alone, then before an instruction. */
        set_word(&r, pc + 16, first);
        assert_int_equal(karat_step(r.model, 0, &r.commit), KARAT_OK);
        assert_int_equal(r.commit.pc, pc + 12);
        assert_int_equal(r.commit.prefix, 0);
        launch(&r);
        set_word(&r, r.desc.pc, second);
        set_word(&r, r.desc.pc + 4, first);
        assert_int_equal(karat_step(r.model, 0, &r.commit), KARAT_OK);
        launch(&r);
        set_word(&r, r.desc.pc + 4, word);
        ramp_v(&r, 1, 20, 1);
        assert_int_equal(karat_step(r.model, 0, &r.commit), KARAT_OK);
        assert_int_equal(r.commit.prefix, second);
        assert_int_equal(get_v(&r, 33)[1], 26);
    }
}
