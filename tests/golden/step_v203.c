/* Profile v2.03: ABS and NEG of PREFIX and PREFIXI ("computation prefixes") where test_compose has none,
 * Ventus' own instructions at each width, and pairs at the read port. Extensions, and what does not fit:
 * test_isa, tests/fuzz. Values of all other rows: test_qemu64. */
#include "support.h"

enum { S1 = 1, S2 = 2, S3 = 4 }; /* Bits of ABS and NEG */

static uint32_t prefixi(unsigned imm_10_5, unsigned x2, unsigned xd, unsigned abs, unsigned neg) {
    return OP("prefixi", (int32_t)imm_10_5, (int32_t)x2, (int32_t)xd, 0, (int32_t)abs, (int32_t)neg);
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
    do_prefixed(&r, modified(0, 0, S2), OP("slli", 6, 5, 30)); /* By -30: 2 */
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
    RIG(r, rig_open_deviating, KARAT_V203, 4, KARAT_DEV_VADD12_SIGNED);
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
    do_prefixed(&r, modified(0, S2, 0), OP("vfsgnj.vf", 3, 1, 2, 1)); /* The result's sign is source 1's */
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
    /* In binary64 the sign bit is bit 63. */
    set_x64(&r, 8, 0x3ff0000000000000);
    do_prefixed(&r, modified(1, 0, S1), OP("fadd.s", 10, 8, 0, 0));
    assert_true(get_x64(&r, 10) == 0xbff0000000000000);
}

/* --- Elements of 8 to 64 bits, and pairs of registers --- */

enum { E8 = 0x00, E16 = 0x08, E32 = 0x10 };
#define X64(r, reg, value) assert_true(get_x64(r, reg) == (uint64_t)(value))

static void set_sew(rig *r, int32_t vtype) {
    DO(r, "vsetvli", 31, 0, vtype);
}

/* Rows that QEMU has not: moves between a scalar and all active lanes, and VADD12 and VSUB12, at every width.
 * A narrow result is sign-extended, or boxed; sources are low bits, whatever is above. */
TEST(ventus_own) {
    RIG(r, rig_open_v203, 4);
    static const struct {
        int32_t sew;
        uint64_t moved, floated; /* Results for 0x3ff08180fedc9a85; floated 0: no such width */
    } widths[] = {{E8, 0xffffff85, 0}, {E16, 0xffff9a85, 0xffff9a85}, {E32, 0xfedc9a85, 0xfedc9a85}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        set_sew(&r, widths[i].sew);
        for (int is_float = 0; is_float <= (widths[i].floated != 0); is_float++) {
            const uint32_t want = (uint32_t)(is_float ? widths[i].floated : widths[i].moved);
            set_x(&r, 5, 0xfedc9a85);
            splat_v(&r, 6, 77);
            DO(&r, is_float ? "vfmv.s.f" : "vmv.s.x", 6, 5);
            EXPECT_V(&r, 6, want, want, want, want);
            splat_v(&r, 8, 0xfedc9a85);
            DO(&r, is_float ? "vfmv.f.s" : "vmv.x.s", 7, 8);
            assert_int_equal(get_x(&r, 7), want);
        }
    }
    set_x(&r, 5, 0x7fff3c00); /* The boxed upper half is ones, no sign */
    set_sew(&r, E16);
    DO(&r, "vfmv.s.f", 6, 5);
    EXPECT_V(&r, 6, 0xffff3c00, 0xffff3c00, 0xffff3c00, 0xffff3c00);
    splat_v(&r, 8, 0x00ff1234); /* The elements do not differ */
    DO(&r, "vmv.x.s", 7, 8);
    assert_int_equal(get_x(&r, 7), 0x1234);
    static const uint64_t a[] = {0xffffffff, 0x8000000000000000, 0x123456789abcdef0, 0};
    set_v64(&r, 2, a);
    set_x64(&r, 10, 0x3ff08180fedc9a85);
    do_prefixed(&r, PAIRED, OP("vadd12.vi", 8, 2, 4095));
    EXPECT_V64(&r, 8, 0x100000ffe, 0x8000000000000fff, 0x123456789abceeef, 4095);
    do_prefixed(&r, PAIRED, OP("vsub12.vi", 8, 2, 1));
    EXPECT_V64(&r, 8, 0xfffffffe, 0x7fffffffffffffff, 0x123456789abcdeef, -1);
    for (int is_float = 0; is_float < 2; is_float++) {
        do_prefixed(&r, PAIRED, OP(is_float ? "vfmv.s.f" : "vmv.s.x", 8, 10));
        EXPECT_V64(&r, 8, 0x3ff08180fedc9a85, 0x3ff08180fedc9a85, 0x3ff08180fedc9a85, 0x3ff08180fedc9a85);
        do_prefixed(&r, PAIRED, OP(is_float ? "vfmv.f.s" : "vmv.x.s", 12, 2));
        X64(&r, 12, 0);
        assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    }
    DO(&r, "fence", 0); /* An order of accesses: the model has no other */
    assert_int_equal(r.commit.num_writes, 0);
}

