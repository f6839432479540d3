/* The A extension: LR, SC and AMOs, and whose store breaks whose reservation (decisions, "Memory"). */
#include "step.h"

enum { X_ADDR = 5, X_DATA = 6, X_OLD = 7, AQRL = 3 };

/* Each AMO's result for operands in memory (m) and register (r), by hand. */
static const struct {
    const char *name;
    uint32_t m, r, result;
} amos[] = {
    {"amoswap.w", 1, 0xffffffff, 0xffffffff},
    {"amoadd.w", 0xffffffff, 2, 1},
    {"amoxor.w", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
    {"amoand.w", 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
    {"amoor.w", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
    {"amomin.w", 0x7fffffff, 0x80000000, 0x80000000},
    {"amomin.w", 3, 4, 3},
    {"amomax.w", 0x7fffffff, 0x80000000, 0x7fffffff},
    {"amomax.w", 0xfffffffe, 0xffffffff, 0xffffffff},
    {"amominu.w", 0x7fffffff, 0x80000000, 0x7fffffff},
    {"amominu.w", 9, 8, 8},
    {"amomaxu.w", 0x7fffffff, 0x80000000, 0x80000000},
    {"amomaxu.w", 9, 8, 9},
};

static void amos_read_modify_write(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    for (size_t i = 0; i < sizeof amos / sizeof *amos; i++)
        for (int order = 0; order <= AQRL; order++) {
            set_x(&r, X_ADDR, DATA + 8);
            set_x(&r, X_DATA, amos[i].r);
            set_word(&r, DATA + 8, amos[i].m);
            DO(&r, amos[i].name, X_OLD, X_DATA, X_ADDR, order);
            assert_int_equal(get_word(&r, DATA + 8), amos[i].result);
            assert_int_equal(get_x(&r, X_OLD), amos[i].m);
            const karat_mem *mem = &r.commit.mem;
            assert_true(r.commit.has_mem);
            assert_int_equal(mem->op, KARAT_AMO);
            assert_int_equal(mem->amo, r.commit.word >> 27);
            assert_int_equal(mem->space, KARAT_GLOBAL);
            assert_int_equal(mem->num, 1);
            assert_int_equal(mem->old, amos[i].m);
            assert_int_equal(karat_mem_access(mem, 0).addr, DATA + 8);
            assert_int_equal(karat_mem_access(mem, 0).value, amos[i].result);
            assert_int_equal(karat_mem_access(mem, 0).bytes, 4);
            assert_int_equal(karat_mem_access(mem, 0).lane, 0);
        }
    /* rd, rs1 and rs2 may be one register; rd may be x0. */
    set_x(&r, X_ADDR, DATA + 8);
    set_word(&r, DATA + 8, 100);
    DO(&r, "amoadd.w", X_ADDR, X_ADDR, X_ADDR, 0);
    assert_int_equal(get_x(&r, X_ADDR), 100);
    assert_int_equal(get_word(&r, DATA + 8), DATA + 108);
    set_x(&r, X_ADDR, DATA + 8);
    DO(&r, "amoswap.w", 0, 0, X_ADDR, 0);
    assert_int_equal(r.commit.num_writes, 0);
    assert_int_equal(get_word(&r, DATA + 8), 0);
    rig_close(&r);
}

static void only_once_a_warp(void **unused) {
    (void)unused;
    for (uint32_t n = 1; n <= 32; n *= 2) {
        rig r;
        rig_open(&r, n);
        if (n > 1)
            narrow(&r, 2); /* lane 0 is not among the active ones */
        set_x(&r, X_ADDR, DATA);
        set_x(&r, X_DATA, 1);
        DO(&r, "amoadd.w", X_OLD, X_DATA, X_ADDR, 0);
        assert_int_equal(get_word(&r, DATA), 1);
        rig_close(&r);
    }
}

static void in_lds(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    set_x(&r, X_ADDR, LDS + 0x40);
    set_x(&r, X_DATA, 7);
    DO(&r, "amoadd.w", X_OLD, X_DATA, X_ADDR, 0);
    assert_int_equal(get_x(&r, X_OLD), 0);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    assert_int_equal(r.commit.mem.space, KARAT_LDS);
    DO(&r, "amoadd.w", X_OLD, X_DATA, X_ADDR, 0);
    assert_int_equal(get_x(&r, X_OLD), 7);
    assert_int_equal(r.commit.warnings, 0);
    for (int32_t missing = 0; missing < 4; missing++) { /* all four bytes have to be written */
        set_x(&r, X_ADDR, LDS + 0x80 + 4 * (uint32_t)missing);
        for (int32_t i = 0; i < 4; i++)
            if (i != missing)
                DO(&r, "sb", X_DATA, i, X_ADDR);
        DO(&r, "amoadd.w", X_OLD, X_DATA, X_ADDR, 0);
        assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    }
    set_x(&r, X_ADDR, LDS + 0x40);
    DO(&r, "lr.w", X_OLD, X_ADDR, 0);
    assert_int_equal(get_x(&r, X_OLD), 14);
    DO(&r, "sc.w", X_OLD, X_DATA, X_ADDR, 0);
    assert_int_equal(get_x(&r, X_OLD), 0);
    DO(&r, "lw", X_OLD, 0, X_ADDR);
    assert_int_equal(get_x(&r, X_OLD), 7);
    rig_close(&r);
}

static void bad_addresses(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    static const char *const names[] = {"sc.w", "amoswap.w", "amoadd.w", "amomaxu.w"};
    for (uint32_t by = 0; by < 3; by++)
        for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
            static const uint32_t addr[] = {DATA + 1, DATA + 2, DATA + MAPPED};
            karat_error_kind kind = by < 2 ? KARAT_ERR_MISALIGNED : KARAT_ERR_UNMAPPED;
            set_x(&r, X_ADDR, addr[by]);
            if (i == 0)
                FAIL(&r, kind, "lr.w", X_OLD, X_ADDR, 0);
            else
                FAIL(&r, kind, names[i - 1], X_OLD, X_DATA, X_ADDR, 0);
            assert_int_equal(r.commit.error.lane, 0);
            assert_int_equal(r.commit.error.addr, addr[by]);
            assert_int_equal(r.commit.error.pc, CODE);
        }
    rig_close(&r);
}

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

static void lr_then_sc(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    two_warps(&r);
    assert_false(sc_stores(&r)); /* without LR */
    run(&r, 0, LR);
    assert_int_equal(get_x(&r, X_OLD), 1);
    assert_int_equal(r.commit.mem.op, KARAT_LOAD);
    assert_int_equal(r.commit.mem.amo, KARAT_AMO_LR);
    assert_int_equal(r.commit.mem.num, 1);
    assert_true(sc_stores(&r));
    assert_false(sc_stores(&r)); /* any SC clears it, a failing one included */
    run(&r, 0, LR);
    set_warp_x(&r, 0, X_ADDR, DATA + 0x24);
    run(&r, 0, SC); /* another word */
    assert_false(r.commit.mem.succeeded);
    assert_int_equal(get_word(&r, DATA + 0x24), 0);
    set_warp_x(&r, 0, X_ADDR, DATA + 0x20);
    assert_false(sc_stores(&r));
    run(&r, 0, LR); /* a second LR moves the reservation */
    set_warp_x(&r, 0, X_ADDR, DATA + 0x24);
    run(&r, 0, LR);
    set_warp_x(&r, 0, X_ADDR, DATA + 0x20);
    assert_false(sc_stores(&r));
    rig_close(&r);
}

static void what_breaks_a_reservation(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        int32_t op[KARAT_MAX_OPERAND];
        uint32_t addr; /* in warp 1's X_ADDR */
        uint32_t warp;
        bool breaks;
    } cases[] = {
        {"sw", {X_DATA, 0, X_ADDR}, DATA + 0x20, 1, true},
        {"sb", {X_DATA, 3, X_ADDR}, DATA + 0x20, 1, true},
        {"sh", {X_DATA, 2, X_ADDR}, DATA + 0x20, 1, true},
        {"sb", {X_DATA, 0, X_ADDR}, DATA + 0x24, 1, false},       /* the next word's first byte */
        {"sb", {X_DATA, 0, X_ADDR}, DATA + 0x1f, 1, false},       /* and the byte before */
        {"amoor.w", {X_OLD, 0, X_ADDR, 0}, DATA + 0x20, 1, true}, /* also where it changes nothing */
        {"amoadd.w", {X_OLD, X_DATA, X_ADDR, 0}, DATA + 0x24, 1, false},
        {"lw", {X_OLD, 0, X_ADDR}, DATA + 0x20, 1, false},
        {"lr.w", {X_OLD, X_ADDR, 0}, DATA + 0x20, 1, false}, /* two reservations may stand on one word */
        {"sc.w", {X_OLD, X_DATA, X_ADDR, 0}, DATA + 0x20, 1, false}, /* it fails, so it stores nothing */
        {"vse32.v", {1, X_ADDR, 1}, DATA + 0x18, 1, true},           /* lane 2 */
        {"vse32.v", {1, X_ADDR, 1}, DATA + 0x24, 1, false},
        {"vse8.v", {1, X_ADDR, 1}, DATA + 0x1c, 1, false},  /* bytes 1c to 1f */
        {"sw", {X_DATA, 0, X_ADDR}, DATA + 0x20, 0, false}, /* the warp's own store */
    };
    rig r;
    rig_open(&r, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        two_warps(&r);
        run(&r, 0, LR);
        set_warp_x(&r, cases[i].warp, X_ADDR, cases[i].addr);
        run(&r, cases[i].warp, assemble(cases[i].name, cases[i].op));
        set_warp_x(&r, 0, X_ADDR, DATA + 0x20);
        if (sc_stores(&r) == cases[i].breaks)
            fail_msg("case %zu, %s: the reservation %s", i, cases[i].name,
                     cases[i].breaks ? "stands" : "is broken");
    }
    /* Another warp's SC that succeeds. */
    two_warps(&r);
    run(&r, 1, LR);
    run(&r, 0, LR);
    run(&r, 1, SC);
    assert_true(r.commit.mem.succeeded);
    assert_false(sc_stores(&r));
    /* The host's writes; a write next to it does not. */
    for (int at = -1; at < 2; at++) {
        two_warps(&r);
        run(&r, 0, LR);
        assert_int_equal(karat_write(r.model, (uint64_t)(DATA + 0x20 + (at < 0 ? -1 : at * 4)), "x", 1),
                         KARAT_OK);
        assert_int_equal(sc_stores(&r), at != 0);
    }
    /* A new launch in the same slot has none. */
    two_warps(&r);
    run(&r, 0, LR);
    two_warps(&r);
    assert_false(sc_stores(&r));
    rig_close(&r);
}

/* The same window address is another word in another workgroup. */
static void reservations_in_lds(void **unused) {
    (void)unused;
    for (int same = 0; same < 2; same++) {
        rig r;
        rig_open(&r, 4);
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
        run(&r, 0, LR); /* the bytes next to it are another's */
        assert_int_equal(karat_lds_write(r.model, 0, LDS + 0x1e, "xy", 2), KARAT_OK);
        assert_int_equal(karat_lds_write(r.model, 0, LDS + 0x24, "xy", 2), KARAT_OK);
        run(&r, 0, SC);
        assert_true(r.commit.mem.succeeded);
        for (uint32_t byte = 0; byte < 4; byte++) { /* each of its own is not */
            run(&r, 0, LR);
            assert_int_equal(karat_lds_write(r.model, 0, LDS + 0x20 + byte, "x", 1), KARAT_OK);
            run(&r, 0, SC);
            assert_false(r.commit.mem.succeeded);
        }
        rig_close(&r);
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

static void memory_port(void **unused) {
    (void)unused;
    rig r;
    rig_open(&r, 4);
    port p = {0};
    karat_set_mem_port(r.model, answer, &p);
    two_warps(&r);
    run(&r, 0, OP("amoadd.w", X_OLD, X_DATA, X_ADDR, 0));
    assert_int_equal(karat_mem_access(&p.seen, 0).value, 50); /* the operand */
    assert_int_equal(get_x(&r, X_OLD), 1000);
    assert_int_equal(get_word(&r, DATA + 0x20), 1050);
    assert_int_equal(r.commit.mem.old, 1000);
    run(&r, 0, SC); /* no reservation: it is not asked */
    assert_int_equal(p.calls, 1);
    run(&r, 0, LR);
    assert_int_equal(get_x(&r, X_OLD), 2000);
    assert_true(sc_stores(&r));
    assert_int_equal(p.seen.succeeded, 1);
    run(&r, 0, LR);
    p.refuse = true;
    assert_false(sc_stores(&r));
    rig_close(&r);
}

int atomic_group(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amos_read_modify_write),
        cmocka_unit_test(only_once_a_warp),
        cmocka_unit_test(in_lds),
        cmocka_unit_test(bad_addresses),
        cmocka_unit_test(lr_then_sc),
        cmocka_unit_test(what_breaks_a_reservation),
        cmocka_unit_test(reservations_in_lds),
        cmocka_unit_test(memory_port),
    };
    return cmocka_run_group_tests_name("atomic", tests, NULL, NULL);
}
