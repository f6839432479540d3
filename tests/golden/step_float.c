/* Floating point, scalar (Zfinx) and vector: rounding modes, flags, which operand is which, and what Ventus
 * changes (section 4.1; decisions, "Vector results"). The arithmetic itself is tested in tests/fp, and
 * compared with QEMU in test_qemu. */
#include "step.h"

enum { E32M1 = 0x10, E32M2 = 0x11 };
enum { FFLAGS = 1, FRM, FCSR };
enum { NX = 1, DZ = 8, NV = 16 };
enum { RNE, RTZ, RDN, RUP, RMM, DYN = 7 };
#define SIGNALING 0x7f800001u
#define CANONICAL 0x7fc00000u

#define F(x)                                                                                                 \
    ((union {                                                                                                \
         float f;                                                                                            \
         uint32_t u;                                                                                         \
     }){x}                                                                                                   \
         .u)

/* Small integers, so that host arithmetic would be exact: vs1 or rs1 = 5, vs2 = 7, old vd = 3. */
static void floating_point(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        bool accumulates; /* assembly order vd, vs1, vs2 */
        float expected;
    } rows[] = {
        {"vfadd", false, 12},   {"vfsub", false, 2},      {"vfmul", false, 35},   {"vfdiv", false, 1.4f},
        {"vfsgnj", false, 7},   {"vfsgnjn", false, -7},   {"vfsgnjx", false, 7},  {"vfmadd", true, 5 * 3 + 7},
        {"vfnmadd", true, -22}, {"vfmsub", true, 8},      {"vfnmsub", true, -8},  {"vfmacc", true, 5 * 7 + 3},
        {"vfnmacc", true, -38}, {"vfmsac", true, 35 - 3}, {"vfnmsac", true, -32},
    };
    rig r;
    rig_open(&r, 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int vf = 0; vf < 2; vf++) {
            char name[32];
            snprintf(name, sizeof name, "%s.%s", rows[i].name, vf ? "vf" : "vv");
            splat_v(&r, 1, F(5));
            set_x(&r, 1, F(5)); /* Zfinx: the scalar operand is an x register */
            splat_v(&r, 2, F(7));
            splat_v(&r, 3, F(3));
            DO(&r, "csrrwi", 0, 1, 0);
            do_word(&r, rows[i].accumulates ? OP(name, 3, 1, 2, 1) : OP(name, 3, 2, 1, 1));
            for (unsigned lane = 0; lane < 8; lane++)
                assert_int_equal(get_v(&r, 3)[lane], F(rows[i].expected));
            unsigned flags = strcmp(rows[i].name, "vfdiv") == 0; /* 1.4 is inexact */
            assert_int_equal(r.commit.flags_raised, flags);
            assert_int_equal(get_csr(&r, 1), flags);
        }
    splat_v(&r, 2, F(49));
    DO(&r, "vfsqrt.v", 3, 2, 1);
    assert_int_equal(get_v(&r, 3)[7], F(7));
    /* vfsgnj: the magnitude of vs2 with the sign of vs1. */
    splat_v(&r, 2, F(-7));
    DO(&r, "vfsgnj.vv", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[7], F(7));
    DO(&r, "vfsgnjx.vv", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[7], F(-7));
    rig_close(&r);
}

