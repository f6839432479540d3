/* Fetch, LDS, the ports, and the shapes of accesses (decisions, "Memory"). Addresses, widths and data of
 * every access: tests/fuzz. */
#define _XOPEN_SOURCE 700
#include <fenv.h>
#include <signal.h>
#include <sys/time.h>

#include "support.h"

#include "fp/f32_operands.h"

TEST(fetch) {
    RIG(r, rig_open, 4);
    const struct {
        uint32_t pc;
    } bad[] = {{CODE + 2}, {CODE + 1}, {CODE - 4}, {CODE + MAPPED}, {0}, {LDS}, {0xfffffffc}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        r.desc.pc = bad[i].pc;
        launch(&r);
        assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
        assert_int_equal(r.commit.error.kind, KARAT_ERR_FETCH);
        assert_int_equal(r.commit.error.pc, bad[i].pc);
        assert_int_equal(r.commit.error.lane, -1);
        assert_int_equal(r.commit.row, KARAT_NO_ROW);
        assert_int_equal(r.commit.num_reads, 0);
        /* The warp is stopped for good. */
        assert_int_equal(step_warp(&r, 0), KARAT_ENDED);
    }
    r.desc.pc = CODE;
    launch(&r);
    /* A jump there is legal, the fetch is not: jalr clears bit 0 only. */
    set_x(&r, 1, CODE + 0x103);
    DO(&r, "jalr", 1, 0, 1); /* With rd = rs1 */
    assert_int_equal(get_x(&r, 1), CODE + 4);
    assert_int_equal(pc_of(&r), CODE + 0x102);
    assert_int_equal(step_warp(&r, 0), KARAT_PROGRAM_ERROR);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_FETCH);
    launch(&r);
    set_x(&r, 1, CODE + 0x101);
    DO(&r, "jalr", 0, -1, 1);
    assert_int_equal(pc_of(&r), CODE + 0x100);
    assert_int_equal(r.commit.num_writes, 0);
}

/* Three words of code, any of which is now this and then that: a step finds what a model finds that has never
 * seen code before, whatever this model has found there and next to it. */
TEST(code_that_changes_at_will) {
    enum { WORDS = 3, KINDS = 7, CHANGES = 12000 };
    /* Among them 0, two prefixes, and words that are others when they are read one byte further on or
     * back. */
    const uint32_t prefix = regext(0, 4, 6, 0), word = OP("addi", 6, 6, 1);
    assert_int_equal(prefix >> 24, word & 0xff);
    const uint32_t kinds[KINDS] = {
        0, prefix, regext(0, 0, 0, 1), word, OP("addi", 6, 6, 2), word << 8 | 0x13, word >> 8};
    rig r, fresh[KINDS * KINDS];
    rig_open(&r, 1);
    for (unsigned i = 0; i < KINDS * KINDS; i++) {
        rig_open(&fresh[i], 1);
        set_word(&fresh[i], CODE, kinds[i / KINDS]);
        set_word(&fresh[i], CODE + 4, kinds[i % KINDS]);
        step_warp(&fresh[i], 0);
    }
    unsigned is[WORDS] = {0};
    uint32_t seed = 1;
    for (unsigned i = 0; i < CHANGES; i++) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned at = (seed >> 8) % WORDS, from = (seed >> 16) % (WORDS - 1);
        is[at] = (seed >> 24) % KINDS;
        set_word(&r, CODE + 4 * at, kinds[is[at]]);
        r.desc.pc = CODE + 4 * from;
        launch(&r);
        step_warp(&r, 0);
        const karat_commit *a = &r.commit, *b = &fresh[is[from] * KINDS + is[from + 1]].commit;
        if (a->word != b->word || a->prefix != b->prefix || a->row != b->row ||
            a->error.kind != b->error.kind || a->pc - r.desc.pc != b->pc - CODE)
            fail_msg("change %u: prefix 0x%x, word 0x%x, row %d; a model that has just begun: 0x%x, 0x%x, %d",
                     i, a->prefix, a->word, a->row, b->prefix, b->word, b->row);
    }
    for (unsigned i = 0; i < KINDS * KINDS; i++)
        rig_close(&fresh[i]);
    rig_close(&r);
}

/* The word at 0, never fetched, is no instruction that was seen there. */
TEST(code_of_zeros) {
    RIG(r, rig_open, 1);
    assert_int_equal(karat_map(r.model, 0, 4096), KARAT_OK);
    r.desc.pc = 0;
    launch(&r);
    fail_word(&r, 0, KARAT_ERR_ILLEGAL);
    fail_word(&r, 0, KARAT_ERR_ILLEGAL); /* Once fetched, it is no instruction either */
}

/* --- LDS --- */

