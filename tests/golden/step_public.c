/* Profile public: lanes and masks of shuffles, CSRs of lanes, what is illegal, halves and NaNs of packed
 * floats, and the places of a matrix' elements. Values of functions: tests/fp. Sums of matrix products that
 * round: test_mma.py. */
#include "support.h"

static void rig_open_public(rig *r, uint32_t num_thread) {
    rig_open_deviating(r, KARAT_PUBLIC, num_thread, 0);
}

/* --- Shuffles --- */

/* Each is asked for the lane that it reads, and answers with its own where that one is out or not active. */
static void expect_shuffle(rig *r, const char *name, uint32_t imm, uint32_t mask, uint32_t vl) {
    uint32_t before[32];
    memcpy(before, get_v(r, 3), r->num_thread * sizeof *before);
    DO(r, name, 3, 2, (int32_t)imm, 1);
    for (uint32_t i = 0; i < r->num_thread; i++) {
        int from = name[8] == 'i'   ? (int)imm
                   : name[8] == 'u' ? (int)i - (int)imm
                   : name[8] == 'd' ? (int)(i + imm)
                                    : (int)(i ^ imm);
        const bool there = from >= 0 && from < (int)vl && mask >> from & 1;
        const uint32_t expected =
            !(mask >> i & 1) || i >= vl ? before[i] : 100 + (there ? (uint32_t)from : i);
        if (get_v(r, 3)[i] != expected)
            fail_msg("%s %u, lane %u: %u, expected %u", name, imm, i, get_v(r, 3)[i], expected);
    }
}

TEST(shuffles) {
    static const char *const names[] = {"shuffle.idx", "shuffle.up", "shuffle.down", "shuffle.bfly"};
    static const uint32_t masks[] = {0xffffffff, 0xf0f0a5c3, 1, 0x80000000};
    for (uint32_t threads = 4; threads <= 32; threads *= 2)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
            for (uint32_t imm = 0; imm < 32; imm++) {
                RIG(r, rig_open_public, threads);
                const uint32_t mask = masks[m] & r.all;
                if (!mask)
                    continue;
                ramp_v(&r, 2, 100, 1);
                ramp_v(&r, 3, 1000, 1);
                if (mask != r.all)
                    narrow(&r, mask);
                for (unsigned n = 0; n < 4; n++)
                    expect_shuffle(&r, names[n], imm, mask, threads);
                set_x(&r, 5, threads - 1);
                DO(&r, "vsetvli", 0, 5, 0xd0);
                for (unsigned n = 0; n < 4; n++)
                    expect_shuffle(&r, names[n], imm, mask, threads - 1);
            }
}

/* Sources are read before anything is written; vm has no effect, and registers beyond v31 come with a
 * prefix. */
TEST(shuffle_onto_itself) {
    RIG(r, rig_open_public, 8);
    ramp_v(&r, 2, 0, 1);
    DO(&r, "shuffle.bfly", 2, 2, 7, 0);
    EXPECT_V(&r, 2, 7, 6, 5, 4, 3, 2, 1, 0);
    do_prefixed(&r, regext(0, 0, 0, 2), OP("shuffle.up", 5, 2, 1, 1));
    EXPECT_V(&r, 69, 7, 7, 6, 5, 4, 3, 2, 1);
    fail_prefixed(&r, regext(0, 0, 1, 0), OP("shuffle.up", 5, 2, 1, 1), KARAT_ERR_PREFIX); /* No vs1 */
}

/* --- CSRs of lanes --- */

enum { GID_X = 0x80d, GID_Y, GID_Z, GID, LID_X, LID_Y, LID_Z };

/* The metadata buffer: global sizes, local sizes, offsets. */
static void put_sizes(rig *r, const uint32_t size[9]) {
    for (unsigned i = 0; i < 9; i++)
        set_word(r, DATA + 12 + 4 * i, size[i]);
}