static void frm_and_flags(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    splat_v(&r, 1, F(3));
    splat_v(&r, 2, F(1));
    /* 1/3 = 0.0101..b: 3eaaaaab to nearest and up, 3eaaaaaa down and to zero. */
    static const uint32_t third[5] = {0x3eaaaaab, 0x3eaaaaaa, 0x3eaaaaaa, 0x3eaaaaab, 0x3eaaaaab};
    for (int32_t frm = 0; frm < 5; frm++) {
        DO(&r, "csrrwi", 0, 2, frm);
        DO(&r, "vfdiv.vv", 3, 2, 1, 1);
        assert_int_equal(get_v(&r, 3)[0], third[frm]);
    }
    assert_int_equal(get_csr(&r, 1), NX);
    for (int32_t frm = 5; frm < 8; frm++) {
        static const char *const names[] = {"vfadd.vv", "vfsgnj.vv", "vfmul.vf", "vfmacc.vv"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            DO(&r, "csrrwi", 0, 2, frm);
            fail_word(&r, OP(names[i], 3, 2, 1, 1), KARAT_ERR_ILLEGAL);
        }
        DO(&r, "csrrwi", 0, 2, frm);
        DO(&r, "vadd.vv", 4, 2, 1, 1); /* integers do not mind */
        DO(&r, "csrrwi", 0, 2, 0);
    }
    /* Flags accumulate, and only lanes that are written raise them. */
    uint32_t divisor[KARAT_MAX_THREAD];
    for (unsigned i = 0; i < KARAT_MAX_THREAD; i++)
        divisor[i] = i == 5 ? 0 : F(2);
    splat_v(&r, 2, F(1));
    set_v(&r, 1, divisor);
    narrow(&r, 0x0f);
    DO(&r, "vfdiv.vv", 3, 2, 1, 1);
    assert_int_equal(r.commit.flags_raised, 0);
    assert_int_equal(get_csr(&r, 1), 0);
    launch(&r);
    splat_v(&r, 2, F(1));
    set_v(&r, 1, divisor);
    DO(&r, "vsetivli", 0, 5, E32M1);
    DO(&r, "vfdiv.vv", 3, 2, 1, 1);
    assert_int_equal(get_csr(&r, 1), 0);
    DO(&r, "vsetivli", 0, 6, E32M1);
    DO(&r, "vfdiv.vv", 3, 2, 1, 0); /* v0 is 0 */
    assert_int_equal(get_csr(&r, 1), 0);
    DO(&r, "vfdiv.vv", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[5], 0x7f800000);
    assert_int_equal(r.commit.flags_raised, DZ);
    assert_int_equal(r.commit.csr_written, 0);
    splat_v(&r, 4, 0x7f800001); /* a signaling NaN */
    DO(&r, "vfadd.vv", 3, 2, 4, 1);
    assert_int_equal(get_v(&r, 3)[0], 0x7fc00000);
    assert_int_equal(r.commit.flags_raised, NV);
    assert_int_equal(get_csr(&r, 1), DZ | NV);
    DO(&r, "vfadd.vv", 3, 2, 2, 1); /* exact */
    assert_int_equal(get_csr(&r, 1), DZ | NV);
    rig_close(&r);
}

/* --- Vector: what came with the rest of the instructions --- */

