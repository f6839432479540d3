/* The model's parameters: deviations, numbers of warps, and which configurations are refused. (Every number
 * of threads, SIMT order and profile: tests/fuzz.) */
#include "support.h"

/* A number that differs from lane to lane and from use to use. */
static uint32_t mix(uint32_t a, uint32_t b) {
    uint32_t x = (a * 64 + b + 1) * 0x9e3779b9u;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    return x ^ x >> 13;
}

static void set_mixed(rig *r, unsigned reg, uint32_t salt) {
    uint32_t value[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        value[i] = mix(salt, i);
    set_v(r, reg, value);
}

/* --- Deviations --- */

TEST(deviation_names) {
    unsigned num = 0;
    uint32_t all = 0;
    for (; karat_deviation_name(num); num++) {
        assert_true(strlen(karat_deviation_name(num)) > 3);
        all |= 1u << num;
        for (unsigned i = 0; i < num; i++)
            assert_string_not_equal(karat_deviation_name(i), karat_deviation_name(num));
    }
    assert_int_equal(all, KARAT_DEV_VADD12_SIGNED | KARAT_DEV_SIMT_ORDER | KARAT_DEV_MACHINE_CSRS |
                              KARAT_DEV_THIRD_OPERAND_APART | KARAT_DEV_COMPARE_IMMEDIATE_SIGNED |
                              KARAT_DEV_USAGE_TOO_SMALL | KARAT_DEV_ENDED_WARPS_ARRIVE |
                              KARAT_DEV_PREFIX_LAST_WINS | KARAT_DEV_PACKED_FMA_TWICE |
                              KARAT_DEV_BF16_NAN_KEPT | KARAT_DEV_DIVERGED_WARPS_ARRIVE);
    assert_int_equal(num, KARAT_NUM_DEVIATION);
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        assert_non_null(karat_warning_name(i));
    assert_null(karat_warning_name(KARAT_NUM_WARNING));
    assert_string_equal(karat_deviation_name(0), "vadd12-signed");
    assert_string_equal(karat_deviation_name(1), "simt-order");
    assert_string_equal(karat_deviation_name(2), "machine-csrs");
    assert_string_equal(karat_deviation_name(3), "third-operand-apart");
    assert_string_equal(karat_deviation_name(4), "compare-immediate-signed");
    assert_string_equal(karat_deviation_name(5), "usage-too-small");
    assert_string_equal(karat_deviation_name(6), "ended-warps-arrive");
    assert_string_equal(karat_deviation_name(7), "prefix-last-wins");
    assert_string_equal(karat_deviation_name(8), "packed-fma-twice");
    assert_string_equal(karat_deviation_name(9), "bf16-nan-kept");
    assert_string_equal(karat_deviation_name(10), "diverged-warps-arrive");
    assert_null(karat_deviation_name(31));
    assert_null(karat_deviation_name(~0u));
}

/* The caller's idea of vl: as much as the group has. */
TEST(adopted_vl) {
    RIG(r, rig_open, 8);
    assert_int_equal(karat_adopt_vl(r.model, 0, 9), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt_vl(r.model, 0, 3), KARAT_OK);
    DO(&r, "vmv.v.i", 4, 7);
    assert_int_equal(r.commit.write[0].mask, 7);
    DO(&r, "vsetivli", 5, 2, 0x11); /* Type e32, m2 */
    assert_int_equal(karat_adopt_vl(r.model, 0, 17), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt_vl(r.model, 0, 16), KARAT_OK);
    DO(&r, "vsetivli", 5, 2, 0x40); /* Sets vill */
    assert_int_equal(karat_adopt_vl(r.model, 0, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt_vl(r.model, 0, 0), KARAT_OK);
    assert_int_equal(karat_adopt_vl(r.model, 31, 0), KARAT_BAD_ARGUMENT); /* Never launched */
}

/* Deviation machine-csrs: the part that is kept of a write, reported wherever that is not what was
 * written. */
TEST(machine_csrs) {
    for (uint32_t deviations = 0; deviations < 2; deviations++) {
        RIG(r, rig_open_deviating, KARAT_V202, 32, deviations ? KARAT_DEV_MACHINE_CSRS : 0);
        static const struct {
            int32_t csr;
            uint32_t written, kept;
        } cases[] = {{0x300, 0x2000, 0x1800},        {0x300, 0x1888, 0x1888}, {0x300, 0xffffffff, 0x1888},
                     {0x300, 0x1800, 0x1800},        {0x305, 0x80000000, 0},  {0x305, 0, 0},
                     {0x340, 0x12345678, 0x12345678}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const uint32_t value = deviations ? cases[i].kept : cases[i].written;
            const uint32_t expected = value != cases[i].written ? KARAT_DEV_MACHINE_CSRS : 0;
            set_x(&r, 5, cases[i].written);
            DO(&r, "csrrw", 0, cases[i].csr, 5);
            assert_int_equal(r.commit.csr_value, value);
            assert_int_equal(r.commit.deviated & expected, expected);
            DO(&r, "csrrs", 6, cases[i].csr, 0);
            assert_int_equal(get_x(&r, 6), value);
            assert_int_equal(r.commit.deviated, expected);
        }
    }
}

/* Deviation vadd12-signed: reported exactly where the result is another one. A lane has to be written for
 * that. */
TEST(vadd12_deviation) {
    for (uint32_t n = 1; n <= KARAT_MAX_THREAD; n *= 2)
        for (uint32_t deviations = 0; deviations < 2; deviations++) {
            RIG(r, rig_open_deviating, KARAT_V202, n, deviations ? KARAT_DEV_VADD12_SIGNED : 0);
            static const int32_t edges[] = {0, 1, 2046, 2047, 2048, 2049, 4094, 4095};
            for (uint32_t k = 0; k < 40; k++) {
                const int32_t imm = k < 8 ? edges[k] : (int32_t)(mix(n, k) % 4096);
                const uint32_t sign = deviations && imm >= 2048 ? 4096 : 0;
                set_mixed(&r, 2, (uint32_t)imm);
                for (int sub = 0; sub < 2; sub++) {
                    do_word(&r, OP(sub ? "vsub12.vi" : "vadd12.vi", 3, 2, imm));
                    assert_int_equal(r.commit.deviated, sign ? KARAT_DEV_VADD12_SIGNED : 0);
                    for (uint32_t i = 0; i < n; i++) {
                        uint32_t by = (uint32_t)imm - sign;
                        assert_int_equal(get_v(&r, 3)[i], sub ? get_v(&r, 2)[i] - by : get_v(&r, 2)[i] + by);
                    }
                }
                /* Other immediates are not meant. */
                DO(&r, "addi", 1, 0, imm < 2048 ? imm : imm - 4096);
                assert_int_equal(r.commit.deviated, 0);
                DO(&r, "vadd.vi", 3, 2, -1, 1);
                assert_int_equal(r.commit.deviated, 0);
            }
        }
}

/* --- Barriers and warps --- */

/* As many warps as the configuration has, each with registers of its own. */
TEST(numbers_of_warps) {
    for (uint32_t num = 1; num <= 64; num = num < 4 ? num + 1 : num * 2) {
        karat_config config;
        karat_config_default(&config);
        config.num_thread = 4;
        config.max_warp = num;
        config.max_workgroup = num;
        config.lds_pool = 1u << 16;
        RIG(r, rig_open_config, &config);
        launch_warps(&r, num);
        karat_launch_desc desc = r.desc;
        assert_int_equal(karat_launch(r.model, num, &desc), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_step(r.model, num, &r.commit), KARAT_BAD_ARGUMENT);
        set_word(&r, CODE, OP("csrrs", 5, 0x805, 0)); /* CSR_WID */
        set_word(&r, CODE + 4, OP("vadd.vx", 3, 3, 5, 1));
        set_word(&r, CODE + 8, OP("endprg", 0));
        for (unsigned step = 0; step < 3; step++)
            for (uint32_t i = num; i-- > 0;) {
                assert_int_equal(step_warp(&r, i), KARAT_OK);
                if (step == 1)
                    assert_int_equal(r.commit.write[0].value[3], i);
            }
    }
}

/* The default configuration of a model, and invalid ones. */
TEST(configurations) {
    karat_config normal;
    karat_config_default(&normal);
    assert_int_equal(normal.profile, KARAT_V202);
    assert_int_equal(normal.num_thread, 32);
    assert_int_equal(normal.max_warp, 32);
    assert_int_equal(normal.max_workgroup, 32);
    assert_int_equal(normal.simt_order, KARAT_SMALLER_FIRST);
    assert_int_equal(normal.lds_base, 0x70000000);
    assert_int_equal(normal.lds_size, 0x10000000);
    assert_int_equal(normal.lds_pool, 0x4000000);
    assert_int_equal(normal.deviations, 0);
    normal.num_thread = normal.max_warp = normal.max_workgroup = 1;
    normal.lds_pool = 0;
    normal.lds_size = 0x10000;
#define EXPECT_STATUS(want, change)                                                                          \
    do {                                                                                                     \
        karat_config config = normal;                                                                        \
        karat_status status = KARAT_OK;                                                                      \
        change;                                                                                              \
        karat_model *model = karat_create(&config, &status);                                                 \
        assert_int_equal(status, want);                                                                      \
        assert_int_equal(model != NULL, want == KARAT_OK);                                                   \
        karat_destroy(model);                                                                                \
    } while (0)
    EXPECT_STATUS(KARAT_OK, (void)0);
    EXPECT_STATUS(KARAT_OK, config.num_thread = KARAT_MAX_THREAD);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.num_thread = 2 * KARAT_MAX_THREAD);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.num_thread = 0);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.num_thread = 3);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.max_warp = 0);
    EXPECT_STATUS(KARAT_OK, config.max_warp = 1u << 16);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.max_warp = (1u << 16) + 1);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.max_workgroup = 0);
    EXPECT_STATUS(KARAT_OK, config.max_workgroup = 1u << 16);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.max_workgroup = (1u << 16) + 1);
    EXPECT_STATUS(KARAT_OK, config.profile = KARAT_NUM_PROFILE - 1);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.profile = KARAT_NUM_PROFILE);
    EXPECT_STATUS(KARAT_OK, config.simt_order = KARAT_ELSE_FIRST);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.simt_order = KARAT_ELSE_FIRST + 1);
    EXPECT_STATUS(KARAT_OK, config.deviations = (1u << KARAT_NUM_DEVIATION) - 1);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.deviations = 1u << KARAT_NUM_DEVIATION);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.lds_base += 0x800);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.lds_size += 0x800);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.lds_base++);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.lds_size++);
    EXPECT_STATUS(KARAT_OK, config.lds_base = 0xffff0000u);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.lds_base = 0xffff1000u);