TEST(ids_of_lanes) {
    RIG(r, rig_open_public, 8);
    const uint32_t local[3] = {3, 2, 4}, offset[3] = {1000, 2000, 3000}, global[3] = {6, 8, 20};
    put_sizes(&r, (const uint32_t[9]){6, 8, 20, 3, 2, 4, 1000, 2000, 3000});
    const uint32_t group[3] = {1, 3, 4};
    r.desc.csr[KARAT_CSR_KNL] = DATA;
    for (unsigned d = 0; d < 3; d++)
        r.desc.csr[KARAT_CSR_GDX + d] = group[d];
    launch_warps(&r, 3);
    for (uint32_t csr = GID_X; csr <= LID_Z; csr++) {
        const uint32_t word = OP("csrr.v", 3, (int32_t)csr);
        for (uint32_t warp = 0; warp < 3; warp++) {
            karat_warp_view view;
            karat_view(r.model, warp, &view);
            assert_int_equal(
                karat_write(r.model, view.pc,
                            (const uint8_t[]){word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24}, 4),
                KARAT_OK);
            assert_int_equal(step_warp(&r, warp), KARAT_OK);
            karat_view(r.model, warp, &view);
            for (uint32_t lane = 0; lane < 8; lane++) {
                const uint32_t thread = 8 * warp + lane, lid[3] = {thread % 3, thread / 3 % 2, thread / 6};
                uint32_t from0[3];
                for (unsigned d = 0; d < 3; d++)
                    from0[d] = group[d] * local[d] + lid[d];
                const uint32_t expected = csr >= LID_X ? lid[csr - LID_X]
                                          : csr == GID
                                              ? from0[0] + global[0] * (from0[1] + global[1] * from0[2])
                                              : from0[csr - GID_X] + offset[csr - GID_X];
                if (view.v[3][lane] != expected)
                    fail_msg("csr %x, warp %u, lane %u: %u, expected %u", csr, warp, lane, view.v[3][lane],
                             expected);
            }
        }
    }
}

/* A size of 0 counts as 1, a scalar CSR has the warp's value in each active lane, and the scalar instructions
 * have no lanes' CSRs. */
TEST(csrr_v_of_others) {
    RIG(r, rig_open_public, 4);
    put_sizes(&r, (const uint32_t[9]){4, 0, 0, 4, 0, 0, 0, 0, 0});
    r.desc.csr[KARAT_CSR_KNL] = DATA;
    launch(&r);
    DO(&r, "csrr.v", 3, LID_X);
    EXPECT_V(&r, 3, 0, 1, 2, 3);
    DO(&r, "csrr.v", 3, LID_Z);
    EXPECT_V(&r, 3, 0, 0, 0, 0);
    ramp_v(&r, 3, 50, 1);
    narrow(&r, 0x6);
    DO(&r, "csrr.v", 3, 0x802);
    EXPECT_V(&r, 3, 50, 4, 4, 53);
    launch(&r);
    FAIL(&r, KARAT_ERR_ILLEGAL, "csrr.v", 3, 0x814);
    ILLEGAL_BY(&r, CSR);
    FAIL(&r, KARAT_ERR_ILLEGAL, "csrrs", 3, LID_X, 0);
    ILLEGAL_BY(&r, CSR);
    r.desc.csr[KARAT_CSR_KNL] = 0x1000; /* Where nothing is */
    launch(&r);
    FAIL(&r, KARAT_ERR_UNMAPPED, "csrr.v", 3, GID_X);
    assert_int_equal(r.commit.error.addr, 0x100c);
}

/* --- What is illegal --- */

TEST(only_with_lmul_1) {
    static const char *const names[] = {"shuffle.idx", "vcvt.fp16.fp32",
                                        "vadd.bf16x2", "vex2.approx.f32",
                                        "csrr.v",      "mma.m8n8k8.row.row.f32.f16.f16.f32",
                                        "vfwcvt.f.f.v"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        RIG(r, rig_open_public, 32);
        const int32_t csr = names[i][0] == 'c' ? 0x802 : 4;
        DO(&r, "vsetvli", 1, 0, 0xd1); /* e32, m2 */
        rows_pause();
        fail_word(&r, OP(names[i], 2, csr, 1, 1), KARAT_ERR_ILLEGAL);
        ILLEGAL_BY(&r, LMUL);
        DO(&r, "vsetvli", 1, 0, 0xc8); /* e16 is not there */
        fail_word(&r, OP(names[i], 2, csr, 1, 1), KARAT_ERR_ILLEGAL);
        ILLEGAL_BY(&r, VILL);
        rows_resume();
    }
}