static void vector_operands(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    const uint32_t a[KARAT_MAX_THREAD] = {F(1), F(2), F(3), CANONICAL};
    set_v(&r, 2, a);
    set_x(&r, 1, F(2));
    DO(&r, "vfrsub.vf", 3, 2, 1, 1); /* f - v */
    EXPECT_V(&r, 3, F(1), F(0), F(-1), CANONICAL);
    DO(&r, "vfrdiv.vf", 3, 2, 1, 1);
    EXPECT_V(&r, 3, F(2), F(1), 0x3f2aaaab, CANONICAL);
    DO(&r, "vfmin.vf", 3, 2, 1, 1); /* the number, where one is none */
    EXPECT_V(&r, 3, F(1), F(2), F(2), F(2));
    DO(&r, "vfmax.vf", 3, 2, 1, 1);
    EXPECT_V(&r, 3, F(2), F(2), F(3), F(2));
    /* Compares write 0 or 1 into each lane's element; vs2 op rs1. */
    static const struct {
        const char *name;
        uint32_t expected[4];
        unsigned flags; /* the ordered ones mind quiet NaNs, too */
    } rows[] = {{"vmfeq.vf", {0, 1, 0, 0}, 0},  {"vmfne.vf", {1, 0, 1, 1}, 0},
                {"vmflt.vf", {1, 0, 0, 0}, NV}, {"vmfle.vf", {1, 1, 0, 0}, NV},
                {"vmfgt.vf", {0, 0, 1, 0}, NV}, {"vmfge.vf", {0, 1, 1, 0}, NV}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        splat_v(&r, 3, 0xdeadbeef);
        do_word(&r, OP(rows[i].name, 3, 2, 1, 1));
        expect_v(&r, 3, rows[i].expected, 4);
        assert_int_equal(r.commit.flags_raised, rows[i].flags);
    }
    /* Flags of written lanes only, also where only the flag shows it. */
    const uint32_t mask[KARAT_MAX_THREAD] = {1, 3, 2, 0};
    set_v(&r, 0, mask);
    splat_v(&r, 3, 9);
    DO(&r, "vmflt.vf", 3, 2, 1, 0);
    EXPECT_V(&r, 3, 1, 0, 9, 9);
    assert_int_equal(r.commit.flags_raised, 0);
    assert_int_equal(r.commit.write[0].mask, 3);
    /* vfmerge: bit 0 of v0's element chooses, and every lane is written; bits are moved, not numbers. */
    set_x(&r, 1, SIGNALING);
    DO(&r, "vfmerge.vfm", 3, 2, 1);
    EXPECT_V(&r, 3, SIGNALING, SIGNALING, F(3), CANONICAL);
    assert_int_equal(r.commit.write[0].mask, 0xf);
    assert_int_equal(r.commit.flags_raised, 0);
    DO(&r, "vfmv.v.f", 3, 1);
    EXPECT_V(&r, 3, SIGNALING, SIGNALING, SIGNALING, SIGNALING);
    DO(&r, "vfclass.v", 4, 3, 1);
    EXPECT_V(&r, 4, 0x100, 0x100, 0x100, 0x100);
    /* Conversions with a mode of their own, whatever frm is. */
    DO(&r, "csrrwi", 0, FRM, RUP);
    const uint32_t b[KARAT_MAX_THREAD] = {F(1.5f), F(-1.5f), F(2.25f), CANONICAL};
    set_v(&r, 2, b);
    DO(&r, "vfcvt.x.f.v", 3, 2, 1);
    EXPECT_V(&r, 3, 2, -1u, 3, 0x7fffffff);
    DO(&r, "vfcvt.rtz.x.f.v", 3, 2, 1);
    EXPECT_V(&r, 3, 1, -1u, 2, 0x7fffffff);
    assert_int_equal(r.commit.flags_raised, NX | NV);
    DO(&r, "vfcvt.xu.f.v", 3, 2, 1);
    EXPECT_V(&r, 3, 2, 0, 3, 0xffffffff);
    DO(&r, "vfcvt.rtz.xu.f.v", 3, 2, 1);
    EXPECT_V(&r, 3, 1, 0, 2, 0xffffffff);
    splat_v(&r, 2, 0x80000001);
    DO(&r, "vfcvt.f.x.v", 3, 2, 1); /* -2147483647, up */
    EXPECT_V(&r, 3, 0xceffffff, 0xceffffff, 0xceffffff, 0xceffffff);
    DO(&r, "vfcvt.f.xu.v", 3, 2, 1); /* 2147483649, up */
    EXPECT_V(&r, 3, 0x4f000001, 0x4f000001, 0x4f000001, 0x4f000001);
    rig_close(&r);
}

