/* Launch, workgroups, barriers, the end of warps (sections 2.3 and 4.2.4), and program errors: under divergence, and of one of
 * several warps. fail_word() compares all state, registers to LDS, before and after. */
#include "support.h"

TEST(launch_state) {
    for (uint32_t n = 1; n <= 32; n *= 2) {
        RIG(r, rig_open, n);
        for (unsigned i = 0; i < KARAT_NUM_X; i++)
            assert_int_equal(get_x(&r, i), 0);
        for (unsigned i = 0; i < KARAT_NUM_V; i++)
            for (unsigned lane = 0; lane < n; lane++)
                assert_int_equal(get_v(&r, i)[lane], 0);
        static uint32_t x[KARAT_NUM_X], v[KARAT_NUM_V * KARAT_MAX_THREAD];
        for (unsigned i = 0; i < KARAT_NUM_X; i++)
            x[i] = 0x1000 + i;
        for (unsigned i = 0; i < KARAT_NUM_V * n; i++)
            v[i] = 0x100000 + i;
        r.desc.x = x;
        r.desc.v = v;
        r.desc.mask = r.all & 0x5;
        launch(&r);
        x[5] = v[3] = 0; /* the descriptor has been copied */
        assert_int_equal(get_x(&r, 0), 0);
        assert_int_equal(get_x(&r, 5), 0x1005);
        assert_int_equal(get_x(&r, 63), 0x103f);
        for (unsigned i = 0; i < KARAT_NUM_V; i++)
            for (unsigned lane = 0; lane < n; lane++)
                assert_int_equal(get_v(&r, i)[lane], 0x100000 + i * n + lane);
        karat_warp_view view;
        assert_int_equal(karat_view(r.model, 0, &view), KARAT_OK);
        assert_true(view.live);
        assert_false(view.waiting || view.stopped);
        assert_int_equal(view.workgroup, 0);
        assert_int_equal(view.pc, CODE);
        assert_int_equal(view.mask, r.all & 0x5);
        assert_int_equal(view.initial_mask, r.all & 0x5);
        assert_int_equal(view.depth, 0);
    }
}