/* LDS outside of what the launch declares: reported for any lane, load or store, and at every edge. */
TEST(lds_beyond) {
    RIG(r, rig_open, 4);
    r.desc.csr[KARAT_CSR_LDS] = LDS + 0x1000;
    r.desc.lds_size = 0x40;
    r.desc.local_base = LDS + 0x0ffff000;
    r.desc.local_size = 6;
    launch(&r);
    static const struct {
        uint32_t at;
        bool beyond[3]; /* Of 1, 2 and 4 bytes */
    } cases[] = {
        {LDS + 0x1000, {false, false, false}},
        {LDS + 0x103c, {false, false, false}},
        {LDS + 0x1040, {true, true, true}},
        {LDS + 0xffc, {true, true, true}},
        {LDS, {true, true, true}},
        {LDS + 0x0ffff000, {false, false, false}},
        {LDS + 0x0ffff004, {false, false, true}},
        {LDS + 0x0ffff008, {true, true, true}},
        {LDS + 0x0fffeffc, {true, true, true}},
        {DATA, {false, false, false}},
    };
    static const char *const stores[] = {"sb", "sh", "sw"}, *const loads[] = {"lbu", "lhu", "lw"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int size = 0; size < 3; size++) {
            set_x(&r, 1, cases[i].at);
            DO(&r, stores[size], 2, 0, 1);
            assert_int_equal(r.commit.warnings, cases[i].beyond[size] ? KARAT_WARN_LDS_BEYOND : 0);
            DO(&r, loads[size], 2, 0, 1);
            assert_int_equal(r.commit.warnings, cases[i].beyond[size] ? KARAT_WARN_LDS_BEYOND : 0);
        }
    /* One lane of four; a lane that is not active is not asked. */
    ramp_v(&r, 1, LDS + 0x1034, 4);
    DO(&r, "vsw12.v", 2, 0, 1);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_BEYOND);
    r.desc.mask = 7;
    launch(&r);
    ramp_v(&r, 1, LDS + 0x1034, 4);
    DO(&r, "vsw12.v", 2, 0, 1);
    assert_int_equal(r.commit.warnings, 0);
    /* A launch that declares none is not asked. */
    r.desc.lds_size = 0;
    launch(&r);
    set_x(&r, 1, LDS);
    DO(&r, "sw", 2, 0, 1);
    assert_int_equal(r.commit.warnings, 0);
}

