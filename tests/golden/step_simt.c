/* Divergence and reconvergence (section 4.2.1; decisions, "Divergence"). */
#include "support.h"

enum { RPC = 0x80c };

static void open_order(rig *r, uint32_t num_thread, karat_simt_order order) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = num_thread;
    config.simt_order = order;
    config.lds_pool = 1u << 16;
    rig_open_config(r, &config);
}

static void set_rpc(rig *r, uint32_t rpc) {
    assert_int_equal(karat_csr_write(r->model, 0, RPC, rpc), KARAT_OK);
}

static void set_lanes(rig *r, unsigned reg, uint32_t mask) {
    uint32_t value[KARAT_MAX_THREAD];
    for (unsigned i = 0; i < KARAT_MAX_THREAD; i++)
        value[i] = mask >> i & 1;
    set_v(r, reg, value);
}

/* vs2 op vs1, for each of the six: lane i has vs2 = values[i], vs1 = 5; taken says for which it holds. */
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
        set_rpc(&r, CODE + 0x40);
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

/* One divergence of all 32 threads, of which those of taken go to pc + 0x40. */
static void diverge(karat_simt_order order, uint32_t taken, bool else_first) {
    RIG(r, open_order, 32, order);
    set_lanes(&r, 2, taken);
    splat_v(&r, 1, 1);
    const uint32_t rpc = CODE + 0x80, target = CODE + 0x40, next = CODE + 4;
    set_rpc(&r, rpc);
    DO(&r, "vbeq", 2, 1, 0x40);
    uint32_t running = else_first ? taken : ~taken, first = else_first ? target : next;
    uint32_t waits = else_first ? next : target;
    assert_int_equal(r.commit.simt, KARAT_SIMT_DIVERGE);
    /* Another order counts as a deviation where it changed something. */
    unsigned taken_threads = 0;
    for (unsigned i = 0; i < 32; i++)
        taken_threads += taken >> i & 1;
    assert_int_equal(r.commit.deviated, else_first == (taken_threads <= 16) ? 0 : KARAT_DEV_SIMT_ORDER);
    assert_int_equal(r.commit.next_pc, first);
    assert_int_equal(r.commit.mask_before, 0xffffffffu);
    assert_int_equal(r.commit.mask_after, running);
    assert_int_equal(r.commit.depth, 2);
    assert_int_equal(r.commit.top.rpc, rpc);
    assert_int_equal(r.commit.top.next, waits);
    assert_int_equal(r.commit.top.mask, ~running);
    karat_warp_view view;
    karat_view(r.model, 0, &view);
    assert_int_equal(view.pc, first);
    assert_int_equal(view.mask, running);
    assert_int_equal(view.initial_mask, 0xffffffffu);
    assert_int_equal(view.depth, 2);
    assert_int_equal(view.stack[0].rpc, rpc);
    assert_int_equal(view.stack[0].next, rpc);
    assert_int_equal(view.stack[0].mask, 0xffffffffu);
    assert_int_equal(view.stack[1].rpc, rpc);
    assert_int_equal(view.stack[1].next, waits);
    assert_int_equal(view.stack[1].mask, ~running);

    /* A JOIN elsewhere passes. */
    DO(&r, "join", 0);
    assert_int_equal(r.commit.simt, KARAT_SIMT_PASS);
    assert_int_equal(r.commit.next_pc, first + 4);
    assert_int_equal(r.commit.mask_after, running);
    assert_int_equal(r.commit.depth, 2);
    /* On to rpc: the waiting path. */
    DO(&r, "jal", 0, (int32_t)(rpc - first - 4));
    DO(&r, "join", 0);
    assert_int_equal(r.commit.simt, KARAT_SIMT_POP);
    assert_int_equal(r.commit.next_pc, waits);
    assert_int_equal(r.commit.mask_before, running);
    assert_int_equal(r.commit.mask_after, ~running);
    assert_int_equal(r.commit.depth, 1);
    assert_int_equal(r.commit.top.next, rpc);
    assert_int_equal(r.commit.top.mask, 0xffffffffu);
    /* Its JOIN takes R and jumps to rpc, where JOIN runs once more: three times in all. */
    DO(&r, "jal", 0, (int32_t)(rpc - waits));
    DO(&r, "join", 0);
    assert_int_equal(r.commit.simt, KARAT_SIMT_POP);
    assert_int_equal(r.commit.next_pc, rpc);
    assert_int_equal(r.commit.mask_after, 0xffffffffu);
    assert_int_equal(r.commit.depth, 0);
    DO(&r, "join", 0);
    assert_int_equal(r.commit.simt, KARAT_SIMT_PASS);
    assert_int_equal(r.commit.next_pc, rpc + 4);
    DO(&r, "endprg", 0);
    assert_int_equal(r.commit.ended, 1);
}

