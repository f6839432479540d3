/* The model's parameters: every number of threads, SIMT order, profile and number of warps, over one sample
 * of each kind of instruction. Expected values are computed here, lane by lane. */
#include "step.h"

enum { E32M1 = 0x10, E32M2 = 0x11, RPC = 0x80c, VL = 0xc20, VTYPE, VLENB };

/* Called with every number of threads, in both profiles. */
typedef void body(rig *r, karat_profile profile);

static void each_size(body *run) {
    for (int profile = KARAT_V202; profile <= KARAT_V203; profile++)
        for (uint32_t n = 1; n <= KARAT_MAX_THREAD; n *= 2) {
            karat_config config;
            karat_config_default(&config);
            config.profile = (karat_profile)profile;
            config.num_thread = n;
            config.max_warp = 8;
            config.max_workgroup = 4;
            config.lds_pool = 1u << 16;
            rig r;
            rig_open_config(&r, &config);
            run(&r, (karat_profile)profile);
            rig_close(&r);
        }
}

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

/* Element i of a group that starts at that register. */
static uint32_t element(const rig *r, unsigned reg, uint32_t i) {
    return get_v(r, reg + i / r->num_thread)[i % r->num_thread];
}

/* --- Arithmetic: all, vl and v0.t, one register and two --- */

static void expect_elements(const rig *r, uint32_t num, uint32_t vl, bool masked, const uint32_t *result,
                            const uint32_t *old) {
    uint32_t written[2] = {0, 0};
    for (uint32_t i = 0; i < num; i++) {
        bool active = i < vl && (!masked || mix(7, i) & 1);
        if (active)
            written[i / r->num_thread] |= 1u << i % r->num_thread;
        if (element(r, 8, i) != (active ? result[i] : old[i]))
            fail_msg("%u threads, %u elements, vl %u, masked %d: element %u is 0x%08x", r->num_thread, num,
                     vl, masked, i, element(r, 8, i));
    }
    unsigned writes = 0;
    for (unsigned part = 0; part < 2; part++)
        if (written[part]) {
            assert_int_equal(r->commit.write[writes].reg, 8 + part);
            assert_int_equal(r->commit.write[writes].mask, written[part]);
            writes++;
        }
    assert_int_equal(r->commit.num_writes, writes);
}

static void arithmetic_of(rig *r, karat_profile profile) {
    (void)profile;
    const uint32_t n = r->num_thread, scalar = 0x12345;
    for (uint32_t lmul = 1; lmul <= 2; lmul++)
        for (uint32_t vl = 0; vl <= n * lmul; vl++)
            for (int masked = 0; masked < 2; masked++) {
                const uint32_t num = n * lmul;
                uint32_t a[2 * KARAT_MAX_THREAD], b[sizeof a / sizeof *a], d[sizeof a / sizeof *a],
                    result[sizeof a / sizeof *a];
                for (uint32_t i = 0; i < num; i++) {
                    uint32_t part = i / n, lane = i % n;
                    a[i] = mix(1 + part, lane), b[i] = mix(3 + part, lane), d[i] = mix(5 + part, lane);
                }
                static const char *const names[] = {"vadd.vv", "vsub.vx", "vadd.vi", "vmacc.vv", "vid.v"};
                for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
                    for (unsigned part = 0; part < lmul; part++) {
                        set_mixed(r, 4 + part, 1 + part);
                        set_mixed(r, 6 + part, 3 + part);
                        set_mixed(r, 8 + part, 5 + part);
                        uint32_t v0[KARAT_MAX_THREAD];
                        for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
                            v0[i] = mix(7, part * n + i);
                        set_v(r, part, v0);
                    }
                    set_x(r, 1, vl);
                    set_x(r, 2, scalar);
                    DO(r, "vsetvli", 3, 1, lmul == 2 ? E32M2 : E32M1);
                    assert_int_equal(get_x(r, 3), vl);
                    for (uint32_t i = 0; i < num; i++)
                        result[i] = k == 0   ? a[i] + b[i]
                                    : k == 1 ? a[i] - scalar
                                    : k == 2 ? a[i] - 5
                                    : k == 3 ? d[i] + a[i] * b[i]
                                             : i;
                    switch (k) {
                    case 0: DO(r, "vadd.vv", 8, 4, 6, !masked); break;
                    case 1: DO(r, "vsub.vx", 8, 4, 2, !masked); break;
                    case 2: DO(r, "vadd.vi", 8, 4, -5, !masked); break;
                    case 3: DO(r, "vmacc.vv", 8, 6, 4, !masked); break;
                    default: DO(r, "vid.v", 8, !masked); break;
                    }
                    expect_elements(r, num, vl, masked, result, d);
                    if (pc_of(r) > CODE + MAPPED / 2)
                        launch(r);
                }
            }
}