TEST(lds_of_each_workgroup) {
    RIG(r, rig_open, 4);
    assert_int_equal(karat_workgroup_open(r.model, 1, 1), KARAT_OK);
    karat_launch_desc desc = r.desc;
    desc.workgroup = 1;
    assert_int_equal(karat_launch(r.model, 1, &desc), KARAT_OK);
    ramp_v(&r, 1, LDS + 0x100, 4);
    ramp_v(&r, 2, 10, 1);
    DO(&r, "vsw12.v", 2, 0, 1);
    assert_int_equal(r.commit.mem.space, KARAT_LDS);
    assert_int_equal(r.commit.warnings, 0);
    DO(&r, "vlw12.v", 3, 0, 1);
    assert_memory_equal(get_v(&r, 3), get_v(&r, 2), 16);
    assert_int_equal(r.commit.warnings, 0);
    assert_int_equal(r.commit.mem.space, KARAT_LDS);
    /* Unwritten bytes are 0, with a warning, however few of an access; also on a page never touched. */
    DO(&r, "vlw12.v", 3, 4, 1);
    assert_int_equal(get_v(&r, 3)[2], 13);
    assert_int_equal(get_v(&r, 3)[3], 0);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    set_x(&r, 1, LDS + 0x0fffe000);
    DO(&r, "lbu", 4, 0xff, 1);
    assert_int_equal(get_x(&r, 4), 0);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    assert_int_equal(r.commit.mem.space, KARAT_LDS);
    DO(&r, "sb", 1, 1, 1);
    DO(&r, "lhu", 4, 0, 1);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    DO(&r, "lbu", 4, 2, 1);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    DO(&r, "sb", 1, 0, 1);
    DO(&r, "lhu", 4, 0, 1);
    assert_int_equal(r.commit.warnings, 0);
    /* The other workgroup has its own bytes there. */
    uint32_t value[KARAT_MAX_THREAD];
    for (unsigned i = 0; i < 4; i++)
        value[i] = LDS + 0x100 + 4 * i;
    karat_adopt(r.model, 1, KARAT_CLASS_V, 1, 0xf, value);
    set_word(&r, CODE, OP("vlw12.v", 3, 0, 1));
    assert_int_equal(step_warp(&r, 1), KARAT_OK);
    assert_int_equal(r.commit.write[0].value[0], 0);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    /* From outside, byte by byte. */
    uint32_t word = 0;
    assert_int_equal(karat_lds_read(r.model, 0, LDS + 0x104, &word, 4), KARAT_OK);
    assert_int_equal(word & 0xff, 11);
    assert_int_equal(karat_lds_write(r.model, 1, LDS + 0xffe, "abcd", 4), KARAT_OK); /* Across pages */
    char text[5] = "";
    assert_int_equal(karat_lds_read(r.model, 1, LDS + 0xffe, text, 4), KARAT_OK);
    assert_string_equal(text, "abcd");
    assert_int_equal(karat_lds_read(r.model, 0, LDS + 0xffe, text, 4), KARAT_OK);
    assert_int_equal(text[0] | text[3], 0);
    assert_int_equal(karat_lds_read(r.model, 2, LDS, text, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_lds_read(r.model, 99, LDS, text, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_lds_read(r.model, 0, LDS - 1, text, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_lds_write(r.model, 0, LDS + 0x0fffffff, text, 2), KARAT_BAD_ARGUMENT);
    /* Closing forgets: a new workgroup under that handle sees nothing of it. */
    launch(&r);
    assert_int_equal(karat_lds_read(r.model, 0, LDS + 0x104, &word, 4), KARAT_OK);
    assert_int_equal(word, 0);
    set_x(&r, 1, LDS + 0x104);
    DO(&r, "lw", 2, 0, 1);
    assert_int_equal(get_x(&r, 2), 0);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    /* Below the window nothing is mapped; right above it is device memory, the code. */
    set_x(&r, 1, LDS);
    FAIL(&r, KARAT_ERR_UNMAPPED, "lw", 2, -4, 1);
    assert_int_equal(CODE, LDS + 0x10000000);
    set_x(&r, 1, CODE);
    DO(&r, "lw", 2, 0, 1);
    assert_int_equal(r.commit.mem.space, KARAT_GLOBAL);
    assert_int_equal(get_x(&r, 2), OP("lw", 2, 0, 1));
}

TEST(lds_pool_runs_out) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    config.lds_base = 0x60000000; /* The window is a parameter */
    config.lds_size = 0x100000;
    config.lds_pool = 2 * 4096;
    RIG(r, rig_open_config, &config);
    set_x(&r, 1, 0x60000000);
    set_x(&r, 2, 0x60001000);
    set_x(&r, 3, 0x60002000);
    DO(&r, "sw", 1, 0, 1);
    DO(&r, "lw", 4, 0, 3); /* Reading takes no page */
    DO(&r, "sw", 2, 0, 2);
    set_x(&r, 1, 0x11223344);
    FAIL(&r, KARAT_ERR_LDS_POOL, "sw", 1, 0, 3);
    assert_int_equal(r.commit.error.addr, 0x60002000);
    /* Closing the workgroup gave the pages back. One access that takes them all but the last lane's: nothing.
     */
    const uint32_t addr[KARAT_MAX_THREAD] = {DATA, 0x60000000, 0x60001000, 0x60002000};
    set_v(&r, 1, addr);
    splat_v(&r, 2, 5);
    FAIL(&r, KARAT_ERR_LDS_POOL, "vsw12.v", 2, 0, 1);
    assert_int_equal(r.commit.error.lane, 3);
    set_v(&r, 1, addr);
    DO(&r, "vsetivli", 0, 3, 0x10);
    DO(&r, "vsw12.v", 1, 0, 1);
    DO(&r, "vlw12.v", 3, 0, 1);
    assert_memory_equal(get_v(&r, 3), addr, 12);
    /* Pages that come back are empty. */
    launch(&r);
    set_x(&r, 3, 0x60002000);
    DO(&r, "sb", 3, 1, 3);
    DO(&r, "lw", 4, 0, 3);
    assert_int_equal(get_x(&r, 4), 0);
    assert_int_equal(r.commit.warnings, KARAT_WARN_LDS_UNWRITTEN);
    set_x(&r, 5, 0x70000000);
    FAIL(&r, KARAT_ERR_UNMAPPED, "lw", 4, 0, 5); /* Where the window would be otherwise */
}

/* --- The caller's memory port --- */

typedef struct port {
    unsigned calls;
    uint32_t warp;
    karat_mem seen;
} port;

static void answer(void *context, uint32_t warp, karat_mem *mem) {
    port *p = context;
    p->calls++;
    p->warp = warp;
    p->seen = *mem;
    for (uint32_t i = 0; i < mem->num; i++)
        mem->access[i].value = 0xf0 + i;
}

TEST(memory_port) {
    RIG(r, rig_open, 4);
    port p = {0};
    karat_set_mem_port(r.model, answer, &p);
    set_word(&r, DATA, 1234);
    ramp_v(&r, 1, DATA, 4);
    narrow(&r, 0x6);
    DO(&r, "vlb12.v", 3, 1, 1);
    assert_int_equal(p.calls, 1);
    assert_int_equal(p.warp, 0);
    assert_int_equal(p.seen.op, KARAT_LOAD);
    assert_int_equal(p.seen.num, 2);
    assert_int_equal(karat_mem_access(&p.seen, 0).addr, DATA + 5);
    assert_int_equal(karat_mem_access(&p.seen, 1).lane, 2);
    assert_int_equal(get_v(&r, 3)[1], 0xfffffff0); /* Sign-extended by the model */
    assert_int_equal(get_v(&r, 3)[2], 0xfffffff1);
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).value, 0xf1);
    /* Stores go to the model's memory, LDS loads through the port as well. */
    DO(&r, "vsw12.v", 1, 0, 1);
    assert_int_equal(p.calls, 1);
    assert_int_equal(get_word(&r, DATA + 4), DATA + 4);
    set_x(&r, 1, LDS);
    DO(&r, "lw", 2, 0, 1);
    assert_int_equal(p.calls, 2);
    assert_int_equal(p.seen.space, KARAT_LDS);
    assert_int_equal(get_x(&r, 2), 0xf0);
    FAIL(&r, KARAT_ERR_UNMAPPED, "lw", 2, 0, 0); /* Checked before the port is asked */
    assert_int_equal(p.calls, 2);
    karat_set_mem_port(r.model, NULL, NULL);
    set_x(&r, 1, DATA);
    DO(&r, "lw", 2, 0, 1);
    assert_int_equal(get_x(&r, 2), 1234);
}