TEST(matrix_products_need_all_lanes) {
    const uint32_t word = OP("mma.m16n16k16.row.col.f32.f16.f16.f32", 8, 4, 0);
    RIG(r, rig_open_public, 32);
    rows_pause();
    r.desc.mask = 0x7fffffff;
    launch(&r);
    fail_word(&r, word, KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&r, LANES);
    r.desc.mask = UINT32_MAX;
    launch(&r);
    set_x(&r, 5, 31);
    DO(&r, "vsetvli", 0, 5, 0xd0);
    fail_word(&r, word, KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&r, LANES);
    /* The last register of each is v255. */
    do_prefixed(&r, regext(0, 7, 7, 7), OP("mma.m16n16k16.row.col.f32.f16.f16.f32", 24, 28, 28));
    fail_prefixed(&r, regext(0, 0, 0, 7), OP("mma.m16n16k16.row.col.f32.f16.f16.f32", 25, 4, 0),
                  KARAT_ERR_REGISTER);
    fail_prefixed(&r, regext(0, 0, 7, 0), OP("mma.m16n16k16.row.col.f32.f16.f16.f32", 8, 29, 0),
                  KARAT_ERR_REGISTER);
    fail_prefixed(&r, regext(0, 7, 0, 0), OP("mma.m16n16k16.row.col.f32.f16.f16.f32", 8, 4, 29),
                  KARAT_ERR_REGISTER);
    /* binary16 to binary16 has half as many, and 8 columns as well. */
    do_prefixed(&r, regext(0, 0, 0, 7), OP("mma.m16n16k16.row.col.f16.f16.f16.f16", 28, 4, 0));
    do_prefixed(&r, regext(0, 7, 0, 0), OP("mma.m16n8k16.row.col.f32.f16.f16.f32", 8, 4, 30));
    r.desc.vgprs = 16;
    launch(&r);
    fail_word(&r, OP("mma.m16n16k16.row.col.f32.f16.f16.f32", 9, 4, 0), KARAT_ERR_REGISTER);
    RIG(few, rig_open_public, 16);
    fail_word(&few, word, KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&few, THREADS);
    rows_resume();
}

/* Types that do not go together, ray tracing, copies and the older rows are no instructions. */
TEST(words_that_are_none) {
    static const uint32_t words[] = {
        0x0000100a | 0u << 28, /* tf32 with k16 */
        0x0800000a | 0u << 28, /* tf32 to binary16 */
        0x0000000a | 2u << 28, /* bfloat16 to binary16 */
        0x0000100a | 3u << 28, /* No type */
        0xe200000a,
        0xe200100a,
        0xe200200a,
        0x0000005f,
        0x00004061,
        0x00002076,
        0x0000207a,
        0x0000207e,
        0x00000041,
        0x00000042,
        0x00003042,
        0x00004042,
        0x00005042,
        0x00006042,
        0x0000201a,
        0x1000007a,
        0x0c00005a,
        0x0000205a,
        0x2800002a,
        0x0400102a,
        0x1400102a,
        0x1800202a,
        0x0000302a,
        0x0000807a, /* vs1 of a conversion is 0 */
        0x0000807a | 0x2a0,
        0x0000a072, /* The rs1 of csrr.v */
    };
    RIG(r, rig_open_public, 32);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        fail_word(&r, words[i], KARAT_ERR_ILLEGAL);
        ILLEGAL_BY(&r, WORD);
    }
    fail_word(&r, OP("vfncvt.f.f.w", 2, 4, 1), KARAT_ERR_LEFT_OUT);
    fail_word(&r, OP("vwadd.vv", 2, 4, 6, 1), KARAT_ERR_LEFT_OUT);
}

/* --- 16-bit floats --- */

