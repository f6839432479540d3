/* Register pairs of v2.03: `pair` of PREFIX and PREFIXI, and the word encodings of RV64I. Values by hand; all rows against RV64 and
 * V 1.0 with 64-bit elements: test_qemu64. */
#include "step.h"

#define X64(r, reg, value) assert_true(get_x64(r, reg) == (uint64_t)(value))

static void scalar_rows(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_x64(&r, 2, 0xffffffffull);
    set_x64(&r, 4, 1);
    set_x64(&r, 6, 0x8000000000000000ull);
    set_x(&r, 8, 9);
    do_prefixed(&r, PAIRED, OP("add", 8, 2, 4)); /* the carry reaches the upper word */
    X64(&r, 8, 0x100000000ull);
    const karat_commit *c = &r.commit;
    assert_int_equal(c->width, 64);
    assert_int_equal(c->elements, 1);
    assert_int_equal(c->num_reads, 4);
    static const struct {
        uint8_t source, part;
        uint16_t reg;
        uint32_t value;
    } reads[] = {{1, 0, 2, 0xffffffff}, {1, 1, 3, 0}, {2, 0, 4, 1}, {2, 1, 5, 0}};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(c->read[i].source, reads[i].source);
        assert_int_equal(c->read[i].part, reads[i].part);
        assert_int_equal(c->read[i].reg, reads[i].reg);
        assert_int_equal(c->read[i].value[0], reads[i].value);
        assert_int_equal(c->read[i].cls, KARAT_CLASS_X);
    }
    assert_int_equal(c->num_writes, 2);
    assert_int_equal(c->write[0].reg, 8);
    assert_int_equal(c->write[0].mask, 1);
    assert_int_equal(c->write[0].old[0], 9);
    assert_int_equal(c->write[0].value[0], 0);
    assert_int_equal(c->write[1].reg, 9);
    assert_int_equal(c->write[1].mask, 1);
    assert_int_equal(c->write[1].old[0], 0);
    assert_int_equal(c->write[1].value[0], 1);
    do_prefixed(&r, PAIRED, OP("sub", 8, 4, 2));
    X64(&r, 8, 1 - 0xffffffffull);
    do_prefixed(&r, PAIRED, OP("slt", 8, 6, 4)); /* both words of the result are written */
    X64(&r, 8, 1);
    do_prefixed(&r, PAIRED, OP("sltu", 8, 6, 4));
    X64(&r, 8, 0);
    do_prefixed(&r, PAIRED, OP("mulhu", 8, 6, 6));
    X64(&r, 8, 0x4000000000000000);
    do_prefixed(&r, PAIRED, OP("mulhsu", 8, 6, 6));
    X64(&r, 8, 0xc000000000000000);
    do_prefixed(&r, PAIRED, OP("div", 8, 6, 0)); /* by zero */
    X64(&r, 8, -1);
    set_x64(&r, 10, -1);
    do_prefixed(&r, PAIRED, OP("div", 8, 6, 10)); /* overflow */
    X64(&r, 8, 1ull << 63);
    do_prefixed(&r, PAIRED, OP("rem", 8, 6, 10));
    X64(&r, 8, 0);
    /* Shift amounts have 6 bits, of which PREFIXI supplies the highest. */
    set_x64(&r, 12, 0xffffffc0 + 33);
    do_prefixed(&r, PAIRED, OP("sll", 8, 4, 12));
    X64(&r, 8, 1ull << 33);
    do_prefixed(&r, PAIRED, OP("slli", 8, 4, 31));
    X64(&r, 8, 1ull << 31);
    do_prefixed(&r, OP("prefixi", 1, 0, 0, 1, 0, 0), OP("slli", 8, 4, 31));
    X64(&r, 8, 1ull << 63);
    do_prefixed(&r, OP("prefixi", 0x3f, 0, 0, 1, 0, 0), OP("srai", 8, 6, 31));
    X64(&r, 8, -1);
    do_prefixed(&r, OP("prefixi", 0x3e, 0, 0, 1, 0, 0),
                OP("srai", 8, 6, 0)); /* by 0x7c0: bits above 5 do not count */
    X64(&r, 8, 1ull << 63);
    /* Immediates are sign-extended; lui and auipc as in RV64, pc itself has 32 bits. */
    do_prefixed(&r, PAIRED, OP("addi", 8, 0, -1));
    X64(&r, 8, -1);
    do_prefixed(&r, PAIRED, OP("sltiu", 8, 6, -1));
    X64(&r, 8, 1);
    do_prefixed(&r, PAIRED, OP("xori", 8, 6, -1));
    X64(&r, 8, 0x7fffffffffffffff);
    do_prefixed(&r, PAIRED, OP("lui", 8, 0x80000));
    X64(&r, 8, 0xffffffff80000000);
    do_prefixed(&r, PAIRED, OP("auipc", 8, 0x80000));
    X64(&r, 8, (uint64_t)r.commit.pc + 0xffffffff80000000);
    do_prefixed(&r, PAIRED, OP("auipc", 8, 0x10));
    X64(&r, 8, (uint64_t)r.commit.pc + 0x10000);
    rig_close(&r);
}