/* A port that changes the host's rounding mode has it as it left it, and no instruction takes it. */
static void answer_downward(void *context, uint32_t warp, karat_mem *mem) {
    (void)warp, (void)mem;
    fesetround(*(const int *)context);
}

TEST(port_sets_the_rounding_mode) {
    RIG(r, rig_open, 8);
    int mode = FE_DOWNWARD;
    const int before = fegetround();
    karat_set_mem_port(r.model, answer_downward, &mode);
    set_x(&r, 1, 0x3f800000);
    set_x(&r, 2, 0x40400000);
    set_x(&r, 3, DATA);
    DO(&r, "vmv.v.x", 1, 1);
    DO(&r, "vmv.v.x", 2, 2);
    DO(&r, "lw", 4, 0, 3);
    assert_int_equal(fegetround(), FE_DOWNWARD);
    DO(&r, "vfdiv.vv", 3, 1, 2, 1);
    assert_int_equal(get_v(&r, 3)[7], 0x3eaaaaab); /* To nearest; below is 0x3eaaaaaa */
    assert_int_equal(fegetround(), FE_DOWNWARD);
    mode = before;
    DO(&r, "lw", 4, 0, 3);
    assert_int_equal(fegetround(), before);
    DO(&r, "vfdiv.vv", 3, 1, 2, 1);
    assert_int_equal(get_v(&r, 3)[7], 0x3eaaaaab);
    assert_int_equal(fegetround(), before);
}

/* A signal that comes at any time, also within an instruction: the handler has another rounding mode, and
 * steps another model. Neither model takes a mode, and the interrupted one's caller keeps his. */
static rig *model_of_handler;
static volatile sig_atomic_t signals;

static void divide(rig *r) {
    const int mode = fegetround();
    DO(r, "vfdiv.vv", 3, 1, 2, 1);
    assert_int_equal(get_v(r, 3)[7], 0x3eaaaaab);
    assert_int_equal(fegetround(), mode);
}

static void on_alarm(int number) {
    (void)number;
    fesetround(FE_UPWARD);
    divide(model_of_handler);
    signals++;
}

TEST(signals_at_any_time) {
    RIG(r, rig_open, 8);
    RIG(other, rig_open, 8);
    rig *const both[] = {&r, &other};
    for (unsigned i = 0; i < 2; i++) {
        splat_v(both[i], 1, 0x3f800000);
        splat_v(both[i], 2, 0x40400000);
    }
    model_of_handler = &other;
    struct sigaction before;
    const struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    fesetround(FE_DOWNWARD);
    while (signals < 50)
        divide(&r);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(fegetround(), FE_DOWNWARD);
    fesetround(FE_TONEAREST);
    sigaction(SIGALRM, &before, NULL);
}

