/* Snapshots: what comes back behaves as what was saved, and nothing unsound comes back. */
#include "support.h"

static uint8_t *save(const karat_model *model, size_t *size) {
    *size = karat_save_size(model);
    uint8_t *bytes = test_malloc(*size);
    memset(bytes, 0xa5, *size);
    assert_int_equal(karat_save(model, bytes, *size), KARAT_OK);
    return bytes;
}

/* Two models in the same state save to the same bytes. */
static void expect_equal(const karat_model *a, const karat_model *b) {
    size_t size_a, size_b;
    uint8_t *bytes_a = save(a, &size_a), *bytes_b = save(b, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    test_free(bytes_a);
    test_free(bytes_b);
}

/* A model in the middle of everything: two workgroups with LDS, a diverged warp, a warp at a barrier, one
 * that was stopped, a reservation, CSRs, LMUL 2, memory beyond 4 GiB. */
static void busy(rig *r, uint32_t num_thread) {
    rig_open(r, num_thread);
    karat_workgroup_close(r->model, 0);
    assert_int_equal(karat_map(r->model, 0x700000000ull, 8192), KARAT_OK);
    assert_int_equal(karat_write(r->model, 0x700001ffeull, "xy", 2), KARAT_OK);
    assert_int_equal(karat_workgroup_open(r->model, 0, 2), KARAT_OK);
    assert_int_equal(karat_workgroup_open(r->model, 2, 3), KARAT_OK);
    for (uint32_t w = 0; w < 5; w++) {
        karat_launch_desc desc = r->desc;
        desc.workgroup = w < 2 ? 0 : 2;
        desc.pc = CODE + 0x100 * w;
        desc.csr[KARAT_CSR_WID] = w;
        desc.csr[KARAT_CSR_RPC] = CODE + 0x80;
        assert_int_equal(karat_launch(r->model, w, &desc), KARAT_OK);
    }
    const uint32_t lds = LDS + 0x1000,
                   code[5][8] = {
                       {OP("vid.v", 1, 1), OP("lui", 5, 0x70000), OP("vse32.v", 1, 5, 1),
                        OP("vbeq", 1, 0, 0x40)},
                       {OP("barrier", 0)},
                       {OP("lui", 5, DATA >> 12), OP("lr.w", 6, 5, 0), OP("csrrwi", 0, 2, 3),
                        OP("csrrwi", 0, 9, 1), OP("vsetvli", 7, 0, 0xd1)},
                       {OP("ecall", 0)},
                       {OP("jal", 1, 16)},
                   };
    assert_int_equal(karat_lds_write(r->model, 2, lds, "workgroup two", 13), KARAT_OK);
    for (uint32_t w = 0; w < 5; w++)
        for (uint32_t i = 0; i < 8 && code[w][i]; i++) {
            set_word(r, CODE + 0x100 * w + 4 * i, code[w][i]);
            assert_int_equal(step_warp(r, w), w == 3 ? KARAT_PROGRAM_ERROR : KARAT_OK);
        }
    /* The next step of each warp. */
    set_word(r, CODE + 0x4c, OP("vsub.vv", 3, 2, 1, 1)); /* the else path: lane 0 */
    set_word(r, CODE + 0x50, OP("jal", 0, 0x80 - 0x50));
    set_word(r, CODE + 0x10, OP("vadd.vi", 2, 1, 3, 1));
    set_word(r, CODE + 0x14, OP("jal", 0, 0x80 - 0x14));
    set_word(r, CODE + 0x80, OP("join", 0));
    set_word(r, CODE + 0x84, OP("barrier", 0));
    set_word(r, CODE + 0x104, OP("endprg", 0));
    set_word(r, CODE + 0x214, OP("sc.w", 8, 5, 5, 0));
    set_word(r, CODE + 0x218, OP("vadd.vv", 2, 4, 6, 1));
    set_word(r, CODE + 0x40c, regext(0, 0, 0, 0)); /* warp 4 has jumped after it: a warning */
    set_word(r, CODE + 0x410, OP("addi", 1, 1, 1));
}

/* The bytes depend on the state, not on how it was reached. */
TEST(history_leaves_no_trace) {
    rig a, b;
    rig_open(&a, 4);
    rig_open(&b, 4);
    set_word(&a, DATA, 1);
    set_word(&a, DATA, 0);
    assert_int_equal(karat_workgroup_open(a.model, 1, 1), KARAT_OK);
    assert_int_equal(karat_lds_write(a.model, 1, LDS, "gone", 4), KARAT_OK);
    assert_int_equal(karat_workgroup_close(a.model, 1), KARAT_OK);
    /* LDS pages taken in another order. */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(karat_lds_write(a.model, 0, LDS + 0x1000 * i, "z", 1), KARAT_OK);
        assert_int_equal(karat_lds_write(b.model, 0, LDS + 0x1000 * (2 - i), "z", 1), KARAT_OK);
    }
    /* A reservation that is gone. */
    set_x(&a, 5, DATA);
    DO(&a, "lr.w", 6, 5, 0);
    DO(&a, "sc.w", 6, 0, 5, 0);
    launch(&a);
    launch(&b);
    set_word(&a, CODE, 0);
    set_word(&a, CODE + 4, 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(karat_lds_write(a.model, 0, LDS + 0x1000 * i, "z", 1), KARAT_OK);
        assert_int_equal(karat_lds_write(b.model, 0, LDS + 0x1000 * (2 - i), "z", 1), KARAT_OK);
    }
    expect_equal(a.model, b.model);
    /* And every difference shows. */
    set_x(&b, 63, 1);
    size_t size_a, size_b;
    uint8_t *bytes_a = save(a.model, &size_a), *bytes_b = save(b.model, &size_b);
    assert_true(size_a != size_b || memcmp(bytes_a, bytes_b, size_a) != 0);
    test_free(bytes_a);
    test_free(bytes_b);
    rig_close(&a);
    rig_close(&b);
}