static uint32_t of_one(rig *r, const char *name, uint32_t vs1, uint32_t vs2, uint32_t vd) {
    splat_v(r, 1, vs1);
    splat_v(r, 2, vs2);
    splat_v(r, 3, vd);
    DO(r, name, 3, 1, 2, 1);
    return get_v(r, 3)[r->num_thread - 1];
}

static uint32_t converted(rig *r, const char *name, uint32_t vs2) {
    splat_v(r, 2, vs2);
    splat_v(r, 3, 0xffffffff);
    DO(r, name, 3, 2, 1);
    return get_v(r, 3)[r->num_thread - 1];
}

TEST(conversions_of_16_bits) {
    RIG(r, rig_open_public, 4);
    assert_int_equal(converted(&r, "vcvt.fp32.fp16", 0xabcd3c01), 0x3f802000); /* The upper half is ignored */
    assert_int_equal(converted(&r, "vcvt.fp32.fp16", 0x8001), 0xb3800000);
    assert_int_equal(converted(&r, "vcvt.fp32.fp16", 0xfc01), 0x7fc00000);
    assert_int_equal(r.commit.flags_raised, 0x10);                         /* Signaling */
    assert_int_equal(converted(&r, "vcvt.fp16.fp32", 0x3f803000), 0x3c02); /* A tie */
    assert_int_equal(converted(&r, "vcvt.fp16.fp32", 0x3f801000), 0x3c00);
    assert_int_equal(converted(&r, "vcvt.fp16.fp32", 0x47800000), 0x7c00);
    assert_int_equal(r.commit.flags_raised, 5); /* OF, NX */
    assert_int_equal(converted(&r, "vcvt.fp16.fp32", 0xffc12345), 0x7e00);
    assert_int_equal(converted(&r, "vcvt.fp32.bf16", 0xabcd3f81), 0x3f810000);
    assert_int_equal(converted(&r, "vcvt.fp32.bf16", 0xffff), 0x7fc00000);
    assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0x3f808000), 0x3f80);
    assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0x3f818000), 0x3f82);
    assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0x00010001), 1);
    assert_int_equal(r.commit.flags_raised, 3); /* UF, NX */
    assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0xff812345), 0x7fc0);
    /* Whatever frm holds, unless it is a reserved mode. */
    DO(&r, "csrrwi", 0, 2, 3);
    assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0x3f800001), 0x3f80);
    DO(&r, "csrrwi", 0, 2, 5);
    FAIL(&r, KARAT_ERR_ILLEGAL, "vcvt.bf16.fp32", 3, 2, 1);
    ILLEGAL_BY(&r, ROUNDING);
}

/* Instruction vfwcvt takes 16 bits, with SEW 32: rounds by frm, and has masks, as the V extension has it. */
TEST(widening_conversions) {
    RIG(r, rig_open_public, 4);
    assert_int_equal(converted(&r, "vfwcvt.f.f.v", 0xabcdc100), 0xc0200000);
    assert_int_equal(converted(&r, "vfwcvt.x.f.v", 0x1234c100), (uint32_t)-2); /* -2.5, to even */
    assert_int_equal(converted(&r, "vfwcvt.rtz.x.f.v", 0x4780), 7);
    assert_int_equal(converted(&r, "vfwcvt.xu.f.v", 0xc100), 0);
    assert_int_equal(converted(&r, "vfwcvt.rtz.xu.f.v", 0x7bff), 65504);
    assert_int_equal(converted(&r, "vfwcvt.f.x.v", 0x1234ffff), 0xbf800000);
    assert_int_equal(converted(&r, "vfwcvt.f.xu.v", 0x1234ffff), 0x477fff00);
    DO(&r, "csrrwi", 0, 2, 2); /* Down */
    assert_int_equal(converted(&r, "vfwcvt.x.f.v", 0xc100), (uint32_t)-3);
    set_v(&r, 0, (const uint32_t[4]){1, 0, 1, 0});
    ramp_v(&r, 3, 7, 0);
    DO(&r, "vfwcvt.f.f.v", 3, 2, 0);
    EXPECT_V(&r, 3, 0xc0200000, 7, 0xc0200000, 7);
    do_prefixed(&r, regext(0, 0, 0, 7), OP("vfwcvt.f.f.v", 31, 2, 1)); /* One register, v255 */
}