static void arithmetic(void **unused) {
    (void)unused;
    each_size(arithmetic_of);
}

/* Floating point, fixed point and vmv.x.s: as many lanes as there are, and their flags. */
static void flags_of(rig *r, karat_profile profile) {
    (void)profile;
    for (uint32_t lane = 0; lane < r->num_thread; lane++) {
        uint32_t one[KARAT_MAX_THREAD] = {0}, large[KARAT_MAX_THREAD] = {0};
        one[lane] = 0x3f800000;
        large[lane] = 0x7fffffff;
        launch(r);
        set_v(r, 2, one);
        splat_v(r, 3, 0x40400000); /* 3.0 */
        DO(r, "vfdiv.vv", 4, 2, 3, 1);
        assert_int_equal(r->commit.flags_raised, 1); /* 1/3 is inexact, 0/3 is not */
        for (uint32_t i = 0; i < r->num_thread; i++)
            assert_int_equal(get_v(r, 4)[i], i == lane ? 0x3eaaaaab : 0);
        set_v(r, 2, large);
        DO(r, "vsadd.vi", 4, 2, 1, 1);
        assert_int_equal(r->commit.vxsat_raised, 1);
        assert_int_equal(get_v(r, 4)[lane], 0x7fffffff);
        /* One lane that differs, wherever it is; the highest lane's value. */
        DO(r, "vmv.x.s", 5, 2);
        assert_int_equal(r->commit.warnings, r->num_thread > 1 ? KARAT_WARN_LANES_DIFFER : 0);
        assert_int_equal(get_x(r, 5), lane == r->num_thread - 1 ? 0x7fffffff : 0);
        DO(r, "vfmv.f.s", 6, 2);
        assert_int_equal(r->commit.warnings, r->num_thread > 1 ? KARAT_WARN_LANES_DIFFER : 0);
        splat_v(r, 2, lane);
        DO(r, "vmv.x.s", 5, 2);
        assert_int_equal(r->commit.warnings, 0);
        assert_int_equal(get_x(r, 5), lane);
        /* Only lanes below vl. */
        set_v(r, 2, large);
        set_x(r, 1, lane);
        DO(r, "vsetvli", 0, 1, E32M1);
        set_x(r, 5, 99);
        DO(r, "vmv.x.s", 5, 2);
        assert_int_equal(r->commit.warnings, 0);
        assert_int_equal(get_x(r, 5), lane ? 0 : 99);
    }
}

static void flags(void **unused) {
    (void)unused;
    each_size(flags_of);
}

/* --- Divergence: every order, every mask or many --- */

static unsigned count(uint32_t mask) {
    unsigned num = 0;
    for (; mask; mask &= mask - 1)
        num++;
    return num;
}