TEST(damage_is_found) {
    scoped_rig r;
    busy(&r, 4);
    size_t size;
    uint8_t *bytes = save(r.model, &size);
    karat_status status;
    assert_int_equal(karat_save(r.model, bytes, size - 1), KARAT_BAD_ARGUMENT);
    /* Cut off anywhere; longer than it says. */
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 997) {
        status = KARAT_OK;
        assert_null(karat_restore(bytes, cut, &status));
        assert_int_equal(status, KARAT_BAD_SNAPSHOT);
    }
    uint8_t *longer = test_calloc(1, size + 1);
    memcpy(longer, bytes, size);
    assert_null(karat_restore(longer, size + 1, NULL));
    test_free(longer);
    /* One bit anywhere: in the header, and by the checksum after it. */
    for (size_t at = 0; at < size; at += at < 400 ? 1 : 1009) {
        bytes[at] ^= 1u << at % 8;
        status = KARAT_OK;
        assert_null(karat_restore(bytes, size, &status));
        assert_int_equal(status, KARAT_BAD_SNAPSHOT);
        bytes[at] ^= 1u << at % 8;
    }
    karat_model *sound = karat_restore(bytes, size, NULL);
    assert_non_null(sound);
    karat_destroy(sound);
    test_free(bytes);
}

/* FNV-1a: with the checksum put right, only the checks of the fields are left. */
static void put_checksum(uint8_t *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 28; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    for (int i = 0; i < 8; i++)
        bytes[20 + i] = (uint8_t)(hash >> 8 * i);
}

/* A forged snapshot may restore another state, but a sound one: it can be stepped, saved and destroyed. */
TEST(forgeries_do_no_harm) {
    scoped_rig r;
    busy(&r, 4);
    size_t size, refused = 0, taken = 0;
    uint8_t *bytes = save(r.model, &size), *forged = test_malloc(size);
    static karat_commit commit;
    for (size_t at = 28; at < size; at += at < 128 ? 1 : 37)
        for (int value = 0; value < 2; value++) {
            memcpy(forged, bytes, size);
            forged[at] = value ? 0xff : (uint8_t)(forged[at] + 1);
            put_checksum(forged, size);
            /* A configuration for far more memory is sound as well, but slow to make. */
            if (at >= 28 + 8 && at < 28 + 16)
                continue;
            karat_status status;
            karat_model *model = karat_restore(forged, size, &status);
            if (!model) {
                assert_true(status == KARAT_BAD_SNAPSHOT || status == KARAT_NO_MEMORY);
                refused++;
                continue;
            }
            taken++;
            for (int round = 0; round < 12; round++)
                for (uint32_t w = 0; w < karat_get_config(model)->max_warp && w < 5; w++)
                    (void)karat_step(model, w, &commit);
            size_t again;
            test_free(save(model, &again));
            karat_destroy(model);
        }
    assert_true(refused > 100);
    assert_true(taken > 100);
    test_free(bytes);
    test_free(forged);
}