TEST(packed_floats) {
    RIG(r, rig_open_public, 4);
    assert_int_equal(of_one(&r, "vadd.f16x2", 0x3c00c000, 0x40003c00, 0), 0x4200bc00);
    assert_int_equal(of_one(&r, "vmul.f16x2", 0x3e007bff, 0x3e004000, 0), 0x40807c00);
    assert_int_equal(r.commit.flags_raised, 5);
    assert_int_equal(of_one(&r, "vfma.f16x2", 0x3e003e00, 0x39563e00, 0x0001bc00),
                     0x3c013d00); /* One rounding */
    assert_int_equal(of_one(&r, "vadd.bf16x2", 0x3f80c000, 0x40003f80, 0), 0x4040bf80);
    assert_int_equal(of_one(&r, "vmul.bf16x2", 0x3fc07f7f, 0x3fc04000, 0), 0x40107f80);
    /* 1.5 * 85.5 = 128.25 is half-way, and a little more */
    assert_int_equal(of_one(&r, "vfma.bf16x2", 0x3fc03fc0, 0x42ab42ab, 0x32000000), 0x43004300);
    assert_int_equal(of_one(&r, "vadd.f16x2", 0xfc01fe12, 0, 0), 0x7e007e00);
    assert_int_equal(r.commit.flags_raised, 0x10);
    assert_int_equal(of_one(&r, "vadd.bf16x2", 0xffc17f80, 0x0000ff80, 0), 0x7fc07fc0);
    /* The accumulator is the destination: x3 is ignored. */
    splat_v(&r, 35, 0x3c003c00);
    splat_v(&r, 1, 0x40004000);
    do_prefixed(&r, regext(5, 0, 0, 1), OP("vfma.f16x2", 3, 1, 1, 1));
    EXPECT_V(&r, 35, 0x45004500, 0x45004500, 0x45004500, 0x45004500);
    ramp_v(&r, 3, 5, 1);
    narrow(&r, 0x5);
    DO(&r, "vadd.f16x2", 3, 1, 1, 0); /* Without effect: vm */
    EXPECT_V(&r, 3, 0x44004400, 6, 0x44004400, 8);
}

/* Deviations of public simulators: of one operand each with and without, and of one on which they agree. */
TEST(public_deviations) {
    for (unsigned deviates = 0; deviates < 2; deviates++) {
        RIG(r, rig_open_deviating, KARAT_PUBLIC, 4,
            deviates ? KARAT_DEV_PACKED_FMA_TWICE | KARAT_DEV_BF16_NAN_KEPT : 0);
        assert_int_equal(of_one(&r, "vfma.f16x2", 0x3e003e00, 0x39563e00, 0x0001bc00),
                         deviates ? 0x3c003d00 : 0x3c013d00);
        assert_int_equal(r.commit.deviated, deviates ? KARAT_DEV_PACKED_FMA_TWICE : 0);
        /* 7 * 37 - 2^-24 is just below 259, which is half-way between 258 and 260. */
        assert_int_equal(of_one(&r, "vfma.bf16x2", 0x40e040e0, 0x42144214, 0x0000b380),
                         deviates ? 0x43824382 : 0x43824381);
        assert_int_equal(of_one(&r, "vfma.f16x2", 0x3c003c00, 0x40004000, 0x3c003c00), 0x42004200);
        assert_int_equal(r.commit.deviated, 0);
        assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0x7f812345), deviates ? 0x7f81 : 0x7fc0);
        assert_int_equal(r.commit.deviated, deviates ? KARAT_DEV_BF16_NAN_KEPT : 0);
        assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0x7fffffff), deviates ? 0x8000 : 0x7fc0);
        assert_int_equal(converted(&r, "vcvt.fp32.bf16", 0xffc1), deviates ? 0xffc10000 : 0x7fc00000);
        assert_int_equal(converted(&r, "vcvt.bf16.fp32", 0x7fc00000), 0x7fc0);
        assert_int_equal(r.commit.deviated, 0);
    }
}

