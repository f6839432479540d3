/* Elements of 8 to 64 bits (v2.03): vtype, branches by pair, snapshots, the read port. Values of all rows: test_qemu64; registers:
 * tests/fuzz. */
#include "support.h"

enum { E8 = 0x00, E16 = 0x08, E32 = 0x10 };
#define X64(r, reg, value) assert_true(get_x64(r, reg) == (uint64_t)(value))

static void set_sew(rig *r, int32_t vtype) {
    DO(r, "vsetvli", 31, 0, vtype);
}

/* VLMAX does not depend on SEW: an element is a register's lane. */
TEST(vset) {
    rig r;
    rig_open_v203(&r, 8);
    for (int32_t sew = 0; sew < 8; sew++)
        for (int32_t lmul = 0; lmul < 8; lmul++) {
            DO(&r, "vsetvli", 1, 0, sew << 3 | lmul);
            const bool legal = sew <= 2 && lmul <= 1;
            assert_int_equal(get_x(&r, 1), legal ? 8 << lmul : 0);
            assert_int_equal(get_csr(&r, 0xc21), legal ? (uint32_t)(sew << 3 | lmul) : 0x80000000);
            assert_int_equal(get_csr(&r, 0xc20), legal ? 8 << lmul : 0);
        }
    rig_close(&r);
    rig_open(&r, 8); /* v2.02 has 32 bits alone */
    for (int32_t sew = 0; sew < 2; sew++) {
        DO(&r, "vsetvli", 1, 0, sew << 3);
        assert_int_equal(get_csr(&r, 0xc21), 0x80000000);
    }
    rig_close(&r);
}

/* SEW is part of a snapshot. */
TEST(snapshots) {
    for (int32_t sew = 0; sew < 3; sew++) {
        RIG(r, rig_open_v203, 4);
        set_sew(&r, sew << 3);
        splat_v(&r, 2, 0x7fff7f7f);
        set_word(&r, pc_of(&r), OP("vadd.vi", 3, 2, 1, 1));
        const size_t size = karat_save_size(r.model);
        uint8_t *saved = test_malloc(size);
        assert_int_equal(karat_save(r.model, saved, size), KARAT_OK);
        static karat_commit commit;
        karat_status status;
        karat_model *again = karat_restore(saved, size, &status);
        assert_non_null(again);
        assert_int_equal(karat_step(again, 0, &commit), KARAT_OK);
        assert_int_equal(commit.width, 8 << sew);
        static const uint32_t expected[] = {0xffffff80, 0x7f80, 0x7fff7f80};
        assert_int_equal(commit.write[0].value[0], expected[sew]);
        uint32_t vtype;
        assert_int_equal(karat_csr_read(again, 0, 0xc21, &vtype), KARAT_OK);
        assert_int_equal(vtype, sew << 3);
        karat_destroy(again);
        test_free(saved);
    }
}

/* What QEMU has not: moves between a scalar and all active lanes, and VADD12 and VSUB12, at every width. A narrow result is
 * sign-extended, or boxed; sources are low bits, whatever is above. */
TEST(ventus_own) {
    RIG(r, rig_open_v203, 4);
    static const struct {
        int32_t sew;
        uint64_t moved, floated; /* of 0x3ff08180fedc9a85; floated 0: no such width */
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
    set_x(&r, 5, 0x7fff3c00); /* the boxed upper half is ones, no sign */
    set_sew(&r, E16);
    DO(&r, "vfmv.s.f", 6, 5);
    EXPECT_V(&r, 6, 0xffff3c00, 0xffff3c00, 0xffff3c00, 0xffff3c00);
    splat_v(&r, 8, 0x00ff1234); /* the elements do not differ */
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
    DO(&r, "fence", 0); /* an order of accesses: the model has no other */
    assert_int_equal(r.commit.num_writes, 0);
}

TEST(branches) {
    RIG(r, rig_open_v203, 4);
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
}

/* SEW has no effect on instructions by pair: not even where it is 8. vill makes them illegal. */
TEST(whatever_vtype_says) {
    RIG(r, rig_open_v203, 4);
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
}

/* Deviation third-operand-apart: the pair at {x3, vd} is read, the one at {xd, vd} written. */
TEST(third_operand_apart) {
    karat_config config;
    karat_config_default(&config);
    config.profile = KARAT_V203;
    config.num_thread = 4;
    config.deviations = KARAT_DEV_THIRD_OPERAND_APART;
    RIG(r, rig_open_config, &config);
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