/* States that no program reaches, with a checksum that fits. */
TEST(impossible_states_are_refused) {
    /* Two warps of one workgroup, four threads each; warp 0 waits at a barrier. One page is mapped. */
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    config.max_warp = config.max_workgroup = 2;
    config.lds_pool = 1 << 14;
    rig r = {.model = karat_create(&config, NULL), .num_thread = 4};
    assert_int_equal(karat_map(r.model, CODE, 4096), KARAT_OK);
    assert_int_equal(karat_workgroup_open(r.model, 0, 2), KARAT_OK);
    const karat_launch_desc desc = {.pc = CODE, .mask = 0x6};
    for (uint32_t w = 0; w < 2; w++)
        assert_int_equal(karat_launch(r.model, w, &desc), KARAT_OK);
    set_word(&r, CODE, OP("barrier", 0));
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    size_t size;
    uint8_t *bytes = save(r.model, &size);
    enum {
        CONFIG = 28,
        DEVIATIONS = CONFIG + 20,
        TRANSLATION = CONFIG + 36,
        RUN = TRANSLATION + 4 + 8,
        FLAG = RUN + 16,
        GROUP = FLAG + 1 + 4096
    };
    enum { NUM_WARP = GROUP + 1, ARRIVED = NUM_WARP + 4, ENDED = ARRIVED + 4, SEEN = ENDED + 4 };
    enum { WARP = SEEN + 4 + 4 + 1, WAITING = WARP + 1, STOPPED = WARP + 2, WORKGROUP = WARP + 10 };
    enum { MASK = WORKGROUP + 8, INITIAL = MASK + 4, SGPRS = INITIAL + 4, VL = SGPRS + 8 };
    enum { PTBR = WORKGROUP + 16 * 4 + 8, ASID = PTBR + 8 };
    assert_int_equal(bytes[GROUP], 1);
    assert_int_equal(bytes[ARRIVED], 1);
    assert_int_equal(bytes[SEEN], 2);
    assert_int_equal(bytes[WARP], 1);
    assert_int_equal(bytes[WAITING], 1);
    assert_int_equal(bytes[MASK], 0x6);
    assert_int_equal(bytes[SGPRS], KARAT_NUM_X);
    assert_int_equal(bytes[VL], 4);
    static const struct {
        size_t at;
        uint8_t value;
    } forged[] = {
        {DEVIATIONS + KARAT_NUM_DEVIATION / 8, 1 << KARAT_NUM_DEVIATION % 8},
        {DEVIATIONS + 3, 0x80},
        {TRANSLATION, 2},
        {PTBR + 1, 0x10}, /* without translation */
        {ASID, 1},
        {NUM_WARP, 0},
        {NUM_WARP, 1},
        {ARRIVED, 0},
        {ARRIVED, 2},
        {ENDED, 1},
        {ENDED, 2},
        {SEEN, 0},
        {SEEN, 1},
        {SEEN, 3},
        {WAITING, 0},
        {STOPPED, 1},
        {WORKGROUP, 1},
        {MASK, 0x7},
        {MASK, 0xe},
        {SGPRS, 0},
        {SGPRS, 65},
        {VL, 5},
        {FLAG, 0},
        {FLAG, 2},
    };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        uint8_t before = bytes[forged[i].at];
        bytes[forged[i].at] = forged[i].value;
        put_checksum(bytes, size);
        karat_status status = KARAT_OK;
        if (karat_restore(bytes, size, &status) || status != KARAT_BAD_SNAPSHOT)
            fail_msg("forgery %zu was taken", i);
        bytes[forged[i].at] = before;
    }
    put_checksum(bytes, size);
    karat_model *sound = karat_restore(bytes, size, NULL);
    assert_non_null(sound);
    karat_destroy(sound);
    test_free(bytes);
    karat_destroy(r.model);
}

/* A stack that is as deep as it can be, and a mask that could still diverge: the next VBRANCH would leave the array. */
TEST(stacks_have_room) {
    RIG(r, rig_open, 2);
    narrow(&r, 1);
    assert_int_equal(depth_of(&r), 2);
    size_t size, at = 0, found = 0;
    uint8_t *bytes = save(r.model, &size);
    /* mask, initial mask, sgprs, vgprs: 1, 3, 64, 256. */
    static const uint8_t fields[16] = {1, 0, 0, 0, 3, 0, 0, 0, 64, 0, 0, 0, 0, 1};
    for (size_t i = 28; i + 16 < size; i++)
        if (memcmp(bytes + i, fields, 16) == 0)
            at = i, found++;
    assert_int_equal(found, 1);
    bytes[at] = 3;
    put_checksum(bytes, size);
    assert_null(karat_restore(bytes, size, NULL));
    bytes[at] = 1;
    put_checksum(bytes, size);
    karat_model *sound = karat_restore(bytes, size, NULL);
    assert_non_null(sound);
    karat_destroy(sound);
    test_free(bytes);
}

