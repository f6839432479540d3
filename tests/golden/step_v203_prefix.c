/* PREFIX and PREFIXI (v2.03, "computation prefixes"): ABS and NEG. Extensions, and what does not fit: test_isa, tests/fuzz. */
#include "support.h"

enum { S1 = 1, S2 = 2, S3 = 4 }; /* bits of ABS and NEG */

static uint32_t prefixi(unsigned imm_10_5, unsigned x2, unsigned xd, unsigned abs, unsigned neg) {
    return OP("prefixi", (int32_t)imm_10_5, (int32_t)x2, (int32_t)xd, 0, (int32_t)abs, (int32_t)neg);
}

/* Both bits: ABS before NEG. */
TEST(modified_integers) {
    RIG(r, rig_open_v203, 4);
    static const uint32_t values[] = {5, -5u, 0x80000000, 0};
    set_v(&r, 1, values);
    splat_v(&r, 2, 100);
    do_prefixed(&r, modified(0, S1, 0), OP("vadd.vv", 3, 2, 1, 1));
    EXPECT_V(&r, 3, 105, 105, 0x80000064, 100);
    do_prefixed(&r, modified(0, 0, S1), OP("vadd.vv", 3, 2, 1, 1));
    EXPECT_V(&r, 3, 95, 105, 0x80000064, 100);
    do_prefixed(&r, modified(0, S1, S1), OP("vadd.vv", 3, 2, 1, 1));
    EXPECT_V(&r, 3, 95, 95, 0x80000064, 100);
    do_prefixed(&r, modified(0, S1, S2), OP("vadd.vv", 3, 2, 1, 1));
    EXPECT_V(&r, 3, -95u, -95u, 0x7fffff9c, -100u);
    /* The registers and what the commit reports of them are the values before. */
    EXPECT_V(&r, 1, 5, -5u, 0x80000000, 0);
    assert_int_equal(r.commit.read[0].value[1], -5u);
    assert_int_equal(r.commit.read[1].value[1], 100);
    /* Source 3 is the old destination, and it may be a source by a register as well. */
    splat_v(&r, 4, -7u);
    do_prefixed(&r, modified(0, S3, 0), OP("vmacc.vv", 4, 2, 2, 1));
    EXPECT_V(&r, 4, 10007, 10007, 10007, 10007);
    do_prefixed(&r, modified(0, 0, S3), OP("vmacc.vv", 4, 2, 2, 1));
    EXPECT_V(&r, 4, -7u, -7u, -7u, -7u);
    do_prefixed(&r, modified(0, S1 | S2 | S3, S2), OP("vmadd.vv", 4, 2, 2, 1)); /* 100 * 7 - 100 */
    EXPECT_V(&r, 4, 600, 600, 600, 600);
    /* Scalars: rs1 is source 1, rs2 source 2. */
    set_x(&r, 5, -9u);
    set_x(&r, 6, -4u);
    do_prefixed(&r, modified(0, S1, 0), OP("sub", 7, 5, 6));
    assert_int_equal(get_x(&r, 7), 13);
    do_prefixed(&r, modified(0, S2, 0), OP("sub", 7, 5, 6));
    assert_int_equal(get_x(&r, 7), -13u);
    do_prefixed(&r, modified(0, 0, S1 | S2), OP("sub", 7, 5, 6));
    assert_int_equal(get_x(&r, 7), 5);
    do_prefixed(&r, modified(0, S1, 0), OP("vadd.vx", 8, 2, 5, 1));
    EXPECT_V(&r, 8, 109, 109, 109, 109);
    /* Branches compare what they are modified to. */
    do_prefixed(&r, modified(0, S2, 0), OP("blt", 0, 5, 8));
    assert_int_equal(r.commit.next_pc, r.commit.pc + 8);
    do_prefixed(&r, modified(0, S2, 0),
                OP("vblt", 1, 2, 64)); /* v1 < 100, of which 0x80000000 stays negative */
    assert_int_equal(r.commit.simt, KARAT_SIMT_UNIFORM);
    do_prefixed(&r, modified(0, S2, 0), OP("vblt", 1, 0, 64)); /* |v1| < 0 */
    assert_int_equal(r.commit.simt, KARAT_SIMT_DIVERGE);
    assert_int_equal(mask_of(&r), 4);
}