TEST(bad_arguments) {
    karat_config config;
    karat_status status;
    karat_config_default(&config);
    assert_int_equal(config.profile, KARAT_V202);
    assert_int_equal(config.num_thread, 32);
    assert_int_equal(config.simt_order, KARAT_SMALLER_FIRST);
    assert_int_equal(config.lds_base, LDS);
    assert_int_equal(config.deviations, 0);
    const karat_config good = config;
#define BAD(field, value)                                                                                    \
    config = good;                                                                                           \
    config.field = value;                                                                                    \
    status = KARAT_OK;                                                                                       \
    assert_null(karat_create(&config, &status));                                                             \
    assert_int_equal(status, KARAT_BAD_ARGUMENT)
    BAD(num_thread, 0);
    BAD(num_thread, 3);
    BAD(num_thread, 64);
    BAD(max_warp, 0);
    BAD(max_workgroup, 0);
    BAD(simt_order, (karat_simt_order)3);
    BAD(profile, (karat_profile)2);
    BAD(lds_base, 0x70000100);
    BAD(lds_size, 0x800);
    BAD(lds_base, 0xfffff000);
    config.num_thread = 0;
    assert_null(karat_create(&config, NULL));
    karat_destroy(NULL);

    RIG(r, rig_open, 8);
    assert_int_equal(karat_launch(r.model, 0, &r.desc), KARAT_BAD_ARGUMENT); /* live, and the group is full */
    assert_int_equal(karat_launch(r.model, 1, &r.desc), KARAT_BAD_ARGUMENT); /* the group is full */
    assert_int_equal(karat_workgroup_open(r.model, 0, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_open(r.model, 1, 0), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_open(r.model, 99, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_close(r.model, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_close(r.model, 99), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_open(r.model, 1, 4), KARAT_OK);
    karat_launch_desc desc = r.desc;
    desc.workgroup = 2; /* not open */
    assert_int_equal(karat_launch(r.model, 1, &desc), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_workgroup_open(r.model, 2, 2), KARAT_OK);
    assert_int_equal(karat_workgroup_close(r.model, 2),
                     KARAT_OK); /* not open any more, before all its warps came */
    assert_int_equal(karat_launch(r.model, 1, &desc), KARAT_BAD_ARGUMENT);
    desc.workgroup = 1;
    desc.mask = 0x100;
    assert_int_equal(karat_launch(r.model, 1, &desc), KARAT_BAD_ARGUMENT);
    desc.mask = 0xff;
    desc.sgprs = 65;
    assert_int_equal(karat_launch(r.model, 1, &desc), KARAT_BAD_ARGUMENT);
    desc.sgprs = 64;
    desc.vgprs = 257;
    assert_int_equal(karat_launch(r.model, 1, &desc), KARAT_BAD_ARGUMENT);
    desc.vgprs = 256;
    assert_int_equal(karat_launch(r.model, 99, &desc), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_launch(r.model, 0, &desc), KARAT_BAD_ARGUMENT); /* live, in workgroup 0 */
    assert_int_equal(karat_launch(r.model, 1, &desc), KARAT_OK);
    assert_int_equal(karat_step(r.model, 99, &r.commit), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_step(r.model, 3, &r.commit), KARAT_ENDED); /* never launched */
    karat_warp_view view;
    assert_int_equal(karat_view(r.model, 99, &view), KARAT_BAD_ARGUMENT);
    /* Closing ends its warps. */
    assert_int_equal(karat_workgroup_close(r.model, 1), KARAT_OK);
    assert_int_equal(karat_step(r.model, 1, &r.commit), KARAT_ENDED);
}

static void rig_open_deviating(rig *r, uint32_t deviations) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    config.max_warp = config.max_workgroup = 8;
    config.lds_pool = 1u << 20;
    config.deviations = deviations;
    rig_open_config(r, &config);
}

/* usage-too-small: registers beyond the usage are registers, and each step that uses one is counted; beyond the last there are none. */
TEST(usage_too_small) {
    RIG(r, rig_open_deviating, KARAT_DEV_USAGE_TOO_SMALL);
    r.desc.sgprs = 8;
    r.desc.vgprs = 36;
    launch(&r);
    set_x(&r, 7, 20);
    DO(&r, "add", 7, 7, 7);
    assert_int_equal(r.commit.deviated, 0);
    DO(&r, "add", 8, 7, 7);
    assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
    assert_int_equal(get_x(&r, 8), 80);
    DO(&r, "addi", 1, 8, 1);
    assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
    assert_int_equal(get_x(&r, 1), 81);
    do_prefixed(&r, regext(0, 0, 0, 7), OP("vadd.vx", 31, 2, 1, 1)); /* v255 */
    assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
    assert_int_equal(get_v(&r, 255)[3], 81);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vv", 3, 3, 3, 1)); /* v35 */
    assert_int_equal(r.commit.deviated, 0);
    /* The second registers of groups and of pairs. */
    DO(&r, "vsetvli", 1, 0, 0x11);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vv", 2, 2, 2, 1)); /* v34, v35 */
    assert_int_equal(r.commit.deviated, 0);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vv", 4, 2, 2, 1)); /* v36, v37 */
    assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
    DO(&r, "vsetvli", 1, 0, 0x10);
    set_x(&r, 2, DATA);
    set_word(&r, DATA, 5);
    set_word(&r, DATA + 4, 6);
    r.desc.sgprs = 5;
    launch(&r);
    set_x(&r, 2, DATA);
    do_prefixed(&r, regpair(0, 0, 0, 0), OP("lw", 4, 0, 2)); /* x4, x5 from {x3, x2} */
    assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
    assert_int_equal(get_x(&r, 4), 5);
    assert_int_equal(get_x(&r, 5), 6);
    /* Registers that there are not at all. */
    fail_prefixed(&r, regext(0, 0, 0, 2), OP("add", 1, 1, 1), KARAT_ERR_REGISTER);
}

TEST(adopt) {
    RIG(r, rig_open, 8);
    uint32_t value[KARAT_MAX_THREAD];
    for (uint32_t i = 0; i < KARAT_MAX_THREAD; i++)
        value[i] = 100 + i;
    assert_int_equal(karat_adopt(r.model, 0, KARAT_CLASS_V, 255, 0xffffff5a, value), KARAT_OK);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(get_v(&r, 255)[i], 0x5a >> i & 1 ? 100 + i : 0);
    assert_int_equal(get_v(&r, 254)[7], 0);
    assert_int_equal(karat_adopt(r.model, 0, KARAT_CLASS_X, 63, 0xfffffffe, value), KARAT_OK);
    assert_int_equal(get_x(&r, 63), 0);
    assert_int_equal(karat_adopt(r.model, 0, KARAT_CLASS_X, 63, 1, value), KARAT_OK);
    assert_int_equal(get_x(&r, 63), 100);
    assert_int_equal(karat_adopt(r.model, 0, KARAT_CLASS_X, 64, 1, value), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt(r.model, 0, KARAT_CLASS_V, 256, 1, value), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt(r.model, 0, 2, 1, 1, value), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_adopt(r.model, 99, KARAT_CLASS_X, 1, 1, value), KARAT_BAD_ARGUMENT);
    /* The next use sees it. */
    set_x(&r, 5, 41);
    DO(&r, "addi", 6, 5, 1);
    assert_int_equal(get_x(&r, 6), 42);
}

/* --- Barriers --- */

static bool waits(const rig *r, uint32_t warp) {
    karat_warp_view view;
    assert_int_equal(karat_view(r->model, warp, &view), KARAT_OK);
    return view.waiting;
}

TEST(barrier) {
    RIG(r, rig_open, 4);
    /* Another workgroup waits at its own. */
    assert_int_equal(karat_workgroup_open(r.model, 1, 2), KARAT_OK);
    karat_launch_desc desc = r.desc;
    desc.workgroup = 1;
    assert_int_equal(karat_launch(r.model, 7, &desc), KARAT_OK);
    set_word(&r, CODE, OP("barrier", 0));
    set_word(&r, CODE + 4, OP("barrier", 0x1f)); /* scope all_svm_devices, every fence: the same */
    set_word(&r, CODE + 8, OP("barriersub", 3));
    set_word(&r, CODE + 12, OP("endprg", 0));
    assert_int_equal(step_warp(&r, 7), KARAT_OK);
    assert_int_equal(r.commit.barrier, 1);
    launch_warps(&r, 3);
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t warp = (i + round) % 3;
            assert_int_equal(step_warp(&r, warp), KARAT_OK);
            assert_int_equal(r.commit.barrier, i == 2 ? 2 : 1);
            assert_int_equal(r.commit.next_pc, CODE + 4 + 4 * round);
            assert_int_equal(r.commit.num_writes, 0);
            assert_int_equal(waits(&r, warp), i < 2);
            if (i < 2) {
                /* Nothing happens until the last has come. */
                assert_int_equal(step_warp(&r, warp), KARAT_WAITING);
                assert_int_equal(step_warp(&r, warp), KARAT_WAITING);
            }
        }
        for (uint32_t i = 0; i < 3; i++)
            assert_false(waits(&r, i));
        assert_true(waits(&r, 7));
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(step_warp(&r, i), KARAT_OK);
        assert_int_equal(r.commit.barrier, 0);
        assert_false(waits(&r, i));
        assert_int_equal(step_warp(&r, i), KARAT_OK);
        assert_int_equal(r.commit.ended, 1);
        assert_int_equal(step_warp(&r, i), KARAT_ENDED);
    }
}

