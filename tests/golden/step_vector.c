/* Vector arithmetic: what Ventus changes of V 1.0 (section 4.1; decisions, "Vector results"), register
 * groups, fixed point, and Ventus' own arithmetic (section 4.2.5). The others are compared with
 * QEMU, in test_qemu; floating point is in step_float.c. */
#include "step.h"

enum { E32M1 = 0x10, E32M2 = 0x11 };

/* vs2 against vs1 in four lanes; which instruction gives what. */
static void compares_write_elements(void **unused) {
    (void)unused;
    static const uint32_t vs2[4] = {5, 6, 7, 0xffffffff};
    static const struct {
        const char *vv, *vx, *vi; /* against 6 */
        uint32_t expected[4];
    } rows[] = {
        {"vmseq.vv", "vmseq.vx", "vmseq.vi", {0, 1, 0, 0}},
        {"vmsne.vv", "vmsne.vx", "vmsne.vi", {1, 0, 1, 1}},
        {"vmsltu.vv", "vmsltu.vx", NULL, {1, 0, 0, 0}},
        {"vmslt.vv", "vmslt.vx", NULL, {1, 0, 0, 1}},
        {"vmsleu.vv", "vmsleu.vx", "vmsleu.vi", {1, 1, 0, 0}},
        {"vmsle.vv", "vmsle.vx", "vmsle.vi", {1, 1, 0, 1}},
        {NULL, "vmsgtu.vx", "vmsgtu.vi", {0, 0, 1, 1}},
        {NULL, "vmsgt.vx", "vmsgt.vi", {0, 0, 1, 0}},
    };
    rig r;
    rig_open(&r, 4);
    set_v(&r, 2, vs2);
    splat_v(&r, 1, 6);
    set_x(&r, 1, 6);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const names[3] = {rows[i].vv, rows[i].vx, rows[i].vi};
        for (int form = 0; form < 3; form++) {
            if (!names[form])
                continue;
            splat_v(&r, 3, 0xdeadbeef);
            do_word(&r, OP(names[form], 3, 2, form == 2 ? 6 : 1, 1));
            expect_v(&r, 3, rows[i].expected, 4);
        }
    }
    /* Each lane's own element: masked-off lanes keep theirs. */
    const uint32_t mask[KARAT_MAX_THREAD] = {0, 1, 0x80000000, 0xffffffff};
    set_v(&r, 0, mask);
    splat_v(&r, 3, 9);
    DO(&r, "vmsne.vv", 3, 2, 1, 0);
    EXPECT_V(&r, 3, 9, 0, 9, 1);
    assert_int_equal(r.commit.write[0].mask, 0xa);
    /* vd may be v0, the mask itself, and a source. */
    DO(&r, "vmsne.vv", 0, 0, 2, 0);
    EXPECT_V(&r, 0, 0, 1, 0x80000000, 0);
    rig_close(&r);
}

static void mask_logic_is_on_whole_elements(void **unused) {
    (void)unused;
    const uint32_t a = 0xff00f0f0, b = 0x0ff00ff0; /* vs2, vs1 */
    const struct {
        const char *name;
        uint32_t value;
    } rows[] = {{"vmand.mm", 0x0f0000f0},  {"vmor.mm", 0xfff0fff0},  {"vmxor.mm", 0xf0f0ff00},
                {"vmnand.mm", 0xf0ffff0f}, {"vmnor.mm", 0x000f000f}, {"vmxnor.mm", 0x0f0f00ff},
                {"vmandn.mm", 0xf000f000}, {"vmorn.mm", 0xff0ff0ff}};
    rig r;
    rig_open(&r, 8);
    narrow(&r, 0x55);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        splat_v(&r, 2, a);
        splat_v(&r, 1, b);
        splat_v(&r, 3, 3);
        do_word(&r, OP(rows[i].name, 3, 2, 1));
        for (unsigned lane = 0; lane < 8; lane++)
            assert_int_equal(get_v(&r, 3)[lane], lane % 2 ? 3 : rows[i].value);
    }
    rig_close(&r);
}