/* A port that takes shapes: a lane's value is its address, lane by lane or not. */
static void answer_shape(void *context, uint32_t warp, karat_mem *mem) {
    port *p = context;
    p->calls++;
    p->warp = warp;
    p->seen = *mem;
    if (mem->bytes == 1 && mem->shape == KARAT_SHAPE_UNIT)
        karat_mem_spread(mem); /* As a port may */
    for (uint32_t i = 0; mem->shape == KARAT_SHAPE_EACH && i < mem->num; i++)
        mem->access[i].value =
            (uint32_t)mem->access[i].addr & (mem->access[i].bytes == 4 ? UINT32_MAX : 0xff);
    for (uint32_t left = mem->lanes; mem->shape != KARAT_SHAPE_EACH && left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        mem->lane_value[lane] = (uint32_t)mem->base + lane * (uint32_t)mem->stride;
    }
}

TEST(shape_port) {
    RIG(r, rig_open, 4);
    port p = {0};
    karat_set_shape_port(r.model, answer_shape, &p);
    narrow(&r, 0x9);
    splat_v(&r, 3, 5);
    set_x(&r, 1, DATA);
    set_x(&r, 2, 12);
    DO(&r, "vlse32.v", 3, 1, 2, 1);
    assert_int_equal(p.calls, 1);
    assert_int_equal(p.seen.shape, KARAT_SHAPE_STRIDED);
    assert_int_equal(p.seen.lanes, 0x9);
    assert_int_equal(p.seen.base, DATA);
    assert_int_equal(p.seen.stride, 12);
    EXPECT_V(&r, 3, DATA, 5, 5, DATA + 36);
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).value, DATA + 36);
    assert_int_equal(karat_mem_access(&r.commit.mem, 1).lane, 3);
    set_word(&r, DATA, 1234); /* The model's own memory is not looked at */
    DO(&r, "vle32.v", 3, 1, 1);
    assert_int_equal(p.seen.shape, KARAT_SHAPE_UNIT);
    EXPECT_V(&r, 3, DATA, 5, 5, DATA + 12);
    /* Signed bytes: the port has them spread, or not. */
    ramp_v(&r, 1, DATA + 0xf0, 1);
    DO(&r, "vlb12.v", 3, 0, 1);
    assert_int_equal(p.seen.shape, KARAT_SHAPE_UNIT);
    EXPECT_V(&r, 3, 0xfffffff0, 5, 5, 0xfffffff3);
    assert_int_equal(r.commit.mem.shape, KARAT_SHAPE_EACH);
    /* Across a page, and a scalar's: lane by lane. */
    set_x(&r, 1, DATA + 0xff8);
    DO(&r, "vle32.v", 3, 1, 1);
    assert_int_equal(p.seen.shape, KARAT_SHAPE_EACH);
    EXPECT_V(&r, 3, DATA + 0xff8, 5, 5, DATA + 0x1004);
    DO(&r, "lw", 2, 0, 1);
    assert_int_equal(p.seen.shape, KARAT_SHAPE_EACH);
    assert_int_equal(get_x(&r, 2), DATA + 0xff8);
    /* Local memory: by shape where its page is there. */
    set_x(&r, 1, LDS);
    DO(&r, "vle32.v", 3, 1, 1);
    assert_int_equal(p.seen.shape, KARAT_SHAPE_EACH);
    DO(&r, "vse32.v", 3, 1, 1);
    DO(&r, "vle32.v", 3, 1, 1);
    assert_int_equal(p.seen.shape, KARAT_SHAPE_UNIT);
    assert_int_equal(p.seen.space, KARAT_LDS);
    EXPECT_V(&r, 3, LDS, 5, 5, LDS + 12);
    assert_int_equal(p.calls, 7);
}

static void expect_written(const rig *r, uint64_t from, uint64_t last, uint64_t page) {
    uint64_t addr = from;
    if (!page) {
        assert_null(karat_next_written_page(r->model, &addr, last));
        page = from; /* The page stays */
    } else {
        assert_non_null(karat_next_written_page(r->model, &addr, last));
    }
    assert_int_equal(addr, page);
}

/* Pages that were written, and no others: on both sides of 4 GiB, of the ends of a run, and up to the last
 * that is asked for. */