/* All threads of the launch's mask; those of taken branch to 0x40, all meet at 0x80. */
static void diverge(rig *r, karat_simt_order order, uint32_t mask, uint32_t taken) {
    const uint32_t target = CODE + 0x40, next = CODE + 4, rpc = CODE + 0x80;
    uint32_t value[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        value[i] = taken >> i & 1;
    r->desc.mask = mask;
    r->desc.csr[KARAT_CSR_RPC] = rpc;
    launch(r);
    set_v(r, 2, value);
    splat_v(r, 1, 1);
    DO(r, "vbeq", 2, 1, 0x40);
    const uint32_t other = mask & ~taken;
    taken &= mask;
    if (!taken || !other) {
        assert_int_equal(r->commit.simt, KARAT_SIMT_UNIFORM);
        assert_int_equal(r->commit.deviated, 0);
        assert_int_equal(r->commit.next_pc, taken ? target : next);
        assert_int_equal(mask_of(r), mask);
        assert_int_equal(depth_of(r), 0);
        return;
    }
    const bool isa = count(taken) <= count(other); /* does the else path run first? */
    const bool first = order == KARAT_IF_FIRST ? false : order == KARAT_ELSE_FIRST ? true : isa;
    const uint32_t running = first ? taken : other, waiting = first ? other : taken;
    assert_int_equal(r->commit.simt, KARAT_SIMT_DIVERGE);
    assert_int_equal(r->commit.deviated, first == isa ? 0 : KARAT_DEV_SIMT_ORDER);
    assert_int_equal(mask_of(r), running);
    assert_int_equal(pc_of(r), first ? target : next);
    assert_int_equal(r->commit.top.mask, waiting);
    assert_int_equal(r->commit.top.next, first ? next : target);
    /* Each path writes its own lanes; then all of them again. */
    for (unsigned path = 0; path < 2; path++) {
        DO(r, "vadd.vi", 3, 3, path ? 2 : 1, 1);
        assert_int_equal(r->commit.write[0].mask, path ? waiting : running);
        assert_int_equal(r->commit.deviated, 0);
        DO(r, "jal", 0, (int32_t)(rpc - pc_of(r)));
        DO(r, "join", 0);
        assert_int_equal(r->commit.simt, KARAT_SIMT_POP);
    }
    assert_int_equal(pc_of(r), rpc);
    assert_int_equal(mask_of(r), mask);
    assert_int_equal(depth_of(r), 0);
    DO(r, "join", 0);
    assert_int_equal(r->commit.simt, KARAT_SIMT_PASS);
    for (uint32_t i = 0; i < r->num_thread; i++)
        assert_int_equal(get_v(r, 3)[i], running >> i & 1 ? 1 : waiting >> i & 1 ? 2 : 0);
    DO(r, "endprg", 0);
}

static void divergence(void **unused) {
    (void)unused;
    for (uint32_t n = 1; n <= KARAT_MAX_THREAD; n *= 2)
        for (int order = KARAT_SMALLER_FIRST; order <= KARAT_ELSE_FIRST; order++) {
            karat_config config;
            karat_config_default(&config);
            config.num_thread = n;
            config.simt_order = (karat_simt_order)order;
            config.max_warp = 1;
            config.max_workgroup = 1;
            config.lds_pool = 4096;
            rig r;
            rig_open_config(&r, &config);
            if (n <= 4) {
                for (uint32_t mask = 0; mask <= r.all; mask++)
                    for (uint32_t taken = 0; taken <= r.all; taken++)
                        diverge(&r, (karat_simt_order)order, mask, taken);
            } else {
                for (uint32_t i = 0; i < 100; i++)
                    diverge(&r, (karat_simt_order)order, i % 4 ? r.all : mix(8, i) & r.all,
                            mix(9, i) & r.all);
                for (uint32_t i = 0; i <= n; i++) /* from none to all, with every tie */
                    diverge(&r, (karat_simt_order)order, r.all, (uint32_t)((1ull << i) - 1));
            }
            rig_close(&r);
        }
}

/* --- Deviations --- */

static void deviation_names(void **unused) {
    (void)unused;
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
                              KARAT_DEV_USAGE_TOO_SMALL | KARAT_DEV_ENDED_WARPS_ARRIVE);
    assert_int_equal(num, KARAT_NUM_DEVIATION);
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        assert_non_null(karat_warning_name(i));
    assert_null(karat_warning_name(KARAT_NUM_WARNING));
    /* Deviations that the model does not know are refused. */
    karat_config config;
    karat_status status = KARAT_OK;
    karat_config_default(&config);
    config.deviations = 1u << KARAT_NUM_DEVIATION;
    assert_null(karat_create(&config, &status));
    assert_int_equal(status, KARAT_BAD_ARGUMENT);
    assert_string_equal(karat_deviation_name(0), "vadd12-signed");
    assert_string_equal(karat_deviation_name(1), "simt-order");
    assert_string_equal(karat_deviation_name(2), "machine-csrs");
    assert_string_equal(karat_deviation_name(3), "third-operand-apart");
    assert_string_equal(karat_deviation_name(4), "compare-immediate-signed");
    assert_string_equal(karat_deviation_name(5), "usage-too-small");
    assert_string_equal(karat_deviation_name(6), "ended-warps-arrive");
    assert_null(karat_deviation_name(31));
    assert_null(karat_deviation_name(~0u));
}