static void branches(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_x64(&r, 2, 0x100000005ull);
    set_x64(&r, 4, 5);
    set_x64(&r, 6, 0xffffffff00000000ull);
    static const struct {
        const char *name;
        int32_t rs1, rs2;
        bool taken;
    } rows[] = {{"beq", 2, 4, false}, {"beq", 2, 2, true},   {"bne", 2, 4, true},   {"blt", 6, 4, true},
                {"blt", 4, 2, true},  {"bge", 6, 4, false},  {"bltu", 6, 4, false}, {"bltu", 4, 2, true},
                {"bgeu", 6, 2, true}, {"bgeu", 4, 2, false}, {"bge", 2, 4, true},   {"beq", 0, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        do_prefixed(&r, PAIRED, OP(rows[i].name, rows[i].rs1, rows[i].rs2, 12));
        assert_int_equal(r.commit.next_pc,
                         r.commit.pc + (rows[i].taken ? 12 : 4)); /* from the instruction itself */
        assert_int_equal(r.commit.num_writes, 0);
        assert_int_equal(r.commit.num_reads, rows[i].rs1 ? 4 : 2);
    }
    /* Divergent: vs2 op vs1 on pairs of each lane. */
    static const uint64_t a[] = {0x100000000, 5, 0xffffffffffffffff, 0x7fffffffffffffff};
    set_v64(&r, 2, a);
    splat_v64(&r, 4, 5);
    do_prefixed(&r, PAIRED,
                OP("vbltu", 4, 2, 64)); /* 5 < a: lanes 0, 2, 3 are the else path, lane 1 runs first */
    assert_int_equal(r.commit.simt, KARAT_SIMT_DIVERGE);
    assert_int_equal(r.commit.width, 64);
    assert_int_equal(r.commit.top.mask, 0xd);
    assert_int_equal(mask_of(&r), 2);
    launch(&r);
    set_v64(&r, 2, a);
    splat_v64(&r, 4, 5);
    do_prefixed(&r, PAIRED,
                OP("vblt", 4, 2, 64)); /* signed: lane 2 joins lane 1, a tie: the else path first */
    assert_int_equal(mask_of(&r), 0x9);
    rig_close(&r);
}

static void vector_rows(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    static const uint64_t a[] = {0xffffffff, 0x8000000000000000, 0x123456789abcdef0, 0};
    static const uint32_t m[] = {1, 0, 2, 3};
    set_v64(&r, 2, a);
    splat_v64(&r, 4, 1);
    set_x64(&r, 6, 0x100000001ull);
    do_prefixed(&r, PAIRED, OP("vadd.vv", 8, 2, 4, 1));
    EXPECT_V64(&r, 8, 0x100000000, 0x8000000000000001, 0x123456789abcdef1, 1);
    const karat_commit *c = &r.commit;
    assert_int_equal(c->width, 64);
    assert_int_equal(c->elements, 4);
    assert_int_equal(c->active, 0xf);
    assert_int_equal(c->num_reads, 4);
    for (unsigned i = 0; i < 4; i++) { /* source 1 is v4, source 2 is v2 */
        assert_int_equal(c->read[i].source, 1 + i / 2);
        assert_int_equal(c->read[i].part, i % 2);
        assert_int_equal(c->read[i].reg, (i < 2 ? 4u : 2u) + i % 2);
        assert_int_equal(karat_read_lanes(r.model, 0, c, i), 0xf);
    }
    assert_int_equal(c->num_writes, 2);
    assert_int_equal(c->write[0].reg, 8);
    assert_int_equal(c->write[1].reg, 9);
    assert_int_equal(c->write[1].mask, 0xf);
    assert_int_equal(c->write[1].value[0], 1);
    /* Scalars are pairs, immediates have 64 bits. */
    do_prefixed(&r, PAIRED, OP("vadd.vx", 8, 2, 6, 1));
    EXPECT_V64(&r, 8, 0x200000000, 0x8000000100000001, 0x123456799abcdef1, 0x100000001);
    do_prefixed(&r, PAIRED, OP("vadd.vi", 8, 2, -1, 1));
    EXPECT_V64(&r, 8, 0xfffffffe, 0x7fffffffffffffff, 0x123456789abcdeef, -1);
    do_prefixed(&r, OP("prefixi", 1, 0, 0, 1, 0, 0), OP("vsrl.vi", 8, 2, 1, 1)); /* by 33 */
    EXPECT_V64(&r, 8, 0, 0x40000000, 0x091a2b3c, 0);
    do_prefixed(&r, PAIRED, OP("vadd12.vi", 8, 2, 4095));
    EXPECT_V64(&r, 8, 0x100000ffe, 0x8000000000000fff, 0x123456789abceeef, 4095);
    do_prefixed(&r, PAIRED, OP("vsub12.vi", 8, 2, 1));
    EXPECT_V64(&r, 8, 0xfffffffe, 0x7fffffffffffffff, 0x123456789abcdeef, -1);
    do_prefixed(&r, PAIRED, OP("vid.v", 8, 1));
    EXPECT_V64(&r, 8, 0, 1, 2, 3);
    do_prefixed(&r, PAIRED, OP("vmv.v.x", 8, 6));
    EXPECT_V64(&r, 8, 0x100000001, 0x100000001, 0x100000001, 0x100000001);
    do_prefixed(&r, PAIRED, OP("vmv.s.x", 8, 0));
    EXPECT_V64(&r, 8, 0, 0, 0, 0);
    do_prefixed(&r, PAIRED, OP("vmulh.vv", 8, 2, 2, 1));
    EXPECT_V64(&r, 8, 0, 0x4000000000000000, 0x14b66dc33f6acdc, 0);
    /* The mask v0 is one register, v1 next to it is no part of it. */
    set_v(&r, 0, m);
    splat_v(&r, 1, 0xffffffff);
    splat_v64(&r, 8, 77);
    do_prefixed(&r, PAIRED, OP("vadd.vv", 8, 2, 4, 0));
    EXPECT_V64(&r, 8, 0x100000000, 77, 77, 1);
    assert_int_equal(r.commit.num_reads, 5);
    assert_int_equal(r.commit.read[4].reg, 0);
    assert_int_equal(r.commit.write[1].mask, 0x9);
    do_prefixed(&r, PAIRED, OP("vmerge.vvm", 8, 2, 4));
    EXPECT_V64(&r, 8, 1, 0x8000000000000000, 0x123456789abcdef0, 1);
    do_prefixed(&r, PAIRED, OP("vadc.vvm", 8, 2, 4));
    EXPECT_V64(&r, 8, 0x100000001, 0x8000000000000001, 0x123456789abcdef1, 2);
    /* Compares and carries write one register, odd or even, of 0 or 1. */
    splat_v(&r, 11, 99);
    splat_v(&r, 12, 99);
    do_prefixed(&r, PAIRED, OP("vmsltu.vv", 11, 4, 2, 1));
    EXPECT_V(&r, 11, 1, 1, 1, 0);
    EXPECT_V(&r, 12, 99, 99, 99, 99);
    assert_int_equal(r.commit.num_writes, 1);
    do_prefixed(&r, PAIRED, OP("vmslt.vv", 11, 4, 2, 1));
    EXPECT_V(&r, 11, 1, 0, 1, 0);
    splat_v64(&r, 4, ~0ull);
    do_prefixed(&r, PAIRED, OP("vmadc.vv", 11, 2, 4));
    EXPECT_V(&r, 11, 1, 1, 1, 0);
    do_prefixed(&r, PAIRED, OP("vmadc.vvm", 11, 2, 4));
    EXPECT_V(&r, 11, 1, 1, 1, 1);
    do_prefixed(&r, PAIRED, OP("vmsbc.vv", 11, 2, 4));
    EXPECT_V(&r, 11, 1, 1, 1, 1);
    EXPECT_V(&r, 12, 99, 99, 99, 99);
    /* The third operand is a pair, too. */
    splat_v64(&r, 8, 0xffffffffffffffff);
    splat_v64(&r, 4, 0x100000000);
    do_prefixed(&r, PAIRED, OP("vmacc.vv", 8, 4, 4, 1)); /* 2^64 */
    EXPECT_V64(&r, 8, -1, -1, -1, -1);
    do_prefixed(&r, PAIRED, OP("vmadd.vx", 8, 6, 2, 1));
    EXPECT_V64(&r, 8, -2, 0x7ffffffeffffffff, 0x123456779abcdeef, 0xfffffffeffffffff);
    assert_int_equal(r.commit.num_reads, 6); /* rs1, vs2, vd */
    rig_close(&r);
}

static void fixed_point_and_masks(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    static const uint64_t a[] = {0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 1};
    set_v64(&r, 2, a);
    splat_v64(&r, 4, 1);
    do_prefixed(&r, PAIRED, OP("vsadd.vv", 8, 2, 4, 1));
    EXPECT_V64(&r, 8, 0x7fffffffffffffff, 0x8000000000000001, 0, 2);
    assert_int_equal(r.commit.vxsat_raised, 1);
    do_prefixed(&r, PAIRED, OP("vsaddu.vv", 8, 2, 4, 1));
    EXPECT_V64(&r, 8, 0x8000000000000000, 0x8000000000000001, -1, 2);
    do_prefixed(&r, PAIRED, OP("vaaddu.vv", 8, 2, 2, 1)); /* the sum has 65 bits */
    EXPECT_V64(&r, 8, 0x7fffffffffffffff, 0x8000000000000000, -1, 1);
    do_prefixed(&r, PAIRED, OP("vsmul.vv", 8, 2, 2, 1)); /* (2^63 - 1)^2 / 2^63 = 2^63 - 2 + 2^-63 */
    EXPECT_V64(&r, 8, 0x7ffffffffffffffe, 0x7fffffffffffffff, 0, 0);
    do_prefixed(&r, PAIRED, OP("vssrl.vv", 8, 2, 4, 1));
    EXPECT_V64(&r, 8, 0x4000000000000000, 0x4000000000000000, 0x8000000000000000, 1);
    /* vmv.x.s: 64 bits of the highest active lane. */
    do_prefixed(&r, PAIRED, OP("vmv.x.s", 6, 2));
    assert_true(get_x64(&r, 6) == 1);
    assert_int_equal(r.commit.num_writes, 2);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    static const uint64_t b[] = {0x100000000, 0, 0, 0};
    set_v64(&r, 2, b);
    do_prefixed(&r, PAIRED, OP("vmv.x.s", 6, 2)); /* the lanes differ in the upper word */
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    assert_int_equal(r.commit.flagged.lane, 0);
    splat_v64(&r, 2, 0x200000000);
    do_prefixed(&r, PAIRED, OP("vmv.x.s", 6, 2));
    X64(&r, 6, 0x200000000);
    assert_int_equal(r.commit.warnings, 0);
    /* No active lane: nothing is written. */
    assert_int_equal(karat_adopt_vl(r.model, 0, 0), KARAT_OK);
    do_prefixed(&r, PAIRED, OP("vmv.x.s", 8, 2));
    assert_int_equal(r.commit.num_writes, 0);
    do_prefixed(&r, PAIRED, OP("vadd.vv", 8, 2, 2, 1));
    assert_int_equal(r.commit.num_writes, 0);
    rig_close(&r);
}

static void floating_point(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_x64(&r, 2, 0x3ff0000000000000); /* 1 */
    set_x64(&r, 4, 0x3ca0000000000000); /* 2^-53 */
    do_prefixed(&r, PAIRED, OP("fadd.s", 6, 2, 4, 0));
    X64(&r, 6, 0x3ff0000000000000);
    assert_int_equal(r.commit.flags_raised, 1);
    do_prefixed(&r, PAIRED, OP("fadd.s", 6, 2, 4, 3)); /* up */
    X64(&r, 6, 0x3ff0000000000001);
    do_prefixed(&r, PAIRED, OP("fmadd.s", 6, 2, 2, 4, 3));
    X64(&r, 6, 0x3ff0000000000001);
    assert_int_equal(r.commit.num_reads, 6);
    set_x64(&r, 8, 0x4000000000000000);
    do_prefixed(&r, PAIRED, OP("fsqrt.s", 6, 8, 0));
    X64(&r, 6, 0x3ff6a09e667f3bcd);
    /* Compares, classify and conversions write 64 bits, and convert to and from 64-bit integers. */
    set_x64(&r, 6, -1);
    do_prefixed(&r, PAIRED, OP("flt.s", 6, 2, 8));
    X64(&r, 6, 1);
    set_x64(&r, 6, -1);
    do_prefixed(&r, PAIRED, OP("fclass.s", 6, 2));
    X64(&r, 6, 1 << 6);
    set_x64(&r, 10, 0xc3d0000000000000); /* -2^62 */
    do_prefixed(&r, PAIRED, OP("fcvt.w.s", 6, 10, 1));
    X64(&r, 6, -(1ll << 62));
    do_prefixed(&r, PAIRED, OP("fcvt.wu.s", 6, 10, 1));
    X64(&r, 6, 0);
    assert_int_equal(r.commit.flags_raised, 16);
    set_x64(&r, 10, 0x8000000000000001);
    do_prefixed(&r, PAIRED, OP("fcvt.s.wu", 6, 10, 3));
    X64(&r, 6, 0x43e0000000000001);
    do_prefixed(&r, PAIRED, OP("fcvt.s.w", 6, 10, 0));
    X64(&r, 6, 0xc3e0000000000000);
    /* Vectors; the scalar of .vf is a pair. */
    splat_v64(&r, 2, 0x3ff0000000000000);
    do_prefixed(&r, PAIRED, OP("vfadd.vf", 8, 2, 8, 1));
    EXPECT_V64(&r, 8, 0x4008000000000000, 0x4008000000000000, 0x4008000000000000, 0x4008000000000000);
    do_prefixed(&r, PAIRED, OP("vmfeq.vv", 11, 2, 2, 1));
    EXPECT_V(&r, 11, 1, 1, 1, 1);
    assert_int_equal(r.commit.num_writes, 1);
    splat_v64(&r, 8, 0);
    do_prefixed(&r, PAIRED, OP("vfcvt.x.f.v", 8, 2, 1));
    EXPECT_V64(&r, 8, 1, 1, 1, 1);
    do_prefixed(&r, PAIRED, OP("vfmv.f.s", 6, 2));
    X64(&r, 6, 0x3ff0000000000000);
    do_prefixed(&r, PAIRED, OP("vfmv.v.f", 8, 8));
    EXPECT_V64(&r, 8, 0x4000000000000000, 0x4000000000000000, 0x4000000000000000, 0x4000000000000000);
    do_prefixed(&r, PAIRED, OP("vfmv.s.f", 8, 0));
    EXPECT_V64(&r, 8, 0, 0, 0, 0);
    /* A reserved rounding mode is illegal as without a prefix. */
    fail_prefixed(&r, PAIRED, OP("fadd.s", 6, 2, 4, 5), KARAT_ERR_ILLEGAL);
    DO(&r, "csrrwi", 0, 2, 5);
    do_prefixed(&r, PAIRED, OP("vadd.vv", 8, 2, 4, 1));
    fail_prefixed(&r, PAIRED, OP("vfadd.vv", 8, 2, 4, 1), KARAT_ERR_ILLEGAL);
    rig_close(&r);
}

/* SEW has no effect on instructions by pair: not even where it is 8. vill makes them illegal. */
static void whatever_vtype_says(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    for (int32_t sew = 0; sew < 3; sew++) {
        DO(&r, "vsetvli", 0, 0, sew << 3);
        splat_v64(&r, 2, 0x3ff0000000000000);
        do_prefixed(&r, PAIRED, OP("vfadd.vv", 8, 2, 2, 1));
        EXPECT_V64(&r, 8, 0x4000000000000000, 0x4000000000000000);
        assert_int_equal(r.commit.width, 64);
        do_prefixed(&r, PAIRED, OP("vadd.vv", 8, 2, 2, 1));
        EXPECT_V64(&r, 8, 0x7fe0000000000000, 0x7fe0000000000000);
        do_prefixed(&r, PAIRED, OP("vmv.x.s", 6, 2));
        X64(&r, 6, 0x3ff0000000000000);
    }
    DO(&r, "vsetvli", 0, 0, 0x18); /* e64: vill, as V 1.0 has it elsewhere */
    fail_prefixed(&r, PAIRED, OP("vadd.vv", 8, 2, 2, 1), KARAT_ERR_ILLEGAL);
    rig_close(&r);
}

/* x0 is 0 as a pair; x1 is neither read nor written. */
static void pair_of_x0(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_x(&r, 1, 0xdeadbeef);
    set_x64(&r, 2, 5);
    do_prefixed(&r, PAIRED, OP("add", 4, 0, 2));
    X64(&r, 4, 5);
    assert_int_equal(r.commit.num_reads, 3);
    assert_int_equal(r.commit.read[0].reg, 0);
    assert_int_equal(r.commit.read[1].reg, 2);
    do_prefixed(&r, PAIRED, OP("add", 0, 2, 2));
    assert_int_equal(get_x(&r, 1), 0xdeadbeef);
    assert_int_equal(r.commit.num_writes, 0);
    do_prefixed(&r, PAIRED, OP("fmadd.s", 4, 0, 0, 0, 0));
    X64(&r, 4, 0);
    assert_int_equal(r.commit.num_reads, 3);
    splat_v64(&r, 2, 7);
    do_prefixed(&r, PAIRED, OP("vmul.vx", 4, 2, 0, 1));
    EXPECT_V64(&r, 4, 0, 0, 0, 0);
    do_prefixed(&r, PAIRED, OP("vmv.x.s", 0, 2));
    assert_int_equal(get_x(&r, 1), 0xdeadbeef);
    assert_int_equal(r.commit.num_writes, 0);
    DO(&r, "addw", 0, 2, 2);
    assert_int_equal(get_x(&r, 1), 0xdeadbeef);
    DO(&r, "subw", 4, 0, 2);
    X64(&r, 4, -5);
    /* x32 is a register like any other. */
    set_x64(&r, 32, 0x300000004);
    do_prefixed(&r, OP("prefix", 0, 0, 1, 1, 1, 0, 0), OP("add", 0, 0, 2));
    X64(&r, 32, 0x300000009);
    assert_int_equal(r.commit.num_writes, 2);
    /* x1 may be beyond the usage. */
    r.desc.sgprs = 1;
    launch(&r);
    do_prefixed(&r, PAIRED, OP("add", 0, 0, 0));
    rig_close(&r);
}

static void odd_registers(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    static const struct {
        const char *name;
        int32_t operand[KARAT_MAX_OPERAND];
    } bad[] = {{"add", {3, 2, 4}},
               {"add", {2, 3, 4}},
               {"add", {2, 4, 3}},
               {"addi", {2, 1, 4}},
               {"beq", {1, 2, 8}},
               {"beq", {2, 1, 8}},
               {"lui", {1, 4}},
               {"fmadd.s", {2, 4, 6, 7, 0}},
               {"fcvt.w.s", {1, 2, 0}},
               {"fclass.s", {1, 2}},
               {"feq.s", {1, 2, 4}},
               {"vadd.vv", {3, 2, 4, 1}},
               {"vadd.vv", {2, 3, 4, 1}},
               {"vadd.vv", {2, 4, 3, 1}},
               {"vadd.vx", {2, 4, 3, 1}},
               {"vmseq.vv", {2, 4, 3, 1}},
               {"vmacc.vv", {3, 2, 4, 1}},
               {"vmv.x.s", {3, 2}},
               {"vmv.x.s", {2, 3}},
               {"vfadd.vf", {2, 4, 3, 1}},
               {"vbeq", {2, 3, 8}},
               {"vbeq", {3, 2, 8}},
               {"vadd12.vi", {3, 2, 4}},
               {"vadd12.vi", {2, 3, 4}},
               {"vfcvt.x.f.v", {3, 2, 1}},
               {"vid.v", {3, 1}},
               {"vfclass.v", {2, 3, 1}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fail_prefixed(&r, PAIRED, assemble(bad[i].name, bad[i].operand), KARAT_ERR_ILLEGAL);
    static const char *const words[] = {"addw", "subw", "sllw", "srlw", "sraw"}, *const immediates[] = {
                                                                                     "addiw", "slliw",
                                                                                     "srliw", "sraiw"};
    for (size_t i = 0; i < 5; i++) {
        FAIL(&r, KARAT_ERR_ILLEGAL, words[i], 3, 4, 6);
        FAIL(&r, KARAT_ERR_ILLEGAL, words[i], 2, 3, 6);
        FAIL(&r, KARAT_ERR_ILLEGAL, words[i], 2, 4, 3);
    }
    for (size_t i = 0; i < 4; i++) {
        FAIL(&r, KARAT_ERR_ILLEGAL, immediates[i], 3, 4, 6);
        FAIL(&r, KARAT_ERR_ILLEGAL, immediates[i], 2, 3, 6);
    }
    rig_close(&r);
}

/* Deviation third-operand-apart: the pair at {x3, vd} is read, the one at {xd, vd} written. */
static void third_operand_apart(void **unused) {
    (void)unused;
    karat_config config;
    karat_config_default(&config);
    config.profile = KARAT_V203;
    config.num_thread = 4;
    config.deviations = KARAT_DEV_THIRD_OPERAND_APART;
    rig r;
    rig_open_config(&r, &config);
    splat_v64(&r, 2, 3);
    splat_v64(&r, 40, 0x100000000);
    do_prefixed(&r, OP("prefix", 1, 0, 0, 2, 1, 0, 0), OP("vmacc.vv", 8, 2, 2, 1));
    EXPECT_V64(&r, 72, 0x100000009, 0x100000009, 0x100000009, 0x100000009);
    assert_int_equal(r.commit.deviated, KARAT_DEV_THIRD_OPERAND_APART);
    assert_int_equal(r.commit.num_reads, 6);
    assert_int_equal(r.commit.read[5].reg, 41);
    do_prefixed(&r, regext(1, 0, 0, 2), OP("vwmaccu.vv", 8, 2, 2, 1));
    EXPECT_V64(&r, 72, 0x100000009, 0x100000009, 0x100000009, 0x100000009);
    rig_close(&r);
}

/* Both registers of a pair are used, one of a mask. */
static void usage(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    r.desc.sgprs = 7;
    r.desc.vgprs = 11;
    launch(&r);
    do_prefixed(&r, PAIRED, OP("add", 4, 4, 4));
    fail_prefixed(&r, PAIRED, OP("add", 6, 4, 4), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIRED, OP("add", 4, 6, 4), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIRED, OP("add", 4, 4, 6), KARAT_ERR_REGISTER);
    DO(&r, "add", 6, 6, 6);
    DO(&r, "addw", 4, 4, 4);
    FAIL(&r, KARAT_ERR_REGISTER, "addw", 6, 4, 4);
    do_prefixed(&r, PAIRED, OP("vadd.vv", 8, 8, 8, 1));
    fail_prefixed(&r, PAIRED, OP("vadd.vv", 10, 8, 8, 1), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIRED, OP("vadd.vv", 8, 10, 8, 1), KARAT_ERR_REGISTER);
    fail_prefixed(&r, PAIRED, OP("vadd.vx", 8, 8, 6, 1), KARAT_ERR_REGISTER);
    do_prefixed(&r, PAIRED, OP("vmseq.vv", 10, 8, 8, 1)); /* a mask has one */
    DO(&r, "vwadd.vv", 8, 10, 10, 1);
    FAIL(&r, KARAT_ERR_REGISTER, "vwadd.vv", 10, 8, 8, 1);
    FAIL(&r, KARAT_ERR_REGISTER, "vfncvt.f.f.w", 8, 10, 1);
    /* The last registers of all. */
    r.desc.sgprs = r.desc.vgprs = 0;
    launch(&r);
    do_prefixed(&r, OP("prefix", 0, 1, 1, 1, 1, 0, 0), OP("add", 30, 30, 30));
    do_prefixed(&r, OP("prefix", 0, 7, 7, 7, 1, 0, 0), OP("vadd.vv", 30, 30, 30, 1));
    rig_close(&r);
}

/* v + 1 would be the group's second register and the pair's upper half. */
static void groups(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    static const struct {
        const char *name;
        int32_t operand[KARAT_MAX_OPERAND];
        bool pair;
    } bad[] = {{"vadd.vv", {4, 8, 12, 1}, true},   {"vmseq.vv", {4, 8, 12, 1}, true},
               {"vfadd.vf", {4, 8, 6, 1}, true},   {"vid.v", {4, 1}, true},
               {"vwadd.vv", {4, 8, 12, 1}, false}, {"vwaddu.wx", {4, 8, 6, 1}, false},
               {"vfwcvt.f.f.v", {4, 8, 1}, false}, {"vfncvt.x.f.w", {4, 8, 1}, false}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        DO(&r, "vsetvli", 0, 0, 0x11);
        fail_prefixed(&r, bad[i].pair ? PAIRED : 0, assemble(bad[i].name, bad[i].operand), KARAT_ERR_ILLEGAL);
        do_prefixed(&r, bad[i].pair ? PAIRED : 0,
                    assemble(bad[i].name, bad[i].operand)); /* m1 after the launch */
    }
    /* Scalars are no groups, and no row of Ventus' own is. */
    DO(&r, "vsetvli", 0, 0, 0x11);
    do_prefixed(&r, PAIRED, OP("add", 2, 4, 6));
    do_prefixed(&r, PAIRED, OP("vadd12.vi", 2, 4, 6));
    do_prefixed(&r, PAIRED, OP("vmv.x.s", 2, 4));
    rig_close(&r);
}

/* Rows for which 64-bit operands have no meaning. */
static void what_pair_does_not_fit(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    static const struct {
        const char *name;
        int32_t operand[KARAT_MAX_OPERAND];
    } bad[] = {{"lw", {2, 0, 4}},
               {"sw", {2, 0, 4}},
               {"ld", {2, 0, 4}},
               {"sd", {2, 0, 4}},
               {"amoadd.w", {2, 4, 6, 0}},
               {"amoadd.d", {2, 4, 6, 0}},
               {"lr.w", {2, 4, 0}},
               {"vle32.v", {2, 4, 1}},
               {"vsoxei8.v", {2, 4, 6, 1}},
               {"vlw12.v", {2, 0, 4}},
               {"vsw12d.v", {2, 0, 4}},
               {"jal", {2, 8}},
               {"jalr", {2, 0, 4}},
               {"csrrw", {2, 0x340, 4}},
               {"csrrsi", {2, 0x340, 4}},
               {"vsetvli", {2, 4, 0x10}},
               {"vsetivli", {2, 4, 0x10}},
               {"vsetvl", {2, 4, 6}},
               {"fence", {0}},
               {"barrier", {0}},
               {"barriersub", {0}},
               {"endprg", {0}},
               {"join", {0}},
               {"setrpc", {2, 4, 0}},
               {"vmand.mm", {2, 4, 6}},
               {"vfexp.v", {2, 4, 1}},
               {"vftta.vv", {2, 4, 6, 1}},
               {"vwadd.vv", {2, 4, 6, 1}},
               {"vwadd.wv", {2, 4, 6, 1}},
               {"vwmaccus.vx", {2, 4, 6, 1}},
               {"vfwcvt.f.f.v", {2, 4, 1}},
               {"vfncvt.f.f.w", {2, 4, 1}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(karat_prefix_fits(karat_find_row(bad[i].name), PAIRED));
        fail_prefixed(&r, PAIRED, assemble(bad[i].name, bad[i].operand), KARAT_ERR_PREFIX);
    }
    /* All others that compute have it. */
    for (int row = 0; row < karat_num_rows(); row++) {
        const karat_row *info = karat_row_info(row);
        const bool computes = karat_row_is_legal(info, KARAT_V203) && info->unit < KARAT_UNIT_SIMT &&
                              info->unit != KARAT_UNIT_CSR && info->unit != KARAT_UNIT_MEM &&
                              info->unit != KARAT_UNIT_AMO && strcmp(info->name, "jal") &&
                              strcmp(info->name, "jalr");
        const bool word = strstr(info->mnemonic, ".mm") || strncmp(info->name, "vw", 2) == 0 ||
                          strncmp(info->name, "vfw", 3) == 0 || strncmp(info->name, "vfn", 3) == 0 ||
                          !strcmp(info->name, "vfexp_v") || !strcmp(info->name, "vftta_vv");
        if (computes && !word)
            assert_true(karat_prefix_fits(row, PAIRED));
    }
    rig_close(&r);
}

/* 64-bit operations without a prefix. */
static void word_rows(void **unused) {
    (void)unused;
    rig r;
    rig_open_v203(&r, 4);
    set_x64(&r, 2, 0xffffffff);
    set_x64(&r, 4, 2);
    set_x64(&r, 6, 0x8000000000000021); /* 33, as an amount */
    DO(&r, "addw", 8, 2, 4);
    X64(&r, 8, 0x100000001);
    assert_int_equal(r.commit.width, 64);
    assert_int_equal(r.commit.num_reads, 4);
    assert_int_equal(r.commit.num_writes, 2);
    DO(&r, "subw", 8, 4, 2);
    X64(&r, 8, 2 - 0xffffffffull);
    DO(&r, "sllw", 8, 4, 6);
    X64(&r, 8, 1ull << 34);
    DO(&r, "srlw", 8, 6, 6);
    X64(&r, 8, 1 << 30);
    DO(&r, "sraw", 8, 6, 6);
    X64(&r, 8, 0xffffffffc0000000);
    DO(&r, "addiw", 8, 4, -3);
    X64(&r, 8, -1);
    DO(&r, "slliw", 8, 4, 31);
    X64(&r, 8, 1ull << 32);
    DO(&r, "srliw", 8, 6, 31);
    X64(&r, 8, 1ull << 32);
    DO(&r, "sraiw", 8, 6, 31);
    X64(&r, 8, 0xffffffff00000000);
    do_prefixed(&r, regexti(1, 0, 0), OP("slliw", 8, 4, 30));
    X64(&r, 8, 1ull << 63);
    do_prefixed(&r, OP("prefixi", 1, 0, 0, 0, 0, 0), OP("sraiw", 8, 6, 31));
    X64(&r, 8, -1);
    /* pair changes nothing. */
    do_prefixed(&r, PAIRED, OP("addw", 8, 2, 4));
    X64(&r, 8, 0x100000001);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("addw", 8, 2, 4));
    X64(&r, 40, 0);
    rig_close(&r);
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
static void read_port(void **unused) {
    (void)unused;
    for (unsigned vector = 0; vector < 2; vector++)
        for (unsigned held = 0; held < 5; held++) {
            rig r;
            rig_open_v203(&r, 4);
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
            rig_close(&r);
        }
}

int v203_pair_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_rows),
        cmocka_unit_test(branches),
        cmocka_unit_test(vector_rows),
        cmocka_unit_test(fixed_point_and_masks),
        cmocka_unit_test(floating_point),
        cmocka_unit_test(whatever_vtype_says),
        cmocka_unit_test(pair_of_x0),
        cmocka_unit_test(odd_registers),
        cmocka_unit_test(third_operand_apart),
        cmocka_unit_test(usage),
        cmocka_unit_test(groups),
        cmocka_unit_test(what_pair_does_not_fit),
        cmocka_unit_test(word_rows),
        cmocka_unit_test(read_port),
    };
    return cmocka_run_group_tests_name("v2.03: pairs", tests, NULL, NULL);
}