static void carries(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    const uint32_t carry[KARAT_MAX_THREAD] = {0, 1, 3, 2}; /* bit 0 counts: 0 1 1 0 */
    const uint32_t vs2[KARAT_MAX_THREAD] = {0xffffffff, 0xffffffff, 5, 5},
                   vs1[KARAT_MAX_THREAD] = {0, 0, 5, 6};
    set_v(&r, 0, carry);
    set_v(&r, 2, vs2);
    set_v(&r, 1, vs1);
    set_x(&r, 1, 5);
    DO(&r, "vadc.vvm", 3, 2, 1);
    EXPECT_V(&r, 3, 0xffffffff, 0, 11, 11);
    DO(&r, "vmadc.vvm", 3, 2, 1);
    EXPECT_V(&r, 3, 0, 1, 0, 0);
    DO(&r, "vmadc.vv", 3, 2, 1);
    EXPECT_V(&r, 3, 0, 0, 0, 0);
    DO(&r, "vsbc.vvm", 3, 2, 1);
    EXPECT_V(&r, 3, 0xffffffff, 0xfffffffe, 0xffffffff, 0xffffffff);
    DO(&r, "vmsbc.vvm", 3, 2, 1);
    EXPECT_V(&r, 3, 0, 0, 1, 1);
    DO(&r, "vmsbc.vv", 3, 2, 1);
    EXPECT_V(&r, 3, 0, 0, 0, 1);
    DO(&r, "vadc.vxm", 3, 2, 1);
    EXPECT_V(&r, 3, 4, 5, 11, 10);
    DO(&r, "vmadc.vxm", 3, 2, 1);
    EXPECT_V(&r, 3, 1, 1, 0, 0);
    DO(&r, "vmadc.vx", 3, 2, 1);
    EXPECT_V(&r, 3, 1, 1, 0, 0);
    DO(&r, "vsbc.vxm", 3, 2, 1);
    EXPECT_V(&r, 3, 0xfffffffa, 0xfffffff9, 0xffffffff, 0);
    DO(&r, "vmsbc.vxm", 3, 2, 1);
    EXPECT_V(&r, 3, 0, 0, 1, 0);
    DO(&r, "vmsbc.vx", 3, 2, 1);
    EXPECT_V(&r, 3, 0, 0, 0, 0);
    DO(&r, "vadc.vim", 3, 2, -1);
    EXPECT_V(&r, 3, 0xfffffffe, 0xffffffff, 5, 4);
    DO(&r, "vmadc.vim", 3, 2, -1);
    EXPECT_V(&r, 3, 1, 1, 1, 1);
    DO(&r, "vmadc.vi", 3, 2, 1);
    EXPECT_V(&r, 3, 1, 1, 0, 0);
    /* v0 is an operand here: lanes with a 0 in it are written as well; threads and vl still mask. */
    assert_int_equal(r.commit.write[0].mask, 0xf);
    DO(&r, "vsetivli", 0, 3, E32M1);
    splat_v(&r, 3, 77);
    DO(&r, "vadc.vvm", 3, 2, 1);
    EXPECT_V(&r, 3, 0xffffffff, 0, 11, 77);
    assert_int_equal(r.commit.write[0].mask, 0x7);
    /* vd may be v0. */
    DO(&r, "vmadc.vvm", 0, 2, 1);
    EXPECT_V(&r, 0, 0, 1, 0, 2);
    rig_close(&r);
}

static void merges_and_moves(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    const uint32_t mask[KARAT_MAX_THREAD] = {2, 1, 3, 0};
    set_v(&r, 0, mask);
    ramp_v(&r, 2, 20, 1);
    ramp_v(&r, 1, 10, 1);
    set_x(&r, 1, 0x80000000);
    DO(&r, "vmerge.vvm", 3, 2, 1);
    EXPECT_V(&r, 3, 20, 11, 12, 23);
    DO(&r, "vmerge.vxm", 3, 2, 1);
    EXPECT_V(&r, 3, 20, 0x80000000, 0x80000000, 23);
    DO(&r, "vmerge.vim", 3, 2, -3);
    EXPECT_V(&r, 3, 20, 0xfffffffd, 0xfffffffd, 23);
    DO(&r, "vmv.v.v", 4, 3);
    EXPECT_V(&r, 4, 20, 0xfffffffd, 0xfffffffd, 23);
    DO(&r, "vmv.v.x", 4, 1);
    EXPECT_V(&r, 4, 0x80000000, 0x80000000, 0x80000000, 0x80000000);
    DO(&r, "vmv.v.i", 4, -16);
    EXPECT_V(&r, 4, 0xfffffff0, 0xfffffff0, 0xfffffff0, 0xfffffff0);
    /* vmv.s.x is vmv.v.x: every active lane, not lane 0. */
    narrow(&r, 0x6);
    DO(&r, "vmv.s.x", 4, 1);
    EXPECT_V(&r, 4, 0xfffffff0, 0x80000000, 0x80000000, 0xfffffff0);
    DO(&r, "vid.v", 4, 1);
    EXPECT_V(&r, 4, 0xfffffff0, 1, 2, 0xfffffff0);
    DO(&r, "vmv.v.i", 4, 0);
    DO(&r, "vid.v", 4, 0); /* v0.t: lanes 1 and 2 of the active ones */
    EXPECT_V(&r, 4, 0xfffffff0, 1, 2, 0xfffffff0);
    rig_close(&r);
}