TEST(pages_ever_written) {
    const uint64_t high = UINT64_C(0x300000000);
    RIG(r, rig_open, 4);
    expect_written(&r, CODE + MAPPED, UINT64_MAX, 0); /* Data is mapped, and zero */
    assert_int_equal(karat_map(r.model, high, 3 * 4096), KARAT_OK);
    assert_int_equal(karat_map(r.model, high + 0x10000, 2 * 4096), KARAT_OK);
    char byte = 0;
    assert_int_equal(karat_read(r.model, DATA, &byte, 1), KARAT_OK);
    assert_int_equal(karat_read(r.model, high, &byte, 1), KARAT_OK);
    assert_int_equal(karat_write(r.model, DATA + 0x1fff, &byte, 0), KARAT_OK);
    expect_written(&r, CODE + MAPPED, UINT64_MAX, 0);
    static const uint64_t bytes[] = {DATA + 0x1fff, DATA + 0x5000, DATA + MAPPED - 1};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(karat_write(r.model, bytes[i], &byte, 1), KARAT_OK); /* A zero */
    assert_int_equal(karat_write(r.model, high + 0x1000, &byte, 1), KARAT_OK);
    assert_int_equal(karat_write(r.model, high + 0x11fff, &byte, 1), KARAT_OK);
    const uint64_t pages[] = {DATA + 0x1000, DATA + 0x5000, DATA + MAPPED - 4096, high + 0x1000,
                              high + 0x11000};
    for (size_t i = 0; i < 5; i++) {
        const uint64_t from = i ? pages[i - 1] + 1 : CODE + MAPPED;
        expect_written(&r, from, UINT64_MAX, pages[i]);
        expect_written(&r, pages[i], pages[i], pages[i]);
        expect_written(&r, from, pages[i] + 4095, pages[i]);
        expect_written(&r, from, pages[i] - 1, 0);
    }
    expect_written(&r, pages[4] + 1, UINT64_MAX, 0);
    assert_int_equal(karat_map(r.model, high + 0x1000, 0x10000),
                     KARAT_OK); /* New pages were not mapped, old ones stay */
    expect_written(&r, high, high + 0x10fff, high + 0x1000);
    expect_written(&r, high + 0x1001, UINT64_MAX, high + 0x11000);
}

/* Loads and stores of every width, shape and mask against a copy of device memory or LDS that changes byte by
 * byte, lane after lane; in LDS with the warnings: not all of it is written, and not all is declared. */