/* A failed call has changed nothing, down to the bytes of a snapshot; and reservations end with what held them. */
TEST(failures_leave_no_trace) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    config.max_warp = config.max_workgroup = 2;
    config.lds_pool = 2 * 4096;
    RIG(r, rig_open_config, &config);
    set_x(&r, 5, LDS);
    set_x(&r, 6, 4096);
    set_word(&r, CODE, OP("vsse32.v", 1, 5, 6, 1)); /* four pages; the pool has two */
    size_t size, again;
    uint8_t *bytes = save(r.model, &size), *after;
    assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_LDS_POOL);
    assert_int_equal(r.commit.error.warp, 0);
    assert_int_equal(karat_save_size(r.model), size); /* the warp is stopped, that is all */
    test_free(bytes);
    bytes = save(r.model, &size);
    static uint8_t many[3 * 4096];
    assert_int_equal(karat_lds_write(r.model, 0, LDS, many, sizeof many), KARAT_NO_MEMORY);
    assert_int_equal(karat_write(r.model, 0, NULL, 0), KARAT_OK);
    const uint32_t value[KARAT_MAX_THREAD] = {1};
    uint32_t csr;
    assert_int_equal(karat_adopt(r.model, 1, KARAT_CLASS_X, 1, 1, value),
                     KARAT_BAD_ARGUMENT); /* never launched */
    assert_int_equal(karat_csr_read(r.model, 1, 0x800, &csr), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_csr_write(r.model, 1, 0x340, 1), KARAT_BAD_ARGUMENT);
    after = save(r.model, &again);
    assert_int_equal(again, size);
    assert_memory_equal(bytes, after, size);
    test_free(bytes);
    test_free(after);
    assert_int_equal(karat_lds_write(r.model, 0, LDS, many, 2 * 4096), KARAT_OK); /* the pool is whole */
    /* A write of no bytes breaks no reservation. A stop, the end and a closed workgroup end it. */
    for (int how = 0; how < 3; how++) {
        launch(&r);
        set_x(&r, 5, DATA);
        DO(&r, "lr.w", 6, 5, 0);
        assert_int_equal(karat_write(r.model, DATA + 1, NULL, 0), KARAT_OK);
        bytes = save(r.model, &size);
        set_word(&r, CODE + 4, how == 0 ? OP("ecall", 0) : OP("endprg", 0));
        if (how < 2)
            step_warp(&r, 0);
        else
            assert_int_equal(karat_workgroup_close(r.model, 0), KARAT_OK);
        after = save(r.model, &again);
        /* The reserved address stands in the snapshot while the reservation does: its four bytes, and four zeros. */
        static const uint8_t addr[8] = {0, 0, 0, DATA >> 24};
        unsigned held = 0, left = 0;
        for (size_t i = 28; i + 8 < size; i++)
            held += memcmp(bytes + i, addr, 8) == 0;
        for (size_t i = 28; i + 8 < again; i++)
            left += memcmp(after + i, addr, 8) == 0;
        assert_int_equal(left + 1, held);
        test_free(bytes);
        test_free(after);
    }
}

/* Of a workgroup some warps have ended: it comes back, and still refuses a barrier. */
TEST(ended_warps_come_back) {
    RIG(r, rig_open, 4);
    launch_warps(&r, 3);
    set_word(&r, CODE, OP("endprg", 0));
    assert_int_equal(step_warp(&r, 0), KARAT_OK);
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    size_t size;
    uint8_t *bytes = save(r.model, &size);
    karat_status status;
    karat_model *again = karat_restore(bytes, size, &status);
    assert_int_equal(status, KARAT_OK);
    assert_non_null(again);
    expect_equal(r.model, again);
    karat_commit commit;
    const uint32_t barrier = OP("barrier", 0);
    assert_int_equal(karat_write(again, CODE, &barrier, 4), KARAT_OK);
    assert_int_equal(karat_step(again, 2, &commit), KARAT_PROGRAM_ERROR);
    assert_int_equal(commit.error.kind, KARAT_ERR_BARRIER_EXIT);
    karat_destroy(again);
    test_free(bytes);
}