static void vmv_x_s(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    splat_v(&r, 2, 123);
    DO(&r, "vmv.x.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 123);
    assert_int_equal(r.commit.warnings, 0);
    assert_int_equal(r.commit.flagged.kind, KARAT_ERR_NONE);
    assert_int_equal(r.commit.write[0].cls, KARAT_CLASS_X);
    assert_int_equal(r.commit.write[0].mask, 1);
    /* Differing lanes: the highest active one, flagged. */
    ramp_v(&r, 2, 10, 1);
    DO(&r, "vmv.x.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 17);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_NONE);
    assert_int_equal(r.commit.flagged.kind, KARAT_ERR_LANES_DIFFER);
    assert_int_equal(r.commit.flagged.pc, r.commit.pc);
    assert_int_equal(r.commit.flagged.lane, 0);
    /* Only active lanes count, for the value and for the flag. */
    narrow(&r, 0x24);
    DO(&r, "vmv.x.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 15);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LANES_DIFFER);
    assert_int_equal(r.commit.flagged.lane, 2);
    const uint32_t same[KARAT_MAX_THREAD] = {1, 2, 33, 4, 5, 33, 7, 8};
    set_v(&r, 2, same);
    DO(&r, "vmv.x.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 33);
    assert_int_equal(r.commit.warnings, 0);
    /* vl leaves lane 2. */
    DO(&r, "vsetivli", 0, 5, E32M1);
    ramp_v(&r, 2, 40, 1);
    DO(&r, "vmv.x.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.warnings, 0);
    /* No lane: nothing is written. */
    DO(&r, "vsetivli", 0, 2, E32M1);
    DO(&r, "vmv.x.s", 5, 2);
    assert_int_equal(get_x(&r, 5), 42);
    assert_int_equal(r.commit.num_writes, 0);
    DO(&r, "vmv.x.s", 0, 2);
    assert_int_equal(get_x(&r, 0), 0);
    /* It does not work on groups: any register, and the lanes of one. */
    DO(&r, "vsetvli", 6, 0, E32M2);
    assert_int_equal(get_x(&r, 6), 16);
    splat_v(&r, 3, 9);
    splat_v(&r, 4, 8);
    DO(&r, "vmv.x.s", 5, 3);
    assert_int_equal(get_x(&r, 5), 9);
    assert_int_equal(r.commit.warnings, 0);
    rig_close(&r);
}

static void add12_and_sub12(void **unused) {
    (void)unused;
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    for (int deviates = 0; deviates < 2; deviates++) {
        config.deviations = deviates ? KARAT_DEV_VADD12_SIGNED : 0;
        rig r;
        rig_open_config(&r, &config);
        splat_v(&r, 2, 10);
        static const struct {
            int32_t imm;
            uint32_t sum, difference, signed_sum, signed_difference;
        } rows[] = {{0, 10, 10, 10, 10},
                    {2047, 2057, -2037u, 2057, -2037u},
                    {2048, 2058, -2038u, -2038u, 2058},
                    {4095, 4105, -4085u, 9, 11}};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            DO(&r, "vadd12.vi", 3, 2, rows[i].imm);
            assert_int_equal(get_v(&r, 3)[3], deviates ? rows[i].signed_sum : rows[i].sum);
            unsigned used = deviates && rows[i].imm >= 2048 ? KARAT_DEV_VADD12_SIGNED : 0;
            assert_int_equal(r.commit.deviated, used); /* where it makes a difference */
            DO(&r, "vsub12.vi", 3, 2, rows[i].imm);
            assert_int_equal(get_v(&r, 3)[0], deviates ? rows[i].signed_difference : rows[i].difference);
            assert_int_equal(r.commit.deviated, used);
        }
        splat_v(&r, 2, 0xffffffff);
        DO(&r, "vadd12.vi", 2, 2, 1); /* wraps; vd = vs1 */
        assert_int_equal(get_v(&r, 2)[1], 0);
        rig_close(&r);
    }
}

/* Threads, vl and v0.t: a lane is written where all three say so. */
static void what_is_written(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    const uint32_t v0[KARAT_MAX_THREAD] = {1, 0, 0xfffffffe, 5, 1, 0, 7, 1}; /* lanes 0 3 4 6 7 */
    set_v(&r, 0, v0);
    splat_v(&r, 1, 1);
    splat_v(&r, 3, 50);
    DO(&r, "vadd.vv", 3, 3, 1, 0);
    EXPECT_V(&r, 3, 51, 50, 50, 51, 51, 50, 51, 51);
    assert_int_equal(r.commit.write[0].mask, 0xd9);
    DO(&r, "vsetivli", 0, 7, E32M1);
    DO(&r, "vadd.vv", 3, 3, 1, 0);
    EXPECT_V(&r, 3, 52, 50, 50, 52, 52, 50, 52, 51);
    narrow(&r, 0xc1);
    DO(&r, "vadd.vv", 3, 3, 1, 0);
    EXPECT_V(&r, 3, 53, 50, 50, 52, 52, 50, 53, 51);
    assert_int_equal(r.commit.write[0].mask, 0x41);
    DO(&r, "vadd.vv", 3, 3, 1, 1);
    EXPECT_V(&r, 3, 54, 50, 50, 52, 52, 50, 54, 51);
    DO(&r, "vadd12.vi", 3, 3, 1); /* Ventus' own rows have no vm bit, vl counts */
    EXPECT_V(&r, 3, 55, 50, 50, 52, 52, 50, 55, 51);
    /* vl 0, and nothing left of the mask: nothing is owed. */
    DO(&r, "vsetivli", 0, 0, E32M1);
    DO(&r, "vadd.vv", 3, 3, 1, 1);
    assert_int_equal(r.commit.num_writes, 0);
    DO(&r, "vsetivli", 0, 8, E32M1);
    splat_v(&r, 0, 2);
    DO(&r, "vadd.vv", 3, 3, 1, 0);
    assert_int_equal(r.commit.num_writes, 0);
    EXPECT_V(&r, 3, 55, 50, 50, 52, 52, 50, 55, 51);
    /* vd = v0 under v0.t: the old v0 is the mask. */
    const uint32_t again[KARAT_MAX_THREAD] = {1, 1, 1, 1, 1, 1, 2, 3};
    set_v(&r, 0, again);
    DO(&r, "vadd.vi", 0, 0, 5, 0);
    EXPECT_V(&r, 0, 6, 1, 1, 1, 1, 1, 2, 8);
    rig_close(&r);
}

static void tail_of_every_length(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 16);
    for (int32_t vl = 0; vl <= 16; vl++) {
        set_x(&r, 1, (uint32_t)vl);
        DO(&r, "vsetvli", 0, 1, E32M1);
        splat_v(&r, 2, 4);
        splat_v(&r, 3, 7);
        DO(&r, "vmul.vv", 3, 2, 2, 1);
        for (int32_t lane = 0; lane < 16; lane++)
            assert_int_equal(get_v(&r, 3)[lane], lane < vl ? 16 : 7);
        if (vl)
            assert_int_equal(r.commit.write[0].mask, (1u << vl) - 1);
    }
    rig_close(&r);
}

/* --- LMUL 2 --- */

static void groups(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    DO(&r, "vsetvli", 5, 0, E32M2);
    assert_int_equal(get_x(&r, 5), 8);
    DO(&r, "vid.v", 2, 1); /* the element's index */
    EXPECT_V(&r, 2, 0, 1, 2, 3);
    EXPECT_V(&r, 3, 4, 5, 6, 7);
    assert_int_equal(r.commit.num_writes, 2);
    assert_int_equal(r.commit.write[0].reg, 2);
    assert_int_equal(r.commit.write[1].reg, 3);
    splat_v(&r, 4, 100);
    splat_v(&r, 5, 200);
    DO(&r, "vadd.vv", 6, 2, 4, 1);
    EXPECT_V(&r, 6, 100, 101, 102, 103);
    EXPECT_V(&r, 7, 204, 205, 206, 207);
    assert_int_equal(r.commit.num_reads, 4);
    assert_int_equal(r.commit.read[1].reg, 5);
    assert_int_equal(r.commit.read[1].part, 1);
    assert_int_equal(r.commit.read[1].source, 1);
    assert_int_equal(r.commit.read[3].reg, 3);
    set_x(&r, 1, 10);
    DO(&r, "vmacc.vx", 6, 1, 2, 1);
    EXPECT_V(&r, 6, 100, 111, 122, 133);
    EXPECT_V(&r, 7, 244, 255, 266, 277);
    /* A compare's results are elements of the group too, and so is a mask. */
    DO(&r, "vmsgt.vi", 0, 2, 4, 1);
    EXPECT_V(&r, 0, 0, 0, 0, 0);
    EXPECT_V(&r, 1, 0, 1, 1, 1);
    splat_v(&r, 8, 0);
    splat_v(&r, 9, 0);
    DO(&r, "vadd.vi", 8, 2, 1, 0);
    EXPECT_V(&r, 8, 0, 0, 0, 0);
    EXPECT_V(&r, 9, 0, 6, 7, 8);
    assert_int_equal(r.commit.num_writes, 1); /* no lane of v8 */
    assert_int_equal(r.commit.write[0].reg, 9);
    assert_int_equal(r.commit.write[0].mask, 0xe);
    DO(&r, "vmerge.vim", 10, 2, -1);
    EXPECT_V(&r, 10, 0, 1, 2, 3);
    EXPECT_V(&r, 11, 4, ~0u, ~0u, ~0u);
    DO(&r, "vmxor.mm", 12, 0, 0);
    assert_int_equal(r.commit.num_writes, 2);
    DO(&r, "vmv.v.x", 12, 1);
    EXPECT_V(&r, 13, 10, 10, 10, 10);
    DO(&r, "vmv.s.x", 14, 1); /* as vmv.v.x */
    EXPECT_V(&r, 15, 10, 10, 10, 10);
    /* vl counts elements of the group. */
    DO(&r, "vsetivli", 5, 6, E32M2);
    splat_v(&r, 8, 0);
    splat_v(&r, 9, 0);
    DO(&r, "vadd.vi", 8, 2, 1, 1);
    EXPECT_V(&r, 8, 1, 2, 3, 4);
    EXPECT_V(&r, 9, 5, 6, 0, 0);
    /* The thread mask applies to both halves. */
    DO(&r, "vsetvli", 5, 0, E32M2);
    narrow(&r, 0x9);
    DO(&r, "vadd.vi", 8, 2, 2, 1);
    EXPECT_V(&r, 8, 2, 2, 3, 5);
    EXPECT_V(&r, 9, 6, 6, 0, 9);
    /* Ventus' own rows work on one register, odd ones too, whatever LMUL is. */
    DO(&r, "vadd12.vi", 9, 3, 1000);
    EXPECT_V(&r, 9, 1004, 6, 0, 1007);
    assert_int_equal(r.commit.num_writes, 1);
    rig_close(&r);
}

static void odd_groups_are_illegal(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    const uint32_t words[] = {
        OP("vadd.vv", 3, 2, 4, 1),   OP("vadd.vv", 2, 3, 4, 1),    OP("vadd.vv", 2, 4, 3, 1),
        OP("vadd.vx", 3, 2, 4, 1),   OP("vadd.vi", 2, 3, 4, 1),    OP("vid.v", 1, 1),
        OP("vmseq.vv", 1, 2, 2, 1),  OP("vmand.mm", 2, 2, 1),      OP("vmacc.vv", 2, 4, 5, 1),
        OP("vle32.v", 1, 1, 1),      OP("vse32.v", 1, 1, 1),       OP("vluxei32.v", 2, 1, 3, 1),
        OP("vfadd.vv", 2, 3, 2, 1),  OP("vmv.v.v", 2, 5),          OP("vlse32.v", 5, 1, 1, 1),
        OP("vmv.s.x", 3, 1),         OP("vsuxei32.v", 2, 1, 3, 1), OP("vmerge.vvm", 3, 2, 2),
        OP("vsadd.vv", 3, 2, 4, 1),  OP("vssra.vi", 2, 3, 1, 1),   OP("vfmerge.vfm", 2, 3, 1),
        OP("vfmv.v.f", 3, 1),        OP("vfmv.s.f", 3, 1),         OP("vmfeq.vv", 1, 2, 2, 1),
        OP("vfclass.v", 2, 3, 1),    OP("vfcvt.x.f.v", 3, 2, 1),   OP("vle8.v", 1, 1, 1),
        OP("vse16.v", 1, 1, 1),      OP("vlse8.v", 1, 1, 1, 1),    OP("vsse16.v", 1, 1, 1, 1),
        OP("vluxei8.v", 2, 1, 3, 1), OP("vloxei16.v", 3, 1, 2, 1), OP("vsuxei16.v", 3, 1, 2, 1),
        OP("vsoxei8.v", 2, 1, 3, 1),
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        DO(&r, "vsetvli", 0, 0, E32M2);
        fail_word(&r, words[i], KARAT_ERR_ILLEGAL);
    }
    /* After extension: {1, 2} is even, and scalars have no groups. */
    DO(&r, "vsetvli", 1, 0, E32M2);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vx", 2, 4, 5, 1));
    assert_int_equal(r.commit.write[1].reg, 35);
    DO(&r, "vsetvli", 1, 0, E32M2);
    fail_prefixed(&r, regext(0, 1, 0, 0), OP("vadd.vx", 2, 5, 5, 1), KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&r, ODD_GROUP);
    /* The third operand is the destination's group, whatever x3 is. */
    DO(&r, "vsetvli", 1, 0, E32M2);
    do_prefixed(&r, regext(7, 0, 0, 1), OP("vmacc.vv", 30, 4, 6, 1));
    assert_int_equal(r.commit.read[4].reg, 62);
    assert_int_equal(r.commit.read[5].reg, 63);
    rig_close(&r);
}

/* --- Fixed point: vxrm, vxsat, and which lanes count; all rows are compared with QEMU --- */

enum { VXSAT = 9, VXRM, VCSR = 15 };

static void fixed_point_rounds(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    /* By vxrm: to nearest with ties up, to nearest even, down, to odd. */
    static const uint32_t odd[KARAT_MAX_THREAD] = {1, 3, 5, 7};
    static const uint32_t halves[4][4] = {{1, 2, 3, 4}, {0, 2, 2, 4}, {0, 1, 2, 3}, {1, 1, 3, 3}};
    static const uint32_t positive[KARAT_MAX_THREAD] = {1, 2, 3, 6}; /* quarters: 0.25 0.5 0.75 1.5 */
    static const uint32_t shifted[4][4] = {{0, 1, 1, 2}, {0, 0, 1, 2}, {0, 0, 0, 1}, {1, 1, 1, 1}};
    static const uint32_t negative[KARAT_MAX_THREAD] = {-1u, -2u, -3u, -6u};
    static const uint32_t shifted_negative[4][4] = {
        {0, 0, -1u, -1u}, {0, 0, -1u, -2u}, {-1u, -1u, -1u, -2u}, {-1u, -1u, -1u, -1u}};
    static const uint32_t wide[4] = {0x80000001, 0x80000000, 0x80000000, 0x80000001}; /* -2147483647.5 */
    for (int32_t vxrm = 0; vxrm < 4; vxrm++) {
        DO(&r, "csrrwi", 0, VXRM, vxrm);
        set_v(&r, 2, odd);
        splat_v(&r, 1, 0);
        static const char *const names[] = {"vaaddu.vv", "vaadd.vv", "vasubu.vv", "vasub.vv"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            do_word(&r, OP(names[i], 3, 2, 1, 1));
            expect_v(&r, 3, halves[vxrm], 4);
        }
        DO(&r, "vssrl.vi", 3, 2, 1, 1);
        expect_v(&r, 3, halves[vxrm], 4);
        splat_v(&r, 1, 0x40000000); /* 0.5 */
        DO(&r, "vsmul.vv", 3, 2, 1, 1);
        expect_v(&r, 3, halves[vxrm], 4);
        set_v(&r, 2, positive);
        set_x(&r, 1, 32 + 2); /* the low five bits */
        DO(&r, "vssrl.vx", 3, 2, 1, 1);
        expect_v(&r, 3, shifted[vxrm], 4);
        DO(&r, "vssra.vx", 3, 2, 1, 1);
        expect_v(&r, 3, shifted[vxrm], 4);
        set_v(&r, 2, negative);
        DO(&r, "vssra.vi", 3, 2, 2, 1);
        expect_v(&r, 3, shifted_negative[vxrm], 4);
        DO(&r, "vssra.vi", 3, 2, 0, 1);
        expect_v(&r, 3, negative, 4);
        /* More bits in between than a register has. */
        splat_v(&r, 2, 0x80000000);
        splat_v(&r, 1, 0x7fffffff);
        DO(&r, "vasub.vv", 3, 2, 1, 1);
        assert_int_equal(get_v(&r, 3)[3], wide[vxrm]);
        DO(&r, "vaadd.vv", 3, 1, 1, 1);
        assert_int_equal(get_v(&r, 3)[3], 0x7fffffff);
        splat_v(&r, 2, 0xffffffff);
        DO(&r, "vaaddu.vv", 3, 2, 2, 1);
        assert_int_equal(get_v(&r, 3)[3], 0xffffffff);
    }
    assert_int_equal(get_csr(&r, VXSAT), 0); /* none of these saturates */
    rig_close(&r);
}

static void fixed_point_saturates(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        uint32_t vs2, vs1, value;
        unsigned vxsat;
    } rows[] = {
        {"vsaddu.vv", 0xfffffffe, 1, 0xffffffff, 0},
        {"vsaddu.vv", 0xfffffffe, 2, 0xffffffff, 1},
        {"vsadd.vv", 0x7ffffffe, 1, 0x7fffffff, 0},
        {"vsadd.vv", 0x7ffffffe, 2, 0x7fffffff, 1},
        {"vsadd.vv", 0x80000001, -2u, 0x80000000, 1},
        {"vssubu.vv", 4, 4, 0, 0},
        {"vssubu.vv", 4, 5, 0, 1},
        {"vssub.vv", 0x80000001, 1, 0x80000000, 0},
        {"vssub.vv", 0x80000001, 2, 0x80000000, 1},
        {"vssub.vv", 0, 0x80000000, 0x7fffffff, 1},
        {"vsmul.vv", 0x80000000, 0x7fffffff, 0x80000001, 0},
        {"vsmul.vv", 0x80000000, 0x80000000, 0x7fffffff, 1},
    };
    rig r;
    rig_open(&r, 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t one[KARAT_MAX_THREAD] = {[5] = rows[i].vs2};
        DO(&r, "csrrwi", 0, VXSAT, 0);
        set_v(&r, 2, one); /* lane 5 alone */
        one[5] = rows[i].vs1;
        set_v(&r, 1, one);
        do_word(&r, OP(rows[i].name, 3, 2, 1, 1));
        assert_int_equal(get_v(&r, 3)[5], rows[i].value);
        assert_int_equal(r.commit.vxsat_raised, rows[i].vxsat);
        assert_int_equal(r.commit.csr_written, 0);
        assert_int_equal(get_csr(&r, VXSAT), rows[i].vxsat);
        /* It stays until it is written. */
        DO(&r, "vsadd.vi", 3, 0, 1, 1);
        assert_int_equal(r.commit.vxsat_raised, 0);
        assert_int_equal(get_csr(&r, VXSAT), rows[i].vxsat);
        /* A lane that is not written does not count: v0.t, vl, the threads' mask. */
        DO(&r, "csrrwi", 0, VXSAT, 0);
        do_word(&r, OP(rows[i].name, 3, 2, 1, 0)); /* v0 is 0 */
        assert_int_equal(r.commit.vxsat_raised, 0);
        DO(&r, "vsetivli", 0, 5, E32M1);
        do_word(&r, OP(rows[i].name, 3, 2, 1, 1));
        assert_int_equal(r.commit.vxsat_raised, 0);
        DO(&r, "vsetivli", 0, 8, E32M1);
        narrow(&r, 0x0f);
        do_word(&r, OP(rows[i].name, 3, 2, 1, 1));
        assert_int_equal(r.commit.vxsat_raised, 0);
        assert_int_equal(get_csr(&r, VXSAT), 0);
        launch(&r);
    }
    /* vcsr = vxrm << 1 | vxsat, both ways. */
    splat_v(&r, 2, 3);
    DO(&r, "csrrwi", 0, VCSR, 2 << 1 | 1);
    DO(&r, "vssrl.vi", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[0], 1); /* down */
    assert_int_equal(get_csr(&r, VXRM), 2);
    assert_int_equal(get_csr(&r, VXSAT), 1);
    DO(&r, "csrrwi", 0, VCSR, 0);
    DO(&r, "vssrl.vi", 3, 2, 1, 1);
    assert_int_equal(get_v(&r, 3)[0], 2); /* up */
    DO(&r, "csrrwi", 0, VXRM, 3);
    DO(&r, "vssubu.vv", 3, 0, 2, 1);
    DO(&r, "csrrs", 5, VCSR, 0);
    assert_int_equal(get_x(&r, 5), 3 << 1 | 1);
    DO(&r, "csrrci", 5, VXSAT, 1);
    assert_int_equal(get_x(&r, 5), 1);
    assert_int_equal(get_csr(&r, VCSR), 3 << 1);
    assert_int_equal(get_csr(&r, 3), 0); /* fcsr is another */
    /* frm is no matter, also where it is reserved. */
    DO(&r, "csrrwi", 0, 2, 7);
    DO(&r, "vsmul.vv", 3, 2, 2, 1);
    /* Immediates: signed, and then added as unsigned ones. */
    DO(&r, "vsaddu.vi", 3, 2, -1, 1);
    assert_int_equal(get_v(&r, 3)[0], 0xffffffff);
    DO(&r, "vsadd.vi", 3, 2, -4, 1);
    assert_int_equal(get_v(&r, 3)[0], -1u);
    rig_close(&r);
}

static void fixed_point_groups(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    DO(&r, "csrrwi", 0, VXRM, 1);
    DO(&r, "vsetvli", 5, 0, E32M2);
    DO(&r, "vid.v", 2, 1);
    set_x(&r, 1, 1);
    DO(&r, "vaaddu.vx", 4, 2, 1, 1);
    EXPECT_V(&r, 4, 0, 1, 2, 2); /* 0.5 1 1.5 2 */
    EXPECT_V(&r, 5, 2, 3, 4, 4); /* 2.5 3 3.5 4 */
    assert_int_equal(r.commit.num_writes, 2);
    /* Element 6 saturates where vl lets it. */
    static const uint32_t high[KARAT_MAX_THREAD] = {0, 0, 0xffffffff, 0};
    splat_v(&r, 6, 0);
    set_v(&r, 7, high);
    DO(&r, "vsetivli", 5, 6, E32M2);
    DO(&r, "vsaddu.vv", 8, 6, 6, 1);
    assert_int_equal(r.commit.vxsat_raised, 0);
    DO(&r, "vsetivli", 5, 7, E32M2);
    DO(&r, "vsaddu.vv", 8, 6, 6, 1);
    assert_int_equal(r.commit.vxsat_raised, 1);
    assert_int_equal(get_v(&r, 9)[2], 0xffffffff);
    rig_close(&r);
}

static void left_out_by_name(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    for (int i = 0; i < karat_num_rows(); i++) {
        const karat_row *row = karat_row_info(i);
        if (row->left_out >> KARAT_V202 & 1)
            fail_word(&r, row->match, KARAT_ERR_LEFT_OUT);
    }
    fail_word(&r, 0, KARAT_ERR_ILLEGAL);
    fail_word(&r, 0xffffffff, KARAT_ERR_ILLEGAL);
    ILLEGAL_BY(&r, WORD);
    fail_word(&r, 0x00000001, KARAT_ERR_ILLEGAL); /* there are no 16-bit instructions */
    rig_close(&r);
}

int vector_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_write_elements),
        cmocka_unit_test(mask_logic_is_on_whole_elements),
        cmocka_unit_test(carries),
        cmocka_unit_test(merges_and_moves),
        cmocka_unit_test(vmv_x_s),
        cmocka_unit_test(add12_and_sub12),
        cmocka_unit_test(what_is_written),
        cmocka_unit_test(tail_of_every_length),
        cmocka_unit_test(groups),
        cmocka_unit_test(odd_groups_are_illegal),
        cmocka_unit_test(fixed_point_rounds),
        cmocka_unit_test(fixed_point_saturates),
        cmocka_unit_test(fixed_point_groups),
        cmocka_unit_test(left_out_by_name),
    };
    return cmocka_run_group_tests_name("vector", tests, NULL, NULL);
}