/* Deviation third-operand-apart: the pair at {x3, vd} is read, the one at {xd, vd} written. */
TEST(third_operand_apart) {
    RIG(r, rig_open_deviating, KARAT_V203, 4, KARAT_DEV_THIRD_OPERAND_APART);
    splat_v64(&r, 2, 3);
    splat_v64(&r, 40, 0x100000000);
    do_prefixed(&r, OP("prefix", 1, 0, 0, 2, 1, 0, 0), OP("vmacc.vv", 8, 2, 2, 1));
    EXPECT_V64(&r, 72, 0x100000009, 0x100000009, 0x100000009, 0x100000009);
    assert_int_equal(r.commit.deviated, KARAT_DEV_THIRD_OPERAND_APART);
    assert_int_equal(r.commit.num_reads, 6);
    assert_int_equal(r.commit.read[5].reg, 41);
    do_prefixed(&r, regext(1, 0, 0, 2), OP("vwmaccu.vv", 8, 2, 2, 1));
    EXPECT_V64(&r, 72, 0x100000009, 0x100000009, 0x100000009, 0x100000009);
}

/* --- The read port --- */

typedef struct ask {
    unsigned held, changes, asked;
} ask;

static karat_read_answer answer(void *context, uint32_t warp, const karat_commit *commit,
                                uint32_t value[KARAT_MAX_THREAD]) {
    ask *a = context;
    (void)warp;
    const unsigned index = commit->num_reads - 1;
    a->asked |= 1u << index;
    if (index == a->changes) {
        const karat_reg_read *read = &commit->read[index];
        memcpy(value, read->value, (read->cls == KARAT_CLASS_X ? 1 : 4) * sizeof *value);
        value[0] = 0x77;
    }
    return index == a->held ? KARAT_READ_HOLD : index == a->changes ? KARAT_READ_CHANGED : KARAT_READ_KEEP;
}

/* Each register of a pair is asked for; holding any of them holds the step. */
TEST(read_port) {
    for (unsigned vector = 0; vector < 2; vector++)
        for (unsigned held = 0; held < 5; held++) {
            RIG(r, rig_open_v203, 4);
            ask a = {held, 1, 0};
            set_x64(&r, 2, 1);
            set_x64(&r, 4, 2);
            splat_v64(&r, 2, 1);
            splat_v64(&r, 4, 2);
            karat_set_read_port(r.model, answer, &a);
            set_word(&r, CODE, PAIRED);
            set_word(&r, CODE + 4, vector ? OP("vadd.vv", 6, 4, 2, 1) : OP("add", 6, 2, 4));
            const karat_status status = step_warp(&r, 0);
            assert_int_equal(a.asked, 0xf);
            if (held < 4) {
                assert_int_equal(status, KARAT_HELD);
                assert_int_equal(pc_of(&r), CODE);
                assert_int_equal(r.commit.num_writes, 0);
                if (vector)
                    EXPECT_V64(&r, 6, 0, 0, 0, 0);
                X64(&r, 6, 0);
                a.held = 99;
                assert_int_equal(step_warp(&r, 0), KARAT_OK);
            } else {
                assert_int_equal(status, KARAT_OK);
            }
            if (vector)
                EXPECT_V64(&r, 6, 0x7700000003, 3, 3, 3);
            else
                X64(&r, 6, 0x7700000003);
            karat_set_read_port(r.model, NULL, NULL);
        }
}
