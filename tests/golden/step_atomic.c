/* Reservations in LDS (decisions, "Memory"), and atomics through the port. Reservations in device memory:
 * tests/fuzz. Results of AMOs: test_qemu, tests/fuzz. */
#include "support.h"

enum { X_ADDR = 5, X_DATA = 6, X_OLD = 7 };

/* --- Reservations: two warps that run each other's instructions in turn --- */

/* One instruction of that warp at a place of its own. */
static void run(rig *r, uint32_t warp, uint32_t word) {
    karat_warp_view v;
    assert_int_equal(karat_view(r->model, warp, &v), KARAT_OK);
    set_word(r, v.pc, word);
    assert_int_equal(step_warp(r, warp), KARAT_OK);
}

static void set_warp_x(rig *r, uint32_t warp, unsigned reg, uint32_t value) {
    uint32_t lanes[KARAT_MAX_THREAD] = {value};
    assert_int_equal(karat_adopt(r->model, warp, KARAT_CLASS_X, reg, 1, lanes), KARAT_OK);
}

/* Both warps have the address, and values of their own. */
static void two_warps(rig *r) {
    r->desc.pc = CODE;
    launch_warps(r, 2);
    for (uint32_t w = 0; w < 2; w++) {
        set_warp_x(r, w, X_ADDR, DATA + 0x20);
        set_warp_x(r, w, X_DATA, 50 + w);
    }
    set_word(r, DATA + 0x20, 1);
}

#define LR OP("lr.w", X_OLD, X_ADDR, 0)
#define SC OP("sc.w", X_OLD, X_DATA, X_ADDR, 0)

/* Warp 0's SC: whether it stores, and that the commit, rd and memory say the same. */
static bool sc_stores(rig *r) {
    uint32_t before = get_word(r, DATA + 0x20);
    run(r, 0, SC);
    bool stored = r->commit.mem.succeeded;
    assert_int_equal(r->commit.mem.op, KARAT_AMO);
    assert_int_equal(r->commit.mem.amo, KARAT_AMO_SC);
    assert_int_equal(r->commit.mem.num, stored);
    assert_int_equal(get_x(r, X_OLD), !stored);
    assert_int_equal(get_word(r, DATA + 0x20), stored ? 50 : before);
    if (stored)
        assert_int_equal(karat_mem_access(&r->commit.mem, 0).value, 50);
    return stored;
}

/* One window address is another word in another workgroup. */
TEST(reservations_in_lds) {
    for (int same = 0; same < 2; same++) {
        RIG(r, rig_open, 4);
        karat_workgroup_close(r.model, 0);
        assert_int_equal(karat_workgroup_open(r.model, 0, 2), KARAT_OK);
        assert_int_equal(karat_workgroup_open(r.model, 1, 2), KARAT_OK);
        for (uint32_t w = 0; w < 2; w++) {
            karat_launch_desc desc = r.desc;
            desc.workgroup = same ? 0 : w;
            assert_int_equal(karat_launch(r.model, w, &desc), KARAT_OK);
            set_warp_x(&r, w, X_ADDR, LDS + 0x20);
        }
        run(&r, 0, LR);
        run(&r, 1, OP("sw", X_DATA, 0, X_ADDR));
        run(&r, 0, SC);
        assert_int_equal(r.commit.mem.succeeded, !same);
        run(&r, 0, LR);
        assert_int_equal(karat_lds_write(r.model, same ? 0 : 1, LDS + 0x23, "x", 1), KARAT_OK);
        run(&r, 0, SC);
        assert_int_equal(r.commit.mem.succeeded, !same);
        run(&r, 0, LR); /* The bytes next to it are another's */
        assert_int_equal(karat_lds_write(r.model, 0, LDS + 0x1e, "xy", 2), KARAT_OK);
        assert_int_equal(karat_lds_write(r.model, 0, LDS + 0x24, "xy", 2), KARAT_OK);
        run(&r, 0, SC);
        assert_true(r.commit.mem.succeeded);
        for (uint32_t byte = 0; byte < 4; byte++) { /* Each of its own is not */
            run(&r, 0, LR);
            assert_int_equal(karat_lds_write(r.model, 0, LDS + 0x20 + byte, "x", 1), KARAT_OK);
            run(&r, 0, SC);
            assert_false(r.commit.mem.succeeded);
        }
    }
}

/* --- The caller's memory port --- */

typedef struct port {
    unsigned calls;
    karat_mem seen;
    bool refuse;
} port;

static void answer(void *context, uint32_t warp, karat_mem *mem) {
    port *p = context;
    assert_int_equal(warp, 0);
    p->calls++;
    p->seen = *mem;
    mem->old = 1000;
    if (mem->op == KARAT_LOAD)
        mem->access[0].value = 2000;
    if (p->refuse)
        mem->succeeded = 0;
}

TEST(memory_port) {
    RIG(r, rig_open, 4);
    port p = {0};
    karat_set_mem_port(r.model, answer, &p);
    two_warps(&r);
    run(&r, 0, OP("amoadd.w", X_OLD, X_DATA, X_ADDR, 0));
    assert_int_equal(karat_mem_access(&p.seen, 0).value, 50); /* The operand */
    assert_int_equal(get_x(&r, X_OLD), 1000);
    assert_int_equal(get_word(&r, DATA + 0x20), 1050);
    assert_int_equal(r.commit.mem.old, 1000);
    run(&r, 0, SC); /* No reservation: it is not asked */
    assert_int_equal(p.calls, 1);
    run(&r, 0, LR);
    assert_int_equal(get_x(&r, X_OLD), 2000);
    assert_true(sc_stores(&r));
    assert_int_equal(p.seen.succeeded, 1);
    run(&r, 0, LR);
    p.refuse = true;
    assert_false(sc_stores(&r));
}