/* An immediate in a source's place is modified after its extension. */
TEST(modified_immediates) {
    RIG(r, rig_open_v203, 4);
    splat_v(&r, 2, 100);
    set_x(&r, 5, 1000);
    do_prefixed(&r, modified(0, S1, 0), OP("vadd.vi", 3, 2, -3, 1));
    EXPECT_V(&r, 3, 103, 103, 103, 103);
    do_prefixed(&r, prefixi(0x20, 0, 0, S1, 0), OP("vadd.vi", 3, 2, 0, 1)); /* |-1024| */
    EXPECT_V(&r, 3, 1124, 1124, 1124, 1124);
    do_prefixed(&r, modified(0, S2, 0), OP("addi", 6, 5, -7));
    assert_int_equal(get_x(&r, 6), 1007);
    do_prefixed(&r, modified(0, 0, S2), OP("addi", 6, 5, -2048));
    assert_int_equal(get_x(&r, 6), 3048);
    do_prefixed(&r, modified(0, 0, S2), OP("slli", 6, 5, 30)); /* by -30: 2 */
    assert_int_equal(get_x(&r, 6), 4000);
    do_prefixed(&r, modified(0, 0, S2), OP("lui", 6, 1));
    assert_int_equal(get_x(&r, 6), 0xfffff000);
    do_prefixed(&r, modified(0, 0, S2), OP("auipc", 6, 1));
    assert_int_equal(get_x(&r, 6), r.commit.pc - 0x1000);
    do_prefixed(&r, modified(0, 0, S2), OP("vadd12.vi", 3, 2, 4000));
    EXPECT_V(&r, 3, -3900u, -3900u, -3900u, -3900u);
    do_prefixed(&r, modified(0, 0, S1), OP("vmv.v.i", 3, 9));
    EXPECT_V(&r, 3, -9u, -9u, -9u, -9u);
}

/* Deviation vadd12-signed extends the immediate before NEG, as the ISA does without it. */
TEST(modified_signed_vadd12) {
    karat_config config;
    karat_config_default(&config);
    config.profile = KARAT_V203;
    config.num_thread = 4;
    config.deviations = KARAT_DEV_VADD12_SIGNED;
    RIG(r, rig_open_config, &config);
    splat_v(&r, 2, 100);
    DO(&r, "vadd12.vi", 3, 2, 0xfff);
    EXPECT_V(&r, 3, 99, 99, 99, 99);
    assert_int_equal(r.commit.deviated, KARAT_DEV_VADD12_SIGNED);
    do_prefixed(&r, modified(0, 0, S2), OP("vadd12.vi", 3, 2, 0xfff));
    EXPECT_V(&r, 3, 101, 101, 101, 101);
    assert_int_equal(r.commit.deviated, KARAT_DEV_VADD12_SIGNED);
    do_prefixed(&r, modified(0, 0, S2), OP("vadd12.vi", 3, 2, 5));
    EXPECT_V(&r, 3, 95, 95, 95, 95);
    assert_int_equal(r.commit.deviated, 0);
}