TEST(order) {
    diverge(KARAT_SMALLER_FIRST, 0x00000111, true);  /* 3 of 32 are taken */
    diverge(KARAT_SMALLER_FIRST, 0x7ffffff0, false); /* 27 of 32 */
    diverge(KARAT_SMALLER_FIRST, 0x0001ffff, false); /* 17 */
    diverge(KARAT_SMALLER_FIRST, 0xffff0000, true);  /* a tie */
    diverge(KARAT_SMALLER_FIRST, 0x00007fff, true);  /* 15 */
    diverge(KARAT_IF_FIRST, 0x00000001, false);
    diverge(KARAT_IF_FIRST, 0xfffffffe, false);
    diverge(KARAT_IF_FIRST, 0x0000ffff, false);
    diverge(KARAT_ELSE_FIRST, 0x00000001, true);
    diverge(KARAT_ELSE_FIRST, 0xfffffffe, true);
    diverge(KARAT_ELSE_FIRST, 0x0000ffff, true);
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

/* An if/else in one side of an if/else, both with the rpc 0x28. v10 counts each thread's own path. */
TEST(nested_with_one_rpc) {
    for (int order = KARAT_SMALLER_FIRST; order <= KARAT_ELSE_FIRST; order++) {
        RIG(r, open_order, 8, (karat_simt_order)order);
        set_lanes(&r, 2, 0x0f); /* outer: lanes 0 to 3 are taken */
        set_lanes(&r, 3, 0x03); /* inner, among those: 0 and 1 */
        splat_v(&r, 1, 1);
        set_rpc(&r, CODE + 0x28);
        put(&r, 0, OP("vbeq", 2, 1, 0x10));       /* 00: to 10 */
        put(&r, 1, OP("vadd.vi", 10, 10, 1, 1));  /* 04 */
        put(&r, 2, OP("jal", 0, 0x20));           /* 08: to 28 */
        put(&r, 4, OP("vbeq", 3, 1, 0x0c));       /* 10: to 1c */
        put(&r, 5, OP("vadd.vi", 10, 10, 2, 1));  /* 14 */
        put(&r, 6, OP("jal", 0, 0x10));           /* 18: to 28 */
        put(&r, 7, OP("vadd.vi", 10, 10, 4, 1));  /* 1c */
        put(&r, 8, OP("jal", 0, 8));              /* 20: to 28 */
        put(&r, 10, OP("join", 0));               /* 28 */
        put(&r, 11, OP("vadd.vi", 10, 10, 8, 1)); /* 2c */
        put(&r, 12, OP("endprg", 0));             /* 30 */
        outcome o = run(&r);
        assert_true(o.ended);
        /* Four entries are popped, one JOIN passes. */
        assert_int_equal(o.joins, 5);
        static const uint32_t path[8] = {12, 12, 10, 10, 9, 9, 9, 9};
        assert_memory_equal(get_v(&r, 10), path, sizeof path);
        /* The outer waiting path lies on the stack during the inner divergence only if the outer else ran
         * first. A tie runs the else path first. */
        assert_int_equal(o.max_depth, order == KARAT_IF_FIRST ? 3 : 4);
    }
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
        put(&r, at, OP("vadd12.vi", 3, 0, (int32_t)k)); /* v0 is 0 */
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

TEST(setrpc) {
    RIG(r, open_order, 8, KARAT_SMALLER_FIRST);
    set_x(&r, 5, 0x80000100);
    DO(&r, "setrpc", 6, 5, -0x20);
    assert_int_equal(get_x(&r, 6), 0x800000e0);
    assert_int_equal(get_csr(&r, RPC), 0x800000e0);
    assert_int_equal(r.commit.csr_written, 1);
    assert_int_equal(r.commit.csr, RPC);
    assert_int_equal(r.commit.csr_old, 0);
    assert_int_equal(r.commit.csr_value, 0x800000e0);
    assert_int_equal(r.commit.num_writes, 1);
    assert_int_equal(r.commit.write[0].reg, 6);
    assert_int_equal(r.commit.simt, KARAT_SIMT_NONE);
    DO(&r, "setrpc", 5, 5, 0x7ff); /* rd = rs1 */
    assert_int_equal(get_x(&r, 5), 0x800008ff);
    DO(&r, "setrpc", 0, 5, 1);
    assert_int_equal(r.commit.num_writes, 0);
    assert_int_equal(get_csr(&r, RPC), 0x80000900);
    assert_int_equal(r.commit.csr_old, 0x800008ff);
    /* Each divergence takes the rpc of its moment, by setrpc or csrw. */
    set_lanes(&r, 2, 0x0f);
    set_lanes(&r, 3, 0x03);
    splat_v(&r, 1, 1);
    DO(&r, "vbeq", 2, 1, 8);
    assert_int_equal(r.commit.top.rpc, 0x80000900);
    set_x(&r, 7, 0x80000abc);
    DO(&r, "csrrw", 8, RPC, 7);
    assert_int_equal(get_x(&r, 8), 0x80000900);
    DO(&r, "vbeq", 3, 1, 8);
    assert_int_equal(r.commit.depth, 4);
    assert_int_equal(r.commit.top.rpc, 0x80000abc);
    karat_warp_view view;
    karat_view(r.model, 0, &view);
    assert_int_equal(view.stack[1].rpc, 0x80000900);
    assert_int_equal(view.stack[2].next, 0x80000abc);
}