static void shapes_and_masks_in(uint32_t at) {
    static const struct {
        const char *name;
        uint32_t bytes;
        bool stores, is_signed;
    } kinds[] = {{"vlw12.v", 4, false, false}, {"vlh12.v", 2, false, true},   {"vlhu12.v", 2, false, false},
                 {"vlb12.v", 1, false, true},  {"vlbu12.v", 1, false, false}, {"vsw12.v", 4, true, false},
                 {"vsh12.v", 2, true, false},  {"vsb12.v", 1, true, false}};
    enum { SIZE = 0x2000, START = 0xf80, WRITTEN = 0xfa8, DECLARED = 0xfe0 };
    const bool in_lds = at == LDS;
    struct rng rng = {test_seed()};
    for (uint32_t threads = 1; threads <= 32; threads *= 2) {
        RIG(r, rig_open, threads);
        static uint8_t memory[SIZE];
        for (uint32_t i = 0; i < SIZE; i++)
            memory[i] = (uint8_t)(rng_next(&rng) >> 32);
        static bool written[SIZE];
        memset(written, 1, SIZE);
        r.desc.csr[KARAT_CSR_LDS] = LDS + 8;
        r.desc.lds_size = DECLARED;
        assert_int_equal(karat_write(r.model, DATA, memory, SIZE), KARAT_OK);
        for (uint32_t n = 0; n < 1500; n++) {
            const uint32_t kind = rng_below(&rng, sizeof kinds / sizeof *kinds), bytes = kinds[kind].bytes;
            const uint32_t all = 0xffffffffu >> (32 - threads);
            if (n % 16 == 0) {
                r.desc.mask = rng_below(&rng, 3) ? all : all & (uint32_t)(rng_next(&rng) >> 32);
                launch(&r);
            }
            if (n % 16 == 0 &&
                in_lds) { /* A new workgroup's, of which the last bytes of the first page are written */
                memset(memory, 0, SIZE);
                memset(written, 0, SIZE);
                for (uint32_t i = WRITTEN; i < WRITTEN + 64; i++) {
                    memory[i] = (uint8_t)(rng_next(&rng) >> 32);
                    written[i] = true;
                }
                assert_int_equal(karat_lds_write(r.model, 0, LDS + WRITTEN, memory + WRITTEN, 64), KARAT_OK);
            }
            /* One address, consecutive ones, a stride, or any; within a page of the two, or over their
             * border. */
            const uint32_t shape = rng_below(&rng, 4),
                           base = rng_below(&rng, 2) ? START : 0x1000 * rng_below(&rng, 2);
            const uint32_t stride = shape == 1 ? bytes : shape == 2 ? 8 : 0;
            uint32_t addr[KARAT_MAX_THREAD], value[KARAT_MAX_THREAD], seen[KARAT_MAX_THREAD];
            for (uint32_t lane = 0; lane < threads; lane++) {
                addr[lane] = base + (shape == 3 ? rng_below(&rng, 64) * bytes : stride * lane);
                value[lane] = (uint32_t)(rng_next(&rng) >> 32);
                seen[lane] = addr[lane] + at;
            }
            set_v(&r, 1, seen);
            set_v(&r, 2, value);
            do_word(&r, OP(kinds[kind].name, 2, 0, 1));
            uint32_t k = 0, warnings = 0;
            bool has_page = !in_lds || kinds[kind].stores;
            for (uint32_t lane = 0; lane < threads; lane++) {
                if (!(r.desc.mask >> lane & 1))
                    continue;
                uint32_t held = 0;
                for (uint32_t i = 0; i < bytes; i++) {
                    held |= (uint32_t)memory[addr[lane] + i] << 8 * i;
                    warnings |= kinds[kind].stores || written[addr[lane] + i] ? 0 : KARAT_WARN_LDS_UNWRITTEN;
                    written[addr[lane] + i] |= kinds[kind].stores;
                }
                if (in_lds && (addr[lane] < 8 || addr[lane] + bytes > 8 + DECLARED))
                    warnings |= KARAT_WARN_LDS_BEYOND;
                const karat_access a = karat_mem_access(&r.commit.mem, k++);
                assert_int_equal(a.addr, at + addr[lane]);
                assert_int_equal(a.lane, lane);
                assert_int_equal(a.bytes, bytes);
                assert_int_equal(a.reg, 0);
                if (kinds[kind].stores) {
                    assert_int_equal(a.old, held);
                    assert_int_equal(a.value, value[lane] & (0xffffffffu >> (32 - 8 * bytes)));
                    for (uint32_t i = 0; i < bytes; i++)
                        memory[addr[lane] + i] = (uint8_t)(value[lane] >> 8 * i);
                } else {
                    assert_int_equal(a.old, 0);
                    assert_int_equal(a.value, held);
                    const uint32_t sign = kinds[kind].is_signed ? held >> (8 * bytes - 1) : 0;
                    value[lane] = sign ? held | 0xffffffffu << 8 * bytes : held;
                }
            }
            assert_int_equal(r.commit.mem.num, k);
            assert_int_equal(r.commit.warnings, warnings);
            if (k)
                assert_int_equal(r.commit.mem.space, in_lds ? KARAT_LDS : KARAT_GLOBAL);
            for (uint32_t i = 0; i < 0x1000; i++) /* A load finds a page that something was written to */
                has_page |= written[addr[0] / 0x1000 * 0x1000 + i];
            const uint8_t fits = shape == 0   ? KARAT_SHAPE_SAME
                                 : shape == 1 ? KARAT_SHAPE_UNIT
                                              : KARAT_SHAPE_STRIDED;
            const bool one_page = addr[0] / 0x1000 == addr[threads - 1] / 0x1000;
            if (shape < 3 && threads > 1)
                assert_int_equal(r.commit.mem.shape, k && one_page && has_page ? fits : KARAT_SHAPE_EACH);
            /* Lane by lane, they are the same. */
            karat_mem spread = r.commit.mem;
            karat_mem_spread(&spread);
            assert_int_equal(spread.shape, KARAT_SHAPE_EACH);
            for (uint32_t i = 0; i < k; i++) {
                const karat_access a = karat_mem_access(&r.commit.mem, i);
                assert_memory_equal(&a.addr, &spread.access[i].addr, sizeof a.addr);
                assert_int_equal(a.value, spread.access[i].value);
                assert_int_equal(a.old, spread.access[i].old);
                assert_int_equal(a.lane, spread.access[i].lane);
                assert_int_equal(a.bytes, spread.access[i].bytes);
            }
            expect_v(&r, 2, value, threads);
            static uint8_t now[SIZE];
            assert_int_equal(in_lds ? karat_lds_read(r.model, 0, LDS, now, SIZE)
                                    : karat_read(r.model, DATA, now, SIZE),
                             KARAT_OK);
            assert_memory_equal(now, memory, SIZE);
        }
    }
}

TEST(shapes_and_masks) {
    shapes_and_masks_in(DATA);
    shapes_and_masks_in(LDS);
}