/* The caller's idea of vl: as much as the group has. */
static void adopted_vl(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 8);
    assert_int_equal(karat_adopt_vl(r.model, 0, 9), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt_vl(r.model, 0, 3), KARAT_OK);
    DO(&r, "vmv.v.i", 4, 7);
    assert_int_equal(r.commit.write[0].mask, 7);
    DO(&r, "vsetivli", 5, 2, 0x11); /* e32, m2 */
    assert_int_equal(karat_adopt_vl(r.model, 0, 17), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt_vl(r.model, 0, 16), KARAT_OK);
    DO(&r, "vsetivli", 5, 2, 0x40); /* vill */
    assert_int_equal(karat_adopt_vl(r.model, 0, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt_vl(r.model, 0, 0), KARAT_OK);
    assert_int_equal(karat_adopt_vl(r.model, 31, 0), KARAT_BAD_ARGUMENT); /* never launched */
    rig_close(&r);
}

/* machine-csrs: what is kept of a write, reported wherever that is not what was written. */
static void machine_csrs(void **unused) {
    (void)unused;
    for (uint32_t deviations = 0; deviations < 2; deviations++) {
        karat_config config;
        karat_config_default(&config);
        config.deviations = deviations ? KARAT_DEV_MACHINE_CSRS : 0;
        config.lds_pool = 4096;
        rig r;
        rig_open_config(&r, &config);
        static const struct {
            int32_t csr;
            uint32_t written, kept;
        } cases[] = {{0x300, 0x2000, 0x1800},        {0x300, 0x1888, 0x1888}, {0x300, 0xffffffff, 0x1888},
                     {0x300, 0x1800, 0x1800},        {0x305, 0x80000000, 0},  {0x305, 0, 0},
                     {0x340, 0x12345678, 0x12345678}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const uint32_t value = deviations ? cases[i].kept : cases[i].written;
            const uint32_t told = value != cases[i].written ? KARAT_DEV_MACHINE_CSRS : 0;
            set_x(&r, 5, cases[i].written);
            DO(&r, "csrrw", 0, cases[i].csr, 5);
            assert_int_equal(r.commit.csr_value, value);
            assert_int_equal(r.commit.deviated & told, told);
            DO(&r, "csrrs", 6, cases[i].csr, 0);
            assert_int_equal(get_x(&r, 6), value);
            assert_int_equal(r.commit.deviated, told);
        }
        rig_close(&r);
    }
}

/* vadd12-signed: reported exactly where the result is another one. A lane has to be written for that. */
static void vadd12_deviation(void **unused) {
    (void)unused;
    for (uint32_t n = 1; n <= KARAT_MAX_THREAD; n *= 2)
        for (uint32_t deviations = 0; deviations < 2; deviations++) {
            karat_config config;
            karat_config_default(&config);
            config.num_thread = n;
            config.deviations = deviations ? KARAT_DEV_VADD12_SIGNED : 0;
            config.lds_pool = 4096;
            rig r;
            rig_open_config(&r, &config);
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
            rig_close(&r);
        }
}