/* vfmv.s.f is vfmv.v.f: every active lane, not lane 0. */
static void vfmv_s_f(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    narrow(&r, 0xc1);
    set_x(&r, 35, SIGNALING);
    splat_v(&r, 3, 5);
    do_prefixed(&r, regext(0, 0, 1, 0), OP("vfmv.s.f", 3, 3));
    EXPECT_V(&r, 3, SIGNALING, 5, 5, 5, 5, 5, SIGNALING, SIGNALING);
    assert_int_equal(r.commit.write[0].mask, 0xc1);
    assert_int_equal(r.commit.flags_raised, 0);
    DO(&r, "vsetivli", 0, 7, E32M1);
    set_x(&r, 1, 6);
    DO(&r, "vfmv.s.f", 3, 1);
    EXPECT_V(&r, 3, 6, 5, 5, 5, 5, 5, 6, SIGNALING);
    DO(&r, "vsetvli", 0, 0, E32M2);
    DO(&r, "vsetivli", 0, 16, E32M2);
    DO(&r, "vfmv.s.f", 4, 1);
    assert_int_equal(r.commit.num_writes, 2);
    EXPECT_V(&r, 5, 6, 0, 0, 0, 0, 0, 6, 6);
    rig_close(&r);
}

/* vfmv.f.s is like vmv.x.s: from the active lanes, flagged where they differ, nothing from none. */
static void vfmv_f_s(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    splat_v(&r, 2, SIGNALING);
    DO(&r, "vfmv.f.s", 5, 2); /* moves bits */
    assert_int_equal(get_x(&r, 5), SIGNALING);
    assert_int_equal(r.commit.warnings, 0);
    assert_int_equal(r.commit.flags_raised, 0);
    assert_int_equal(r.commit.write[0].cls, KARAT_CLASS_X);
    assert_int_equal(r.commit.write[0].mask, 1);
    ramp_v(&r, 2, 10, 1);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 17);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    narrow(&r, 0x24);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 15);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    const uint32_t same[KARAT_MAX_THREAD] = {1, 2, 33, 4, 5, 33, 7, 8};
    set_v(&r, 2, same);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 33);
    assert_int_equal(r.commit.warnings, 0);
    /* Zeros of both signs differ: bits count. */
    const uint32_t zeros[KARAT_MAX_THREAD] = {[2] = 0, [5] = 0x80000000};
    set_v(&r, 2, zeros);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 0x80000000);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    DO(&r, "vsetivli", 0, 5, E32M1); /* vl leaves lane 2 */
    ramp_v(&r, 2, 40, 1);
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.warnings, 0);
    DO(&r, "vsetivli", 0, 2, E32M1); /* and none */
    DO(&r, "vfmv.f.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.num_writes, 0);
    assert_int_equal(r.commit.warnings, 0);
    /* Any register of a group, x0, and numbers after the 31st. */
    DO(&r, "vsetivli", 0, 16, E32M2);
    splat_v(&r, 3, 9);
    splat_v(&r, 4, 8);
    DO(&r, "vfmv.f.s", 5, 3);
    assert_int_equal(get_x(&r, 5), 9);
    assert_int_equal(r.commit.warnings, 0);
    DO(&r, "vfmv.f.s", 0, 3);
    assert_int_equal(r.commit.num_writes, 0);
    splat_v(&r, 99, 77);
    do_prefixed(&r, regext(0, 3, 0, 1), OP("vfmv.f.s", 5, 3));
    assert_int_equal(get_x(&r, 37), 77);
    fail_prefixed(&r, regext(0, 0, 0, 2), OP("vfmv.f.s", 5, 3), KARAT_ERR_REGISTER);
    rig_close(&r);
}

