/* The usage that a launch declares, barriers, and warps that have ended (sections 2.3 and 4.2.4). The
 * state after a launch, and divergence: tests/fuzz. fail_word() compares all state, registers to LDS, before
 * and after. */
#include "support.h"

/* Deviation usage-too-small: registers beyond the usage are registers, and each step that uses one is
 * counted; beyond the last there are none. */
TEST(usage_too_small) {
    RIG(r, rig_open_deviating, KARAT_V202, 4, KARAT_DEV_USAGE_TOO_SMALL);
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
    for (unsigned i = 0; i < 2; i++) { /* Register v255, to which a step and the next one give other places */
        do_prefixed(&r, regext(0, 0, 0, 7), OP("vadd.vx", 31, 2, 1, 1));
        assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
        assert_int_equal(get_v(&r, 255)[3], 81);
    }
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vv", 3, 3, 3, 1)); /* Register v35 */
    assert_int_equal(r.commit.deviated, 0);
    /* The second registers of groups and of pairs. */
    DO(&r, "vsetvli", 1, 0, 0x11);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vv", 2, 2, 2, 1)); /* Registers v34, v35 */
    assert_int_equal(r.commit.deviated, 0);
    do_prefixed(&r, regext(0, 1, 1, 1), OP("vadd.vv", 4, 2, 2, 1)); /* Registers v36, v37 */
    assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
    DO(&r, "vsetvli", 1, 0, 0x10);
    set_x(&r, 2, DATA);
    set_word(&r, DATA, 5);
    set_word(&r, DATA + 4, 6);
    r.desc.sgprs = 5;
    launch(&r);
    assert_int_equal(get_v(&r, 255)[3], 0);
    set_x(&r, 2, DATA);
    do_prefixed(&r, regpair(0, 0, 0, 0), OP("lw", 4, 0, 2)); /* Registers x4, x5 from {x3, x2} */
    assert_int_equal(r.commit.deviated, KARAT_DEV_USAGE_TOO_SMALL);
    assert_int_equal(get_x(&r, 4), 5);
    assert_int_equal(get_x(&r, 5), 6);
    /* Registers that there are not at all. */
    fail_prefixed(&r, regext(0, 0, 0, 2), OP("add", 1, 1, 1), KARAT_ERR_REGISTER);
}

/* Whoever wrote them before: registers that the launch does not give are 0. */
TEST(launched_registers_are_0) {
    RIG(r, rig_open, 4);
    static uint32_t given[KARAT_NUM_V * 4];
    memset(given, 0x5a, sizeof given);
    for (unsigned round = 0; round < 3; round++) {
        r.desc.vgprs = 8;
        r.desc.v = round == 0 ? given : NULL;
        launch(&r);
        for (unsigned v = 0; v < KARAT_NUM_V; v++)
            assert_int_equal(get_v(&r, v)[2], r.desc.v ? 0x5a5a5a5a : 0);
        DO(&r, "vid.v", 7, 1);
        set_v(&r, 200, given); /* Beyond the usage */
    }
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
    set_word(&r, CODE + 4, OP("barrier", 0x1f)); /* Scope all_svm_devices, every fence: the same */
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
    DO(&r, "barrier", 9); /* Scope work_item */
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
    fail_word(&r, end, KARAT_ERR_BARRIER_EXIT); /* Warp 0 */
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

/* Deviation ended-warps-arrive: a barrier does not wait for warps that have ended, and the end of one may
 * release the others. */
TEST(ended_warps_arrive) {
    RIG(r, rig_open_deviating, KARAT_V202, 4, KARAT_DEV_ENDED_WARPS_ARRIVE);
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
    assert_int_equal(step_warp(&r, 0), KARAT_OK); /* Nothing waits: an end like any other */
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

/* Deviation diverged-warps-arrive: a warp arrives from each path, and waits for the others each time. */
TEST(diverged_warps_arrive) {
    RIG(r, rig_open_deviating, KARAT_V202, 4, KARAT_DEV_DIVERGED_WARPS_ARRIVE);
    launch_warps(&r, 2);
    set_v(&r, 2, (uint32_t[]){1, 1, 0, 0});
    splat_v(&r, 1, 1);
    DO(&r, "vbeq", 2, 1, 0x40);
    assert_int_equal(r.commit.simt, KARAT_SIMT_DIVERGE);
    const uint32_t depth = depth_of(&r), mask = mask_of(&r);
    for (unsigned round = 0; round < 2; round++) {
        DO(&r, "barrier", 0);
        assert_int_equal(r.commit.barrier, 1);
        assert_int_equal(r.commit.deviated, KARAT_DEV_DIVERGED_WARPS_ARRIVE);
        assert_int_equal(step_warp(&r, 0), KARAT_WAITING);
        set_word(&r, CODE + 4 * round, OP("barrier", 0));
        assert_int_equal(step_warp(&r, 1), KARAT_OK); /* It has not diverged */
        assert_int_equal(r.commit.barrier, 2);
        assert_int_equal(r.commit.deviated, 0);
        assert_false(waits(&r, 0));
        assert_int_equal(depth_of(&r), depth);
        assert_int_equal(mask_of(&r), mask);
    }
    FAIL(&r, KARAT_ERR_DIVERGED_END, "endprg", 0);
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