/* --- Memory: every form, every lane --- */

static void memory_of(rig *r, karat_profile profile) {
    const uint32_t n = r->num_thread;
    r->desc.csr[KARAT_CSR_PDS] = DATA + 0x8000;
    launch_warps(r, 2);
    set_x(r, 1, DATA + 0x100);
    set_x(r, 2, 12);
    set_mixed(r, 2, 1);
    ramp_v(r, 4, 4 * n - 4, -4u); /* indices: backwards */
    DO(r, "vse32.v", 2, 1, 1);
    assert_int_equal(r->commit.mem.num, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(get_word(r, DATA + 0x100 + 4 * i), mix(1, i));
    DO(r, "vluxei32.v", 3, 1, 4, 1);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(get_v(r, 3)[i], mix(1, n - 1 - i));
    DO(r, "vsse32.v", 2, 1, 2, 1);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(get_word(r, DATA + 0x100 + 12 * i), mix(1, i));
    DO(r, "vlse32.v", 5, 1, 2, 1);
    DO(r, "vle8.v", 6, 1, 1);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(get_v(r, 5)[i], mix(1, i));
        assert_int_equal(get_v(r, 6)[i], get_word(r, DATA + 0x100 + i / 4 * 4) >> 8 * (i % 4) & 0xff);
    }
    /* Each lane its own address; the LDS. */
    ramp_v(r, 7, LDS + 0x200, 8);
    DO(r, "vsh12.v", 2, 2, 7);
    DO(r, "vlh12.v", 8, 2, 7);
    assert_int_equal(r->commit.mem.space, KARAT_LDS);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(get_v(r, 8)[i], (uint32_t)(int32_t)(int16_t)mix(1, i));
    /* LMUL 2: element i is lane i mod n of register i / n. */
    DO(r, "vsetvli", 3, 0, E32M2);
    assert_int_equal(get_x(r, 3), 2 * n);
    set_mixed(r, 10, 2);
    set_mixed(r, 11, 3);
    DO(r, "vse32.v", 10, 1, 1);
    assert_int_equal(r->commit.mem.num, 2 * n);
    for (uint32_t i = 0; i < 2 * n; i++) {
        assert_int_equal(get_word(r, DATA + 0x100 + 4 * i), mix(2 + i / n, i % n));
        assert_int_equal(karat_mem_access(&r->commit.mem, i).lane, i % n);
        assert_int_equal(karat_mem_access(&r->commit.mem, i).reg, i / n);
    }
    DO(r, "vsetvli", 3, 0, E32M1);
    if (profile != KARAT_V202)
        return;
    /* Private memory is interleaved by the workgroup's threads: here two warps of n. */
    splat_v(r, 1, 8);
    DO(r, "vsw.v", 2, 4, 1);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(karat_mem_access(&r->commit.mem, i).addr, DATA + 0x8000 + 12 * 2 * n + 4 * i);
        assert_int_equal(get_word(r, DATA + 0x8000 + 12 * 2 * n + 4 * i), mix(1, i));
    }
    set_word(r, CODE, OP("vlbu.v", 9, 3, 0)); /* v0 is 0 in warp 1 */
    assert_int_equal(step_warp(r, 1), KARAT_OK);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(karat_mem_access(&r->commit.mem, i).addr, DATA + 0x8000 + 4 * (n + i) + 3);
}

static void memory(void **unused) {
    (void)unused;
    each_size(memory_of);
}

/* --- Barriers and warps --- */