static void vector_groups(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    DO(&r, "vsetvli", 5, 0, E32M2);
    DO(&r, "vid.v", 2, 1);
    DO(&r, "vfcvt.f.xu.v", 4, 2, 1);
    EXPECT_V(&r, 4, F(0), F(1), F(2), F(3));
    EXPECT_V(&r, 5, F(4), F(5), F(6), F(7));
    set_x(&r, 1, F(5));
    DO(&r, "vmfge.vf", 0, 4, 1, 1); /* a mask is a group of elements, too */
    EXPECT_V(&r, 0, 0, 0, 0, 0);
    EXPECT_V(&r, 1, 0, 1, 1, 1);
    DO(&r, "vfmerge.vfm", 6, 4, 0);
    EXPECT_V(&r, 6, F(0), F(1), F(2), F(3));
    EXPECT_V(&r, 7, F(4), 0, 0, 0);
    DO(&r, "vfrsub.vf", 4, 4, 1, 0);
    EXPECT_V(&r, 4, F(0), F(1), F(2), F(3));
    EXPECT_V(&r, 5, F(4), F(0), F(-1), F(-2));
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.write[0].reg, 5);
    /* Flags by element of the group: element 7 alone is signaling. */
    uint32_t bad[KARAT_MAX_THREAD] = {[3] = SIGNALING};
    set_v(&r, 5, bad);
    DO(&r, "vsetivli", 5, 7, E32M2);
    DO(&r, "vfmax.vv", 8, 4, 4, 1);
    assert_int_equal(r.commit.flags_raised, 0);
    DO(&r, "vsetivli", 5, 8, E32M2);
    DO(&r, "vfmax.vv", 8, 4, 4, 1);
    assert_int_equal(r.commit.flags_raised, NV);
    assert_int_equal(get_v(&r, 9)[3], CANONICAL);
    rig_close(&r);
}

static void every_vector_row_minds_frm(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    unsigned num = 0;
    rows_pause();
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        if (!row->rounds || !karat_row_is_legal(row, KARAT_V202))
            continue;
        uint32_t word = row->match | (1u << 25 & ~row->mask); /* unmasked, where there is a vm bit */
        for (int32_t frm = 5; frm < 8; frm++) {
            DO(&r, "csrrwi", 0, FRM, frm);
            fail_word(&r, word, KARAT_ERR_ILLEGAL);
            ILLEGAL_BY(&r, ROUNDING);
        }
        DO(&r, "csrrwi", 0, FRM, RMM);
        do_word(&r, word);
        num++;
    }
    rows_resume();
    assert_true(num >= 60);
    rig_close(&r);
}

/* --- Scalar --- */

/* 1/3 = 0.0101..b rounds up and down by mode. */
static const uint32_t third[5] = {0x3eaaaaab, 0x3eaaaaaa, 0x3eaaaaaa, 0x3eaaaaab, 0x3eaaaaab};

static void scalar_rounding(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    set_x(&r, 1, F(1));
    set_x(&r, 2, F(3));
    for (int32_t rm = RNE; rm <= RMM; rm++) {
        for (int32_t frm = 0; frm < 8;
             frm++) { /* a mode in the word: frm does not matter, nor is it looked at */
            DO(&r, "csrrwi", 0, FRM, frm);
            DO(&r, "fdiv.s", 3, 1, 2, rm);
            assert_int_equal(get_x(&r, 3), third[rm]);
        }
        DO(&r, "csrrwi", 0, FRM, rm);
        DO(&r, "fdiv.s", 3, 1, 2, DYN);
        assert_int_equal(get_x(&r, 3), third[rm]);
    }
    /* Reserved modes, in the word and in frm. */
    unsigned rounding = 0, others = 0;
    rows_pause();
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        const uint32_t opcode = row->match & 0x7f, mode = 7u << 12;
        if ((opcode & 0x73) != 0x43 && opcode != 0x53)
            continue;
        if (row->mask & mode) { /* no such field: frm does not matter */
            DO(&r, "csrrwi", 0, FRM, 7);
            do_word(&r, row->match);
            DO(&r, "csrrwi", 0, FRM, 0);
            others++;
            continue;
        }
        fail_word(&r, row->match | 5u << 12, KARAT_ERR_ILLEGAL);
        ILLEGAL_BY(&r, ROUNDING);
        fail_word(&r, row->match | 6u << 12, KARAT_ERR_ILLEGAL);
        for (int32_t frm = 5; frm < 8; frm++) {
            DO(&r, "csrrwi", 0, FRM, frm);
            fail_word(&r, row->match | mode, KARAT_ERR_ILLEGAL);
        }
        do_word(&r, row->match | mode);
        rounding++;
    }
    rows_resume();
    assert_int_equal(rounding, 13);
    assert_int_equal(others, 9);
    rig_close(&r);
}