/* Each row is connected to its function, of each half: values that all have one of the functions alone. */
TEST(special_functions) {
    static const struct {
        const char *name;
        uint32_t operand, result;
    } cases[] = {
        {"vex2.approx.f32", 0x40400000, 0x41000000},      {"vlg2.approx.f32", 0x41000000, 0x40400000},
        {"vrcp.approx.f32", 0x40800000, 0x3e800000},      {"vsqrt.approx.f32", 0x41100000, 0x40400000},
        {"vrsqrt.approx.f32", 0x40800000, 0x3f000000},    {"vsin.approx.f32", 0x3f800000, 0x3f576aa4},
        {"vcos.approx.f32", 0x3f800000, 0x3f0a5140},      {"vtanh.approx.f32", 0x3f800000, 0x3f42f7d6},
        {"vgelu.approx.f32", 0x3f800000, 0x3f57585c},     {"vsilu.approx.f32", 0x3f800000, 0x3f3b26a8},
        {"vex2.approx.f16x2", 0x42004000, 0x48004400},    {"vrcp.approx.f16x2", 0x44004000, 0x34003800},
        {"vsqrt.approx.f16x2", 0x48804400, 0x42004000},   {"vrsqrt.approx.f16x2", 0x44003c00, 0x38003c00},
        {"vtanh.approx.f16x2", 0x3c00bc00, 0x3a18ba18},   {"vgelu.approx.f16x2", 0x3c00bc00, 0x3abbb115},
        {"vsilu.approx.f16x2", 0x3c00bc00, 0x39d9b44e},   {"vex2.approx.bf16x2", 0x40404000, 0x41004080},
        {"vrcp.approx.bf16x2", 0x40804000, 0x3e803f00},   {"vsqrt.approx.bf16x2", 0x41104080, 0x40404000},
        {"vrsqrt.approx.bf16x2", 0x40803f80, 0x3f003f80}, {"vtanh.approx.bf16x2", 0x3f80bf80, 0x3f43bf43},
        {"vgelu.approx.bf16x2", 0x3f80bf80, 0x3f57be23},  {"vsilu.approx.bf16x2", 0x3f80bf80, 0x3f3bbe8a},
    };
    RIG(r, rig_open_public, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t got = converted(&r, cases[i].name, cases[i].operand);
        if (got != cases[i].result)
            fail_msg("%s of %08x: %08x, expected %08x", cases[i].name, cases[i].operand, got,
                     cases[i].result);
    }
    DO(&r, "csrrwi", 0, 1, 0);
    converted(&r, "vlg2.approx.f32", 0x80000000);
    assert_int_equal(get_csr(&r, 1), 8); /* DZ */
    converted(&r, "vsin.approx.f32", 0x7f800000);
    assert_int_equal(get_csr(&r, 1), 0x18);
}

/* --- Matrix products --- */

typedef struct shape {
    uint32_t m, n, k;
} shape;

/* A small integer in a format. */
static uint32_t number(int value, const char *format) {
    uint32_t magnitude = (uint32_t)abs(value), exp = 0;
    if (!value)
        return 0;
    while (magnitude >> (exp + 1))
        exp++;
    const uint32_t single =
        (value < 0 ? 1u << 31 : 0) | (127 + exp) << 23 | (magnitude << (23 - exp) & 0x7fffff);
    if (strcmp(format, "f16") == 0)
        return (single >> 16 & 0x8000) | (15 + exp) << 10 | (single >> 13 & 0x3ff);
    return strcmp(format, "bf16") == 0 ? single >> 16 : single;
}

/* Put element i of a matrix of consecutive registers there. */
static void put_element(uint32_t v[8][32], uint32_t i, bool half, uint32_t value) {
    if (!half)
        v[i / 32][i % 32] = value;
    else
        v[i / 64][i % 64 / 2] |= value << 16 * (i % 2);
}

/* Small integers, so that nothing is rounded: D is the plain product, whatever the types, and stands where
 * the page says. */