/* At the width of the elements. */
TEST(modified_widths) {
    RIG(r, rig_open_v203, 4);
    static const uint32_t bytes[] = {0x7fffff80, 0xff, 0x12345681, 0x7f},
                          halves[] = {0x8000, 0xffff, 0x7fff8001, 3};
    DO(&r, "vsetvli", 0, 0, 0x00); /* e8 */
    set_v(&r, 1, bytes);
    do_prefixed(&r, modified(0, S1, 0), OP("vmv.v.v", 3, 1));
    EXPECT_V(&r, 3, 0xffffff80, 1, 0x7f, 0x7f);
    do_prefixed(&r, modified(0, 0, S2), OP("vadd.vi", 3, 1, 0, 1));
    EXPECT_V(&r, 3, 0xffffff80, 1, 0x7f, 0xffffff81);
    DO(&r, "vsetvli", 0, 0, 0x08); /* e16 */
    set_v(&r, 1, halves);
    do_prefixed(&r, modified(0, S1, 0), OP("vmv.v.v", 3, 1));
    EXPECT_V(&r, 3, 0xffff8000, 1, 0x7fff, 3);
    do_prefixed(&r, modified(0, S1, S1), OP("vmv.v.v", 3, 1));
    EXPECT_V(&r, 3, 0xffff8000, 0xffffffff, 0xffff8001, -3u);
    /* binary16: the sign bit is bit 15. */
    do_prefixed(&r, modified(0, S2, 0), OP("vfadd.vf", 3, 1, 0, 1));
    EXPECT_V(&r, 3, 0xffff0000, 0xffff7e00, 0xffff0001, 0xffff0003);
    /* Mask logic has whole registers whatever SEW is. */
    splat_v(&r, 1, 0xffff0001);
    splat_v(&r, 2, 0xffffffff);
    do_prefixed(&r, modified(0, S1, 0), OP("vmand.mm", 3, 2, 1));
    EXPECT_V(&r, 3, 0x0000ffff, 0x0000ffff, 0x0000ffff, 0x0000ffff);
    /* By pair: 64 bits. */
    set_x64(&r, 2, -5);
    set_x64(&r, 4, INT64_MIN);
    do_prefixed(&r, modified(1, S1, 0), OP("add", 6, 2, 0));
    assert_true(get_x64(&r, 6) == 5);
    do_prefixed(&r, modified(1, S1, 0), OP("add", 6, 4, 0));
    assert_true(get_x64(&r, 6) == 1ull << 63);
    do_prefixed(&r, modified(1, 0, S2), OP("add", 6, 0, 2));
    assert_true(get_x64(&r, 6) == 5);
    do_prefixed(&r, modified(1, 0, S2), OP("addi", 6, 0, 1));
    assert_true(get_x64(&r, 6) == ~0ull);
    static const uint64_t doubles[] = {1ull << 63, -7, 7, ~0ull};
    set_v64(&r, 8, doubles);
    do_prefixed(&r, modified(1, S1, 0), OP("vmv.v.v", 10, 8));
    EXPECT_V64(&r, 10, 1ull << 63, 7, 7, 1);
    /* The word rows have 64 bits without pair. */
    do_prefixed(&r, modified(0, 0, S1), OP("addw", 6, 2, 0));
    assert_true(get_x64(&r, 6) == 5);
    /* Widening: the wide source and the third operand have twice the bits of the others. */
    DO(&r, "vsetvli", 0, 0, 0x00);
    splat_v(&r, 1, 0xff);                                                 /* -1 */
    splat_v(&r, 2, 0x00ff);                                               /* 255 in 16 bits */
    do_prefixed(&r, modified(0, 0, S1 | S2), OP("vwadd.wx", 3, 2, 2, 1)); /* -(x2's low byte 0xfb) - 255 */
    EXPECT_V(&r, 3, 5 - 255u, 5 - 255u, 5 - 255u, 5 - 255u);
    splat_v(&r, 3, 0x8001);
    do_prefixed(&r, modified(0, S1 | S3, 0), OP("vwmacc.vv", 3, 1, 1, 1)); /* 0x7fff + 1 * -1 */
    EXPECT_V(&r, 3, 0x7ffe, 0x7ffe, 0x7ffe, 0x7ffe);
    DO(&r, "vsetvli", 0, 0, 0x10);
    splat_v64(&r, 4, -3);
    splat_v(&r, 1, -2u);
    do_prefixed(&r, modified(0, S1 | S3, 0), OP("vwmacc.vv", 4, 1, 1, 1)); /* 3 + 2 * -2 */
    EXPECT_V64(&r, 4, ~0ull, ~0ull, ~0ull, ~0ull);
}

/* Before floating point they act on sign bits, of NaNs and of integers, too. */
TEST(modified_floats) {
    RIG(r, rig_open_v203, 4);
    set_x(&r, 1, 0xbf800000); /* -1 */
    set_x(&r, 2, 0x40000000); /* 2 */
    set_x(&r, 3, 0xc0400000); /* -3 */
    do_prefixed(&r, modified(0, S1, 0), OP("fadd.s", 4, 1, 2, 0));
    assert_int_equal(get_x(&r, 4), 0x40400000);
    do_prefixed(&r, modified(0, 0, S2), OP("fadd.s", 4, 1, 2, 0));
    assert_int_equal(get_x(&r, 4), 0xc0400000);
    do_prefixed(&r, modified(0, S1, S1), OP("fadd.s", 4, 1, 2, 0));
    assert_int_equal(get_x(&r, 4), 0x3f800000);
    do_prefixed(&r, modified(0, 0, S3), OP("fmadd.s", 4, 1, 2, 3, 0)); /* -2 + 3 */
    assert_int_equal(get_x(&r, 4), 0x3f800000);
    do_prefixed(&r, modified(0, S3, S3), OP("fmadd.s", 4, 1, 2, 3, 0)); /* -2 - 3 */
    assert_int_equal(get_x(&r, 4), 0xc0a00000);
    set_x(&r, 5, 0x7f800001);
    do_prefixed(&r, modified(0, 0, S2), OP("fsgnj.s", 4, 5, 5));
    assert_int_equal(get_x(&r, 4), 0xff800001);
    do_prefixed(&r, modified(0, 0, S1), OP("fclass.s", 4, 1));
    assert_int_equal(get_x(&r, 4), 1 << 6);
    set_x(&r, 6, 3);
    do_prefixed(&r, modified(0, 0, S1), OP("fcvt.s.w", 4, 6, 0)); /* 0x80000003 is -2^31 + 3 */
    assert_int_equal(get_x(&r, 4), 0xcf000000);
    static const uint32_t v[] = {0xbf800000, 0x3f800000, 0x80000000, 0xff800000};
    set_v(&r, 1, v);
    do_prefixed(&r, modified(0, S2, 0), OP("vfsgnj.vf", 3, 1, 2, 1)); /* the result's sign is source 1's */
    EXPECT_V(&r, 3, 0x3f800000, 0x3f800000, 0, 0x7f800000);
    do_prefixed(&r, modified(0, S2, 0), OP("vfsqrt.v", 3, 1, 1));
    EXPECT_V(&r, 3, 0x3f800000, 0x3f800000, 0, 0x7f800000);
    splat_v(&r, 3, 0x40000000);
    do_prefixed(&r, modified(0, S2, S3), OP("vfmacc.vf", 3, 2, 1, 1)); /* -2 + 2 * |v1| */
    EXPECT_V(&r, 3, 0, 0, 0xc0000000, 0x7f800000);
    /* VFEXP and VFTTA have them as well. */
    set_v(&r, 1, v);
    do_prefixed(&r, modified(0, S2, S2), OP("vfexp.v", 3, 1, 1));
    EXPECT_V(&r, 3, 0x3ebc5ab2, 0x3ebc5ab2, 0x3f800000, 0);
    for (unsigned reg = 1; reg <= 3; reg++)
        splat_v(&r, reg, 0xbf800000);
    do_prefixed(&r, modified(0, S1, S3), OP("vftta.vv", 3, 2, 1, 1)); /* 1 + 2 * (1 * -1) */
    EXPECT_V(&r, 3, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000);
    /* binary64: the sign bit is bit 63. */
    set_x64(&r, 8, 0x3ff0000000000000);
    do_prefixed(&r, modified(1, 0, S1), OP("fadd.s", 10, 8, 0, 0));
    assert_true(get_x64(&r, 10) == 0xbff0000000000000);
}