static void scalar_flags(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    set_x(&r, 1, F(1));
    set_x(&r, 2, F(3));
    DO(&r, "fdiv.s", 3, 1, 2, RNE);
    assert_int_equal(r.commit.flags_raised, NX);
    assert_int_equal(r.commit.csr_written, 0);
    DO(&r, "fdiv.s", 0, 1, 0, RNE); /* x0 is +0, and as rd it takes nothing but flags */
    assert_int_equal(r.commit.num_writes, 0);
    assert_int_equal(r.commit.flags_raised, DZ);
    assert_int_equal(get_csr(&r, FFLAGS), NX | DZ);
    DO(&r, "fadd.s", 3, 1, 2, RNE); /* exact: what was raised stays */
    assert_int_equal(r.commit.flags_raised, 0);
    set_x(&r, 4, SIGNALING);
    DO(&r, "fsgnj.s", 3, 4, 1); /* moves bits */
    assert_int_equal(get_x(&r, 3), SIGNALING);
    assert_int_equal(r.commit.flags_raised, 0);
    DO(&r, "feq.s", 3, 4, 4);
    assert_int_equal(get_x(&r, 3), 0);
    assert_int_equal(r.commit.flags_raised, NV);
    DO(&r, "csrrs", 5, FCSR, 0);
    assert_int_equal(get_x(&r, 5), NX | DZ | NV);
    /* Once a warp, whatever the threads' mask, vl and vtype. */
    r.desc.mask = 0;
    launch(&r);
    set_x(&r, 1, F(1));
    DO(&r, "vsetivli", 0, 5, 0);    /* vill */
    DO(&r, "fadd.s", 1, 1, 1, DYN); /* rd = rs1 */
    assert_int_equal(get_x(&r, 1), F(2));
    assert_int_equal(r.commit.write[0].mask, 1);
    rig_close(&r);
}