static void check_product(const karat_row *row) {
    char text[64], *part[8];
    snprintf(text, sizeof text, "%s", row->mnemonic);
    unsigned parts = 0;
    for (char *at = strtok(text, "."); at; at = strtok(NULL, "."))
        part[parts++] = at;
    shape s;
    assert_int_equal(sscanf(part[1], "m%un%uk%u", &s.m, &s.n, &s.k), 3);
    const bool a_columns = strcmp(part[2], "col") == 0, b_rows = strcmp(part[3], "row") == 0,
               half = strcmp(part[5], "tf32") != 0, half_c = strcmp(part[4], "f16") == 0;
    uint32_t a[8][32] = {{0}}, b[8][32] = {{0}}, c[8][32] = {{0}}, expected[8][32] = {{0}};
    int left[16][16], right[16][16];
    for (uint32_t i = 0; i < s.m; i++)
        for (uint32_t k = 0; k < s.k; k++) {
            left[i][k] = (int)((i * 7 + k * 3) % 11) - 5;
            uint32_t value = number(left[i][k], part[5]);
            value |= half ? 0 : 0x1fff & 0x1234; /* Bits that tf32 has not */
            put_element(a, a_columns ? k * s.m + i : i * s.k + k, half, left[i][k] || half ? value : 0);
        }
    for (uint32_t j = 0; j < s.n; j++)
        for (uint32_t k = 0; k < s.k; k++) {
            right[j][k] = (int)((j * 5 + k * 2) % 7) - 3;
            put_element(b, b_rows ? j * s.k + k : k * s.n + j, half, number(right[j][k], part[5]));
        }
    for (uint32_t i = 0; i < s.m; i++)
        for (uint32_t j = 0; j < s.n; j++) {
            int sum = (int)(i * 16 + j) - 100;
            put_element(c, i * s.n + j, half_c, number(sum, half_c ? "f16" : "f32"));
            for (uint32_t k = 0; k < s.k; k++)
                sum += left[i][k] * right[j][k];
            put_element(expected, i * s.n + j, half_c, number(sum, half_c ? "f16" : "f32"));
        }
    RIG(r, rig_open_public, 32);
    enum { A = 40, B = 50, C = 60 };
    for (unsigned n = 0; n < 8; n++) {
        set_v(&r, A + n, a[n]);
        set_v(&r, B + n, b[n]);
        set_v(&r, C + n, c[n]);
    }
    do_prefixed(&r, regext(0, 1, 1, 1), OP(row->mnemonic, C - 32, A - 32, B - 32));
    const uint32_t words = s.m * s.n / (half_c ? 64 : 32);
    assert_int_equal(r.commit.num_writes, words);
    assert_int_equal(r.commit.num_reads, s.m / 4 + s.n / 4 + words);
    for (unsigned n = 0; n < 8; n++)
        if (memcmp(get_v(&r, C + n), n < words ? expected[n] : c[n], sizeof c[n]) != 0)
            fail_msg("%s: register %u", row->mnemonic, n);
    assert_int_equal(r.commit.flags_raised, 0);
}

TEST(matrix_products) {
    unsigned rows = 0;
    for (int i = 0; i < karat_num_rows(); i++)
        if (karat_row_info(i)->profiles == 1 << KARAT_PUBLIC &&
            karat_row_info(i)->unit == KARAT_UNIT_TENSOR) {
            check_product(karat_row_info(i));
            rows++;
        }
    assert_int_equal(rows, 4 * (8 * 3 + 4));
}

/* D may be A, B or both: all sources are read first. */
TEST(matrix_product_onto_its_sources) {
    RIG(r, rig_open_public, 32);
    for (unsigned n = 0; n < 8; n++)
        splat_v(&r, 8 + n, 0x3c003c00); /* 1, and as binary32 a little less than 2^-7 */
    DO(&r, "mma.m16n16k16.row.row.f16.f16.f16.f16", 8, 8, 8);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(get_v(&r, 8 + n)[n], 0x4c404c40); /* 17 */
    assert_int_equal(get_v(&r, 12)[0], 0x3c003c00);
}