/* Memory beyond 4 GiB from outside, and its walk. */
TEST(memory_beyond) {
    RIG(r, rig_open, 4);
    map_high(&r);
    assert_int_equal(karat_map(r.model, UINT64_MAX - 4095, 4096), KARAT_OK);
    assert_int_equal(karat_map(r.model, HIGH - 0x2000, 0x4000), KARAT_OK); /* Two pages are there already */
    assert_int_equal(karat_map(r.model, 0xfffff000, 0x2000), KARAT_OK);    /* On both sides of 4 GiB */
    char text[16];
    assert_int_equal(karat_write(r.model, 0xfffffffb, "0123456789", 11), KARAT_OK);
    assert_int_equal(karat_read(r.model, 0xfffffffb, text, 11), KARAT_OK);
    assert_string_equal(text, "0123456789");
    assert_int_equal(karat_write(r.model, UINT64_MAX - 1, "ab", 2), KARAT_OK);
    assert_int_equal(karat_write(r.model, UINT64_MAX - 1, "abc", 3), KARAT_NOT_MAPPED);
    assert_int_equal(karat_read(r.model, HIGH + MAPPED, text, 1), KARAT_NOT_MAPPED);
    uint64_t addr = 0xffffffff, expected[] = {0x100000000, HIGH - 0x2000, HIGH - 0x1000, HIGH};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, addr++) {
        assert_non_null(karat_next_page(r.model, &addr));
        assert_true(addr == expected[i]);
    }
    addr = HIGH + MAPPED;
    assert_non_null(karat_next_page(r.model, &addr));
    assert_true(addr == UINT64_MAX - 4095);
    addr++;
    assert_null(karat_next_page(r.model, &addr));
}

/* Memory that was unmapped is not there for the host, for code, loads, stores and reservations; mapped again,
 * it is 0. Memory around it stays. */
TEST(memory_unmapped) {
    RIG(r, rig_open, 4);
    map_high(&r);
    static const uint64_t places[] = {DATA, HIGH};
    for (size_t i = 0; i < 2; i++) {
        const uint64_t at = places[i];
        uint32_t word = 0;
        for (uint32_t page = 0; page < 4; page++)
            assert_int_equal(karat_write(r.model, at + 4096 * page, &(uint32_t){page + 1}, 4), KARAT_OK);
        assert_int_equal(karat_unmap(r.model, at + 4097, 4097), KARAT_OK); /* Two pages, widened */
        assert_int_equal(karat_read(r.model, at + 4096, &word, 4), KARAT_NOT_MAPPED);
        assert_int_equal(karat_read(r.model, at + 0x2fff, &word, 1), KARAT_NOT_MAPPED);
        assert_int_equal(karat_write(r.model, at + 4095, &word, 2), KARAT_NOT_MAPPED);
        assert_int_equal(karat_read(r.model, at, &word, 4), KARAT_OK);
        assert_int_equal(word, 1);
        assert_int_equal(karat_read(r.model, at + 0x3000, &word, 4), KARAT_OK);
        assert_int_equal(word, 4);
        expect_written(&r, at + 1, at + 0x3fff, at + 0x3000);
        assert_int_equal(karat_unmap(r.model, at, 0x3000), KARAT_OK); /* Two of them for the second time */
        assert_int_equal(karat_map(r.model, at, 0x3000), KARAT_OK);
        expect_written(&r, at, at + 0x3fff, at + 0x3000);
        for (uint32_t page = 0; page < 3; page++) {
            assert_int_equal(karat_read(r.model, at + 4096 * page, &word, 4), KARAT_OK);
            assert_int_equal(word, 0);
        }
        assert_int_equal(karat_unmap(r.model, at, MAPPED), KARAT_OK);
        assert_int_equal(karat_read(r.model, at, &word, 1), KARAT_NOT_MAPPED);
        assert_int_equal(karat_read(r.model, at + MAPPED - 1, &word, 1), KARAT_NOT_MAPPED);
    }
    uint64_t addr = CODE + MAPPED;
    assert_null(karat_next_page(r.model, &addr));
    assert_int_equal(karat_unmap(r.model, 8192, UINT64_MAX),
                     KARAT_BAD_ARGUMENT); /* Beyond the last address */
    assert_int_equal(karat_unmap(NULL, DATA, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_unmap(r.model, UINT64_MAX, 0), KARAT_OK);
}

/* An instruction that was decoded before is not there any more, and neither is a reservation. */
TEST(code_unmapped) {
    RIG(r, rig_open, 4);
    launch(&r);
    DO(&r, "addi", 5, 0, 7);
    assert_int_equal(karat_unmap(r.model, CODE, MAPPED), KARAT_OK);
    launch(&r);
    assert_int_equal(karat_step(r.model, 0, &r.commit), KARAT_PROGRAM_ERROR);
    assert_int_equal(r.commit.error.kind, KARAT_ERR_FETCH);
    assert_int_equal(karat_map(r.model, CODE, MAPPED), KARAT_OK);
    launch(&r);
    set_x(&r, 6, DATA);
    DO(&r, "lr.w", 5, 6, 0);
    assert_int_equal(karat_unmap(r.model, DATA, 4096), KARAT_OK);
    assert_int_equal(karat_map(r.model, DATA, 4096), KARAT_OK);
    DO(&r, "sc.w", 5, 6, 6, 0);
    assert_int_equal(get_x(&r, 5), 1);
}