static void scalar_operands(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        float expected; /* of 2, 3 and 1 */
    } rows[] = {{"fmadd.s", 7}, {"fmsub.s", 5}, {"fnmsub.s", -5}, {"fnmadd.s", -7}};
    rig r;
    rig_open(&r, 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned high = 0; high < 2; high++) {
            set_x(&r, 32 * high + 3, F(2));
            set_x(&r, 32 * high + 4, F(3));
            set_x(&r, 32 * high + 5, F(1));
        }
        do_word(&r, OP(rows[i].name, 2, 3, 4, 5, RNE));
        assert_int_equal(get_x(&r, 2), F(rows[i].expected));
        assert_int_equal(r.commit.num_reads, 3);
        /* Three bits more for each: x34 = x35 * x36 + x37. The unextended ones are none of its business. */
        for (unsigned reg = 2; reg < 6; reg++)
            set_x(&r, reg, SIGNALING);
        do_prefixed(&r, regext(1, 1, 1, 1), OP(rows[i].name, 2, 3, 4, 5, RNE));
        assert_int_equal(get_x(&r, 34), F(rows[i].expected));
        assert_int_equal(r.commit.flags_raised, 0);
        assert_int_equal(r.commit.write[0].reg, 34);
        assert_int_equal(r.commit.read[2].source, 3);
        assert_int_equal(r.commit.read[2].reg, 37);
        /* One at a time. */
        set_x(&r, 3, F(2));
        set_x(&r, 4, F(3));
        do_prefixed(&r, regext(1, 0, 0, 0), OP(rows[i].name, 2, 3, 4, 5, RNE));
        assert_int_equal(get_x(&r, 2), F(rows[i].expected));
        uint32_t word = OP(rows[i].name, 2, 3, 4, 5, RNE);
        fail_prefixed(&r, regext(2, 0, 0, 0), word, KARAT_ERR_REGISTER); /* scalars end at x63 */
        fail_prefixed(&r, regext(0, 2, 0, 0), word, KARAT_ERR_REGISTER);
        fail_prefixed(&r, regext(0, 0, 4, 0), word, KARAT_ERR_REGISTER);
        fail_prefixed(&r, regext(0, 0, 0, 2), word, KARAT_ERR_REGISTER);
        fail_prefixed(&r, regexti(1, 0, 0), word, KARAT_ERR_PREFIX);
    }
    set_x(&r, 33, F(9));
    set_x(&r, 63, F(4));
    do_prefixed(&r, regext(0, 0, 1, 1), OP("fsqrt.s", 2, 1, RNE));
    assert_int_equal(get_x(&r, 34), F(3));
    do_prefixed(&r, regext(0, 1, 1, 0), OP("flt.s", 2, 31, 1));
    assert_int_equal(get_x(&r, 2), 1);
    do_prefixed(&r, regexti(0, 1, 1), OP("fsub.s", 0, 0, 31, RNE)); /* REGEXTI: x1 = 0 */
    assert_int_equal(get_x(&r, 32), F(-4));
    /* Fields that are not there. */
    fail_prefixed(&r, regext(1, 0, 0, 0), OP("fadd.s", 1, 2, 3, RNE), KARAT_ERR_PREFIX);
    fail_prefixed(&r, regext(0, 1, 0, 0), OP("fsqrt.s", 1, 2, RNE), KARAT_ERR_PREFIX);
    fail_prefixed(&r, regext(0, 1, 0, 0), OP("fcvt.w.s", 1, 2, RNE), KARAT_ERR_PREFIX);
    fail_prefixed(&r, regext(0, 1, 0, 0), OP("fclass.s", 1, 2), KARAT_ERR_PREFIX);
    /* Beyond what the launch gives the warp. */
    r.desc.sgprs = 36;
    launch(&r);
    set_x(&r, 1, F(1));
    DO(&r, "fadd.s", 1, 1, 1, RNE);
    fail_prefixed(&r, regext(1, 0, 0, 0), OP("fmadd.s", 1, 1, 1, 4, RNE), KARAT_ERR_REGISTER);
    do_prefixed(&r, regext(1, 0, 0, 0), OP("fmadd.s", 1, 1, 1, 3, RNE));
    rig_close(&r);
}

/* Zfinx has no loads, stores and moves of its own; there is one format; fields are fixed. */
static void not_in_zfinx(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    static const uint32_t words[] = {
        0x0000a007, /* flw */
        0x0010a027, /* fsw */
        0xe0000053, /* fmv.x.w */
        0xf0000053, /* fmv.w.x */
        0x02000053, /* fadd.d */
        0x02000043, /* fmadd.d */
        0xc0200053, /* fcvt.l.s */
        0xd0300053, /* fcvt.s.lu */
        0x20003053, /* fsgnj with funct3 3 */
        0x28002053, /* fmin with funct3 2 */
        0xa0003053, /* feq with funct3 3 */
        0x58100053, /* fsqrt with an rs2 */
        0xe0101053, /* fclass with an rs2 */
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fail_word(&r, words[i], KARAT_ERR_ILLEGAL);
    rig_close(&r);
}

int float_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floating_point),
        cmocka_unit_test(frm_and_flags),
        cmocka_unit_test(vector_operands),
        cmocka_unit_test(vfmv_s_f),
        cmocka_unit_test(vfmv_f_s),
        cmocka_unit_test(vector_groups),
        cmocka_unit_test(every_vector_row_minds_frm),
        cmocka_unit_test(scalar_rounding),
        cmocka_unit_test(scalar_flags),
        cmocka_unit_test(scalar_operands),
        cmocka_unit_test(not_in_zfinx),
    };
    return cmocka_run_group_tests_name("float", tests, NULL, NULL);
}