TEST(barrier_of_one_warp) {
    RIG(r, rig_open, 4);
    DO(&r, "barrier", 1);
    assert_int_equal(r.commit.barrier, 2);
    DO(&r, "barrier", 9); /* scope work_item */
    assert_int_equal(r.commit.barrier, 0);
    DO(&r, "barriersub", 1);
    assert_int_equal(r.commit.barrier, 0);
    DO(&r, "endprg", 0);
}

/* A warp that ends while others wait, or before them. */
TEST(barrier_and_exit) {
    RIG(r, rig_open, 4);
    const uint32_t end = OP("endprg", 0), arrive = OP("barrier", 0);
    launch_warps(&r, 2);
    set_word(&r, CODE, arrive);
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    fail_word(&r, end, KARAT_ERR_BARRIER_EXIT); /* warp 0 */
    launch_warps(&r, 2);
    set_word(&r, CODE, end);
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    fail_word(&r, arrive, KARAT_ERR_BARRIER_EXIT);
    /* Ends without any barrier are fine. */
    launch_warps(&r, 2);
    set_word(&r, CODE, end);
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    /* The handle is free again, in a workgroup with room. */
    launch_warps(&r, 1);
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
}

/* ended-warps-arrive: a barrier does not wait for warps that have ended, and the end of one may release the others. */
TEST(ended_warps_arrive) {
    RIG(r, rig_open_deviating, KARAT_DEV_ENDED_WARPS_ARRIVE);
    const uint32_t end = OP("endprg", 0), arrive = OP("barrier", 0);
    /* The last but one ends, with two that wait. */
    launch_warps(&r, 4);
    set_word(&r, CODE, arrive);
    set_word(&r, CODE + 4, end);
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    assert_int_equal(r.commit.barrier, 1);
    assert_int_equal(r.commit.deviated, 0);
    assert_int_equal(step_warp(&r, 2), KARAT_OK);
    set_word(&r, CODE, end);
    assert_int_equal(step_warp(&r, 3), KARAT_OK);
    assert_int_equal(r.commit.ended, 1);
    assert_int_equal(r.commit.barrier, 0);
    assert_int_equal(r.commit.deviated, KARAT_DEV_ENDED_WARPS_ARRIVE);
    assert_true(waits(&r, 0) && waits(&r, 2));
    /* Its state can be saved. */
    size_t size = karat_save_size(r.model);
    uint8_t *bytes = test_malloc(size);
    assert_int_equal(karat_save(r.model, bytes, size), KARAT_OK);
    karat_status status;
    karat_model *copy = karat_restore(bytes, size, &status);
    assert_int_equal(status, KARAT_OK);
    assert_int_equal(karat_step(copy, 1, &r.commit), KARAT_OK);
    assert_int_equal(r.commit.barrier, 3);
    karat_destroy(copy);
    test_free(bytes);
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    assert_int_equal(r.commit.ended, 1);
    assert_int_equal(r.commit.barrier, 3);
    assert_int_equal(r.commit.deviated, KARAT_DEV_ENDED_WARPS_ARRIVE);
    assert_false(waits(&r, 0) || waits(&r, 2));
    assert_int_equal(step_warp(&r, 0), KARAT_OK); /* nothing waits: an end like any other */
    assert_int_equal(r.commit.deviated, 0);
    assert_int_equal(step_warp(&r, 2), KARAT_OK);
    /* The last arrives where others have ended. */
    launch_warps(&r, 3);
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    assert_int_equal(r.commit.deviated, 0);
    set_word(&r, CODE, arrive);
    assert_int_equal(step_warp(&r, 2), KARAT_OK);
    assert_int_equal(r.commit.barrier, 1);
    assert_int_equal(r.commit.deviated, KARAT_DEV_ENDED_WARPS_ARRIVE);
    assert_true(waits(&r, 2));
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    assert_int_equal(r.commit.barrier, 2);
    assert_int_equal(r.commit.deviated, KARAT_DEV_ENDED_WARPS_ARRIVE);
    assert_false(waits(&r, 0) || waits(&r, 2));
}