/* vmv.x.s and compares are instructions that compute; their flags and masks follow. */
TEST(modified_others) {
    RIG(r, rig_open_v203, 4);
    static const uint32_t values[] = {5, -5u, 5, -5u}, m[] = {1, 0, 1, 0};
    set_v(&r, 1, values);
    set_v(&r, 0, m);
    do_prefixed(&r, modified(0, S2, 0), OP("vmv.x.s", 4, 1)); /* all lanes are 5 now */
    assert_int_equal(get_x(&r, 4), 5);
    assert_int_equal(r.commit.warnings, 0);
    do_prefixed(&r, modified(0, S2, 0), OP("vmseq.vi", 3, 1, 5, 1));
    EXPECT_V(&r, 3, 1, 1, 1, 1);
    do_prefixed(&r, modified(0, S1, 0), OP("vmerge.vvm", 3, 2, 1)); /* v0 is no source that they modify */
    EXPECT_V(&r, 3, 5, 0, 5, 0);
    splat_v(&r, 4, 9);
    do_prefixed(&r, modified(0, S1, 0), OP("vmv.v.v", 4, 1));
    EXPECT_V(&r, 4, 5, 5, 5, 5);
    do_prefixed(&r, modified(0, 0, S1), OP("vadd.vv", 4, 1, 1, 0)); /* masked: v0.t */
    EXPECT_V(&r, 4, 0, 5, 0, 5);
    do_prefixed(&r, modified(0, 0, S1), OP("vsadd.vv", 4, 1, 1, 1));
    EXPECT_V(&r, 4, 0, 0, 0, 0);
}

/* v2.02 has none of v2.03's words, and v2.03 not all of v2.02's. */
TEST(profiles) {
    rig r;
    rig_open(&r, 4);
    for (int row = 0; row < karat_num_rows(); row++) {
        const karat_row *info = karat_row_info(row);
        if (karat_decode(KARAT_V202, info->match, NULL) == KARAT_NO_ROW)
            fail_word(&r, info->match, KARAT_ERR_ILLEGAL);
        else if (karat_row_is_legal(info, KARAT_V203) && info->left_out >> KARAT_V202 & 1)
            fail_word(&r, info->match, KARAT_ERR_LEFT_OUT);
    }
    rig_close(&r);
    rig_open_v203(&r, 4);
    fail_word(&r, regpair(0, 0, 0, 0), KARAT_ERR_ILLEGAL);
    fail_word(&r, regpairi(0, 0, 0), KARAT_ERR_ILLEGAL);
    /* A private load's word is one of another row now. */
    karat_insn insn;
    assert_int_equal(karat_decode(KARAT_V203, 0x0000202b, &insn), karat_find_row("vlw12d.v"));
    assert_int_equal(karat_decode(KARAT_V203, 0x8000202b, &insn), karat_find_row("vlw12d.v"));
    assert_int_equal(karat_decode(KARAT_V202, 0x0000202b, &insn), karat_find_row("vlw.v"));
    rig_close(&r);
}