static void barrier_of(rig *r, karat_profile profile) {
    (void)profile;
    for (uint32_t num = 1; num <= 8; num++)
        for (uint32_t first = 0; first < num; first++) {
            launch_warps(r, num);
            set_word(r, CODE, OP("barrier", 0));
            set_word(r, CODE + 4, OP("endprg", 0));
            for (uint32_t i = 0; i < num; i++) {
                uint32_t warp = (first + i * 5) % num; /* some order; each once where 5 is no factor */
                if (num == 5)
                    warp = (first + i * 2) % num;
                assert_int_equal(step_warp(r, warp), KARAT_OK);
                assert_int_equal(r->commit.barrier, i + 1 == num ? 2 : 1);
                assert_int_equal(r->commit.mask_after, r->all);
                if (i + 1 < num)
                    assert_int_equal(step_warp(r, warp), KARAT_WAITING);
            }
            for (uint32_t i = 0; i < num; i++) {
                assert_int_equal(step_warp(r, i), KARAT_OK);
                assert_int_equal(r->commit.ended, 1);
            }
        }
}

static void barriers(void **unused) {
    (void)unused;
    each_size(barrier_of);
}

/* CSRs that depend on the number of threads, and every launch mask. */
static void launch_of(rig *r, karat_profile profile) {
    (void)profile;
    assert_int_equal(get_csr(r, VL), r->num_thread);
    assert_int_equal(get_csr(r, VTYPE), E32M1);
    assert_int_equal(get_csr(r, VLENB), 4 * r->num_thread);
    for (uint32_t i = 0; i < 40; i++) {
        r->desc.mask = i < 33 ? (uint32_t)((1ull << i) - 1) & r->all : mix(10, i) & r->all;
        launch(r);
        DO(r, "vid.v", 2, 1);
        if (r->desc.mask)
            assert_int_equal(r->commit.write[0].mask, r->desc.mask);
        else
            assert_int_equal(r->commit.num_writes, 0);
        for (uint32_t lane = 0; lane < r->num_thread; lane++)
            assert_int_equal(get_v(r, 2)[lane], r->desc.mask >> lane & 1 ? lane : 0);
        DO(r, "barrier", 0); /* the launch's mask is no divergence */
        assert_int_equal(r->commit.barrier, 2);
        DO(r, "endprg", 0);
    }
    karat_launch_desc desc = r->desc;
    if (r->num_thread < 32) {
        desc.mask = r->all + 1;
        karat_workgroup_close(r->model, 0);
        assert_int_equal(karat_workgroup_open(r->model, 0, 1), KARAT_OK);
        assert_int_equal(karat_launch(r->model, 0, &desc), KARAT_BAD_ARGUMENT);
    }
}

static void launches(void **unused) {
    (void)unused;
    each_size(launch_of);
}

/* As many warps as the configuration has, each with registers of its own. */
static void numbers_of_warps(void **unused) {
    (void)unused;
    for (uint32_t num = 1; num <= 64; num = num < 4 ? num + 1 : num * 2) {
        karat_config config;
        karat_config_default(&config);
        config.num_thread = 4;
        config.max_warp = num;
        config.max_workgroup = num;
        config.lds_pool = 1u << 16;
        rig r;
        rig_open_config(&r, &config);
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
        rig_close(&r);
    }
}

/* The default configuration of a model, and invalid ones. */
static void configurations(void **unused) {
    (void)unused;
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
    EXPECT_STATUS(KARAT_OK, config.profile = KARAT_V203);
    EXPECT_STATUS(KARAT_BAD_ARGUMENT, config.profile = KARAT_V203 + 1);
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

int params_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),       cmocka_unit_test(flags),
        cmocka_unit_test(divergence),       cmocka_unit_test(deviation_names),
        cmocka_unit_test(vadd12_deviation), cmocka_unit_test(machine_csrs),
        cmocka_unit_test(adopted_vl),       cmocka_unit_test(memory),
        cmocka_unit_test(barriers),         cmocka_unit_test(launches),
        cmocka_unit_test(numbers_of_warps), cmocka_unit_test(configurations),
    };
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