/* --- Two models --- */

TEST(two_models_share_nothing) {
    rig a, b;
    rig_open(&a, 8);
    rig_open(&b, 4);
    set_word(&a, DATA, 1);
    set_word(&b, DATA, 2);
    set_x(&a, 1, DATA);
    set_x(&b, 1, DATA);
    DO(&a, "addi", 2, 0, 77); /* the same pc in both, other words */
    DO(&b, "addi", 3, 0, 88);
    DO(&a, "lw", 4, 0, 1);
    DO(&b, "lw", 4, 0, 1);
    assert_int_equal(get_x(&a, 4), 1);
    assert_int_equal(get_x(&b, 4), 2);
    assert_int_equal(get_x(&a, 3), 0);
    assert_int_equal(get_x(&b, 2), 0);
    set_x(&a, 1, LDS);
    set_x(&b, 1, LDS);
    DO(&a, "sw", 2, 0, 1);
    DO(&b, "lw", 5, 0, 1);
    assert_int_equal(get_x(&b, 5), 0);
    assert_int_equal(b.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    DO(&a, "csrrwi", 0, 0x80c, 31);
    assert_int_equal(get_csr(&b, 0x80c), 0);
    rig_close(&a);
    DO(&b, "vid.v", 1, 1);
    assert_int_equal(get_v(&b, 1)[3], 3);
    rig_close(&b);
}

/* Whatever order other warps step in, a warp's own commits are the same bytes. */
TEST(same_inputs_same_bytes) {
    shown *runs = calloc(2 * 8, sizeof *runs);
    assert_non_null(runs);
    for (unsigned run = 0; run < 2; run++) {
        RIG(r, rig_open, 32);
        const uint32_t program[8] = {OP("vid.v", 1, 1),         OP("vadd12.vi", 2, 1, 3),
                                     OP("vmul.vv", 3, 2, 2, 1), OP("vmsltu.vv", 0, 1, 2, 1),
                                     OP("vadd.vv", 4, 3, 2, 0), OP("vbeq", 1, 3, 4),
                                     OP("vmv.x.s", 5, 4),       OP("csrrs", 6, 0xc20, 0)};
        for (unsigned i = 0; i < 8; i++)
            set_word(&r, CODE + 4 * i, program[i]);
        launch_warps(&r, 2);
        for (unsigned i = 0; i < 8; i++) {
            if (run)
                assert_int_equal(step_warp(&r, 1), KARAT_OK);
            assert_int_equal(step_warp(&r, 0), KARAT_OK);
            show(r.model, &r.commit, &runs[8 * run + i]);
        }
    }
    /* step_warp() has filled what a step does not touch with one pattern. */
    assert_memory_equal(runs, runs + 8, 8 * sizeof *runs);
    free(runs);
}

TEST(error_names) {
    for (int i = 0; i < KARAT_ERR_KINDS; i++) {
        assert_true(strlen(karat_error_name((karat_error_kind)i)) > 3);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(karat_error_name((karat_error_kind)i),
                                    karat_error_name((karat_error_kind)k));
    }
    assert_non_null(karat_error_name(KARAT_ERR_KINDS));
    for (int i = 0; i < KARAT_ILLEGALS; i++) {
        assert_true(strlen(karat_illegal_name((karat_illegal)i)) > 3);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(karat_illegal_name((karat_illegal)i),
                                    karat_illegal_name((karat_illegal)k));
    }
    assert_string_equal(karat_illegal_name(KARAT_ILLEGALS), "?");
}

/* --- Divergence at the end and at a barrier --- */

TEST(divergence_at_the_end) {
    for (uint32_t n = 2; n <= KARAT_MAX_THREAD; n *= 2)
        for (int order = KARAT_SMALLER_FIRST; order <= KARAT_ELSE_FIRST; order++) {
            karat_config config;
            karat_config_default(&config);
            config.num_thread = n;
            config.max_warp = 1;
            config.max_workgroup = 1;
            config.simt_order = (karat_simt_order)order;
            config.lds_pool = 4096;
            RIG(r, rig_open_config, &config);
            static const char *const names[] = {"endprg", "barrier"};
            static const karat_error_kind kinds[] = {KARAT_ERR_DIVERGED_END, KARAT_ERR_DIVERGED_BARRIER};
            for (unsigned k = 0; k < 2; k++) {
                narrow(&r, 1u << (n - 1));
                uint32_t pc = pc_of(&r);
                do_word(&r, OP("barriersub", 0));
                fail_word(&r, OP(names[k], 0), kinds[k]);
                assert_int_equal(r.commit.error.pc, pc + 4);
                assert_int_equal(r.commit.error.lane, -1);
                assert_int_equal(r.commit.depth, 2);
                narrow(&r, r.all >> n / 2); /* a tie */
                fail_word(&r, OP(names[k], 0), kinds[k]);
            }
            do_word(&r, OP("endprg", 0));
        }
}

/* --- One of several warps --- */

TEST(other_warps_go_on) {
    RIG(r, rig_open, 4);
    launch_warps(&r, 4);
    set_word(&r, CODE, OP("csrrs", 5, 0x805, 0)); /* CSR_WID */
    set_word(&r, CODE + 4, OP("addi", 5, 5, -2));
    set_word(&r, CODE + 8, OP("beq", 5, 0, 8)); /* warp 2 jumps */
    set_word(&r, CODE + 12, OP("endprg", 0));
    set_word(&r, CODE + 16, OP("lw", 6, 1, 5));
    for (unsigned step = 0; step < 4; step++)
        for (uint32_t i = 0; i < 4; i++) {
            karat_status status = step_warp(&r, i);
            if (i != 2 || step < 3) {
                assert_int_equal(status, KARAT_OK);
                continue;
            }
            assert_int_equal(status, KARAT_PROGRAM_ERROR);
            assert_int_equal(r.commit.error.kind, KARAT_ERR_MISALIGNED);
            assert_int_equal(r.commit.error.pc, CODE + 16);
            assert_int_equal(r.commit.error.addr, 1);
            assert_int_equal(r.commit.error.lane, 0);
            assert_int_equal(r.commit.error.warp, 2);
        }
    for (uint32_t i = 0; i < 4; i++) {
        karat_warp_view view;
        assert_int_equal(karat_view(r.model, i, &view), KARAT_OK);
        assert_false(view.live);
        assert_int_equal(view.stopped, i == 2);
        assert_int_equal(step_warp(&r, i), KARAT_ENDED);
    }
}