#undef EXPECT_STATUS
}

/* --- CSRs (section 3.2; decisions, "Registers, CSRs, launch"): existing and read-only ones --- */

static bool exists(uint32_t csr) {
    static const uint32_t others[] = {1, 2, 3, 8, 9, 0xa, 0xf, 0x300, 0x305, 0x340, 0xc20, 0xc21, 0xc22};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (csr == others[i])
            return true;
    return csr >= 0x800 && csr <= 0x80c;
}

static bool is_read_only(uint32_t csr) {
    return (csr >= 0x800 && csr <= 0x80a) || csr >= 0xc20;
}

TEST(which_exist) {
    RIG(r, rig_open, 8);
    for (uint32_t csr = 0; csr < 4096; csr++) {
        uint32_t value;
        assert_int_equal(karat_csr_read(r.model, 0, csr, &value),
                         exists(csr) ? KARAT_OK : KARAT_BAD_ARGUMENT);
        if (exists(csr)) {
            DO(&r, "csrrs", 5, (int32_t)csr, 0);
            assert_int_equal(get_x(&r, 5), value);
            assert_int_equal(r.commit.csr_written, 0);
        } else if (csr % 16 == 0 || exists(csr - 1) || exists(csr + 1)) { /* A failure costs a launch */
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrs", 5, (int32_t)csr, 0);
            ILLEGAL_BY(&r, CSR);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrwi", 0, (int32_t)csr, 0);
        }
        if (exists(csr) && is_read_only(csr)) {
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrw", 5, (int32_t)csr, 0); /* The value stays, but it is a write */
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrs", 5, (int32_t)csr, 6); /* With x6 = 0 it is a write anyway */
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrc", 5, (int32_t)csr, 6);
            ILLEGAL_BY(&r, CSR_WRITE);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrwi", 0, (int32_t)csr, 0);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrsi", 0, (int32_t)csr, 1);
            FAIL(&r, KARAT_ERR_ILLEGAL, "csrrci", 0, (int32_t)csr, 1);
            DO(&r, "csrrc", 5, (int32_t)csr, 0);
            DO(&r, "csrrsi", 5, (int32_t)csr, 0);
            DO(&r, "csrrci", 5, (int32_t)csr, 0);
            assert_int_equal(r.commit.csr_written, 0);
            assert_int_equal(karat_csr_write(r.model, 0, csr, 0), KARAT_BAD_ARGUMENT);
        }
    }
}
