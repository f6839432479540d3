/* Divergence (section 4.2.1; decisions, "Divergence"): which threads take a branch, and how deep the stack
 * becomes. Each step of it: tests/fuzz. */
#include "support.h"

static void open_order(rig *r, uint32_t num_thread, karat_simt_order order) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = num_thread;
    config.simt_order = order;
    config.lds_pool = 1u << 16;
    rig_open_config(r, &config);
}

static void set_lanes(rig *r, unsigned reg, uint32_t mask) {
    uint32_t value[KARAT_MAX_THREAD];
    for (unsigned i = 0; i < KARAT_MAX_THREAD; i++)
        value[i] = mask >> i & 1;
    set_v(r, reg, value);
}

/* Branches on vs2 op vs1, for each of the six: lane i has vs2 = values[i], vs1 = 5; taken says for which it
 * holds. */
TEST(comparisons) {
    static const uint32_t vs2[4] = {4, 5, 6, 0xffffffff};
    static const struct {
        const char *name;
        uint32_t taken;
    } rows[] = {{"vbeq", 0x2}, {"vbne", 0xd}, {"vblt", 0x9}, {"vbge", 0x6}, {"vbltu", 0x1}, {"vbgeu", 0xe}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        RIG(r, open_order, 4, KARAT_ELSE_FIRST);
        set_v(&r, 2, vs2);
        splat_v(&r, 1, 5);
        do_word(&r, OP(rows[i].name, 2, 1, 0x20));
        assert_int_equal(r.commit.simt, KARAT_SIMT_DIVERGE);
        assert_int_equal(mask_of(&r), rows[i].taken);
        assert_int_equal(r.commit.top.mask, 0xf & ~rows[i].taken);
    }
}

/* Inactive threads do not count: what differs only there is uniform. */
TEST(only_active_threads_count) {
    RIG(r, open_order, 8, KARAT_SMALLER_FIRST);
    narrow(&r, 0x0c);
    set_lanes(&r, 2, 0x3c);
    splat_v(&r, 1, 1);
    uint32_t pc = pc_of(&r);
    DO(&r, "vbeq", 2, 1, 0x40);
    assert_int_equal(r.commit.simt, KARAT_SIMT_UNIFORM);
    assert_int_equal(r.commit.next_pc, pc + 0x40);
    assert_int_equal(r.commit.depth, 2);
    DO(&r, "vbne", 2, 1, 0x40);
    assert_int_equal(r.commit.simt, KARAT_SIMT_UNIFORM);
    assert_int_equal(r.commit.next_pc, pc + 0x44);
    assert_int_equal(mask_of(&r), 0x0c);
}

/* --- Whole programs: put at CODE, run to the end --- */

typedef struct outcome {
    unsigned joins, max_depth;
    bool ended;
} outcome;

static outcome run(rig *r) {
    outcome o = {0};
    for (unsigned steps = 0; steps < 4000; steps++) {
        assert_int_equal(step_warp(r, 0), KARAT_OK);
        if (r->commit.row == karat_find_row("join"))
            o.joins++;
        if (r->commit.depth > o.max_depth)
            o.max_depth = r->commit.depth;
        if (r->commit.ended) {
            o.ended = true;
            break;
        }
    }
    return o;
}

static void put(rig *r, uint32_t index, uint32_t word) {
    set_word(r, CODE + 4 * index, word);
}

/* Lane k leaves at the k-th of 31 branches to the common JOIN: a comb.
 *   go_on_taken: the branch takes the threads that go on, the one that leaves falls through to a jump. */
static outcome comb(karat_simt_order order, uint32_t num_thread, bool go_on_taken) {
    rig r;
    open_order(&r, num_thread, order);
    uint32_t teeth = num_thread - 1, length = go_on_taken ? 3 : 2;
    uint32_t join = teeth * length;
    uint32_t v[KARAT_NUM_V * KARAT_MAX_THREAD] = {0};
    for (uint32_t i = 0; i < num_thread; i++)
        v[2 * num_thread + i] = i;
    r.desc.v = v;
    r.desc.csr[KARAT_CSR_RPC] = CODE + 4 * join;
    launch(&r);
    for (uint32_t k = 0; k < teeth; k++) {
        uint32_t at = k * length;
        put(&r, at, OP("vadd12.vi", 3, 0, (int32_t)k)); /* Here v0 is 0 */
        if (go_on_taken) {
            put(&r, at + 1, OP("vbne", 2, 3, 8));
            put(&r, at + 2, OP("jal", 0, (int32_t)(4 * (join - at - 2))));
        } else {
            put(&r, at + 1, OP("vbeq", 2, 3, (int32_t)(4 * (join - at - 1))));
        }
    }
    put(&r, join, OP("join", 0));
    put(&r, join + 1, OP("endprg", 0));
    outcome o = run(&r);
    assert_int_equal(mask_of(&r), r.all);
    rig_close(&r);
    return o;
}

TEST(depth_bound) {
    for (uint32_t n = 2; n <= 32; n *= 2) {
        /* The many go on while the one waits: two entries a tooth. */
        outcome o = comb(KARAT_ELSE_FIRST, n, true);
        assert_true(o.ended);
        assert_int_equal(o.max_depth, 2 * (n - 1));
        assert_int_equal(o.joins, 2 * (n - 1) + 1);
        o = comb(KARAT_IF_FIRST, n, false);
        assert_int_equal(o.max_depth, 2 * (n - 1));
        /* The one runs first: it is gone when the many meet the next tooth, only R stays. */
        o = comb(KARAT_SMALLER_FIRST, n, false);
        assert_int_equal(o.max_depth, n);
        o = comb(KARAT_SMALLER_FIRST, n, true);
        /* The last tooth is a tie of 1 and 1, which runs the else path. */
        assert_int_equal(o.max_depth, n);
        o = comb(KARAT_ELSE_FIRST, n, false);
        assert_int_equal(o.max_depth, n);
    }
    assert_int_equal(KARAT_MAX_STACK, 62);
}
